"""Embeddings charged to a project: each call is reserved in its budget first, like the calls of runs."""

from collections.abc import Sequence
from uuid import UUID

from providers import tokens
from providers.messages import ProviderError
from providers.vendors.embeddings import Batched, Embedder, Sender, Vectors
from runs.execution import budget
from runs.execution.perform import release_connection


def charged_to_project(project: UUID, embedder: Embedder) -> Embedder:
    """Return the embedder with its calls charged to the project; a built-in embedder costs nothing.

    In addition to the embedder's errors it raises ProviderError `budget_exceeded` before a call that would exceed a
    limit.
    """
    return embedder.through(lambda sender: _Paid(project, sender)) if isinstance(embedder, Batched) else embedder


def embedding_tokens(embedder: Embedder, text: str) -> int:
    """Return the tokens that embedding one text may use; 0 for a built-in embedder."""
    return tokens.estimate_tokens(text) if isinstance(embedder, Batched) else 0


class _Paid:
    """A vendor's embedding that reserves each exchange in the project's budget."""

    def __init__(self, project: UUID, sender: Sender) -> None:
        self.name, self.batch = sender.name, sender.batch
        self._project, self._sender = project, sender

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors (see `Sender`). A failed call is refunded; a refused one was made and stays charged."""
        most = sum(tokens.estimate_tokens(text) for text in texts)
        try:
            budget.reserve_call_without_run(self._project, most)
        except budget.BudgetExceeded as limit:
            raise ProviderError(str(limit), code="budget_exceeded") from limit
        release_connection()
        try:
            return self._sender.vectors(texts)
        except ProviderError:
            budget.refund_call_without_run(self._project, most)
            raise
