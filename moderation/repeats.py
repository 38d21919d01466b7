"""Whether the same question gets the same answer twice: agreement among repeats (PREDICT, Appendix B.2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotation.models import Project
from moderation import showing
from moderation.domain.evaluation.repeats import kappa
from moderation.domain.predict.debate import Stance
from runs.domain.states import RunState
from runs.models import Run

_SIDES = {Stance.HATE: True, Stance.NON_HATE: False}


@dataclass(frozen=True)
class OnPost:
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


def on_post(run: Run) -> OnPost | None:
    """The run among its repeats; None where it is the only one."""
    found = list(_alike(run).order_by("repeat", "id"))
    if len({each.repeat for each in found}) < 2:
        return None
    latest = list({each.repeat: each for each in found}.values())
    return OnPost(latest, _of_stances([run.outcome for run in latest if run.state == RunState.SUCCEEDED]))


@dataclass(frozen=True)
class InProject:
    """The repeats of one question over the posts of a project; `kappa` is None where it is not defined."""

    method: str
    models: Sequence[str]
    repeats: int
    posts: int
    unanimous: int
    kappa: float | None
    perspectives: Mapping[str, float | None]
    """By the perspective's name: how alike its own stances are over the repeats."""


def in_project(project: Project) -> list[InProject]:
    """Every question of the project that was asked twice or more, most posts first."""
    held = showing.runs_of(project).filter(state=RunState.SUCCEEDED).order_by("id")
    variants = held.filter(repeat__gt=0).values_list("method", "variant").distinct()
    found = [_asked(held.filter(method=method, variant=variant)) for method, variant in sorted(set(variants))]
    return sorted((each for each in found if each is not None), key=lambda each: -each.posts)


def _asked(held: QuerySet[Run]) -> InProject | None:
    """Of each post the newest run of every repeat; posts with fewer repeats than the most are left out, as Fleiss' κ is
    defined for equally many ratings."""
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
    return InProject(
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
        said = [_stances(outcome) for outcome in row]
        for code in {code for each in said for code in each}:
            rows.setdefault(code, []).append([each.get(code) for each in said])
        names |= {each["perspective"]: each["name"] for outcome in row for each in outcome.get("stances", ())}
    return {names[code]: kappa(table) for code, table in sorted(rows.items())}


def _of_stances(outcomes: Sequence[Mapping[str, Any] | None]) -> float | None:
    """κ on one post: perspectives stand where items do, repeats where raters do."""
    said = [_stances(outcome or {}) for outcome in outcomes]
    if len(said) < 2:
        return None
    return kappa([[each.get(code) for each in said] for code in sorted({code for each in said for code in each})])


def _stances(outcome: Mapping[str, Any]) -> dict[str, bool | None]:
    """What each perspective said; None where it took no side."""
    return {row["perspective"]: _SIDES.get(row["stance"]) for row in outcome.get("stances", ())}


def _alike(run: Run) -> QuerySet[Run]:
    """The runs of the same question on the same post."""
    return Run.objects.filter(project=run.project, subject=run.subject, method=run.method, variant=run.variant)
