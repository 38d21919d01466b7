"""The arms of an evaluation: every method with every combination of the options and models that were asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Project
from moderation import debating
from moderation.debating import METHODS, BadChoice, Known
from moderation.domain.baselines import Variant
from moderation.domain.verdicts import Task
from runs.domain.states import ASIDE

MOST_ARMS = 40
_VARIANT = {Task.SIX: Variant.CATEGORY, Task.BINARY: Variant.BINARY}


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
        kept = asdict(self)
        return kept if self.scored_by else {name: value for name, value in kept.items() if name != "scored_by"}

    @property
    def used_no_language_model(self) -> bool:
        """Whether the built-in baseline answered: every page it touched says so."""
        return any(name.startswith("keyword:") for name in self.plan.values())


@dataclass(frozen=True)
class Grid:
    """What is combined: each option's values, models of everybody, of all but the judge, of the judge."""

    methods: Sequence[str]
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    models: Sequence[str] = ()
    auxiliaries: Sequence[str] = ()
    judges: Sequence[str] = ()


def arms_of(project: Project | None, grid: Grid, task: Task, *, describes: bool = True) -> list[Arm]:
    """The arms, those that share a debate after the one that holds it. Raises BadChoice.

    NobodyDescribes where only a model is missing that describes pictures: `describes` False plans without one.
    """
    _check(grid)
    found: dict[tuple[str, str], Arm] = {}
    for method in grid.methods:
        for arm in _of_method(project, METHODS[method], grid, task, describes=describes):
            found.setdefault((arm.method, arm.variant), arm)
    if len(found) > MOST_ARMS:
        raise BadChoice(
            _("That makes %(count)d combinations; at most %(most)d.") % {"count": len(found), "most": MOST_ARMS}
        )
    return list(found.values())


def answers_only_binary(method: str, options: Mapping[str, Sequence[Any]]) -> bool:
    """Whether the method says hateful or not and names no category."""
    shape = METHODS[method].options.model_fields if method in METHODS else {}
    if "variant" in shape:
        return any(value != Variant.CATEGORY for value in options.get("variant", ()))
    return "task" not in shape


def _check(grid: Grid) -> None:
    if not grid.methods:
        raise BadChoice(_("Name a method."))
    for method in grid.methods:
        if method not in METHODS:
            known = {"name": method, "known": ", ".join(METHODS)}
            raise BadChoice(_("There is no method %(name)s; there are %(known)s.") % known)
    for name in grid.options:
        if not any(_takes(METHODS[method], name) for method in grid.methods):
            named = {"name": name, "methods": ", ".join(grid.methods)}
            raise BadChoice(_("%(methods)s: there is no option %(name)s.") % named)
    judged = [method for method in grid.methods if METHODS[method].judge is not None]
    if grid.judges and not judged:
        raise BadChoice(_("%(method)s has no judge.") % {"method": ", ".join(grid.methods)})


def _takes(known: Known, name: str) -> bool:
    """Whether the option is one of the method's; `arcade:rounds` is meant for ARCADE alone."""
    method, _colon, option = name.rpartition(":")
    return method in ("", known.name) and option.partition(".")[0] in known.options.model_fields


def _of_method(project: Project | None, known: Known, grid: Grid, task: Task, *, describes: bool) -> Iterator[Arm]:
    if task is Task.SIX and answers_only_binary(known.name, grid.options):
        raise BadChoice(_("%(method)s says hateful or not only: choose the binary task.") % {"method": known.name})
    mine = {name: values for name, values in grid.options.items() if _takes(known, name)}
    judged = known.judge is not None
    auxiliaries, judges = (grid.auxiliaries, grid.judges) if judged else ((), ())
    for values in product(*mine.values()):
        chosen = {name.rpartition(":")[2]: value for name, value in zip(mine, values, strict=True)}
        options = _options(project, known.name, _nested(_for_task(known, chosen, task)))
        for model, auxiliary in product(grid.models or ("",), auxiliaries or ("",)):
            debate = ""
            for judge in judges or ("",):
                plan = _plan(project, known, options, (model, auxiliary, judge), describes=describes)
                variant = ASIDE + debating.variant_of(options, plan)
                name = _name(known, chosen, plan, (model, auxiliary, judge))
                yield Arm(name, known.name, options, plan, variant, debate)
                debate = debate or variant


def _options(project: Project | None, method: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """As a run keeps them: perspectives are the project's, else those that every project starts with."""
    if project is not None:
        return debating.options_for(project, debating.Wish(method, options))
    return debating.checked_options(method, options)


def _for_task(known: Known, chosen: Mapping[str, Any], task: Task) -> dict[str, Any]:
    fields = known.options.model_fields
    if "task" in fields:
        return {"task": task, **chosen}
    return {"variant": _VARIANT[task], **chosen} if "variant" in fields else dict(chosen)


def _nested(options: Mapping[str, Any]) -> dict[str, Any]:
    """`temperatures.judge` is the judge's of the temperatures."""
    found: dict[str, Any] = {}
    for name, value in options.items():
        *outer, last = name.split(".")
        place = found
        for part in outer:
            place = place.setdefault(part, {})
        place[last] = value
    return found


def _plan(
    project: Project | None,
    known: Known,
    options: Mapping[str, Any],
    asked: tuple[str, str, str],
    *,
    describes: bool,
) -> dict[str, str]:
    """Who is asked in each role, and what an investigation with these options searches with."""
    model, auxiliary, judge = asked
    models = {str(role): (auxiliary or model) for role in known.roles if role != known.judge}
    if known.judge is not None:
        models[str(known.judge)] = judge or model
    chosen = {role: name for role, name in models.items() if name}
    return debating.plan_of(project, debating.Wish(known.name, options, models=chosen), describes=describes)


def _name(known: Known, chosen: Mapping[str, Any], plan: Mapping[str, str], asked: tuple[str, str, str]) -> str:
    parts = [known.name, *(_said(known.name, name, value) for name, value in chosen.items())]
    if any(asked) and known.judge is not None:
        auxiliary = next(name for role, name in plan.items() if role != known.judge)
        parts.append(f"{auxiliary} → {plan[str(known.judge)]}")
    elif any(asked):
        parts.append(next(iter(plan.values())))
    return ", ".join(parts)


def _said(method: str, name: str, value: Any) -> str:
    if (method, name) == ("arcade", "rounds"):
        return f"K = {value}"
    if (name, str(value)) == ("track", "deep"):
        return "deep only"
    if (method, name) == ("antihateagent", "retrieval"):
        return {"search": "web evidence", "none": "no evidence", "model_urls": "pages from memory"}[str(value)]
    if (method, name) == ("antihateagent", "instructions"):
        return f"{value} instructions"
    if name == "glossary":
        return "with glossary" if str(value).lower() in ("true", "1", "on") else "without glossary"
    return f"{name} = {value}"
