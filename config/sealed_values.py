"""All that is sealed in the database, and how it is sealed anew after a key was changed.

Ours are the columns of the type `SealedField`; the secrets of second steps lie in a table of allauth. Rows are read and
written in batches, each under locks in a transaction of its own: web and workers go on meanwhile, and a command that
was stopped begins again where it was, because what the first key opens is left as it is.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import QuerySet

from annotation.core.sealed import CannotOpen, reseal
from annotation.models.base import SealedField
from config.web.accounts import resealed_second_step, second_steps

BATCH = 200
NAMED = 20
"""The most rows of one column that are named because no key opens them."""


@dataclass(frozen=True)
class SealedColumn:
    """One column in which something is sealed."""

    rows: QuerySet[Any]
    """The rows that hold something sealed."""
    name: str
    resealed: Callable[[Any], Any]
    """Returns the column's value with all in it closed by the first key. Raises CannotOpen."""

    def __str__(self) -> str:
        return f"{self.rows.model._meta.label}.{self.name}"


@dataclass
class Count:
    """How the rows of one column are closed."""

    current: int = 0
    """By the key that closes now."""
    former: int = 0
    """By a former key, or not at all; after `reseal_all` these are closed by the current one."""
    lost: int = 0
    """By a key that this process does not have."""
    lost_rows: list[str] = field(default_factory=list)
    """The first of the lost ones, named for people."""


def columns() -> Iterator[SealedColumn]:
    """Yield all columns in which something is sealed."""
    for model in apps.get_models():
        for column in model._meta.get_fields():
            if isinstance(column, SealedField):
                yield SealedColumn(model._base_manager.exclude(**{column.name: ""}), column.name, reseal)
    yield SealedColumn(second_steps(), "data", resealed_second_step)


def count_all() -> dict[str, Count]:
    """Count by column what the current key, a former one, and none opens. Nothing is changed."""
    return {str(column): _go_through(column, None) for column in columns()}


def reseal_all(say: Callable[[str], None]) -> dict[str, Count]:
    """Close with the current key what a former one closed, and return what was found. `say` is told of progress."""
    return {str(column): _go_through(column, say) for column in columns()}


def _go_through(column: SealedColumn, say: Callable[[str], None] | None) -> Count:
    """Look at all rows; change them if somebody is told of it."""
    count, last, done = Count(), 0, 0
    ids = column.rows.order_by("pk").values_list("pk", flat=True)
    while batch := list(ids.filter(pk__gt=last)[:BATCH]):
        with transaction.atomic():
            rows = column.rows.filter(pk__in=batch).order_by("pk")
            if say is not None:
                rows = rows.select_for_update(of=("self",), no_key=True)
            changed = [row for row in rows if _is_changed(column, row, count)]
            if say is not None and changed:
                column.rows.model._base_manager.bulk_update(changed, [column.name])
        last, done = batch[-1], done + len(batch)
        if say is not None:
            say(f"{column}: {done:,} looked at, {count.former:,} sealed anew")
    return count


def _is_changed(column: SealedColumn, row: models.Model, count: Count) -> bool:
    """Give the row the value that the current key closed, count it, and return whether that is another one."""
    before = getattr(row, column.name)
    try:
        after = column.resealed(before)
    except CannotOpen:
        count.lost += 1
        if len(count.lost_rows) < NAMED:
            count.lost_rows.append(_name_of(row))
        return False
    setattr(row, column.name, after)
    is_changed: bool = after != before
    count.former += is_changed
    count.current += not is_changed
    return is_changed


def _name_of(row: models.Model) -> str:
    """Return the number of the row, and whose it is."""
    owners = (getattr(row, "project", None), getattr(row, "user", None))
    return " ".join([f"{row._meta.verbose_name} {row.pk}", *(f"of {owner}" for owner in owners if owner)])
