"""What a method declares about itself: the one value that pages, commands, evaluations and workers read.

A method is a module or a package beside this one that ends in a `DebateMethod`; `registry.py` lists them. Nothing else
in the site names a method.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from pydantic import BaseModel, ValidationError

from annotation.models import Project
from moderation.domain.verdicts import Task
from providers.keyword.model import KeywordAnswer
from providers.roles import ModelRole
from runs.methods.method import Method
from runs.models import Run, Turn


class BadChoice(ValueError):
    """An option, a model or a number that cannot be had; the sentence says what can."""


class ProjectForm(forms.Form):
    """A form about a project, whose choices may depend on it."""

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.project = project


class OptionForm(ProjectForm):
    """The fields of one method in the form that starts any method.

    All methods share one form on the page: the name of a field is used by one method only. Fields are optional, and
    validate by themselves (`clean_…` methods are not called).
    """

    judge_field: ClassVar[str] = ""
    """The field that names the judge's model; it is no option of the run."""

    @classmethod
    def options(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the run's options for these cleaned values; what was left empty is the method's own."""
        names = [name for name in cls.base_fields if name != cls.judge_field]
        return {name: values[name] for name in names if values[name] not in ("", None)}


@dataclass(frozen=True)
class CommandOption:
    """An option of the method that the commands `run` and `evaluate` take as `--name`."""

    name: str
    help: str
    choices: Sequence[Any] | None = None
    type: Callable[[str], Any] = str
    metavar: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The fields of the evaluation form that compare values of the method's options; each field is named as its option.

    `shown`: the fields of the fold under `heading`, in order; fields that all methods share may stand among them.
    Without a heading they stand in the fold about scores of explanations.
    """

    fields: type[forms.Form]
    heading: str | Promise = ""
    shown: Sequence[str] = ()


def check_options(shape: type[BaseModel], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with their defaults, as JSON values. Raises BadChoice for the first that is wrong."""
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


def _unknown_calls(run: Run) -> int | None:
    return None


def _no_words(name: str, value: Any) -> str:
    return ""


@dataclass(frozen=True)
class DebateMethod:
    """A method that looks at a post and gives a verdict."""

    name: str
    """Stored in rows of runs; it never changes."""
    label: str | Promise
    """In forms and headings."""
    protocol: type[Method]
    roles: Sequence[ModelRole]
    options: type[BaseModel]
    """What may be chosen about a run, with defaults; extra names are refused."""
    speaker: ModelRole
    """Whose words the reason of the outcome is."""
    judge: ModelRole | None = None
    """Who judges a debate that other models may judge again."""
    keyword_answers: Mapping[str, KeywordAnswer] = field(default_factory=dict)
    """What the built-in keyword baseline answers in each role of this method."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Display names of the words that it stores: its own name, its roles."""

    # Starting
    form: type[OptionForm] = OptionForm
    form_heading: str | Promise = ""
    command_options: Sequence[CommandOption] = ()
    complete_options: Callable[[Project, dict[str, Any]], dict[str, Any]] = _no_options
    """Add to checked options what the project knows. Raises BadChoice."""
    complete_plan: Callable[[Project | None, Mapping[str, Any]], dict[str, str]] = _no_models
    """Return who is asked beside the models, for options as they were chosen. Raises BadChoice."""
    check_start: Callable[[Mapping[str, Any]], None] = _no_check
    """Raises BadChoice for options that are for evaluations or other pages only."""

    # Pages
    template: str = ""
    """Shows `shown.details` on the page of a run, between its head and its verdict."""
    verdict_template: str = ""
    """Shows the verdict where the common form does not do; gets the run as `each`."""
    details: Callable[[Run, Sequence[Turn]], Any] | None = None
    """Return the value behind `shown.details`."""
    most_calls: Callable[[Run], int | None] = _unknown_calls
    """Return the calls that a run with these options makes at most. Returns None where it makes one."""
    gathers_evidence: bool = False
    """Judging again rests on evidence that was gathered, not on a debate that was held."""

    # Evaluations
    task_options: Callable[[Task], Mapping[str, Any]] | None = None
    """Return the options that ask the question of the task. None: the method says hateful or not only."""
    comparison: Comparison | None = None
    arm_words: Callable[[str, Any], str] = _no_words
    """Return how an option's value reads in an arm's name. Returns "" for `name = value`."""
    has_stances: bool = False
    """Its outcome holds `stances`, a vote of each perspective, which a report counts."""
    writes_prose: bool = False
    """Its verdict stands in its words and not beside them, as HateXScore reads explanations."""

    def checked_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options with their defaults, as a run's row keeps them. Raises BadChoice."""
        return check_options(self.options, options)
