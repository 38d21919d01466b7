"""Database rows of model runs; import them from here."""

from runs.models.runs import Account, ModelFact, Pause, Run, SiteDay, Turn, WorkerLoad

__all__ = ["Account", "ModelFact", "Pause", "Run", "SiteDay", "Turn", "WorkerLoad"]
