"""Puts the schema's revisions, which stand beside the package, inside the wheel as `indexer/migrations`.

Everything else about the build is in pyproject.toml. An editable install uses the revisions where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SOURCE = Path("migrations")
TARGET = Path("indexer", "migrations")


class BuildWithMigrations(build_py):
    """`build_py` that also copies the revisions."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for source, target in self._copies():
                self.mkpath(str(target.parent))
                self.copy_file(str(source), str(target))

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        outputs: list[str] = super().get_outputs(include_bytecode)
        return outputs + ([] if self.editable_mode else [str(target) for _, target in self._copies()])

    def get_source_files(self) -> list[str]:
        sources: list[str] = super().get_source_files()
        return sources + [str(source) for source, _ in self._copies()]

    def _copies(self) -> Iterator[tuple[Path, Path]]:
        for source in sorted(SOURCE.rglob("*")):
            if source.suffix in (".py", ".mako"):
                yield source, Path(self.build_lib) / TARGET / source.relative_to(SOURCE)


setup(cmdclass={"build_py": BuildWithMigrations})
