"""The arms of an evaluation: every method with every combination of the requested options and models."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from moderation.debates import start
from moderation.domain.task import Task
from moderation.methods import prompt_choice
from moderation.methods.built_in_baseline import answered_alone
from moderation.methods.debate_method import BadChoice, DebateMethod
from moderation.methods.registry import METHODS
from moderation.models import Evaluation
from providers.roles import ModelRole
from runs.domain.states import ASIDE

MOST_ARMS = 40


@dataclass(frozen=True)
class Arm:
    """One method with options and models: one line of the tables.

    `debate` is the variant whose debate this arm judges; empty: the arm holds its own debate.
    """

    name: str
    method: str
    options: Mapping[str, Any]
    plan: Mapping[str, str]
    variant: str
    debate: str = ""
    scored_by: str = ""
    """The model that estimates p for HateXScore of its explanations; empty: they are not scored."""
    reader: str = ""
    """The model that reads of these explanations what the rules do not read for sure; empty: none does."""

    def as_json(self) -> dict[str, Any]:
        empty = {name for name in ("scored_by", "reader") if not getattr(self, name)}
        return {name: value for name, value in asdict(self).items() if name not in empty}

    @property
    def scoring_plan(self) -> dict[str, str]:
        """The model of each role in the runs that score its explanations."""
        plan = {ModelRole.ESTIMATOR: self.scored_by, ModelRole.READER: self.reader}
        return {str(role): name for role, name in plan.items() if name or role is ModelRole.ESTIMATOR}

    @property
    def prompt_set(self) -> str:
        """Title and version of the prompt set; empty for arms from before there were sets."""
        return prompt_choice.prompt_set_line(self.options)

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline alone answered. The report says so where that is the case."""
        return answered_alone(self.plan)


@dataclass(frozen=True)
class ArmGrid:
    """The values to combine: of each option, of the models for all roles, for all but the judge, and for the judge."""

    methods: Sequence[str]
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    models: Sequence[str] = ()
    auxiliaries: Sequence[str] = ()
    judges: Sequence[str] = ()
    name: str = ""
    """In a study: what the grid's lines are called; empty: what each line is made of."""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        return values if self.name else {name: value for name, value in values.items() if name != "name"}


def arms_of_study(
    project: Project | None, grids: Sequence[ArmGrid], task: Task, *, describes: bool = True
) -> list[Arm]:
    """Return the arms of several grids as lines of one report. Arms that differ in their judge alone share a debate.

    Raises BadChoice with the number of the grid.
    Raises NobodyDescribes if only the model that describes pictures is missing.
    """
    arms: dict[tuple[str, str], Arm] = {}
    for number, grid in enumerate(grids, start=1):
        try:
            of_grid = arms_of(project, grid, task, describes=describes)
        except start.NobodyDescribes:
            raise
        except BadChoice as bad:
            raise BadChoice(f"[[arms]] {number}: {bad}") from None
        for arm in of_grid:
            arms.setdefault((arm.method, arm.variant), replace(arm, name=_line_name(grid, arm, len(of_grid))))
    _check_lines(list(arms.values()))
    return list(_sharing_debates(arms.values()))


def _line_name(grid: ArmGrid, arm: Arm, count: int) -> str:
    if not grid.name:
        return arm.name
    return grid.name if count == 1 else f"{grid.name}: {arm.name}"


def _check_lines(arms: Sequence[Arm]) -> None:
    if len(arms) > MOST_ARMS:
        raise _too_many(len(arms))
    names = [arm.name for arm in arms]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise BadChoice(_("Two lines are called %(name)s: give each of their [[arms]] a name.") % {"name": twice})


def _sharing_debates(arms: Iterable[Arm]) -> Iterator[Arm]:
    """Let the first of the arms with the same options, and the same models but the judge's, hold the debate for all."""
    holders: dict[str, str] = {}
    for arm in arms:
        judge = METHODS[arm.method].judge
        if judge is None:
            yield arm
            continue
        speakers = {role: name for role, name in arm.plan.items() if role != judge}
        key = json.dumps([arm.method, dict(arm.options), speakers], sort_keys=True)
        holder = holders.setdefault(key, arm.variant)
        yield replace(arm, debate="" if holder == arm.variant else holder)


def arms_of(project: Project | None, grid: ArmGrid, task: Task, *, describes: bool = True) -> list[Arm]:
    """Return the arms; an arm that holds a debate comes before the arms that only judge it.

    With `describes` False, no model describes pictures.

    Raises BadChoice.
    Raises NobodyDescribes if only the model that describes pictures is missing.
    """
    _check(grid)
    arms: dict[tuple[str, str], Arm] = {}
    for method in grid.methods:
        for arm in _of_method(project, METHODS[method], grid, task, describes=describes):
            arms.setdefault((arm.method, arm.variant), arm)
    if len(arms) > MOST_ARMS:
        raise _too_many(len(arms))
    return list(arms.values())


def _too_many(count: int) -> BadChoice:
    return BadChoice(_("That makes %(count)d combinations; at most %(most)d.") % {"count": count, "most": MOST_ARMS})


def answers_only_binary(method: str, options: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether the method, with these options, only says hateful or not and names no category."""
    asks = METHODS[method].task_options if method in METHODS else None
    if asks is None:
        return True
    return any(value != needed for name, needed in asks(Task.SIX).items() for value in options.get(name, ()))


def _check(grid: ArmGrid) -> None:
    if not grid.methods:
        raise BadChoice(_("Name a method."))
    for method in grid.methods:
        if method not in METHODS:
            names = {"name": method, "known": ", ".join(METHODS)}
            raise BadChoice(_("There is no method %(name)s; there are %(known)s.") % names)
    for name in grid.options:
        if not any(_takes(METHODS[method], name) for method in grid.methods):
            option_names = dict.fromkeys(
                option for method in grid.methods for option in METHODS[method].options.model_fields
            )
            named = {"name": name, "methods": ", ".join(grid.methods), "known": ", ".join(option_names)}
            raise BadChoice(_("%(methods)s: there is no option %(name)s; there are %(known)s.") % named)
    judged = [method for method in grid.methods if METHODS[method].judge is not None]
    if grid.judges and not judged:
        raise BadChoice(_("%(method)s has no judge.") % {"method": ", ".join(grid.methods)})


def _takes(debate_method: DebateMethod, name: str) -> bool:
    """Return whether the option belongs to the method; `arcade:rounds` is for ARCADE only."""
    method, _colon, option = name.rpartition(":")
    return method in ("", debate_method.name) and option.partition(".")[0] in debate_method.options.model_fields


def _of_method(
    project: Project | None, debate_method: DebateMethod, grid: ArmGrid, task: Task, *, describes: bool
) -> Iterator[Arm]:
    own_options = {name: values for name, values in grid.options.items() if _takes(debate_method, name)}
    judged = debate_method.judge is not None
    auxiliaries, judges = (grid.auxiliaries, grid.judges) if judged else ((), ())
    for values in product(*own_options.values()):
        chosen = {name.rpartition(":")[2]: value for name, value in zip(own_options, values, strict=True)}
        options = _options(project, debate_method.name, _nested(_for_task(debate_method, chosen, task)))
        if task is Task.SIX and answers_only_binary(debate_method.name, grid.options):
            raise BadChoice(
                _("%(method)s says hateful or not only: choose the binary task.") % {"method": debate_method.name}
            )
        for model, auxiliary in product(grid.models or ("",), auxiliaries or ("",)):
            debate = ""
            for judge in judges or ("",):
                plan = _plan(project, debate_method, options, (model, auxiliary, judge), describes=describes)
                variant = ASIDE + start.variant_of(options, plan)
                name = _name(debate_method, chosen, plan, (model, auxiliary, judge))
                yield Arm(name, debate_method.name, options, plan, variant, debate)
                debate = debate or variant


def _options(project: Project | None, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options as a run stores them. Without a project, the perspectives are those of a new project."""
    if project is not None:
        return start.options_for(project, start.DebateRequest(method, options))
    return prompt_choice.with_prompts(None, start.checked_options(method, options))


def _for_task(debate_method: DebateMethod, chosen: Mapping[str, Any], task: Task) -> dict[str, Any]:
    return {**(debate_method.task_options(task) if debate_method.task_options else {}), **chosen}


def _nested(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return nested options: `temperatures.judge` becomes the entry `judge` of `temperatures`."""
    options_by_name: dict[str, Any] = {}
    for name, value in options.items():
        *outer, last = name.split(".")
        place = options_by_name
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return options_by_name


def _plan(
    project: Project | None,
    debate_method: DebateMethod,
    options: Mapping[str, Any],
    model_names: tuple[str, str, str],
    *,
    describes: bool,
) -> dict[str, str]:
    """Return the model of each role, and the search engine if the method needs one with these options."""
    model, auxiliary, judge = model_names
    models = {str(role): (auxiliary or model) for role in debate_method.roles if role != debate_method.judge}
    if debate_method.judge is not None:
        models[str(debate_method.judge)] = judge or model
    chosen = {role: name for role, name in models.items() if name}
    return start.model_plan_of(
        project, start.DebateRequest(debate_method.name, options, models=chosen), describes=describes
    )


def _name(
    debate_method: DebateMethod, chosen: Mapping[str, Any], plan: Mapping[str, str], model_names: tuple[str, str, str]
) -> str:
    parts = [debate_method.name, *(_option_words(debate_method, name, value) for name, value in chosen.items())]
    if any(model_names) and debate_method.judge is not None:
        auxiliary = next(name for role, name in plan.items() if role != debate_method.judge)
        parts.append(f"{auxiliary} → {plan[str(debate_method.judge)]}")
    elif any(model_names):
        parts.append(next(iter(plan.values())))
    return ", ".join(parts)


def _option_words(debate_method: DebateMethod, name: str, value: Any) -> str:
    if name == "prompts":
        return f"{value} prompts"
    if name == "glossary":
        return "with glossary" if str(value).lower() in ("true", "1", "on") else "without glossary"
    return debate_method.arm_words(name, value) or f"{name} = {value}"


def stored_arms(evaluation: Evaluation) -> list[Arm]:
    """Return the arms of an evaluation as values."""
    return [Arm(**arm) for arm in evaluation.arms]


def without_examples(evaluation: Evaluation) -> list[tuple[str, list[str]]]:
    """Return the name of each arm, with its perspectives that see no examples though they should."""
    return [(arm.name, METHODS[arm.method].without_examples(arm.options)) for arm in stored_arms(evaluation)]
