"""What comes of counterspeech: the dataset with its downloads, blind comparisons, and the project's rules."""

from collections.abc import Iterator
from io import StringIO
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.words import Role
from annotation.models import Membership, record
from annotation.views.scope import PersonRequest, member_of
from generation import comparing, releasing_counterspeech
from generation.comparing import Pair
from generation.domain.intents import Intent
from generation.forms.counterspeech import CRITERION_NAMES, INTENT_NAMES, ComparisonForm, RulesForm
from generation.models import Candidate, CounterRules, Exemplar
from generation.showing_counterspeech import visible_exchanges
from generation.views.counter_scope import desk_member


@require_GET
def dataset(request: PersonRequest, slug: str) -> HttpResponse:
    """How many replies are approved, of which intent, about whom, how long; and the files."""
    member = desk_member(request, slug)
    imported = Exemplar.objects.filter(project=member.project, reply=None).count()
    context = {
        "project": member.project,
        "membership": member,
        "figures": releasing_counterspeech.figures(member.project),
        "imported": imported,
        "intents": [intent.cs_type for intent in Intent],
        "files": [f"{name}.jsonl" for name in releasing_counterspeech.FILES] + ["replies.csv"],
    }
    return render(request, "generation/dataset.html", context)


@require_GET
def dataset_file(request: PersonRequest, slug: str, name: str) -> StreamingHttpResponse:
    """A file of the dataset, for admins: `replies.jsonl`, `replies.csv`, `pairs.jsonl`, `preferences.jsonl`."""
    member = member_of(request, slug, Role.ADMIN)
    stem, _dot, ending = name.partition(".")
    made = releasing_counterspeech.FILES.get(stem)
    if made is None or ending not in ("jsonl", "csv") or (ending == "csv" and stem != "replies"):
        raise Http404
    record("counterspeech_exported", project=member.project, actor=member, file=name)
    kind = "text/csv" if ending == "csv" else "application/jsonl"
    answer = StreamingHttpResponse(_pieces(member, stem, ending), content_type=f"{kind}; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{slug}-{name}"'
    return answer


@require_http_methods(["GET", "POST"])
def compare(request: PersonRequest, slug: str) -> HttpResponse:
    """Two candidates side by side, nobody's name at them; the next pair follows."""
    member = desk_member(request, slug)
    if request.method == "POST":
        pair = _pair(member, request.POST.get("left", ""), request.POST.get("right", ""))
        form = ComparisonForm(request.POST)
        if form.is_valid():
            comparing.choose(pair, member, form.choices_for(first_is_left=pair.first_is_left))
            return redirect("generation:compare-replies", slug)
        return _show_pair(request, member, pair, form, status=422)
    return _show_pair(request, member, comparing.next_pair(visible_exchanges(member), member), ComparisonForm())


@require_GET
def standings(request: PersonRequest, slug: str) -> HttpResponse:
    """Win rates with their intervals."""
    member = desk_member(request, slug)
    found = comparing.standings(member.project)
    titles: dict[str, str | Promise] = {"model": _("By model"), "prompt": _("By prompt")}
    titles |= {intent.value: name for intent, name in INTENT_NAMES.items()}
    context = {
        "project": member.project,
        "membership": member,
        "tables": [(titles[key], rows) for key, rows in found.items() if rows],
        "criteria": CRITERION_NAMES,
    }
    return render(request, "generation/standings.html", context)


@require_http_methods(["GET", "POST"])
def rules(request: PersonRequest, slug: str) -> HttpResponse:
    """The weights of the reward and the words that no reply may hold; admins change them."""
    member = member_of(request, slug, Role.ADMIN)
    row = CounterRules.objects.filter(project=member.project).first() or CounterRules(project=member.project)
    initial = {name: getattr(row, name) for name in ("weight_pc", "weight_aq", "weight_t")}
    form = RulesForm(request.POST or None, initial={**initial, "lexicon": "\n".join(row.lexicon)})
    if form.is_valid():
        for name, value in form.cleaned_data.items():
            setattr(row, name, value)
        row.changed_at = timezone.now()
        row.save()
        record("counter_rules", project=member.project, actor=member, words=len(row.lexicon))
        messages.success(request, _("Kept. They count for everything that is asked from now on."))
        return redirect("generation:rules", slug)
    context = {"project": member.project, "membership": member, "form": form}
    return render(request, "generation/rules.html", context, status=422 if form.errors else 200)


def _show_pair(
    request: PersonRequest, member: Membership, pair: Pair | None, form: ComparisonForm, status: int = 200
) -> HttpResponse:
    context = {
        "project": member.project,
        "membership": member,
        "pair": pair,
        "exchange": pair.left.exchange if pair else None,
        "item": pair.left.exchange.item if pair else None,
        "intent": INTENT_NAMES[Intent(pair.left.intent)] if pair else "",
        "form": form,
    }
    return render(request, "generation/compare.html", context, status=status)


def _pair(member: Membership, left: str, right: str) -> Pair:
    try:
        wanted = [UUID(left), UUID(right)]
    except ValueError:
        raise Http404 from None
    rows = Candidate.objects.filter(public_id__in=wanted, exchange__in=visible_exchanges(member))
    found = {row.public_id: row for row in rows.select_related("exchange__item", "exchange__project")}
    if len(found) != 2:
        raise Http404
    pair = Pair(found[wanted[0]], found[wanted[1]])
    if (pair.left.exchange_id, pair.left.intent) != (pair.right.exchange_id, pair.right.intent):
        raise Http404
    return pair


def _pieces(member: Membership, stem: str, ending: str) -> Iterator[str]:
    rows = releasing_counterspeech.FILES[stem](member.project)
    write = releasing_counterspeech.write_csv if ending == "csv" else releasing_counterspeech.write_jsonl
    if ending == "csv":
        sink = StringIO()
        write(rows, sink)
        yield sink.getvalue()
        return
    for row in rows:
        line = StringIO()
        write(iter([row]), line)
        yield line.getvalue()
