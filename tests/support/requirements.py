"""What a test does where a program it needs is not installed: skipped on a developer's machine, failed in CI."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skip the test with the reason, or fail it in CI (`CI=true`), where everything must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} (and CI must have it: see .ci/run)", pytrace=False)
    pytest.skip(what)


def program(*names: str) -> str:
    """The path of the first of these programs that is installed; the test is skipped or failed if none is."""
    for name in names:
        if path := shutil.which(name):
            return path
    missing(f"none of these programs is installed: {', '.join(names)}")
