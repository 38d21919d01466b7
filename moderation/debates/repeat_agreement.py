"""Agreement among repeats: whether the same question gets the same answer twice (PREDICT, Appendix B.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from moderation.debates import presenters
from moderation.domain.evaluation.repeats import kappa
from moderation.domain.predict.protocol import Stance
from runs.domain.states import RunState
from runs.models import Run

_SIDES = {Stance.HATE: True, Stance.NON_HATE: False}


@dataclass(frozen=True)
class PostRepeats:
    """The repeats of one question about one post, oldest first; those without a verdict among them.

    `kappa`: Fleiss' κ of the perspectives' stances over the repeats, None where there are none or it is not defined.
    """

    runs: Sequence[Run]
    kappa: float | None

    @property
    def verdicts(self) -> list[bool]:
        """Hateful or not, of each repeat that has a verdict."""
        return [run.outcome["hateful"] for run in self.runs if run.outcome and run.outcome.get("hateful") is not None]

    @property
    def hateful(self) -> int:
        """How many came to hateful."""
        return sum(self.verdicts)

    @property
    def is_unanimous(self) -> bool:
        """Whether all that have a verdict have the same."""
        return len(set(self.verdicts)) == 1


def repeats_on_post(run: Run) -> PostRepeats | None:
    """Return the run among its repeats.

    Returns None if it is the only one.
    """
    alike = list(_alike(run).order_by("repeat", "id"))
    if len({repeat_run.repeat for repeat_run in alike}) < 2:
        return None
    latest = list({repeat_run.repeat: repeat_run for repeat_run in alike}.values())
    return PostRepeats(latest, _of_stances([run.outcome for run in latest if run.state == RunState.SUCCEEDED]))


@dataclass(frozen=True)
class QuestionRepeats:
    """The repeats of one question over the posts of a project; `kappa` is None where it is not defined."""

    method: str
    models: Sequence[str]
    repeats: int
    posts: int
    unanimous: int
    kappa: float | None
    perspectives: Mapping[str, float | None]
    """By the perspective's name: how alike its own stances are over the repeats."""


def repeats_in_project(project: Project) -> list[QuestionRepeats]:
    """Every question of the project that was asked twice or more, most posts first."""
    runs = presenters.debate_runs(project).filter(state=RunState.SUCCEEDED).order_by("id")
    variants = runs.filter(repeat__gt=0).values_list("method", "variant").distinct()
    questions = [_asked(runs.filter(method=method, variant=variant)) for method, variant in sorted(set(variants))]
    return sorted((question for question in questions if question is not None), key=lambda question: -question.posts)


def _asked(held: QuerySet[Run]) -> QuestionRepeats | None:
    """Return the agreement of one question: of each post the newest run of every repeat.

    Posts with fewer repeats than the most are left out, as Fleiss' κ is defined for equally many ratings.

    Returns None for fewer than two repeats.
    """
    posts: dict[Any, dict[int, Mapping[str, Any]]] = {}
    first: tuple[str, Mapping[str, str]] = ("", {})
    for method, plan, subject, repeat, outcome in held.values_list(
        "method", "model_plan", "subject", "repeat", "outcome"
    ).iterator():
        first = (method, plan)
        posts.setdefault(subject, {})[repeat] = outcome or {}
    most = max((len(rows) for rows in posts.values()), default=0)
    if most < 2:
        return None
    full = [[rows[repeat] for repeat in sorted(rows)] for rows in posts.values() if len(rows) == most]
    verdicts = [[outcome.get("hateful") for outcome in row] for row in full]
    method, plan = first
    return QuestionRepeats(
        method=method,
        models=sorted(set(plan.values())),
        repeats=most,
        posts=len(full),
        unanimous=sum(len(set(row)) == 1 for row in verdicts),
        kappa=kappa(verdicts),
        perspectives=_by_perspective(full),
    )


def _by_perspective(full: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, float | None]:
    names: dict[str, str] = {}
    rows: dict[str, list[list[bool | None]]] = {}
    for row in full:
        by_repeat = [_stances(outcome) for outcome in row]
        for code in {code for stances in by_repeat for code in stances}:
            rows.setdefault(code, []).append([stances.get(code) for stances in by_repeat])
        names |= {stances["perspective"]: stances["name"] for outcome in row for stances in outcome.get("stances", ())}
    return {names[code]: kappa(table) for code, table in sorted(rows.items())}


def _of_stances(outcomes: Sequence[Mapping[str, Any] | None]) -> float | None:
    """κ on one post: perspectives stand where items do, repeats where raters do."""
    by_repeat = [_stances(outcome or {}) for outcome in outcomes]
    if len(by_repeat) < 2:
        return None
    return kappa(
        [
            [stances.get(code) for stances in by_repeat]
            for code in sorted({code for stances in by_repeat for code in stances})
        ]
    )


def _stances(outcome: Mapping[str, Any]) -> dict[str, bool | None]:
    """Return what each perspective said.

    Returns None if it took no side.
    """
    return {row["perspective"]: _SIDES.get(row["stance"]) for row in outcome.get("stances", ())}


def _alike(run: Run) -> QuerySet[Run]:
    """Return the runs of the same question on the same post."""
    return Run.objects.filter(project=run.project, subject=run.subject, method=run.method, variant=run.variant)
