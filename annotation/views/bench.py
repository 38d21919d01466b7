"""What the annotator's page shows: one post, each part's priors where they may be seen, the answer so far.

The page never holds an external id, a file name, the source, the target group, the intent or anybody else's
label, and before a picture is revealed only the address of its blurred derivative.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from annotation.domain.words import Modality, PriorState
from annotation.forms.labelling import AnswerForm
from annotation.glossing import Found
from annotation.models import Category, Item, Label, Membership, Prior, Project, Seat
from annotation.outcomes import Held
from annotation.showing import first_answer_is_due, visible_priors
from annotation.views.scope import PersonRequest
from runs.statements import Statement, slot

_CATEGORIES = Statement(Category.objects.filter(project=slot("project")).order_by("code"))


class Step(StrEnum):
    """What the answer on the page becomes."""

    ANSWER = "answer"
    FIRST_ANSWER = "first_answer"  # own view before hidden priors open
    KEEP_OR_CHANGE = "keep_or_change"  # they are open now
    CORRECTION = "correction"  # of a label stored before


@dataclass(frozen=True)
class Notice:
    """What the page has to say about the last step; `kept` is what the person had typed for another post."""

    title: str
    text: str
    bad: bool = True
    kept: AnswerForm | None = None
    link: str = ""
    link_text: str = ""


@dataclass
class Bench:
    """One post in front of one person."""

    member: Membership
    seat: Seat
    revealed: bool = False
    correcting: Label | None = None
    notice: Notice | None = None
    categories: tuple[Category, ...] = field(default=())
    held: Held | None = None
    found: Sequence[Found] | None = None  # what the glossary says, where the person asked

    def __post_init__(self) -> None:
        self.categories = self.categories or categories_of(self.project)

    @property
    def project(self) -> Project:
        return self.member.project

    @property
    def item(self) -> Item:
        return self.seat.item

    @cached_property
    def priors(self) -> tuple[Prior, ...]:
        """The priors this person may see now, their categories at hand without a query each."""
        by_id = {category.pk: category for category in self.categories}
        priors = visible_priors(self.project, self.seat)
        for prior in priors:
            if prior.category_id is not None and prior.category_id in by_id:
                prior.category = by_id[prior.category_id]
        return priors

    @cached_property
    def step(self) -> Step:
        if self.correcting is not None:
            return Step.CORRECTION
        if self.seat.first_answer is not None:
            return Step.KEEP_OR_CHANGE
        return Step.FIRST_ANSWER if self.priors_are_hidden else Step.ANSWER

    @property
    def priors_are_hidden(self) -> bool:
        return first_answer_is_due(self.project, self.seat)

    @property
    def offers_glossary(self) -> bool:
        """Whether the person may ask what the glossary says about the post."""
        return self.project.glossary_for_annotators and not self.priors_are_hidden

    @property
    def own_first_answer(self) -> Category | None:
        """The category of the first answer, where there was one."""
        code = (self.seat.first_answer or {}).get("category")
        return next((category for category in self.categories if category.code == code), None)

    @property
    def severity(self) -> int | None:
        """The band to expect, 0 to 3, from visible priors only; None where none says so."""
        said = [prior.severity for prior in self.priors if prior.severity is not None]
        return max(said, default=None)

    @property
    def challenges(self) -> list[tuple[Modality, Prior]]:
        """The priors that can be challenged: those that say something."""
        return [(Modality(prior.modality), prior) for prior in self.priors if prior.state == PriorState.OK]

    @property
    def action(self) -> str:
        """Where the answer goes."""
        slug = self.project.slug
        if self.correcting is not None:
            return reverse("annotation:label-correct", args=[slug, self.correcting.public_id])
        name = "first-answer" if self.step is Step.FIRST_ANSWER else "submit"
        return reverse(f"annotation:{name}", args=[slug, self.seat.public_id])


def categories_of(project: Project) -> tuple[Category, ...]:
    """The project's categories in the order of their codes."""
    return tuple(_CATEGORIES.rows(project=project.pk))


def show_bench(request: PersonRequest, bench: Bench, form: AnswerForm, status: int = 200) -> HttpResponse:
    """The annotator's page. It is nobody else's: no cache may keep it."""
    context = {
        "project": bench.project,
        "membership": bench.member,
        "bench": bench,
        "notice": bench.notice,
        "form": form,
        "done_today": done_today(bench.member, bench.held),
        "show_picture": bench.revealed or not request.user.blur,
    }
    # A script that swaps the next post in wants that alone, not the frame it has already.
    page = "annotation/_next.html" if swaps_post(request) else "annotation/label.html"
    answer = render(request, page, context, status=status)
    answer["Cache-Control"] = "no-store"
    return answer


def swaps_post(request: PersonRequest) -> bool:
    """Whether the answer is put in place of the post on the page (the form's `hx-target` says so)."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "bench"


def done_today(member: Membership, held: Held | None = None) -> dict[str, Any]:
    """The person's own day: how many labels, the share of the goal where the project has one."""
    count = labels_today(member) if held is None else held.labels_today
    goal = member.project.daily_goal
    percent = min(100, count * 100 // goal) if goal else None
    return {"count": count, "goal": goal, "percent": percent}


def labels_today(member: Membership) -> int:
    """How many labels the person has given since midnight."""
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return Seat.objects.filter(annotator=member, filled_at__gte=morning, label__isnull=False).count()
