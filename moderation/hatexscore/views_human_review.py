"""The human check of scores: rating explanations one after the other, and what the ratings come to."""

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from annotation.analytics.figure_words import ABOUT_ANSWERS, reason_of
from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.domain.statistics.figure import Figure
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from moderation.domain.hatexscore.human_review import Rating
from moderation.hatexscore import human_review
from moderation.models import Score, ScoreState


def _yes_or_no(label: object) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(
        label=label,  # type: ignore[arg-type]  # a lazy text is a label too
        choices=[("1", gettext_lazy("Yes")), ("0", gettext_lazy("No"))],
        widget=forms.RadioSelect,
        coerce=lambda value: value == "1",
    )


class RatingForm(forms.Form):
    """Three answers about one explanation."""

    quotes = _yes_or_no(gettext_lazy("Does it quote words of the text that bear on its verdict?"))
    group = _yes_or_no(gettext_lazy("Does it name the group that is meant?"))
    hateful = _yes_or_no(gettext_lazy("Is the text hateful, in your own view?"))
    score = forms.UUIDField(widget=forms.HiddenInput)

    @property
    def questions(self) -> list[tuple[forms.BoundField, str, str]]:
        """Each question with its keys for yes and no."""
        return [(self["quotes"], "1", "2"), (self["group"], "3", "4"), (self["hateful"], "5", "6")]


@require_http_methods(["GET", "POST"])
def rate(request: PersonRequest, slug: str) -> HttpResponse:
    """Show the next explanation without its score, store the answers, then show the one after it."""
    member = member_of(request, slug, Role.REVIEWER)
    form = RatingForm(request.POST or None)
    if request.method == "POST":
        row = _row(member, form.data.get("score", ""))
        if form.is_valid():
            answers = form.cleaned_data
            if not human_review.rate(row, member, Rating(answers["quotes"], answers["group"], answers["hateful"])):
                messages.info(request, _("You have rated that explanation before; your first answer stands."))
            return redirect("moderation:score-review", slug)
        return _show(request, member, row, form, status=422)
    next_score = human_review.next_for(member)
    return _show(
        request, member, next_score, RatingForm(initial={"score": next_score.public_id} if next_score else None)
    )


@require_GET
def results(request: PersonRequest, slug: str) -> HttpResponse:
    """κ between people and with the score, and whom people side with."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    report = human_review.results(member.project)
    kappas = [(row, _words_of(row.people), _words_of(row.with_score)) for row in report.kappas]
    context = {"report": report, "kappas": kappas}
    return project_page(request, member, "moderation/score_review_results.html", context)


def _words_of(figure: Figure | None) -> str:
    """Return why a κ is not defined; of some questions the score says nothing."""
    return _("The score says nothing about it.") if figure is None else reason_of(figure, ABOUT_ANSWERS) or ""


def _row(member: Membership, posted_id: str) -> Score:
    try:
        public_id = UUID(posted_id)
    except ValueError:
        raise Http404 from None
    rows = Score.objects.filter(project=member.project, public_id=public_id, state=ScoreState.SCORED)
    row = found(rows.select_related("item__picture").first())
    row.item.project = member.project
    if not human_review.may_rate(row.item, member):
        raise Http404
    return row


def _show(
    request: PersonRequest, member: Membership, row: Score | None, form: RatingForm, status: int = 200
) -> HttpResponse:
    return project_page(request, member, "moderation/score_review.html", status=status, row=row, form=form)
