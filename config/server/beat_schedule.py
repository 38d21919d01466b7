"""Celery's beat on a machine whose clock was put back.

Beat keeps when it last asked for each task, in a file too. A moment in the future would stop all sweeps until the clock
gets there: for hours, if the clock was hours ahead.
"""

from typing import Any

from celery.beat import PersistentScheduler


class Schedule(PersistentScheduler):
    """Counts anew from now wherever the last time is still to come."""

    def is_due(self, entry: Any) -> Any:
        """Return whether the entry is due, and in how many seconds to look again."""
        entry.last_run_at = min(entry.last_run_at, entry.default_now())
        return super().is_due(entry)

    def tick(self, *arguments: Any, **named: Any) -> Any:
        """Ask for what is due, and return in how many seconds to look again.

        What was planned before the clock was put back is planned anew: it would come as late as the clock was ahead.
        """
        entries: list[Any] = list(self.schedule.values())
        ahead = [entry for entry in entries if entry.last_run_at > entry.default_now()]
        for entry in ahead:
            entry.last_run_at = entry.default_now()
        if ahead:
            self._heap = None
        return super().tick(*arguments, **named)
