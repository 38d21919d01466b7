"""The arms of an evaluation: every method with every combination of the requested options and models."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from moderation.debates import start
from moderation.domain.verdicts import Task
from moderation.methods.debate_method import BadChoice, DebateMethod
from moderation.methods.registry import METHODS
from runs.domain.states import ASIDE

MOST_ARMS = 40


@dataclass(frozen=True)
class Arm:
    """One line of the tables. `debate` is the variant whose debate this arm's judge hears; empty: it holds its own."""

    name: str
    method: str
    options: Mapping[str, Any]
    plan: Mapping[str, str]
    variant: str
    debate: str = ""
    scored_by: str = ""
    """Who estimates p for HateXScore of what it explains; empty: its explanations are not scored."""

    def as_json(self) -> dict[str, Any]:
        values = asdict(self)
        return values if self.scored_by else {name: value for name, value in values.items() if name != "scored_by"}

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline answered: every page it touched says so."""
        return any(name.startswith("keyword:") for name in self.plan.values())


@dataclass(frozen=True)
class ArmGrid:
    """What is combined: each option's values, models of everybody, of all but the judge, of the judge."""

    methods: Sequence[str]
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    models: Sequence[str] = ()
    auxiliaries: Sequence[str] = ()
    judges: Sequence[str] = ()


def arms_of(project: Project | None, grid: ArmGrid, task: Task, *, describes: bool = True) -> list[Arm]:
    """Return the arms, those that share a debate after the one that holds it.

    `describes` False plans without a model that describes pictures.

    Raises BadChoice, and NobodyDescribes if only that model is missing.
    """
    _check(grid)
    arms: dict[tuple[str, str], Arm] = {}
    for method in grid.methods:
        for arm in _of_method(project, METHODS[method], grid, task, describes=describes):
            arms.setdefault((arm.method, arm.variant), arm)
    if len(arms) > MOST_ARMS:
        raise BadChoice(
            _("That makes %(count)d combinations; at most %(most)d.") % {"count": len(arms), "most": MOST_ARMS}
        )
    return list(arms.values())


def answers_only_binary(method: str, options: Mapping[str, Sequence[Any]]) -> bool:
    """Return whether the method, with these options, says hateful or not and names no category."""
    asks = METHODS[method].task_options if method in METHODS else None
    if asks is None:
        return True
    return any(value != wanted for name, wanted in asks(Task.SIX).items() for value in options.get(name, ()))


def _check(grid: ArmGrid) -> None:
    if not grid.methods:
        raise BadChoice(_("Name a method."))
    for method in grid.methods:
        if method not in METHODS:
            names = {"name": method, "known": ", ".join(METHODS)}
            raise BadChoice(_("There is no method %(name)s; there are %(known)s.") % names)
    for name in grid.options:
        if not any(_takes(METHODS[method], name) for method in grid.methods):
            named = {"name": name, "methods": ", ".join(grid.methods)}
            raise BadChoice(_("%(methods)s: there is no option %(name)s.") % named)
    judged = [method for method in grid.methods if METHODS[method].judge is not None]
    if grid.judges and not judged:
        raise BadChoice(_("%(method)s has no judge.") % {"method": ", ".join(grid.methods)})


def _takes(debate_method: DebateMethod, name: str) -> bool:
    """Whether the option is one of the method's; `arcade:rounds` is meant for ARCADE alone."""
    method, _colon, option = name.rpartition(":")
    return method in ("", debate_method.name) and option.partition(".")[0] in debate_method.options.model_fields


def _of_method(
    project: Project | None, debate_method: DebateMethod, grid: ArmGrid, task: Task, *, describes: bool
) -> Iterator[Arm]:
    if task is Task.SIX and answers_only_binary(debate_method.name, grid.options):
        raise BadChoice(
            _("%(method)s says hateful or not only: choose the binary task.") % {"method": debate_method.name}
        )
    mine = {name: values for name, values in grid.options.items() if _takes(debate_method, name)}
    judged = debate_method.judge is not None
    auxiliaries, judges = (grid.auxiliaries, grid.judges) if judged else ((), ())
    for values in product(*mine.values()):
        chosen = {name.rpartition(":")[2]: value for name, value in zip(mine, values, strict=True)}
        options = _options(project, debate_method.name, _nested(_for_task(debate_method, chosen, task)))
        for model, auxiliary in product(grid.models or ("",), auxiliaries or ("",)):
            debate = ""
            for judge in judges or ("",):
                plan = _plan(project, debate_method, options, (model, auxiliary, judge), describes=describes)
                variant = ASIDE + start.variant_of(options, plan)
                name = _name(debate_method, chosen, plan, (model, auxiliary, judge))
                yield Arm(name, debate_method.name, options, plan, variant, debate)
                debate = debate or variant


def _options(project: Project | None, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """As a run keeps them: perspectives are the project's, else those that every project starts with."""
    if project is not None:
        return start.options_for(project, start.DebateRequest(method, options))
    return start.checked_options(method, options)


def _for_task(debate_method: DebateMethod, chosen: Mapping[str, Any], task: Task) -> dict[str, Any]:
    return {**(debate_method.task_options(task) if debate_method.task_options else {}), **chosen}


def _nested(options: Mapping[str, Any]) -> dict[str, Any]:
    """`temperatures.judge` is the judge's of the temperatures."""
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
    """Who is asked in each role, and what an investigation with these options searches with."""
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
    parts = [debate_method.name, *(_said(debate_method, name, value) for name, value in chosen.items())]
    if any(model_names) and debate_method.judge is not None:
        auxiliary = next(name for role, name in plan.items() if role != debate_method.judge)
        parts.append(f"{auxiliary} → {plan[str(debate_method.judge)]}")
    elif any(model_names):
        parts.append(next(iter(plan.values())))
    return ", ".join(parts)


def _said(debate_method: DebateMethod, name: str, value: Any) -> str:
    if name == "glossary":
        return "with glossary" if str(value).lower() in ("true", "1", "on") else "without glossary"
    return debate_method.arm_words(name, value) or f"{name} = {value}"
