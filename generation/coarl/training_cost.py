"""What a phase costs: tokens a second and the peak of memory, for `phase.json` and the card."""

import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch


class TrainingCost:
    """Tokens, seconds and memory of a phase in this process: what ran before a kill is not in it."""

    def __init__(self) -> None:
        self._seconds, self._tokens, self._begun = 0.0, 0.0, 0.0
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()

    @contextmanager
    def step(self) -> Iterator[None]:
        """Count the seconds of a step. Evaluations and checkpoints stand outside."""
        self.begin_step()
        yield
        self.end_step()

    def begin_step(self) -> None:
        """Start the clock of a step."""
        self._begun = _now()

    def end_step(self) -> None:
        """Stop the clock of a step."""
        self._seconds += _now() - self._begun

    def add(self, tokens: float) -> None:
        """Count tokens that were learnt from."""
        self._tokens += tokens

    def figures(self) -> dict[str, Any]:
        """Return tokens, seconds, tokens a second, and the peak of memory in GB (10^9 bytes).

        Tokens are None where a phase counts none. The memory is that of the accelerator, or of the whole process where
        there is none.
        """
        on_gpu = torch.cuda.is_available()
        unit = 1 if sys.platform == "darwin" else 1024
        process = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
        return {
            "device": torch.cuda.get_device_name() if on_gpu else "processor",
            "tokens": round(self._tokens) or None,
            "seconds": round(self._seconds, 1),
            "tokens_a_second": round(self._tokens / self._seconds) or None if self._seconds else None,
            "peak_memory_gb": round((torch.cuda.max_memory_allocated() if on_gpu else process) / 1e9, 2),
        }


def _now() -> float:
    """Return the clock once the accelerator has done what was asked of it."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()
    return time.perf_counter()
