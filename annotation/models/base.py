"""What every row builds on."""

import secrets
from enum import StrEnum
from typing import Any

from django.db import models


def random_place() -> int:
    """A random position in the order of handing out: 0 … 2**31 - 1."""
    return secrets.randbelow(2**31)


def random_key() -> str:
    """A fresh secret of 256 bits, in hex."""
    return secrets.token_hex(32)


def choices(closed_set: type[StrEnum]) -> list[tuple[str, str]]:
    """The members of a closed set as Django choices."""
    return [(member.value, member.value.replace("_", " ")) for member in closed_set]


class AppendOnlyError(TypeError):
    """Somebody tried to change or remove a row that only ever gets added."""


class AppendOnly(models.Model):
    """Rows that are added and never changed; triggers on both databases say the same (migration 0002)."""

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError(f"{type(self).__name__} rows are never changed")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise AppendOnlyError(f"{type(self).__name__} rows are never removed")
