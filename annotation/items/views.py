"""Pages for admins and reviewers to find and read the items of a project."""

from django.db.models import Prefetch
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_GET, require_POST

from annotation.core import text_index
from annotation.core.found import found
from annotation.core.visible_items import visible_items
from annotation.domain.choices import NEVER_SHOWN, Role, Stage
from annotation.glossary import entries
from annotation.items import forms, saved_searches, search, text_search
from annotation.items.bulk_actions import ACTS
from annotation.items.question_consensus import ConsensusShown, consensus_shown
from annotation.models import Dispute, Event, Item, Label, Membership, Prior, Seat
from annotation.pages.access import PersonRequest, member_of, page_before
from annotation.pages.answers_shown import answers_shown, questions_answered
from annotation.pages.long_lists import MOST_COSTLY, MOST_COUNTED, BoundedPaginator, listed_page
from annotation.pages.project_page import project_page
from annotation.picture_text.presenters import fault_of
from annotation.picture_text.texts import reading_of, texts_of
from annotation.review.queue import may_see_intent, may_see_votes, names_revealed, reveal_names
from annotation.wellbeing import opt_out_counts

PAGE_LENGTH = 50


@require_GET
def items(request: PersonRequest, slug: str) -> HttpResponse:
    """List the project's items, filtered, in pages of 50."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    filters = asked_by(request)
    problem, status = "", 200
    try:
        matching = search.find_items(member, filters)
    except search.UnknownFilter as unknown:
        matching, problem, status = Item.objects.none(), unknown.sentence, 400
    shown = matching.select_related("category").prefetch_related(_open_disputes())
    pages = BoundedPaginator(shown, PAGE_LENGTH, MOST_COSTLY if search.is_costly(filters) else MOST_COUNTED)
    ready = Item.objects.filter(project=member.project, stage=Stage.READY).order_by("pk")
    context = {
        "page": listed_page(pages, visible_items(member), request.GET),
        "asked": filters,
        "form": forms.shown(member, filters),
        "narrowed": bool(filters.keys() - search.NOT_FILTERS),
        "wrong": problem,
        "slow_search": bool(filters.keys() & text_search.FILTERS) and not text_index.is_there(),
        "searches": saved_searches.open_to(member),
        "acts": list(ACTS.values()) if member.administers else [],
        "ready": BoundedPaginator(ready, PAGE_LENGTH, MOST_COUNTED) if member.administers else None,
    }
    return project_page(request, member, "annotation/items.html", context, status=status)


def asked_by(request: PersonRequest) -> dict[str, list[str]]:
    """Return the filters in the URL, without empty fields."""
    filters = {key: [value for value in values if value] for key, values in request.GET.lists()}
    return {key: values for key, values in filters.items() if values}


@require_GET
def item(request: PersonRequest, slug: str, public_id: str) -> HttpResponse:
    """Show one item with its priors, votes and history. Reviewers see votes without names."""
    member = member_of(request, slug, Role.REVIEWER, Role.ADMIN)
    row = _item(member, public_id)
    named, reading, with_votes = names_revealed(row, member), reading_of(row), may_see_votes(row, member)
    votes, questions = _votes(row, named=named, with_votes=with_votes)
    context = {
        "item": row,
        "named": named,
        "priors": Prior.objects.filter(item=row, current=True).select_related("category").order_by("-modality"),
        "votes": votes,
        "questions": questions if row.stage != Stage.KNOWN else [],
        "found": entries.found_in_item(member.project, texts_of(row)),
        "reading": reading,
        "reading_fault": fault_of(reading),
        "earlier": row.picture_texts.filter(current=False).select_related("member").order_by("-pk"),
        "votes_hidden": not with_votes,
        "intent_shown": may_see_intent(row, member),
        "barred": opt_out_counts.count_excluded_annotators(row) if member.administers else None,
        "disputes": Dispute.objects.filter(item=row).order_by("opened_at"),
        "adjudications": row.adjudications.select_related("category", "reviewer").order_by("created_at"),
        "events": Event.objects.filter(item=row)
        .exclude(verb__in=NEVER_SHOWN)
        .select_related("actor")
        .order_by("-at", "-id")[:100],
    }
    return project_page(request, member, "annotation/item.html", context)


@require_POST
def item_names(request: PersonRequest, slug: str, public_id: str) -> HttpResponse:
    """Reveal who gave which vote; the request is recorded."""
    member = member_of(request, slug, Role.ADMIN)
    row = _item(member, public_id)
    if may_see_votes(row, member):
        reveal_names(row, member)
    return redirect(page_before(request))


def _open_disputes() -> Prefetch[str]:
    return Prefetch("disputes", Dispute.objects.filter(settled_at__isnull=True).order_by("id"), to_attr="open_reasons")


def _item(member: Membership, public_id: str) -> Item:
    return found(
        visible_items(member)
        .filter(public_id=public_id)
        .select_related("picture", "category", "intended", "project")
        .first()
    )


def _votes(item: Item, *, named: bool, with_votes: bool) -> tuple[list[dict[str, object]], list[ConsensusShown]]:
    """Return the valid labels, round by round, under letters in a fixed random order or under pseudonyms.

    With them: what the labels of the last round answered together to the further questions.
    """
    if not with_votes:
        return [], []
    seats = list(
        Seat.objects.filter(item=item, label__isnull=False)
        .select_related("annotator", "label__category", "label__replacement__category", "label__guideline")
        .order_by("round", "public_id")  # public ids are random, so the order reveals nothing
    )
    votes: list[dict[str, object]] = []
    letters: dict[int, int] = {}
    questions = questions_answered(item.project, (seat.label for seat in seats))
    for seat in seats:
        number = letters[seat.round] = letters.get(seat.round, 0) + 1
        label: Label | None = seat.label
        name = str(seat.annotator) if named else chr(ord("A") + (number - 1) % 26)
        answers = answers_shown(label.answers, questions, item.text) if label is not None else []
        votes.append({"who": name, "round": seat.round, "label": label, "answers": answers})
    last = [seat.label.answers for seat in seats if seat.label is not None and seat.round == item.round]
    return votes, consensus_shown(last, questions, item.text)
