"""The box above the desk in which somebody says what is done about the post: answer, report, support, leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from annotation.consensus.report_notices import contact_of
from annotation.models import Membership
from generation.domain.counterspeech.first_step import (
    CHOICE_WORDS,
    MOST_NOTE,
    REASONS,
    FirstChoice,
    StepReason,
    advised,
)
from generation.models import Exchange, FirstStep


@dataclass(frozen=True)
class Choice:
    """One of the choices on the page, with the reasons that speak for it."""

    value: FirstChoice
    name: str
    reasons: Sequence[StepReason]


@dataclass(frozen=True)
class FirstStepBox:
    """What was decided about a post, and what can be decided; `typed` is a form that was refused."""

    member: Membership
    exchange: Exchange | None
    typed: forms.Form | None = None

    most_note = MOST_NOTE

    @cached_property
    def steps(self) -> list[FirstStep]:
        """The decisions about the post, newest first; the first one is in force."""
        return list(self.exchange.first_steps.select_related("member")) if self.exchange is not None else []

    @property
    def step(self) -> FirstStep | None:
        """The decision in force."""
        return self.steps[0] if self.steps else None

    @property
    def history(self) -> list[tuple[str, FirstStep]]:
        """All decisions with their names, newest first."""
        return [(_(CHOICE_WORDS[FirstChoice(step.choice)]), step) for step in self.steps]

    @property
    def choices(self) -> list[Choice]:
        """All choices with their reasons."""
        return [Choice(choice, _(CHOICE_WORDS[choice]), reasons) for choice, reasons in REASONS.items()]

    @property
    def chosen(self) -> str:
        """The name of the choice in force."""
        return _(CHOICE_WORDS[FirstChoice(self.step.choice)]) if self.step else ""

    @property
    def advice(self) -> str:
        """What the reasons in force speak for, where that is another choice; empty otherwise."""
        advice = advised([StepReason(reason) for reason in self.step.reasons]) if self.step else None
        return _(CHOICE_WORDS[advice]) if self.step and advice is not None and advice != self.step.choice else ""

    @property
    def is_reported(self) -> bool:
        """Whether the choice in force is to report the post."""
        return self.step is not None and self.step.choice == FirstChoice.REPORT

    @property
    def ticked(self) -> Sequence[Any]:
        """The reasons that are ticked in the form: those that were sent and refused, or none."""
        return list(self.typed["reasons"].value() or ()) if self.typed is not None else ()

    @property
    def note(self) -> str:
        """The line of text in the form, as it was sent and refused."""
        return self.typed.data.get("note", "") if self.typed is not None else ""

    @property
    def contact(self) -> str:
        """Whom the project or the site names for reports of illegal content; empty if neither does."""
        return contact_of(self.member.project)


def first_step_of(member: Membership, exchange: Exchange | None, *, typed: forms.Form | None = None) -> FirstStepBox:
    """Return the box of a post; without an exchange, of a post that nobody has answered yet."""
    return FirstStepBox(member, exchange, typed)
