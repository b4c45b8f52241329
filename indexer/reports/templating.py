"""The template engine of the HTML pages: all text escaped, one self-contained file, a policy that forbids the rest."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
from collections.abc import Mapping
from importlib import resources
from typing import Any, TextIO

from markupsafe import Markup

from indexer import __version__
from indexer.reports.safe_text import visible

_FIRST_SCRIPT = 'document.documentElement.classList.add("js");'
"""Runs before the body is read, so that what only makes sense with the page's script is shown, or folded, at once."""


def write_template(name: str, values: Mapping[str, Any], stream: TextIO, *, now: dt.datetime) -> None:
    """Render a template of this package into the stream, piece by piece.

    The page carries its style sheet and its script, and a content security policy that allows exactly these two and
    no connection to anywhere.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("indexer.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_source_hash(style)}'; "
        f"script-src '{_source_hash(_FIRST_SCRIPT)}' '{_source_hash(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    template = environment.get_template(name)
    pieces = template.generate(
        **values,
        style=Markup(style),  # noqa: S704  # this package's own file
        script=Markup(script),  # noqa: S704  # this package's own file
        first_script=Markup(_FIRST_SCRIPT),  # noqa: S704  # a constant
        policy=policy,
        now=now,
        version=__version__,
    )
    for piece in pieces:
        # The page may be looked at in a terminal too, and an override of one name turns its neighbors around.
        stream.write(piece if piece.replace("\n", "").isprintable() else visible(piece, keep="\n\t"))


def _asset(name: str) -> str:
    # Browsers hash what they have parsed, in which every line ends with a line feed.
    text = resources.files("indexer.reports").joinpath("templates", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _source_hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
