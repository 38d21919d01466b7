"""Agreement among repeats: whether the same question gets the same answer again (PREDICT, Appendix B.2)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.db.models import Min, QuerySet

from annotation.models import Category, Project
from moderation.debates import presenters
from moderation.debates.option_words import in_order, option_name, option_words
from moderation.domain.evaluation.repeats import are_unanimous, kappa
from moderation.domain.predict.protocol import Stance
from moderation.methods.prompt_choice import prompt_set_line
from moderation.methods.registry import METHODS
from runs.domain.states import RunState
from runs.models import Run

_SIDES = {Stance.HATE: True, Stance.NON_HATE: False}


@dataclass(frozen=True)
class PostRepeats:
    """The repeats of one question about one post, in their order, including those without a verdict.

    `kappa` is Fleiss' κ of the perspectives' stances over the repeats; None if there are no stances or it is undefined.
    """

    runs: Sequence[Run]
    kappa: float | None
    categories: Sequence[Category] = ()

    @property
    def answers(self) -> list[tuple[Run, Category | None]]:
        """Each repeat with the category that its verdict names."""
        by_code: dict[Any, Category] = {category.code: category for category in self.categories}
        return [(run, by_code.get((run.outcome or {}).get("category"))) for run in self.runs]

    @property
    def verdicts(self) -> list[bool | int]:
        """The verdict of each repeat that has one: the code of its category, else hateful or not."""
        given = [verdict_of(run.outcome or {}) for run in self.runs]
        return [verdict for verdict in given if verdict is not None]

    @property
    def hateful(self) -> int:
        """The number of repeats with the verdict hateful."""
        return sum(bool((run.outcome or {}).get("hateful")) for run in self.runs)

    @property
    def is_unanimous(self) -> bool:
        """Whether the repeats with a verdict, at least two, have the same one."""
        return are_unanimous(self.verdicts)

    @property
    def names_categories(self) -> bool:
        """Whether the verdicts name categories."""
        return any(_names_category(run.outcome or {}) for run in self.runs)


def verdict_of(outcome: Mapping[str, Any]) -> bool | int | None:
    """Return the verdict that repeats are compared by: the code of the category if there is one, else hateful or not.

    Returns None without a verdict.
    """
    verdict: bool | int | None = outcome["category"] if _names_category(outcome) else outcome.get("hateful")
    return verdict


def _names_category(outcome: Mapping[str, Any]) -> bool:
    return outcome.get("category") is not None


def repeats_on_post(run: Run, categories: Sequence[Category] = ()) -> PostRepeats | None:
    """Return the repeats of the run's question about its post, the newest run of each.

    A run without an answer does not take the place of an older one with an answer.

    Returns None if the run is the only one.
    """
    newest: dict[int, Run] = {}
    for alike in _alike(run).order_by("repeat", "id"):
        before = newest.get(alike.repeat)
        if before is None or alike.state == RunState.SUCCEEDED or before.state != RunState.SUCCEEDED:
            newest[alike.repeat] = alike
    if len(newest) < 2:
        return None
    answered = [repeat.outcome for repeat in newest.values() if repeat.state == RunState.SUCCEEDED]
    return PostRepeats(list(newest.values()), _of_stances(answered), categories)


@dataclass(frozen=True)
class QuestionRepeats:
    """The repeats of one question over the posts of a project; `kappa` is None if it is undefined."""

    method: str
    models: Sequence[str]
    settings: Mapping[str, Any]
    """The run's options and the model of each role, by name."""
    names_categories: bool
    """Whether the verdicts that are compared are categories; if not, they are hateful or not."""
    repeats: int
    posts: int
    unanimous: int
    kappa: float | None
    perspectives: Mapping[str, float | None]
    """Name of the perspective → agreement of its own stances over the repeats."""
    differences: Sequence[tuple[str, str]] = ()
    """What tells it from the other questions of its method and models: name and value."""


def repeats_in_project(project: Project) -> list[QuestionRepeats]:
    """Return the agreement of every question that was asked at least twice, most posts first, in two queries."""
    runs = presenters.debate_runs(project).filter(state=RunState.SUCCEEDED)
    firsts = runs.filter(repeat__gt=0).order_by().values("method", "variant").annotate(first=Min("id"))
    examples = {(run.method, run.variant): run for run in Run.objects.filter(pk__in=firsts.values("first"))}
    repeated = runs.filter(variant__in={variant for _method, variant in examples}).order_by("method", "variant", "id")
    answers = repeated.values_list("method", "variant", "subject", "repeat", "outcome").iterator()
    questions = [
        _question_repeats(examples[question], (answer[2:] for answer in of_question))
        for question, of_question in groupby(answers, key=itemgetter(0, 1))
        if question in examples
    ]
    several = [question for question in questions if question is not None]
    told_apart = [replace(question, differences=_differences(question, several)) for question in several]
    return sorted(told_apart, key=lambda question: -question.posts)


def _question_repeats(
    example: Run, answers: Iterable[tuple[UUID, int, Mapping[str, Any] | None]]
) -> QuestionRepeats | None:
    """Return the agreement of one question, from the newest run of every repeat about each post.

    `answers` are subject, repeat and outcome of each run, oldest first. All have the options and models of `example`.
    Posts with fewer repeats than the most are left out, since Fleiss' κ needs equally many ratings of each.

    Returns None for fewer than two repeats.
    """
    posts: dict[Any, dict[int, Mapping[str, Any]]] = {}
    for subject, repeat, outcome in answers:
        posts.setdefault(subject, {})[repeat] = outcome or {}
    most = max((len(rows) for rows in posts.values()), default=0)
    if most < 2:
        return None
    full = [[rows[repeat] for repeat in sorted(rows)] for rows in posts.values() if len(rows) == most]
    verdicts = [[verdict_of(outcome) for outcome in row] for row in full]
    plan, options = example.model_plan, example.options
    return QuestionRepeats(
        method=example.method,
        models=sorted(set(plan.values())),
        settings={**options, "prompts": prompt_set_line(options), "prompts_version": "", **plan},
        names_categories=any(_names_category(outcome) for row in full for outcome in row),
        repeats=most,
        posts=len(full),
        unanimous=sum(map(are_unanimous, verdicts)),
        kappa=kappa(verdicts),
        perspectives=_by_perspective(full),
    )


def _differences(question: QuestionRepeats, questions: Sequence[QuestionRepeats]) -> list[tuple[str, str]]:
    """Return the settings in which the question differs from others of its method and models, as people read them.

    A value that is no word is shown by its number among the different ones.
    """
    alike = [other for other in questions if (other.method, other.models) == (question.method, question.models)]
    differences = []
    for name in in_order(METHODS[question.method], {name for other in alike for name in other.settings}):
        values: list[Any] = []
        for other in alike:
            if (value := other.settings.get(name)) not in values:
                values.append(value)
        own = question.settings.get(name)
        if len(values) > 1:
            words = option_words(METHODS[question.method], name, own, values.index(own) + 1)
            differences.append((option_name(METHODS[question.method], name), words))
    return [(name, words) for name, words in differences if words]


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
