"""The log on standard error, for people or for a collector of logs."""

from __future__ import annotations

import datetime as dt
import json
import logging

from indexer.cli.streams import one_line


class TextFormatter(logging.Formatter):
    """One line a record. What comes from outside can't move the cursor of the terminal that it is read on."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        told = super().format(record)
        # A traceback, which only an error of the program's own brings, keeps its lines.
        return told if record.exc_info else one_line(told)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time` (UTC, ISO 8601), `level`, `logger`, `message`, and `exception` if there is one."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "time": dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["exception"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)
