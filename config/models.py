"""When the parts of the site were last seen alive."""

from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone


class Pulse(models.Model):
    """The last sign of life of one part; the worker updates its row with every sweep that beat asks for."""

    part = models.CharField(primary_key=True, max_length=32)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.part} at {self.at:%Y-%m-%d %H:%M:%S}"

    @classmethod
    def beat(cls, part: str) -> None:
        """Record that `part` is alive now."""
        cls.objects.update_or_create(part=part, defaults={"at": timezone.now()})

    @classmethod
    def last(cls, part: str) -> datetime | None:
        """Return when `part` was last seen alive.

        Returns None if it never was.
        """
        return cls.objects.filter(part=part).values_list("at", flat=True).first()

    @classmethod
    def is_fresh(cls, part: str, within: timedelta) -> bool:
        """Return whether `part` was seen alive within that time."""
        last = cls.last(part)
        return last is not None and timezone.now() - last <= within
