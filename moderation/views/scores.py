"""Scores of explanations: the tab on an item's page, starting one, and a project's scores together."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.words import Role
from annotation.models import Item, Membership
from annotation.views.scope import PersonRequest, member_of
from moderation import score_cards, score_figures, scoring
from moderation.domain.hatexscore.consistency import Rule
from moderation.explanations import explanations
from moderation.score_forms import ScoreForm
from moderation.views.debates import item_for


@require_GET
def item_scores(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """The item's scores side by side, and its explanations that can be scored."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    return _show(request, member, item, ScoreForm(explanations(item)))


@require_POST
def start(request: PersonRequest, slug: str, public_id: UUID) -> HttpResponse:
    """Score one explanation; what cannot be had comes back with the form."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    item = item_for(member, public_id)
    form = ScoreForm(explanations(item), request.POST)
    if not form.is_valid():
        return _show(request, member, item, form, status=422)
    try:
        score = scoring.start(item, form.explanation(), form.choice(), member)
    except scoring.CannotScore as bad:
        form.add_error(None, str(bad))
        return _show(request, member, item, form, status=422)
    if score.run is None:
        messages.info(request, score.reason)
    else:
        messages.success(request, _("The score is asked for; it appears here."))
    return redirect("moderation:item-scores", slug, public_id)


@require_GET
def scores(request: PersonRequest, slug: str) -> HttpResponse:
    """Means by method, and how they change with the threshold."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    rule = Rule.RELEASED if request.GET.get("rule") == Rule.RELEASED else Rule.PAPER
    context = {
        "project": member.project,
        "membership": member,
        "figures": score_figures.figures(member.project),
        "names": [name.upper() for name in score_figures.NAMES],
        "swept": score_figures.swept(member.project, rule),
        "rule": rule,
        "rules": list(Rule),
    }
    return render(request, "moderation/scores.html", context)


def _show(request: PersonRequest, member: Membership, item: Item, form: ScoreForm, status: int = 200) -> HttpResponse:
    shown = score_cards.cards(scoring.scores_of(item))
    context = {
        "project": member.project,
        "membership": member,
        "item": item,
        "cards": shown,
        "found": explanations(item),
        "form": form,
        "any_open": any(card.is_open for card in shown),
    }
    return render(request, "moderation/item_scores.html", context, status=status)
