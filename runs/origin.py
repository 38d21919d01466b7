"""Which request or run this thread works for: log lines name it, and a run remembers the request that started it.

Traces follow the same way. What writes them is given by `use_tracing`, so that nothing is loaded where there are none.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from runs.models import Run

REQUEST_ID_LENGTH = 64
request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The id of the request, or of the request that started the run or job; empty for what no request started."""
run_id: ContextVar[str] = ContextVar("run_id", default="")
"""The public id of the run; empty outside runs."""


@contextmanager
def of_request(identifier: str) -> Iterator[None]:
    """Work for the request of this id."""
    token = request_id.set(identifier[:REQUEST_ID_LENGTH])
    try:
        yield
    finally:
        request_id.reset(token)


@contextmanager
def of_run(public_id: str, started_by_request: str) -> Iterator[None]:
    """Work for a run, and so for the request that started it."""
    token = run_id.set(public_id)
    try:
        with of_request(started_by_request):
            yield
    finally:
        run_id.reset(token)


class Tracing(Protocol):
    """Writes spans of runs and of the calls in them."""

    def traceparent(self) -> str:
        """Return the place in the trace at which this thread works, as W3C's header has it; "" if there is none."""
        ...

    def run(self, run: "Run") -> AbstractContextManager[object]:
        """Write what follows as a span of the run, below the request that started it."""
        ...

    def call(self, role: str, model: str) -> AbstractContextManager[object]:
        """Write what follows as a span of a model's call, below the span of this thread."""
        ...


class NoTracing:
    """Writes nothing."""

    def traceparent(self) -> str:
        """Return no place in a trace."""
        return ""

    def run(self, run: "Run") -> AbstractContextManager[object]:
        """Do nothing."""
        return nullcontext()

    def call(self, role: str, model: str) -> AbstractContextManager[object]:
        """Do nothing."""
        return nullcontext()


tracing: Tracing = NoTracing()


def use_tracing(writer: Tracing) -> None:
    """Write spans with it from now on."""
    global tracing
    tracing = writer
