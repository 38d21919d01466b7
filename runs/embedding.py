"""Embeddings that a project pays for: every call is set aside in its budget before it is made, as those of runs are."""

from collections.abc import Sequence
from uuid import UUID

from providers import tokens
from providers.embedding import Batched, Embedder, Sender, Vectors
from providers.messages import ProviderError
from runs import spending
from runs.performing import hand_back


def paid_by(project: UUID, embedder: Embedder) -> Embedder:
    """The embedding at the project's expense; one that is made here costs nothing.

    Beside what the embedding raises: ProviderError `budget_exceeded` before a call that would go over a limit.
    """
    return embedder.through(lambda sender: _Paid(project, sender)) if isinstance(embedder, Batched) else embedder


def cost(embedder: Embedder, text: str) -> int:
    """The tokens that embedding one text may use; 0 where it is made here."""
    return tokens.count(text) if isinstance(embedder, Batched) else 0


class _Paid:
    """A vendor's embedding whose exchanges are set aside one by one."""

    def __init__(self, project: UUID, sender: Sender) -> None:
        self.name, self.batch = sender.name, sender.batch
        self._project, self._sender = project, sender

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """See `embedding.Sender`. What brought nothing is given back; what was refused was asked, and stays."""
        most = sum(tokens.count(text) for text in texts)
        try:
            spending.spend(self._project, most)
        except spending.BudgetExceeded as limit:
            raise ProviderError(str(limit), code="budget_exceeded") from limit
        hand_back()
        try:
            return self._sender.vectors(texts)
        except ProviderError:
            spending.give_back(self._project, most)
            raise
