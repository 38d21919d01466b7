"""When the parts of the site were last seen alive."""

from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone


class Pulse(models.Model):
    """One row per part; the worker writes its row with every sweep that beat asked for."""

    part = models.CharField(primary_key=True, max_length=32)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.part} at {self.at:%Y-%m-%d %H:%M:%S}"

    @classmethod
    def beat(cls, part: str) -> None:
        """Write down that `part` is alive now."""
        cls.objects.update_or_create(part=part, defaults={"at": timezone.now()})

    @classmethod
    def last(cls, part: str) -> datetime | None:
        """When `part` was last seen alive; None: never."""
        return cls.objects.filter(part=part).values_list("at", flat=True).first()

    @classmethod
    def is_fresh(cls, part: str, within: timedelta) -> bool:
        """Whether `part` was seen alive within that time."""
        last = cls.last(part)
        return last is not None and timezone.now() - last <= within
