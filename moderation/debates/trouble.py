"""What keeps a run from its verdict, in one sentence that says what to do."""

from collections.abc import Sequence

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from annotation.pages.display_names import name_of
from moderation.debates.progress import RunProgress
from moderation.debates.waiting import Wait, WaitsFor
from runs.domain.states import Reason, RunState, TurnState
from runs.models import Run, Turn

_UNUSABLE = _("%(who)s gave an answer that cannot be used. Ask again from here, or start with another model.")
_SENTENCES = {
    Reason.REFUSED: _("%(who)s declined to answer. Ask again from here, or start with another model."),
    Reason.PROVIDER_BLOCKED: _("The provider blocked the question to %(who)s. Start with a model of another provider."),
    Reason.INVALID_OUTPUT: _UNUSABLE,
    Reason.INVALID_LABEL: _UNUSABLE,
    Reason.EMPTY_OUTPUT: _UNUSABLE,
    Reason.TRUNCATED: _("The answer of %(who)s was cut off. Ask again from here, or start with another model."),
    Reason.TOO_LARGE: _("The answer of %(who)s was too long. Ask again from here, or start with another model."),
    Reason.TIMEOUT: _("%(who)s did not answer in time. Press Resume to ask again; nothing answered is lost."),
    Reason.PROVIDER_ERROR: _("The provider of %(who)s failed. Press Resume when it works; nothing answered is lost."),
    Reason.BAD_REQUEST: _("The provider did not accept the question to %(who)s. Start with another model."),
    Reason.BUDGET_EXCEEDED: _(
        "A limit is used up. Resume gives the run its own limit once more; the project's or the site's has to be "
        "raised first."
    ),
    Reason.WORKER_LOST: _("The server stopped in the middle of this run. Press Resume; nothing answered is lost."),
}
_WAITS = _("Nothing is lost: it resumes by itself. To get a verdict sooner, cancel it and start with another model.")
_SILENT = _("No answer for %(seconds)d seconds. It is asked again by itself; or cancel, and start with another model.")


def trouble_of(run: Run, turns: Sequence[Turn], wait: Wait | None, progress: RunProgress | None) -> str:
    """Return the sentence about what is wrong with a run; "" if nothing is."""
    if wait is not None and wait.cause in (WaitsFor.PAUSE, WaitsFor.NEXT_TRY):
        return str(_WAITS)
    if run.state == RunState.RUNNING and progress is not None and progress.seconds > settings.MODEL_WALL_SECONDS:
        return str(_SILENT) % {"seconds": progress.seconds}
    if run.state in (RunState.REFUSED, RunState.UNREADABLE, RunState.FAILED) and run.reason in _SENTENCES:
        return str(_SENTENCES[Reason(run.reason)]) % {"who": _who(run, turns)}
    return ""


def _who(run: Run, turns: Sequence[Turn]) -> str:
    """Return the role and the model that answered last without success."""
    turn = next((turn for turn in reversed(turns) if turn.state != TurnState.OK), None)
    if turn is None:
        return str(_("The model"))
    model = run.model_plan.get(turn.role, turn.model)
    return f"{model.partition(':')[2] or model} ({name_of(turn.role)})"
