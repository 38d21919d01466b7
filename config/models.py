"""What the processes of the site know of each other: when parts were last seen alive, and what all of them share.

Times are the database's: the clocks of machines may differ.
"""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import ExpressionWrapper, F
from django.db.models.functions import Now

from runs.sql.database_clock import just_now, seconds_from_now

BACKUP = "backup"
"""The part of `Pulse` that a backup leaves in the database that it has copied."""


class Pulse(models.Model):
    """The last sign of life of one part; the worker updates its row with every sweep that beat asks for."""

    part = models.CharField(primary_key=True, max_length=32)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.part} at {self.at:%Y-%m-%d %H:%M:%S}"

    @classmethod
    def beat(cls, part: str) -> None:
        """Record that `part` is alive now."""
        cls.objects.update_or_create(part=part, defaults={"at": seconds_from_now(0)})

    @classmethod
    def take_turn(cls, part: str, every: timedelta) -> bool:
        """Record a turn of `part`, unless one was recorded within `every`; return whether it was."""
        lately = just_now(every.total_seconds())
        if cls.objects.filter(part=part).exclude(at__range=lately).update(at=seconds_from_now(0)):
            return True
        _row, is_first = cls.objects.get_or_create(part=part, defaults={"at": seconds_from_now(0)})
        return is_first

    @classmethod
    def last(cls, part: str) -> datetime | None:
        """Return when `part` was last seen alive.

        Returns None if it never was.
        """
        return cls.objects.filter(part=part).values_list("at", flat=True).first()

    @classmethod
    def age(cls, part: str) -> float | None:
        """Return the seconds since `part` was last seen alive.

        Returns None if it never was.
        """
        age = ExpressionWrapper(Now() - F("at"), models.DurationField())
        seen: timedelta | None = cls.objects.filter(part=part).values_list(age, flat=True).first()
        return None if seen is None else max(0.0, seen.total_seconds())

    @classmethod
    def is_fresh(cls, part: str, within: timedelta) -> bool:
        """Return whether `part` was seen alive within that time."""
        return cls.objects.filter(part=part, at__range=just_now(within.total_seconds())).exists()


class SharedParts(models.Model):
    """What all processes of the site have in common, in one row (`config.shared_parts`)."""

    database = models.CharField(max_length=32)  # drawn once; the mark in the storage of files repeats it
    files = models.CharField(max_length=32)  # drawn once for the storage of files
    key = models.CharField(max_length=64)  # a fingerprint of SECRET_KEY
    # one of the key that seals; "" until a process notes its own
    sealing_key = models.CharField(max_length=64, blank=True, default="", db_default="")

    class Meta:
        verbose_name_plural = "shared parts"
        constraints = (models.CheckConstraint(condition=models.Q(pk=1), name="shared_parts_one_row"),)
