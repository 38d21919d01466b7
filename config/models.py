"""When the parts of the site were last seen alive, by the database's clock: those of machines may differ."""

from datetime import datetime, timedelta

from django.db import models

from runs.sql.database_clock import seconds_from_now


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
        overdue = seconds_from_now(-every.total_seconds())
        if cls.objects.filter(part=part, at__lt=overdue).update(at=seconds_from_now(0)):
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
    def is_fresh(cls, part: str, within: timedelta) -> bool:
        """Return whether `part` was seen alive within that time."""
        return cls.objects.filter(part=part, at__gte=seconds_from_now(-within.total_seconds())).exists()
