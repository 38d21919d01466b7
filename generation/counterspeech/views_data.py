"""Results of counterspeech: the dataset with its downloads, blind comparisons, and the project's rules."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.choices import Role
from annotation.models import Membership, record
from annotation.pages.access import PersonRequest, member_of
from annotation.pages.csv_response import csv_of_dicts, named
from annotation.pages.project_page import project_page
from generation.counterspeech import compare as counterspeech_compare
from generation.counterspeech import export
from generation.counterspeech.access import desk_member
from generation.counterspeech.compare import Pair
from generation.counterspeech.forms import CRITERION_NAMES, INTENT_NAMES, ComparisonForm, RulesForm
from generation.counterspeech.presenters import visible_exchanges
from generation.domain.counterspeech.intents import Intent
from generation.domain.event_verbs import GenerationVerb
from generation.models import Candidate, CounterRules, Exemplar


@require_GET
def dataset(request: PersonRequest, slug: str) -> HttpResponse:
    """Show how many replies are approved, by intent and target group, their length, and the files."""
    member = desk_member(request, slug)
    imported = Exemplar.objects.filter(project=member.project, reply=None).count()
    context = {
        "figures": export.figures(member.project),
        "imported": imported,
        "intents": [intent.cs_type for intent in Intent],
        "files": [f"{name}.jsonl" for name in export.FILES] + ["replies.csv"],
    }
    return project_page(request, member, "generation/dataset.html", context)


@require_GET
def dataset_file(request: PersonRequest, slug: str, name: str) -> StreamingHttpResponse:
    """Download a file of the dataset, for admins.

    Files: `replies.jsonl`, `replies.csv`, `pairs.jsonl`, `preferences.jsonl`.
    """
    member = member_of(request, slug, Role.ADMIN)
    stem, _dot, ending = name.partition(".")
    rows_of = export.FILES.get(stem)
    if rows_of is None or ending not in ("jsonl", "csv") or (ending == "csv" and stem != "replies"):
        raise Http404
    record(GenerationVerb.COUNTERSPEECH_EXPORTED, project=member.project, actor=member, file=name)
    kind = "text/csv" if ending == "csv" else "application/jsonl"
    rows = rows_of(member.project)
    lines = csv_of_dicts(export.CONAN, rows) if ending == "csv" else export.jsonl_lines(rows)
    return named(StreamingHttpResponse(lines, content_type=f"{kind}; charset=utf-8"), f"{slug}-{name}")


@require_http_methods(["GET", "POST"])
def compare(request: PersonRequest, slug: str) -> HttpResponse:
    """Show two candidates side by side without their writers; after a choice, show the next pair."""
    member = desk_member(request, slug)
    if request.method == "POST":
        pair = _pair(member, request.POST.get("left", ""), request.POST.get("right", ""))
        form = ComparisonForm(request.POST)
        if form.is_valid():
            counterspeech_compare.choose(pair, member, form.choices_for(first_is_left=pair.first_is_left))
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
    row = CounterRules.objects.filter(project=member.project).first() or CounterRules(project=member.project)
    initial = {name: getattr(row, name) for name in ("weight_pc", "weight_aq", "weight_t")}
    form = RulesForm(request.POST or None, initial={**initial, "lexicon": "\n".join(row.lexicon)})
    if form.is_valid():
        for name, value in form.cleaned_data.items():
            setattr(row, name, value)
        row.changed_at = timezone.now()
        row.save()
        record(GenerationVerb.COUNTER_RULES, project=member.project, actor=member, words=len(row.lexicon))
        messages.success(request, _("Saved. They apply to everything that is asked from now on."))
        return redirect("generation:rules", slug)
    context = {"form": form}
    return project_page(request, member, "generation/rules.html", context, status=422 if form.errors else 200)


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
        public_ids = [UUID(left), UUID(right)]
    except ValueError:
        raise Http404 from None
    rows = Candidate.objects.filter(public_id__in=public_ids, exchange__in=visible_exchanges(member))
    candidates = {row.public_id: row for row in rows.select_related("exchange__item", "exchange__project")}
    if len(candidates) != 2:
        raise Http404
    pair = Pair(candidates[public_ids[0]], candidates[public_ids[1]])
    if (pair.left.exchange_id, pair.left.intent) != (pair.right.exchange_id, pair.right.intent):
        raise Http404
    return pair
