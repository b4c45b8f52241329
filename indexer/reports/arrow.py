"""The types of Arrow, and with it of Parquet, for the tables and views. Needs pyarrow."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
from sqlalchemy import BigInteger, Boolean, Column, Date, DateTime, Float, Integer, LargeBinary, TypeDecorator
from sqlalchemy.types import TypeEngine

from indexer.storage.dictionary import ColumnEntry, Relation

_TYPES: tuple[tuple[type[TypeEngine[Any]], pa.DataType], ...] = (
    (Boolean, pa.bool_()),
    (Date, pa.date32()),
    (DateTime, pa.timestamp("us", tz="UTC")),
    (Float, pa.float64()),
    (BigInteger, pa.int64()),
    (Integer, pa.int32()),
    (LargeBinary, pa.binary()),
)
_CODED = pa.dictionary(pa.int32(), pa.string())


def arrow_schema(relation: Relation, facts: Mapping[str, str]) -> pa.Schema:
    """The columns with their types and what they mean; `facts` and the table's meaning as the schema's metadata."""
    fields = [_field(entry, relation.source.columns[entry.name]) for entry in relation.columns]
    return pa.schema(fields, metadata={**facts, "table": relation.name, "description": relation.meaning})


def _field(entry: ColumnEntry, column: Any) -> pa.Field:
    told = {
        "description": entry.meaning,
        "unit": entry.unit,
        "null": entry.null,
        "empty": entry.empty,
        "values": json.dumps(dict(entry.values)) if entry.values else None,
    }
    nullable = column.nullable if isinstance(column, Column) else True
    metadata = {key: value for key, value in told.items() if value is not None}
    return pa.field(entry.name, _type(entry, column.type), nullable=bool(nullable), metadata=metadata)


def _type(entry: ColumnEntry, kind: TypeEngine[Any]) -> pa.DataType:
    plain = kind.impl_instance if isinstance(kind, TypeDecorator) else kind
    for known, arrow in _TYPES:
        if isinstance(plain, known):
            return arrow
    return _CODED if entry.coded or entry.values else pa.string()
