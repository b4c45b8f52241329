"""The documentation is true: commands, options, links, and the ready-made files for the nightly job."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import yaml

from indexer import errors
from indexer.cli import COMMANDS, cli
from tests.conftest import PROJECT_ROOT
from tests.support.requirements import program

README = PROJECT_ROOT / "README.md"
DOCS = PROJECT_ROOT / "docs"
DEPLOY = PROJECT_ROOT / "deploy"
PAGES = [README, PROJECT_ROOT / "CHANGELOG.md", PROJECT_ROOT / "data" / "SOURCE.md", *sorted(DOCS.glob("*.md"))]


def relative(path: Path) -> str:
    return str(path.relative_to(PROJECT_ROOT))


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        yield match[1], match[2]


def calls(page: Path) -> Iterator[tuple[str, list[str]]]:
    """Every call of `indexer` in the page's fenced blocks and code spans: the command, and the long options given."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    spans = [block for _, block in blocks(page)] + re.findall(r"`([^`\n]+)`", text)
    for span in spans:
        for match in re.finditer(r"(?:^|[\s/$`(])indexer ([a-z]+)\b([^\n|;&>`)]*)", span.replace("\\\n", " ")):
            if match[1] in COMMANDS:
                yield match[1], re.findall(r"(?<!\S)--[a-z][a-z-]*", match[2])
            elif match[0].lstrip().startswith(("$", ".")) or span.startswith("indexer"):
                yield match[1], []


def command(name: str) -> click.Command:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None, f"no command {name!r}"
    return found


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_and_is_in_the_readme(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"indexer {name}" in README.read_text(encoding="utf-8")
    cli.main([name, "--help"], prog_name="indexer", standalone_mode=False)
    help_text = capsys.readouterr().out
    assert help_text.startswith(f"Usage: indexer {name}")
    for parameter in command(name).params:
        # A choice is listed in the help with its values, which may say it all.
        if isinstance(parameter, click.Option) and not isinstance(parameter.type, click.Choice):
            assert parameter.help, f"indexer {name}: {parameter.opts} has no help"


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_call_in_the_documentation_is_one_that_exists(page: Path) -> None:
    for name, options in calls(page):
        known = {
            option for parameter in command(name).params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        for option in options:
            assert option in known | {"--help"}, f"indexer {name} has no {option}"


def test_the_check_of_calls_sees_calls() -> None:
    assert ("sync", ["--json"]) in list(calls(DOCS / "nightly.md"))
    assert {name for name, _ in calls(README)} == set(COMMANDS)


def shown(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands in the page's console blocks that read the pool, each with the output shown below it, if any."""
    for language, block in blocks(page):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:] if language == "console" else []:
            line, *output = part.rstrip("\n").split("\n")
            if re.match(r"indexer (?!sync|status|export)", line) and output:
                yield line, output


def without_dates(lines: list[str]) -> list[str]:
    return [re.sub(r"\d{4}-\d\d-\d\d", "DATE", line.rstrip()) for line in lines]


@pytest.fixture(scope="module")
def sample_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which `indexer` reads a pool of the sample cards."""
    folder = tmp_path_factory.mktemp("shown")
    (folder / "indexer").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m indexer "$@"\n')
    (folder / "indexer").chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "INDEXER_DATABASE_URL": f"sqlite:///{folder / 'sample.db'}",
        "INDEXER_DATA_DIR": str(folder),
    }
    output_of("indexer sync --from-file data/sample-cards.jsonl", environment)
    return environment


def output_of(line: str, environment: dict[str, str]) -> list[str]:
    done = subprocess.run(
        ["/bin/sh", "-c", line],
        cwd=PROJECT_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n").split("\n")


@pytest.mark.parametrize(
    ("line", "output"),
    [pytest.param(*example, id=example[0]) for page in (README,) for example in shown(page)],
)
def test_the_output_shown_is_the_output(line: str, output: list[str], sample_environment: dict[str, str]) -> None:
    assert without_dates(output) == without_dates(output_of(line, sample_environment))


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target) and not target.startswith("#"):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_index_lists_every_page() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in index, f"docs/{page.name} is not in docs/README.md"


@pytest.mark.parametrize("page", [README, DOCS / "nightly.md"], ids=relative)
def test_every_exit_status_is_explained(page: Path) -> None:
    statuses = {
        thing.exit_status
        for thing in vars(errors).values()
        if isinstance(thing, type) and issubclass(thing, errors.IndexerError)
    }
    rows = set(re.findall(r"^\| (\d) \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == {str(status) for status in statuses | {0}}


def test_the_targets_of_make_that_the_documentation_names_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (PROJECT_ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in PAGES:
        named = set(re.findall(r"(?:`|[$#] |run: )make (?:-C \S+ )?([a-z]+)\b", page.read_text(encoding="utf-8")))
        assert named <= targets, page


class TestNightlyFiles:
    def test_systemd_accepts_the_units(self, tmp_path: Path) -> None:
        analyze = program("systemd-analyze")
        for unit in DEPLOY.glob("indexer-sync.*"):
            text = unit.read_text(encoding="utf-8")
            # It wants the program to be there.
            (tmp_path / unit.name).write_text(text.replace("/opt/indexer/.venv/bin/indexer", "/bin/true"))
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["indexer-sync.service", "indexer-sync.timer"]
        done = subprocess.run(
            [analyze, "verify", *(f"./{name}" for name in names)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        # An unknown key is only a warning to it: nothing may be said at all.
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

    def test_the_service_calls_a_command_that_exists(self) -> None:
        (line,) = re.findall(r"^ExecStart=(.*)$", (DEPLOY / "indexer-sync.service").read_text(), re.MULTILINE)
        program_path, name, *options = shlex.split(line)
        assert program_path.endswith("/bin/indexer")
        assert {option for parameter in command(name).params for option in parameter.opts} >= set(options)

    def test_the_container_copies_what_exists_and_does_not_run_as_root(self) -> None:
        text = (PROJECT_ROOT / "Containerfile").read_text(encoding="utf-8")
        ignored = (PROJECT_ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
        for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE):
            for source in line.split()[:-1]:
                assert (PROJECT_ROOT / source).exists(), source
                assert f"!{source}" in ignored, f"{source} is kept out by .dockerignore"
        assert re.search(r"^USER [1-9]\d*$", text, re.MULTILINE)
        (health,) = re.findall(r"^HEALTHCHECK .*?CMD (\[[^]]*\])$", text, re.MULTILINE | re.DOTALL)
        arguments = yaml.safe_load(health)
        assert arguments[:2] == ["indexer", "status"]
        assert {option for parameter in command("status").params for option in parameter.opts} >= {
            "--check",
            "--max-age",
        }

    def test_the_workflow_is_well_formed_and_sets_up_with_make(self) -> None:
        (text,) = [block for language, block in blocks(DOCS / "nightly.md") if language == "yaml"]
        steps = yaml.safe_load(text)["jobs"]["sync"]["steps"]
        runs = [step["run"] for step in steps if "run" in step]
        assert runs[0] == "make setup"
        assert all(("run" in step) != ("uses" in step) for step in steps)
