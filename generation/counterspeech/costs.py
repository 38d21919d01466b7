"""What the models' work at the desk takes before it starts: calls at most, and money where prices are known."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from annotation.models import Item, Project
from generation.counterspeech import request
from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.options import CounterRequest
from generation.domain.counterspeech.writers import WriterMode
from generation.methods.counterspeech import candidates, critics, explain, score, translate
from generation.models import Exchange
from providers.roles import ModelRole
from runs.domain.expected_cost import ArmCalls, ExpectedSpending, expected_spending
from runs.domain.states import OPEN
from runs.models import Run
from runs.spending.cost import RunSpent, spent_by
from runs.spending.expected import call_sizes, calls_left

Calls = Mapping[ModelRole, int]
_CRITICS = Counter(critic.role for critic in critics.CRITICS.values()) + Counter([ModelRole.READER])


@dataclass(frozen=True)
class Expected:
    """What one run takes at most, if every answer can be used, and what the project's budget leaves."""

    spending: ExpectedSpending
    currency: str
    calls_left: int | None
    """None if there is no budget."""

    @property
    def unpriced(self) -> tuple[str, ...]:
        """The models without a price, where the site knows any price at all."""
        return self.spending.unpriced if settings.MODEL_PRICES else ()

    @property
    def goes_beyond_budget(self) -> bool:
        """Whether the run may stop before its end."""
        return self.calls_left is not None and self.spending.calls > self.calls_left


@dataclass(frozen=True)
class Work:
    """What a kind of work takes, and the newest run that did it. None: no model can be asked, or none was."""

    expected: Expected | None
    run: Run | None

    @property
    def spent(self) -> RunSpent | None:
        """What that run took; None while it is under way."""
        return spent_by(self.run) if self.run is not None and self.run.state not in OPEN else None


def of_explanations(project: Project, item: Item | None, description: str = "") -> Expected | None:
    """Return what the seven explanations take. Returns None if no model can be asked."""
    calls = {ModelRole.COUNTER_EXPLAINER: len(Explanation)}
    return _expected(project, explain.NAME, calls, describes=_wants_description(item, description))


def of_candidates(exchange: Exchange, wish: CounterRequest) -> Expected | None:
    """Return what these candidates take, with their critics. Returns None if no model can be asked."""
    intents, each = len(wish.intents), wish.candidates
    profile = request.writer_profile(exchange.project)
    is_plain = (wish.mode or request.mode_of(profile)) is WriterMode.PLAIN
    questions = each if is_plain and not profile.takes_n else 1
    calls = {ModelRole.COUNTERSPEAKER: intents * questions} | _read(intents * each)
    describes = _wants_description(exchange.item, exchange.description)
    return _expected(exchange.project, candidates.NAME, calls, describes=describes)


def of_scores(project: Project) -> Expected | None:
    """Return what it takes that critics read a text. Returns None if no model can be asked."""
    return _expected(project, score.NAME, _read(1))


def of_translation(project: Project) -> Expected | None:
    """Return what one translation takes. Returns None if no model can be asked."""
    return _expected(project, translate.NAME, {ModelRole.TRANSLATOR: 1})


def _read(texts: int) -> dict[ModelRole, int]:
    return {role: texts * calls for role, calls in _CRITICS.items()}


def _wants_description(item: Item | None, description: str) -> bool:
    return item is not None and item.picture_id is not None and not description


def _expected(project: Project, method: str, calls: Calls, *, describes: bool = False) -> Expected | None:
    try:
        plan = request.models_for(project, method)
    except request.BadChoice:
        return None
    if describes and not plan[ModelRole.DESCRIBER].startswith("keyword:"):
        calls = {**calls, ModelRole.DESCRIBER: 1}
    sizes = call_sizes(method) if settings.MODEL_PRICES else {}
    named = {str(role): float(number) for role, number in calls.items() if role in plan}
    spending = expected_spending(ArmCalls(method, 1, named, plan, sizes), settings.MODEL_PRICES)
    left = calls_left(project.public_id, project.call_budget)
    return Expected(spending, settings.MODEL_PRICE_CURRENCY, left)
