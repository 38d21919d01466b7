"""The training room, as an annotator meets it: begin, one post after the other, what is known of it, the mark.

Everything is a plain form; the keys are those of the annotator's page. Nothing of the known answer is in a page before
the person has answered, and before a picture is revealed only the address of its blurred derivative.
"""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.assignment.prior_display import priors_for_people
from annotation.assignment.training_gate import training_items
from annotation.core.found import found
from annotation.domain.choices import PriorDisplay, PriorState
from annotation.labelling.views_post import annotator
from annotation.labelling.workspace import categories_of
from annotation.media.pictures import unlocked
from annotation.media.responses import picture_file
from annotation.models import Category, Item, KnownAnswer, Membership, Picture, Prior, TrainingAttempt, User
from annotation.pages.access import PersonRequest
from annotation.pages.category_choice import typed
from annotation.pages.project_page import project_page
from annotation.training import attempts, results
from annotation.training.attempts import NotInTraining, OpenAttempt, TrainingFeedback
from annotation.training.forms import TrainingAnswerForm


@dataclass
class TrainingWorkspace:
    """One training post in front of one annotator, with what the parts of the annotator's page need."""

    member: Membership
    attempt: TrainingAttempt
    item: Item
    categories: tuple[Category, ...]
    number: int
    total: int
    feedback: TrainingFeedback | None = None

    step = "training"
    challenges = ()
    correcting = None

    @cached_property
    def priors(self) -> tuple[Prior, ...]:
        """What annotators would see beside the post at first: nothing where their own view comes before."""
        project = self.member.project
        if project.prior_display == PriorDisplay.AFTER_FIRST_ANSWER and self.feedback is None:
            return ()
        priors = priors_for_people(project).filter(item=self.item, current=True)
        return tuple(priors.select_related("category").order_by("-modality"))

    @property
    def severity(self) -> int | None:
        """The band to expect, 0 to 3: the post's own, else the graver one of its priors."""
        if self.item.severity is not None:
            return self.item.severity
        severities = [
            prior.severity for prior in self.priors if prior.state == PriorState.OK and prior.severity is not None
        ]
        return max(severities, default=None)


@require_http_methods(["GET", "POST"])
def room(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the training or its next post; begin and go on by POST."""
    member = annotator(request, slug)
    if member.consent_version < member.project.consent_version:
        return redirect("annotation:consent", slug)
    if request.method == "POST":
        return _act(request, member)
    now = attempts.read_training_state(member)
    if now.going is not None and now.going.known is not None:
        return _show(request, _bench(member, now.going, now.going.known), _empty_form(member))
    context = {
        "room": now,
        "mark": results.attempt_mark(now.last) if now.last else None,
    }
    return _fresh(project_page(request, member, "annotation/training.html", context))


def _act(request: PersonRequest, member: Membership) -> HttpResponse:
    if request.POST.get("act") == "begin" and attempts.begin_attempt(member) is None:
        messages.warning(request, _("No attempt was begun: nothing is left to do here, or no attempt is left."))
    elif request.POST.get("act") == "finish":
        attempts.finish_attempt(member)
    return redirect("annotation:training", member.project.slug)


@require_http_methods(["GET", "POST"])
def answer(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Store an answer; then show the known one, also when the page is loaded again."""
    member = annotator(request, slug)
    if request.method == "GET":
        return _tell(request, member, public_id)
    form = TrainingAnswerForm(request.POST, categories=categories_of(member.project), choose=member.project.choose)
    if not form.is_valid():
        return _ask_again(request, member, public_id, form)
    match attempts.store_training_answer(member, public_id, form.reply()):
        case TrainingFeedback(repeated=True):
            messages.info(request, _("You had answered this post already; your first answer stands."))
        case NotInTraining():
            raise Http404
    return redirect("annotation:training-answer", slug, public_id)


@require_POST
def look(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Reveal or hide the picture, or take its colour out; the answer chosen so far is kept."""
    member = annotator(request, slug)
    _met(member, public_id)
    shown = request.POST.get("show") == "1"
    if request.POST.get("grey") in ("0", "1"):
        request.user.grey = request.POST["grey"] == "1"
        User.objects.filter(pk=request.user.pk).update(grey=request.user.grey)
        shown = request.POST.get("shown") == "1"
    if request.accepts("application/json") and not request.accepts("text/html"):
        picture = reverse("annotation:training-picture", args=[slug, public_id])
        return JsonResponse({"picture": picture if shown else None})
    categories, choose = categories_of(member.project), member.project.choose
    form = TrainingAnswerForm(categories=categories, choose=choose, initial=typed(request.POST))
    return _show(request, _bench_of(member, public_id), form, show_picture=shown)


@require_GET
def picture(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Send the original; its address is given only to who revealed it, and no cache keeps it."""
    return picture_file(_picture(request, slug, public_id).file, "no-store")


@require_GET
def blurred(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponseBase:
    """Send the blurred derivative."""
    return picture_file(_picture(request, slug, public_id).blurred, "private, max-age=1800")


def _picture(request: PersonRequest, slug: str, public_id: UUID) -> Picture:
    item = _met(annotator(request, slug), public_id)
    return found(Picture.objects.filter(unlocked("pk"), items=item).first())


@require_GET
def own(request: PersonRequest, slug: str) -> HttpResponse:
    """One's own results: each training answer of the newest attempt; of checks only how many."""
    member = annotator(request, slug)
    context = {
        "own": results.own_results(member),
        "room": attempts.read_training_state(member),
    }
    return _fresh(project_page(request, member, "annotation/training_own.html", context))


# ── Shared ────────────────────────────────────────────────────────────────────


def _tell(request: PersonRequest, member: Membership, public_id: UUID) -> HttpResponse:
    feedback = attempts.training_feedback(member, public_id)
    if feedback is None:
        _met(member, public_id)  # a post to be answered still; any other is not there
        return redirect("annotation:training", member.project.slug)
    return _show(request, _answered_bench(member, feedback), _empty_form(member))


def _ask_again(request: PersonRequest, member: Membership, public_id: UUID, form: TrainingAnswerForm) -> HttpResponse:
    return _show(request, _bench_of(member, public_id), form, status=422)


def _show(
    request: PersonRequest,
    bench: TrainingWorkspace,
    form: TrainingAnswerForm,
    *,
    status: int = 200,
    show_picture: bool = False,
) -> HttpResponse:
    context = {
        "bench": bench,
        "form": form,
        "show_picture": show_picture or not request.user.blur,
    }
    return _fresh(project_page(request, bench.member, "annotation/training_post.html", context, status=status))


def _bench(member: Membership, going: OpenAttempt, known: KnownAnswer) -> TrainingWorkspace:
    return TrainingWorkspace(
        member, going.attempt, known.item, categories_of(member.project), going.done + 1, going.total
    )


def _answered_bench(member: Membership, feedback: TrainingFeedback) -> TrainingWorkspace:
    now = attempts.read_training_state(member)
    done, total = (now.going.done, now.going.total) if now.going else (feedback.answer.attempt.total,) * 2
    categories = categories_of(member.project)
    return TrainingWorkspace(member, feedback.answer.attempt, feedback.answer.item, categories, done, total, feedback)


def _bench_of(member: Membership, public_id: UUID) -> TrainingWorkspace:
    """Return the bench of a post that is asked about now, or has been answered; 404 for any other."""
    feedback = attempts.training_feedback(member, public_id)
    if feedback is not None:
        return _answered_bench(member, feedback)
    going = attempts.read_training_state(member).going
    known = _known_answer(member, public_id)
    if going is None or known is None:
        raise Http404
    return _bench(member, going, known)


def _known_answer(member: Membership, public_id: UUID) -> KnownAnswer | None:
    return next(
        (known_answer for known_answer in training_items(member) if known_answer.item.public_id == public_id), None
    )


def _met(member: Membership, public_id: UUID) -> Item:
    """Return the training post, if this person has one attempt under way or answered it; 404 for any other."""
    return _bench_of(member, public_id).item


def _empty_form(member: Membership) -> TrainingAnswerForm:
    return TrainingAnswerForm(categories=categories_of(member.project), choose=member.project.choose)


def _fresh(answer: HttpResponse) -> HttpResponse:
    answer["Cache-Control"] = "no-store"
    return answer
