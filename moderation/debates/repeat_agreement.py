"""Agreement among repeats: whether the same question gets the same answer again (PREDICT, Appendix B.2)."""

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
    """The repeats of one question about one post, oldest first, including those without a verdict.

    `kappa` is Fleiss' κ of the perspectives' stances over the repeats; None if there are no stances or it is undefined.
    """

    runs: Sequence[Run]
    kappa: float | None

    @property
    def verdicts(self) -> list[bool]:
        """Hateful or not, for each repeat that has a verdict."""
        return [run.outcome["hateful"] for run in self.runs if run.outcome and run.outcome.get("hateful") is not None]

    @property
    def hateful(self) -> int:
        """The number of repeats with the verdict hateful."""
        return sum(self.verdicts)

    @property
    def is_unanimous(self) -> bool:
        """Whether all repeats with a verdict have the same one."""
        return len(set(self.verdicts)) == 1


def repeats_on_post(run: Run) -> PostRepeats | None:
    """Return the repeats of the run's question about its post.

    Returns None if the run is the only one.
    """
    alike = list(_alike(run).order_by("repeat", "id"))
    if len({repeat_run.repeat for repeat_run in alike}) < 2:
        return None
    latest = list({repeat_run.repeat: repeat_run for repeat_run in alike}.values())
    return PostRepeats(latest, _of_stances([run.outcome for run in latest if run.state == RunState.SUCCEEDED]))


@dataclass(frozen=True)
class QuestionRepeats:
    """The repeats of one question over the posts of a project; `kappa` is None if it is undefined."""

    method: str
    models: Sequence[str]
    repeats: int
    posts: int
    unanimous: int
    kappa: float | None
    perspectives: Mapping[str, float | None]
    """Name of the perspective → agreement of its own stances over the repeats."""


def repeats_in_project(project: Project) -> list[QuestionRepeats]:
    """Return the agreement of every question that was asked at least twice, most posts first."""
    runs = presenters.debate_runs(project).filter(state=RunState.SUCCEEDED).order_by("id")
    variants = runs.filter(repeat__gt=0).values_list("method", "variant").distinct()
    questions = [
        _question_repeats(runs.filter(method=method, variant=variant)) for method, variant in sorted(set(variants))
    ]
    return sorted((question for question in questions if question is not None), key=lambda question: -question.posts)


def _question_repeats(question_runs: QuerySet[Run]) -> QuestionRepeats | None:
    """Return the agreement of one question, from the newest run of every repeat about each post.

    Posts with fewer repeats than the most are left out, since Fleiss' κ needs equally many ratings of each.

    Returns None for fewer than two repeats.
    """
    posts: dict[Any, dict[int, Mapping[str, Any]]] = {}
    first: tuple[str, Mapping[str, str]] = ("", {})
    for method, plan, subject, repeat, outcome in question_runs.values_list(
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
    """Return κ on one post: perspectives take the place of items, repeats that of raters."""
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
    """Return each perspective's side; None if it took no side."""
    return {row["perspective"]: _SIDES.get(row["stance"]) for row in outcome.get("stances", ())}


def _alike(run: Run) -> QuerySet[Run]:
    """Return the runs of the same question on the same post."""
    return Run.objects.filter(project=run.project, subject=run.subject, method=run.method, variant=run.variant)
