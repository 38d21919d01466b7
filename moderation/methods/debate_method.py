"""The declaration of a method: the one value that pages, commands, evaluations and workers read.

A method is a module or a package next to this one that ends in a `DebateMethod`; `registry.py` lists them. No other
part of the site names a method.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotation.models import Project
from moderation.domain.task import Task
from moderation.methods.model_choices import model_choices
from moderation.methods.option_fields import (
    Offered,
    OptionForm,
    compared_fields,
    option_form,
)
from providers.keyword.model import KeywordAnswer
from providers.roles import ModelRole
from runs.methods.method import Method
from runs.models import Run, Turn


class BadChoice(ValueError):
    """An option, a model or a number that is not possible; the message says what is."""


@dataclass(frozen=True)
class Comparison:
    """The fields of the evaluation form that compare values of the method's options; each field has its option's name.

    `shown`: the fields in the folded part under `heading`, in order; a method with a judge shows that of judges too.
    Without a heading they are in the part about scores of explanations.
    """

    fields: Mapping[str, forms.Field]
    heading: str | Promise
    shown: Sequence[str]


@dataclass(frozen=True)
class StepWords:
    """What a step does, in English (pages translate it), and what it is about: a query, a page."""

    what: str
    about: str = ""


@dataclass(frozen=True)
class Stage:
    """A part of a debate as its page lists them: its name, and the keys of its steps in their order."""

    name: str
    keys: Sequence[str]


def check_options(shape: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their defaults, as JSON values.

    Raises BadChoice for the first wrong one.
    """
    try:
        return shape.model_validate(dict(options)).model_dump(mode="json")
    except ValidationError as fault:
        error = fault.errors(include_url=False)[0]
        name = ".".join(str(part) for part in error["loc"])
        names = ", ".join(shape.model_fields)
        sentence = _("The option %(name)s: %(why)s. There are %(known)s.")
        raise BadChoice(sentence % {"name": name or "?", "why": error["msg"], "known": names}) from None


def _no_options(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    return options


def _no_models(project: Project | None, options: Mapping[str, Any]) -> dict[str, str]:
    return {}


def _no_check(options: Mapping[str, Any]) -> None:
    return None


def _no_names(options: Mapping[str, Any]) -> list[str]:
    return []


def _no_words(name: str, value: Any) -> str:
    return ""


@dataclass(frozen=True)
class DebateMethod:
    """A method that judges a post."""

    name: str
    """The name in rows of runs; it never changes."""
    label: str | Promise
    """The name in forms and headings."""
    protocol: type[Method]
    roles: Sequence[ModelRole]
    options: type[BaseModel]
    """The options of a run, with defaults; unknown names are refused."""
    speaker: ModelRole
    """The role that writes the reason of the outcome."""
    most_calls: Callable[[Run], int]
    """Return the most calls of a run with these options, if every answer can be used, without the optional roles.

    Prices are told from it.
    """
    optional_roles: Sequence[ModelRole] = ()
    """The roles that are asked only where a model is named for them: once in a run at most."""
    judge: ModelRole | None = None
    """The role that judges a debate; other models may judge the same debate again."""
    keyword_answers: Mapping[str, KeywordAnswer] = field(default_factory=dict)
    """The answers of the built-in keyword baseline, by role of this method."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Display names of the words that it stores: its own name, its roles."""

    # Starting
    form_heading: str | Promise = ""
    judge_label: str | Promise = ""
    """The label of the field for the judge's model."""
    offered: Offered = field(default_factory=dict)
    """The choices of options that depend on the project or the site, by the name of the field."""
    complete_options: Callable[[Project, dict[str, Any]], dict[str, Any]] = _no_options
    """Add the project's settings to checked options. Raises BadChoice."""
    complete_plan: Callable[[Project | None, Mapping[str, Any]], dict[str, str]] = _no_models
    """Return the plan's entries besides the models, such as a search engine. Raises BadChoice."""
    check_start: Callable[[Mapping[str, Any]], None] = _no_check
    """Refuse options that are for evaluations or other pages only. Raises BadChoice."""

    # Pages
    template: str = ""
    """The template for `shown.details` on the page of a run, between its head and its verdict."""
    verdict_template: str = ""
    """The template for the verdict, if the common form does not fit; it gets the run as `each`."""
    details: Callable[[Run, Sequence[Turn]], Any] | None = None
    """Return the value of `shown.details`."""
    step_words: Callable[[Run, Mapping[str, Turn], Sequence[str]], list[StepWords]] | None = None
    """Return what the steps of these keys do, given the run's turns by key. None: their keys say it."""
    stages: Callable[[Run, Mapping[str, Turn]], list[Stage]] | None = None
    """Return the parts of the debate in their order, given the run's turns by key. None: it has only one."""
    gathers_evidence: bool = False
    """Whether judging again uses gathered evidence, not a debate."""

    # Evaluations
    task_options: Callable[[Task], Mapping[str, Any]] | None = None
    """Return the options that ask the question of the task. None: the method only says hateful or not."""
    comparison_heading: str | Promise = ""
    """The heading over the options that an evaluation compares."""
    arm_words: Callable[[str, Any], str] = _no_words
    """Return the words for an option's value in an arm's name. Returns "" for `name = value`."""
    stances: Callable[[Mapping[str, Any], Mapping[str, tuple[Any, str]], str], list[dict[str, str]]] | None = None
    """Return the votes of a run without a verdict from its options, turns and reason; None: there are no votes.

    With it, the outcome of a verdict has `stances`, a vote of each perspective. Reports count both.
    """
    without_examples: Callable[[Mapping[str, Any]], list[str]] = _no_names
    """Return the perspectives that see no examples though these options ask for them; reports say so."""
    writes_prose: bool = False
    """Whether its verdict is part of its text, as in the explanations that HateXScore reads."""

    def speakers(self, model: str) -> dict[str, str]:
        """Return role → this model for everybody but the judge, empty where no model is named."""
        return {str(role): model for role in self.roles if role != self.judge} if model else {}

    @property
    def judge_field(self) -> str:
        """The field for the judge's model; it is no option of the run. Returns "" if nobody judges."""
        return str(self.judge or "")

    @cached_property
    def form(self) -> type[OptionForm]:
        """The fields in the form that starts a run."""
        judge = {self.judge_field: self.judge_label} if self.judge else {}
        offered = {**self.offered, **dict.fromkeys(judge, lambda _project: model_choices())}
        return option_form(f"{self.protocol.__name__}Form", self.options, judge, offered)

    @cached_property
    def comparison(self) -> Comparison | None:
        """What an evaluation may compare; None: nothing."""
        fields = compared_fields(self.options)
        shown = [*fields, "judges"] if self.judge else list(fields)
        return Comparison(fields, self.comparison_heading, shown) if fields else None

    def checked_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with their defaults, as a run's row stores them.

        Raises BadChoice.
        """
        return check_options(self.options, options)

    def calls_at_most(self, options: Mapping[str, Any], plan: Mapping[str, str]) -> int:
        """Return the most calls of one run with these options and models, if every answer can be used."""
        return self.calls_of(Run(method=self.name, options=dict(options), model_plan=dict(plan)))

    def calls_of(self, run: Run) -> int:
        """Return the most calls of this run, if every answer can be used."""
        return self.most_calls(run) + sum(str(role) in run.model_plan for role in self.optional_roles)
