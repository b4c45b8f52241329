"""The wheel is complete: installed alone, away from the checkout, it syncs, upgrades and shows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.conftest import PROJECT_ROOT
from tests.support.sample_pool import SAMPLE, sample_records

SOURCES = ("indexer", "migrations", "setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a fresh environment that has the wheel and, borrowed, the dependencies of the tests' own."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        path = PROJECT_ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", folder, source)
    (wheel,) = folder.glob("*.whl")
    environment = folder / "venv"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    (site_packages,) = environment.glob("lib/python*/site-packages")
    (site_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """The standard output of a command that must succeed; nothing of the checkout is on its path."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "INDEXER"))}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_syncs_and_shows_away_from_the_checkout(python: Path, tmp_path: Path) -> None:
    where = run(python, "-c", "import indexer; print(indexer.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(python.parents[1])
    command = python.with_name("indexer")
    summary = json.loads(run(command, "sync", "--from-file", SAMPLE, "--json", cwd=tmp_path))
    assert summary["cards"]["added"] == len(sample_records())
    facts = json.loads(run(command, "status", "--format", "json", "--check", cwd=tmp_path))
    assert facts["rows"]["cards"] == len(sample_records())
    assert (tmp_path / "data" / "cards.db").is_file()


def test_it_upgrades_an_older_database(python: Path, tmp_path: Path) -> None:
    command = python.with_name("indexer")
    older = (
        "from alembic import command; from indexer.storage.engine import open_engine; "
        "from indexer.storage.migrate import alembic_config\n"
        "config = alembic_config()\n"
        "with open_engine('sqlite:///old.db').begin() as connection:\n"
        "    config.attributes['connection'] = connection\n"
        "    command.upgrade(config, '0001')\n"
    )
    run(python, "-c", older, cwd=tmp_path)
    run(command, "sync", "--from-file", SAMPLE, "--database-url", "sqlite:///old.db", cwd=tmp_path)
    facts = json.loads(
        run(command, "status", "--format", "json", "--check", "--database-url", "sqlite:///old.db", cwd=tmp_path)
    )
    assert facts["problems"] == []
