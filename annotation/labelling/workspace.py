"""The annotator's page: one post, the priors that may be shown, the answer so far.

The page never contains an external id, a file name, the source, the target group, the intent or anybody else's label,
and before a picture is revealed only the address of its blurred derivative.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import cached_property

from annotation.assignment.outcomes import HeldSeat
from annotation.assignment.prior_display import first_answer_is_due, visible_picture_text, visible_priors
from annotation.domain.category_sets import codes_of
from annotation.domain.choices import Modality, PriorState
from annotation.domain.questions.kinds.registry import kind_of
from annotation.domain.questions.question import Question
from annotation.glossary.entries import Found
from annotation.labelling.forms import AnswerForm, initial_of_typed
from annotation.labelling.further_answers import QuestionOnPage
from annotation.labelling.postpone import count_postponed
from annotation.models import Category, Item, Label, Membership, PictureText, Prior, Project, Seat
from annotation.pages.access import PersonRequest
from annotation.pages.project_page import project_page
from runs.sql.compiled_queries import CompiledQuery, slot

_CATEGORIES = CompiledQuery(Category.objects.offered().filter(project=slot("project")))


class AnswerStep(StrEnum):
    """What the answer on the page is stored as."""

    ANSWER = "answer"
    FIRST_ANSWER = "first_answer"  # own view before hidden priors open
    KEEP_OR_CHANGE = "keep_or_change"  # they are open now
    CORRECTION = "correction"  # of a label stored before


@dataclass(frozen=True)
class PageNotice:
    """A notice about the last step; `kept` is the form with what the annotator had typed for another post."""

    title: str
    text: str
    bad: bool = True
    kept: AnswerForm | None = None
    stands: Label | None = None  # the answer that is stored instead of `kept`
    post: str = ""
    """The text of that post, by which its annotator knows it again; empty if nobody may see it now."""
    quotes: tuple[str, ...] = ()
    """The words of that post which the annotator had marked."""
    link: str = ""
    link_text: str = ""


@dataclass
class Workspace:
    """One post in front of one annotator."""

    member: Membership
    seat: Seat
    revealed: bool = False
    correcting: Label | None = None
    notice: PageNotice | None = None
    categories: tuple[Category, ...] = field(default=())
    held: HeldSeat | None = None
    found: Sequence[Found] | None = None  # what the glossary says, where the person asked
    known_questions: Sequence[Question] | None = None  # those in force, if they were read already
    is_preview: bool = False  # nothing on the page sends anything

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
        """Priors that this annotator may see now, with their categories loaded."""
        by_id = {category.pk: category for category in self.categories}
        priors = visible_priors(self.project, self.seat)
        for prior in priors:
            if prior.category_id is not None and prior.category_id in by_id:
                prior.category = by_id[prior.category_id]
        return priors

    @cached_property
    def picture_text(self) -> PictureText | None:
        """Words in the picture, if this annotator may see them now."""
        return visible_picture_text(self.project, self.seat)

    @cached_property
    def step(self) -> AnswerStep:
        if self.correcting is not None:
            return AnswerStep.CORRECTION
        if self.seat.first_answer is not None:
            return AnswerStep.KEEP_OR_CHANGE
        return AnswerStep.FIRST_ANSWER if self.priors_are_hidden else AnswerStep.ANSWER

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """Return the further questions of the page; a first answer before hidden priors is about the category alone.

        For a correction they are every version: it begins with answers to some of them.
        """
        if self.step is AnswerStep.FIRST_ANSWER:
            return ()
        if self.step is AnswerStep.CORRECTION:
            asked: Sequence[Question] = self.project.question_values() if self.project.question_count else ()
        else:
            asked = self.project.asked_questions() if self.known_questions is None else self.known_questions
        return tuple(question for question in asked if kind_of(question).has_subject(self.item.text))

    def further(self, form: AnswerForm) -> list[QuestionOnPage]:
        """Return the questions of the form that can be asked about this post; a form that was sent knows no post."""
        return [shown for shown in form.further if kind_of(shown.question).has_subject(self.item.text)]

    @cached_property
    def priors_are_hidden(self) -> bool:
        return first_answer_is_due(self.project, self.seat)

    @property
    def offers_glossary(self) -> bool:
        """Whether the annotator may open the glossary's entries about the post."""
        return self.project.glossary_for_annotators and not (self.priors_are_hidden or self.is_preview)

    @property
    def own_first_answer(self) -> list[Category]:
        """The categories of the annotator's first answer, if any."""
        first = self.seat.first_answer or {}
        codes = codes_of(first.get("category"), first.get("categories", ()))
        offered = {category.code: category for category in self.categories}
        return [offered.get(code) or self.project.categories_by_code[code] for code in codes]  # one may be retired

    @property
    def severity(self) -> int | None:
        """The severity to expect, 0 to 3, from visible priors only; None if none states one."""
        return max((prior.severity for prior in self.priors if prior.severity is not None), default=None)

    @property
    def challenges(self) -> list[tuple[Modality, Prior]]:
        """The priors that can be challenged: the usable ones."""
        return [(Modality(prior.modality), prior) for prior in self.priors if prior.state == PriorState.OK]

    @property
    def method(self) -> str:
        """How the page's forms are sent; outside of a dialog box, `dialog` sends nothing."""
        return "dialog" if self.is_preview else "post"

    @cached_property
    def action(self) -> str:
        """Return the address that the answer is sent to."""
        slug = self.project.slug
        if self.correcting is not None:
            return reverse("annotation:label-correct", args=[slug, self.correcting.public_id])
        name = "first-answer" if self.step is AnswerStep.FIRST_ANSWER else "submit"
        return reverse(f"annotation:{name}", args=[slug, self.seat.public_id])


def categories_of(project: Project) -> tuple[Category, ...]:
    """Return the categories that can be chosen, in the order of the page."""
    return tuple(_CATEGORIES.rows(project=project.pk))


def show_workspace(request: PersonRequest, bench: Workspace, form: AnswerForm, status: int = 200) -> HttpResponse:
    """Render the annotator's page. It is for this person only, so no cache may keep it."""
    today = done_today(bench.member, bench.held)
    context = {
        "bench": bench,
        "notice": bench.notice,
        "form": form,
        "further": bench.further(form),
        "done_today": today,
        "is_first": bench.correcting is None and today["count"] == 0,
        "show_picture": bench.revealed or not request.user.blur,
    }
    # A script that swaps the next post in wants that alone, not the frame it has already.
    page = "annotation/_workspace_next.html" if swaps_post(request) else "annotation/workspace.html"
    answer = project_page(request, bench.member, page, context, status)
    answer["Cache-Control"] = "no-store"
    return answer


def typed_again(request: PersonRequest, bench: Workspace) -> AnswerForm:
    """Return the form of a page that comes again, with what was typed so far."""
    initial = initial_of_typed(request.POST)
    choose = bench.project.choose
    return AnswerForm(categories=bench.categories, choose=choose, questions=bench.questions, initial=initial)


def swaps_post(request: PersonRequest) -> bool:
    """Whether a script puts the response in place of the post on the page (the form's `hx-target` says so)."""
    return request.headers.get("HX-Request") == "true" and request.headers.get("HX-Target") == "bench"


def done_today(member: Membership, held_seat: HeldSeat | None = None) -> dict[str, Any]:
    """Return the annotator's own day: the number of labels and, where the project has a goal, the share in per cent."""
    count = labels_today(member) if held_seat is None else held_seat.labels_today
    goal = member.project.daily_goal
    percent = min(100, count * 100 // goal) if goal else None
    postponed = count_postponed(member) if held_seat is None or held_seat.postponed else 0
    return {"count": count, "goal": goal, "percent": percent, "postponed": postponed}


def labels_today(member: Membership) -> int:
    """Return how many labels the annotator has given since midnight."""
    morning = timezone.localtime().replace(hour=0, minute=0, second=0, microsecond=0)
    return Seat.objects.filter(annotator=member, filled_at__gte=morning, label__isnull=False).count()
