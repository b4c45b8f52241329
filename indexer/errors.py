"""Every exception of the project.

This module imports nothing from the project, so that every other module may import it. Each class carries the exit
status that the command line gives for it, and each message is one line that names the offending input and the fix.
"""

from __future__ import annotations


class IndexerError(Exception):
    """Any failure this project reports on purpose. The command line turns it into one line and `exit_status`."""

    exit_status: int = 1


class ConfigError(IndexerError):
    """A setting (option or environment variable) that can't be used."""

    exit_status = 2


# --- the source: catalogue, network, file -------------------------------------------------------------------------


class ScryfallError(IndexerError):
    """The service did not give what it should."""

    exit_status = 4


class RateLimited(ScryfallError):
    """The service answered 429 a second time, after the wait that it asked for.

    `retry_after` is the wait it asks for now, in seconds; None if it names none.
    """

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnexpectedResponse(ScryfallError):
    """An answer with a wrong status, type or shape."""


class DownloadError(IndexerError):
    """The bulk file can't be had. What was on disk before is still there."""

    exit_status = 4


class IncompleteDownload(DownloadError):
    """The body ended early, more often than the attempts allow. The partial file stays for the next try."""


class FileChanged(DownloadError):
    """The file on the server is no longer the one the catalogue announced or the one whose download began."""


class VerificationFailed(DownloadError):
    """The bytes on disk are not what was announced (size, compression, hash)."""


class BulkFormatError(IndexerError):
    """A bulk file that isn't JSON Lines or a JSON array of objects.

    `line` is the number of the line, counted from 1; `offset` the byte in the unpacked data; None where unknown.
    """

    exit_status = 4

    def __init__(self, message: str, *, line: int | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.line = line
        self.offset = offset


# --- the rules engine and the normalizer --------------------------------------------------------------------------


class RulesError(IndexerError, ValueError):
    """Text that the rules engine can't take. `source` is the text, `span` the (start, end) of the part it stops at.

    It reaches the command line only where somebody typed the text, so it counts as wrong usage there.
    """

    exit_status = 2

    def __init__(self, message: str, *, source: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.source = source
        self.span = span


class InvalidManaSymbol(RulesError):
    """A token in braces that is no mana symbol of CR 107.4 or of the funny sets."""


class InvalidManaCost(RulesError):
    """Text that isn't a row of mana symbols."""


class ImpossibleSituation(IndexerError):
    """A situation that the card can't be in, such as fused without fuse. The message says why, with the rule."""

    exit_status = 2


class NormalizeError(IndexerError):
    """A raw record that can't become a card. Each attribute is None where the record lacks it."""

    def __init__(
        self,
        message: str,
        *,
        card_name: str | None = None,
        scryfall_id: str | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.card_name = card_name
        self.scryfall_id = scryfall_id
        self.field = field


# --- storage and sync ---------------------------------------------------------------------------------------------


class StorageError(IndexerError):
    """The database can't be opened, read or written."""


class SchemaOutOfDate(StorageError):
    """The database has an older or a newer schema than this program."""


class GateRefused(IndexerError):
    """The new data looks wrong; the old pool is kept. The message names the figure and the option that overrides it."""

    exit_status = 3

    def __init__(self, message: str, *, gate: str) -> None:
        super().__init__(message)
        self.gate = gate


class SyncInProgress(IndexerError):
    """Another sync holds the lock."""

    exit_status = 5


# --- questions ----------------------------------------------------------------------------------------------------


class SearchSyntaxError(IndexerError, ValueError):
    """A search expression that can't be compiled. `span` is the (start, end) of the offending part of `source`."""

    exit_status = 2

    def __init__(self, message: str, *, source: str, span: tuple[int, int]) -> None:
        super().__init__(message)
        self.source = source
        self.span = span


class QueryError(IndexerError):
    """SQL that is refused or fails."""

    exit_status = 2


class ExportError(IndexerError):
    """Files can't be written where they were asked for. Those of an earlier export are still there."""


class CardNotFound(IndexerError):
    """No card, or more than one, answers to the words given. `suggestions` are near names, best first."""

    exit_status = 2

    def __init__(self, message: str, *, suggestions: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.suggestions = suggestions
