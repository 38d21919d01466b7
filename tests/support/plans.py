"""How PostgreSQL reads the rows that a piece of code asks for: every statement is explained before it runs."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

_EXPLAINED = ("SELECT", "WITH", "INSERT", "UPDATE", "DELETE")
FEW = 1_000
"""Blocks (8 kB each) that a search without an index may touch: with a LIMIT it ends soon where most rows match."""


@dataclass(frozen=True)
class Explained:
    """One statement: the tables that it reads from end to end, and the blocks that it touched (0: not counted)."""

    sql: str
    scans: frozenset[str]
    blocks: int


@dataclass
class Plans:
    """The statements of a piece of code."""

    statements: list[Explained] = field(default_factory=list)

    @property
    def blocks(self) -> int:
        """Blocks that its questions touched."""
        return sum(statement.blocks for statement in self.statements)

    def scans_of(self, *tables: str) -> list[str]:
        """Return the statements that read one of these tables from end to end, each with the tables."""
        return [
            f"{', '.join(sorted(statement.scans.intersection(tables)))}: {statement.sql[:1500]}"
            for statement in self.statements
            if statement.scans.intersection(tables)
        ]


@contextmanager
def explained() -> Iterator[Plans]:
    """Explain every statement of the block. A plain SELECT runs twice, so that its blocks are counted."""
    plans = Plans()

    def explain(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        if not many and sql.lstrip().startswith(_EXPLAINED):
            plans.statements.append(_explain(sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        yield plans


def _explain(sql: str, params: Any) -> Explained:
    reads = sql.lstrip().startswith("SELECT") and " FOR " not in sql
    with connection.connection.cursor() as cursor:
        options = "ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON" if reads else "FORMAT JSON"
        cursor.execute(f"EXPLAIN ({options}) {sql}", params)
        plan = cursor.fetchone()[0][0]["Plan"]
    return Explained(" ".join(sql.split()), frozenset(_scanned(plan)), _blocks(plan))


def _scanned(plan: dict[str, Any]) -> Iterator[str]:
    """Yield the tables that the plan reads without a condition of an index, but for those of which it reads little."""
    by_key = "Index Cond" not in plan and plan.get("Index Name", "").endswith("_pkey")
    if (plan["Node Type"] == "Seq Scan" or by_key) and not 0 < _blocks(plan) <= FEW:
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _scanned(part)


def _blocks(plan: dict[str, Any]) -> int:
    return int(plan.get("Shared Hit Blocks", 0)) + int(plan.get("Shared Read Blocks", 0))
