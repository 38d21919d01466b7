"""Base classes and defaults that all rows share."""

import secrets
from enum import StrEnum
from typing import Any

from django.db import models


def random_place() -> int:
    """Return a random position in the order of assignment: 0 … 2**31 - 1."""
    return secrets.randbelow(2**31)


def random_key() -> str:
    """Return a new secret of 256 bits, in hex."""
    return secrets.token_hex(32)


def choices(closed_set: type[StrEnum]) -> list[tuple[str, str]]:
    """Return the members of an enum as Django choices."""
    return [(member.value, member.value.replace("_", " ")) for member in closed_set]


class AppendOnlyError(TypeError):
    """The code tried to change or remove a row of an append-only table."""


class AppendOnly(models.Model):
    """Rows that are added and never changed; triggers on both databases enforce it (`core/append_only.py`)."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{type(self).__name__} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{type(self).__name__} rows are never removed")
