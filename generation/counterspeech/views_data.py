"""Results of counterspeech: the dataset with its downloads, blind comparisons, and the project's rules."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.core.found import found
from annotation.domain.choices import Role
from annotation.models import Membership
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.project_page import project_page
from generation.counterspeech import compare as counterspeech_compare
from generation.counterspeech.access import desk_member
from generation.counterspeech.compare import Pair
from generation.counterspeech.forms import CRITERION_NAMES, INTENT_NAMES, ComparisonForm, RulesForm
from generation.counterspeech.presenters import visible_exchanges
from generation.counterspeech.rules import keep_rules, written_rules
from generation.domain.counterspeech.intents import Intent


@require_http_methods(["GET", "POST"])
def compare(request: PersonRequest, slug: str) -> HttpResponse:
    """Show two candidates side by side without their writers; after a choice, show the next pair."""
    member = desk_member(request, slug)
    if request.method == "POST":
        pair = _pair(member, request.POST.get("left", ""), request.POST.get("right", ""))
        form = ComparisonForm(request.POST)
        if form.is_valid():
            choices = form.request().choices(first_is_left=pair.first_is_left)
            counterspeech_compare.choose(pair, member, choices)
            return redirect("generation:compare-replies", slug)
        return _show_pair(request, member, pair, form, status=422)
    return _show_pair(
        request, member, counterspeech_compare.next_pair(visible_exchanges(member), member), ComparisonForm()
    )


@require_GET
def standings(request: PersonRequest, slug: str) -> HttpResponse:
    """Show win rates with their intervals."""
    member = desk_member(request, slug)
    tables = counterspeech_compare.standings(member.project)
    titles: dict[str, str | Promise] = {"model": _("By model"), "prompt": _("By prompt")}
    titles |= {intent.value: name for intent, name in INTENT_NAMES.items()}
    context = {
        "tables": [(titles[key], rows) for key, rows in tables.items() if rows],
        "criteria": CRITERION_NAMES,
    }
    return project_page(request, member, "generation/standings.html", context)


@require_http_methods(["GET", "POST"])
def rules(request: PersonRequest, slug: str) -> HttpResponse:
    """Show and change the weights of the reward and the words that no reply may contain; for admins."""
    member = member_of(request, slug, Role.ADMIN)
    form = RulesForm(request.POST or None, initial=written_rules(member.project))
    if form.is_valid():
        keep_rules(member, form)
        messages.success(request, _("Saved. They apply to everything that is asked from now on."))
        return redirect("generation:rules", slug)
    return project_page(request, member, "generation/rules.html", status=422 if form.errors else 200, form=form)


def _show_pair(
    request: PersonRequest, member: Membership, pair: Pair | None, form: ComparisonForm, status: int = 200
) -> HttpResponse:
    context = {
        "pair": pair,
        "exchange": pair.left.exchange if pair else None,
        "item": pair.left.exchange.item if pair else None,
        "intent": INTENT_NAMES[Intent(pair.left.intent)] if pair else "",
        "form": form,
    }
    return project_page(request, member, "generation/compare.html", context, status=status)


def _pair(member: Membership, left: str, right: str) -> Pair:
    try:
        pair = counterspeech_compare.pair_of(visible_exchanges(member), UUID(left), UUID(right))
    except ValueError:
        pair = None
    return found(pair)
