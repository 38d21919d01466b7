"""Base classes and defaults that all rows share."""

import random
import secrets
from enum import StrEnum
from typing import Any

from django.db import models

from annotation.domain.category_sets import codes_of


def random_place() -> int:
    """Return a random position in the order of assignment: 0 … 2**31 - 1."""
    return random.getrandbits(31)  # shown to nobody


def random_key() -> str:
    """Return a new secret of 256 bits, in hex."""
    return secrets.token_hex(32)


def choices(closed_set: type[StrEnum]) -> list[tuple[str, str]]:
    """Return the members of an enum as Django choices."""
    return [(member.value, member.value.replace("_", " ")) for member in closed_set]


class WithCategories(models.Model):
    """A row that names a category, or several: `category` is the first, `categories` holds the codes of all."""

    categories = models.JSONField(default=list, blank=True)  # sorted; empty: `category` alone, or none

    class Meta:
        abstract = True

    @property
    def codes(self) -> tuple[int, ...]:
        """All codes of the row, sorted; read with `category` loaded."""
        lead = getattr(self, "category", None)
        return codes_of(lead.code if lead else None, self.categories)


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


class SealedField(models.TextField[str, str]):
    """A column that holds what `annotation.core.sealed.seal` returned, or nothing.

    By this type everything that is sealed is found (`config/sealed_values.py`), so `seal` is called for such columns
    alone. A test looks at each call.
    """
