"""Database rows of model runs; import them from here."""

from runs.models.runs import Account, Pause, Run, SiteDay, Turn

__all__ = ["Account", "Pause", "Run", "SiteDay", "Turn"]
