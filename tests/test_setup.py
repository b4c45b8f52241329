"""Setting up on a fresh machine: the Python that is chosen, what `make run` does, the lock files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import PROJECT_ROOT

FIND_PYTHON = PROJECT_ROOT / "tools" / "find_python.sh"
RUN = PROJECT_ROOT / "tools" / "run.sh"

PYPROJECT = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]
RUNTIME = [*PYPROJECT["project"]["dependencies"], *EXTRAS["postgresql"], *PYPROJECT["dependency-groups"]["build"]]
DEVELOPMENT = [*RUNTIME, *(line for extra in EXTRAS.values() for line in extra), *PYPROJECT["dependency-groups"]["dev"]]


def script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class TestFindPython:
    """`tools/find_python.sh`: a stand-in for each Python says what that one would."""

    GOOD = "exit 0"
    TOO_OLD = "exit 1"
    WITHOUT_VENV = 'case "$2" in *venv*) exit 1;; esac'
    SWITCHED_OFF = 'echo "python: command not found" >&2; exit 127'

    def find(self, folder: Path, *arguments: str, **pythons: str) -> subprocess.CompletedProcess[str]:
        for name, body in pythons.items():
            script(folder / name.replace("_", "."), body)
        return subprocess.run(
            ["/bin/sh", str(FIND_PYTHON), *arguments],
            env={"PATH": str(folder)},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    @pytest.mark.parametrize(
        ("pythons", "expected"),
        [
            ({"python3_13": GOOD, "python3_11": GOOD, "python3": GOOD}, "python3.13"),
            ({"python3_11": GOOD, "python3": TOO_OLD}, "python3.11"),
            ({"python3": GOOD}, "python3"),
            ({"python3_13": SWITCHED_OFF, "python3_12": TOO_OLD, "python3": GOOD}, "python3"),
            ({"python3_13": WITHOUT_VENV, "python3_12": GOOD}, "python3.12"),
            ({"python3": TOO_OLD, "python3_14": GOOD}, "python3.14"),
        ],
    )
    def test_the_first_that_will_do(self, tmp_path: Path, pythons: dict[str, str], expected: str) -> None:
        done = self.find(tmp_path, **pythons)
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, expected, "")

    @pytest.mark.parametrize("pythons", [{}, {"python3": TOO_OLD, "python3_12": SWITCHED_OFF}])
    def test_none_is_one_line_that_says_what_to_do(self, tmp_path: Path, pythons: dict[str, str]) -> None:
        done = self.find(tmp_path, **pythons)
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"no Python 3\.11 or newer among: .*make PYTHON=\.\.\.'\n", done.stderr)

    def test_no_venv_module_is_one_line_that_names_the_package(self, tmp_path: Path) -> None:
        done = self.find(tmp_path, python3=self.WITHOUT_VENV)
        assert (done.returncode, done.stdout) == (1, "")
        assert re.fullmatch(r"python3 lacks .*apt install python3-venv.*\n", done.stderr)

    def test_a_python_that_is_named_is_the_only_one_tried(self, tmp_path: Path) -> None:
        (tmp_path / "my folder").mkdir()
        mine = tmp_path / "my folder" / "python"
        script(mine, self.GOOD)
        assert self.find(tmp_path, str(mine), python3=self.GOOD).stdout.strip() == str(mine)
        script(mine, self.TOO_OLD)
        assert self.find(tmp_path, str(mine), python3=self.GOOD).returncode == 1

    def test_this_very_python_will_do(self, tmp_path: Path) -> None:
        assert self.find(tmp_path, sys.executable).stdout.strip() == sys.executable


class TestRun:
    """`tools/run.sh`: what a first `make run` does, by how the sync ends."""

    def run(self, tmp_path: Path, sync_status: int) -> tuple[int, list[str]]:
        script(
            tmp_path / "python",
            f'echo "${{INDEXER_DATABASE_URL:-default}} $*" >> "{tmp_path}/calls"\n'
            f'[ "$*" = "-m indexer sync" ] && exit {sync_status}\nexit 0',
        )
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INDEXER_")}
        done = subprocess.run(
            ["/bin/sh", str(RUN), str(tmp_path / "python")],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, (tmp_path / "calls").read_text().splitlines()

    def test_synced(self, tmp_path: Path) -> None:
        assert self.run(tmp_path, 0) == (
            0,
            [f"default -m indexer {command}" for command in ("sync", "report", "status")],
        )

    def test_scryfall_out_of_reach_shows_the_sample_from_a_database_of_its_own(self, tmp_path: Path) -> None:
        commands = ("sync --from-file data/sample-cards.jsonl", "report", "status")
        assert self.run(tmp_path, 4) == (
            0,
            ["default -m indexer sync", *(f"sqlite:///data/sample.db -m indexer {command}" for command in commands)],
        )

    @pytest.mark.parametrize("status", [1, 3, 5])
    def test_any_other_failure_ends_it_with_that_status(self, tmp_path: Path, status: int) -> None:
        assert self.run(tmp_path, status) == (status, ["default -m indexer sync"])


class TestLockFiles:
    """What is installed is pinned, with hashes, and is what `pyproject.toml` asks for."""

    def pins(self, name: str) -> dict[str, str]:
        """Package -> version, for every package of a lock file; fails on an entry without a hash."""
        text = (PROJECT_ROOT / name).read_text()
        found = {}
        for entry in re.split(r"\n(?=[a-z0-9])", text):
            match = re.match(r"([a-z0-9._-]+)==(\S+)", entry)
            assert match, entry
            assert "--hash=sha256:" in entry, entry
            found[match[1]] = match[2]
        return found

    @pytest.mark.parametrize(
        ("name", "wanted"), [("requirements.lock", RUNTIME), ("requirements-dev.lock", DEVELOPMENT)]
    )
    def test_every_dependency_is_pinned_within_its_range(self, name: str, wanted: list[str]) -> None:
        pins = self.pins(name)
        for line in wanted:
            requirement = Requirement(line)
            pinned = pins.get(canonicalize_name(requirement.name))
            assert pinned is not None, f"{line} is not in {name}: run 'make lock'"
            assert requirement.specifier.contains(pinned, prereleases=True), f"{line} in {name}: run 'make lock'"

    def test_tests_run_with_the_versions_that_users_get(self) -> None:
        assert self.pins("requirements.lock").items() <= self.pins("requirements-dev.lock").items()

    @pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
    def test_they_name_no_machine_and_no_server(self, name: str) -> None:
        assert not re.search(r"://|file:|--index|--find", (PROJECT_ROOT / name).read_text())
