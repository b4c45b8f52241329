"""Where a program that a test needs is absent."""

from __future__ import annotations

import pytest

from tests.support import requirements


def test_a_missing_program_skips_outside_ci_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no-such-program"):
        requirements.program("no-such-program")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no-such-program"):
        requirements.program("no-such-program")
