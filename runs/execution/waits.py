"""Whether a run waits after a fault of a provider, and the pause that all other runs meet then."""

from django.conf import settings

from providers.messages import ProviderBusy, ProviderError, ProviderPaused
from runs.execution.interruptions import WaitForProvider, wait_after
from runs.methods.method import Step
from runs.models import Run
from runs.queue import provider_pauses


def wait_after_fault(run: Run, step: Step, fault: ProviderError) -> WaitForProvider | None:
    """Return how the run waits after this fault, and store the pause that it is or meets.

    Returns None if the fault is the end of the step: it does not pass, or the run brought about too many pauses.
    A closed account or model is the end of the run; the runs behind it wait for a person.
    """
    if fault.is_final:
        if isinstance(fault, ProviderPaused):
            _store_pause(run, step, fault)
        return None
    if not isinstance(fault, ProviderPaused):
        has_waits_left = isinstance(fault, ProviderBusy) and run.waits + 1 < settings.RUN_BUSY_ROUNDS
        return wait_after(fault, run.waits) if has_waits_left else None
    is_cause = _store_pause(run, step, fault) and fault.is_cause
    if is_cause and run.pauses_caused + 1 >= provider_pauses.MOST_CAUSED:
        return None
    return wait_after(fault, run.waits, is_cause=is_cause)


def last_words(run: Run, step: Step, fault: ProviderError) -> str:
    """Return what ends the step. A pause ends it where the run brought about too many."""
    if fault.is_final:
        return f"{_asked(run, step)} gives no answer until a person acts. {fault}"
    if isinstance(fault, ProviderPaused):
        return f"{fault} This run was the first to meet it, {provider_pauses.MOST_CAUSED} times."
    return str(fault)


def _store_pause(run: Run, step: Step, fault: ProviderPaused) -> bool:
    """Store the pause. Return whether it is a new one; that of a search is nobody else's."""
    if step.work is not None and not step.spends:
        return False
    name = _asked(run, step)
    return provider_pauses.pause_provider(name.partition(":")[0], str(fault), fault.retry_after, model=fault.model)


def _asked(run: Run, step: Step) -> str:
    return step.spends[0] if step.spends else run.model_plan.get(step.role, step.kind)
