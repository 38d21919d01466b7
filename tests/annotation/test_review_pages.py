"""The reviewer's pages: queue, decision, missing category, taking out; nothing typed is lost (T22, B115, B116)."""

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.adjudicating import decide
from annotation.cases import seats_of
from annotation.consensus import close_item
from annotation.domain.words import Modality, Reason, Role, Source, Stage
from annotation.models import Adjudication, Event, Item, Membership, Prior, Project, Replacement
from annotation.replacing import replace
from annotation.reviewing import cards

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def reviewer(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def admin(project: Project) -> Membership:
    return builders.make_member(project, Role.ADMIN)


def as_member(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def closed(project: Project, *codes: int | None, text: str = "A post about a garden.", **fields) -> Item:
    members = [builders.make_member(project) for _ in codes]
    item = builders.make_labelled_item(project, members, codes, text=text, **fields)
    close_item(item)
    item.refresh_from_db()
    return item


def address(name: str, item: Item | None = None, **query: str) -> str:
    ids = [item.public_id] if item else []
    return reverse(f"annotation:{name}", args=["garden", *ids], query=query or None)


def decision(item: Item, **fields) -> dict[str, object]:
    return {"ruling": "decide", "category": "1", "rationale": "The roses decide it.", "version": item.version, **fields}


# ── The queue ─────────────────────────────────────────────────────────────────


def test_an_empty_queue_says_that_there_is_nothing_to_do(reviewer):
    page = as_member(reviewer).get(address("reviews")).content.decode()
    assert "Nothing is disputed" in page


def test_the_queue_shows_reasons_and_votes_and_filters_by_reason(project, reviewer):
    closed(project, 0, 1, 2, text="Weeds again")
    closed(project, 1, 2, 3, text="The same dish")
    closed(project, 1, 1, 1, text="Settled already")
    client = as_member(reviewer)
    page = client.get(address("reviews")).content.decode()
    assert "Weeds again" in page and "The same dish" in page and "Settled already" not in page
    assert page.count('class="votes"') == 2
    page = client.get(address("reviews", reason="kind_undecided")).content.decode()
    assert "Weeds again" not in page and "The same dish" in page


@pytest.mark.parametrize("query", [{"page": "-1"}, {"page": "１２"}, {"reason": "super_hate"}, {"page": "1000000000"}])
def test_odd_addresses_of_the_queue_are_harmless(project, reviewer, query):
    closed(project, 0, 1, 2)
    assert as_member(reviewer).get(address("reviews", **query)).status_code == 200


def test_the_queue_asks_the_database_as_much_for_forty_items_as_for_one(
    project, reviewer, django_assert_max_num_queries, django_assert_num_queries
):
    client = as_member(reviewer)
    closed(project, 0, 1, 2)
    with django_assert_max_num_queries(12) as few:
        client.get(address("reviews"))
    for _ in range(20):
        closed(project, 0, 1, 2)
        closed(project, 0, 0, None)
    with django_assert_num_queries(len(few)):
        client.get(address("reviews"))


# ── Deciding ──────────────────────────────────────────────────────────────────


def test_the_page_shows_nameless_cards_in_an_order_of_its_own(project, reviewer):
    item = closed(project, 0, 1, 2, external_id="secret-7")
    client = as_member(reviewer)
    page = client.get(address("review", item)).content.decode()
    order = [page.index(f"<h3>{letter}</h3>") for letter in "ABC"]
    assert order == sorted(order)
    assert "2 of 3 say hateful; no category has more than half." in page
    for name in ("secret-7", *item.labels.values_list("annotator__user__username", flat=True)):
        assert name not in page
    orders = {tuple(card.label.pk for card in cards(item, reviewer, seats_of(item), ())) for _ in range(3)}
    others = {
        tuple(card.label.pk for card in cards(item, builders.make_member(project), seats_of(item), ()))
        for _ in range(20)
    }
    assert len(orders) == 1 < len(others)


def test_a_decision_settles_the_item_and_leads_to_the_next(project, reviewer):
    first, second = closed(project, 0, 1, 2), closed(project, 1, 2, 3)
    answer = as_member(reviewer).post(address("review", first), decision(first))
    assert (answer.status_code, answer["Location"]) == (302, address("review", second))
    first.refresh_from_db()
    assert (first.stage, first.category.code, first.category_source) == (Stage.GOLD, 1, Source.ADJUDICATED)
    answer = as_member(reviewer).post(address("review", second), decision(second))
    assert answer["Location"] == address("reviews")


def test_the_reason_that_was_filtered_for_stays(project, reviewer):
    first = closed(project, 0, 1, 2)
    closed(project, 1, 2, 3)
    third = closed(project, 0, 1, 2)
    answer = as_member(reviewer).post(address("review", first, reason="no_majority"), decision(first))
    assert answer["Location"] == address("review", third, reason="no_majority")


@pytest.mark.parametrize(
    ("ruling", "stage"), [("exclude", Stage.EXCLUDED), ("new_round", Stage.LABELLING), ("decide", Stage.GOLD)]
)
def test_each_button_does_what_it_says(project, reviewer, ruling, stage):
    item = closed(project, 0, 1, 2)
    assert as_member(reviewer).post(address("review", item), decision(item, ruling=ruling)).status_code == 302
    item.refresh_from_db()
    assert item.stage == stage


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rationale": ""}, "Write down what decided it"),
        ({"rationale": "  \u200b "}, "visible character"),
        ({"rationale": "a\x00b"}, "NUL"),
        ({"rationale": "x" * 4001}, "at most 4,000"),
        ({"category": ""}, "Choose the category you decide for."),
        ({"category": "77"}, "is no category of this project"),
        ({"version": ""}, "Load it again"),
        ({"version": "１"}, None),
        ({"version": "-1"}, "Load it again"),
        ({"version": "9" * 30}, "Load it again"),
        ({"ruling": "burn"}, "Press one of the buttons"),
    ],
)
def test_what_is_missing_is_said_and_everything_typed_stays(project, reviewer, fields, sentence):
    item = closed(project, 0, 1, 2)
    sent = decision(item, **{"rationale": "A long thought about roses.", **fields})
    answer = as_member(reviewer).post(address("review", item), sent)
    assert answer.status_code == (422 if sentence else 409)
    page = answer.content.decode()
    assert (sentence or "Somebody was first") in page
    if "rationale" not in fields:
        assert "A long thought about roses." in page
    if "category" not in fields:
        assert 'value="1" data-press="1" checked' in page
    item.refresh_from_db()
    assert item.stage == Stage.DISPUTED
    assert not Adjudication.objects.exists()


def test_a_stale_decision_is_refused_with_who_and_what_and_the_text_stays(project, reviewer):
    item = closed(project, 0, 1, 2)
    stale = decision(item, category="2", rationale="My own reasons.")
    decide(item, reviewer, item.version, "First.", builders.category(project, 1))
    answer = as_member(builders.make_member(project, Role.REVIEWER)).post(address("review", item), stale)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Heron" in page and "decide" in page and "Racist" in page
    assert "My own reasons." in page
    item.refresh_from_db()
    assert item.category.code == 1


def test_a_stale_decision_on_a_still_disputed_item_can_be_sent_again(project, reviewer):
    item = closed(project, 0, 1, None)
    expert = builders.make_member(project, Role.REVIEWER)
    labeller = item.labels.first().annotator
    Membership.objects.filter(pk=labeller.pk).update(reviews=True)
    Project.objects.filter(pk=project.pk).update(adjudicate_own=True)
    stale = decision(item)
    replace(item, expert, builders.category(project, 2))
    client = as_member(labeller)
    answer = client.post(address("review", item), stale)
    item.refresh_from_db()
    assert answer.status_code == 409
    assert f'name="version" value="{item.version}"' in answer.content.decode()
    assert client.post(address("review", item), decision(item)).status_code == 302


def test_a_reviewer_who_labelled_the_item_is_told_and_refused(project):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_labelled_item(project, [both, *(builders.make_member(project) for _ in "ab")], (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    client = as_member(both)
    assert "somebody else has to settle it" in client.get(address("review", item)).content.decode()
    answer = client.post(address("review", item), decision(item, rationale="Kept on the page."))
    assert answer.status_code == 403
    assert "You labelled this post yourself" in answer.content.decode()
    assert "Kept on the page." in answer.content.decode()


def test_an_admin_who_is_no_reviewer_looks_but_does_not_settle(project, admin):
    item = closed(project, 0, 1, 2)
    assert as_member(admin).get(address("review", item)).status_code == 200
    assert as_member(admin).post(address("review", item), decision(item)).status_code == 403


def test_an_upheld_challenge_changes_the_pattern(project, reviewer):
    item = builders.make_open_item(project)
    for modality in Modality:
        Prior.objects.create(item=item, modality=modality, category=builders.category(project, 0))
    for number, seat in enumerate(item.seat_rows.all()):
        rows = [] if number else [{"modality": "text", "category": 2, "hateful": True}]
        builders.make_label(seat, builders.make_member(project), 0, challenges=rows)
    close_item(item)
    item.refresh_from_db()
    client = as_member(reviewer)
    page = client.get(address("review", item)).content.decode()
    assert "Uphold the challenge: the text alone is hateful" in page
    assert "Text alone, corrected:" in page
    client.post(address("review", item), decision(item, category="0", uphold_text="on"))
    item.refresh_from_db()
    assert (item.stage, item.pattern, item.difficulty) == (Stage.GOLD, "100", "normal")


def test_settled_items_lead_to_their_own_page(project, reviewer):
    item = closed(project, 1, 1, 1)
    answer = as_member(reviewer).get(address("review", item))
    assert (answer.status_code, answer["Location"]) == (302, address("item", item))


def test_hostile_text_is_only_text(project, reviewer):
    item = closed(project, 0, 1, 2, text="<script>alert(1)</script> \u202egarden")
    page = as_member(reviewer).get(address("review", item)).content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page


# ── A missing category ────────────────────────────────────────────────────────


def test_the_missing_category_is_given_blind(project, reviewer):
    intended = builders.category(project, 3)
    item = closed(project, 4, 4, None, intended=intended, target_group="gardeners", source="a forum")
    client = as_member(reviewer)
    answer = client.get(address("review", item))
    assert answer["Location"] == address("replace", item)
    page = client.get(address("replace", item)).content.decode()
    for secret in ("ballot", item.external_id, "gardeners", "a forum", 'class="votes"'):
        assert secret not in page
    queue = client.get(address("reviews")).content.decode()
    assert "Your view is wanted" in queue and 'class="votes"' not in queue
    answer = client.post(address("replace", item), {"category": "4", "note": "A hedge."})
    assert answer["Location"] == address("reviews")
    item.refresh_from_db()
    assert (item.stage, item.category.code) == (Stage.DISPUTED, 4)  # now it is misaligned
    assert Replacement.objects.get().note == "A hedge."


def test_a_replacement_without_a_category_keeps_the_note(project, reviewer):
    item = closed(project, 0, 0, None)
    answer = as_member(reviewer).post(address("replace", item), {"note": "Kept."})
    assert answer.status_code == 422
    assert "Choose a category." in answer.content.decode() and "Kept." in answer.content.decode()


def test_who_sees_the_votes_gives_no_replacement_any_more(project, reviewer):
    item = closed(project, 0, 0, None)
    client = as_member(reviewer)
    answer = client.post(address("look-at-votes", item))
    assert answer["Location"] == address("review", item)
    assert client.get(address("review", item)).content.decode().count('<article class="ballot') == 3
    assert client.post(address("replace", item), {"category": "0"}).status_code == 403
    assert client.post(address("review", item), decision(item)).status_code == 302


def test_a_second_expert_learns_that_nothing_is_missing_any_more(project, reviewer):
    item = closed(project, 0, 1, None)
    replace(item, builders.make_member(project, Role.REVIEWER), builders.category(project, 2))
    answer = as_member(reviewer).post(address("replace", item), {"category": "2"})
    assert answer.status_code == 409
    assert "Somebody else gave the category first" in answer.content.decode()


# ── Taking out and reopening ──────────────────────────────────────────────────


def test_an_admin_reopens_gold_with_a_reason(project, admin):
    item = closed(project, 1, 1, 1)
    client = as_member(admin)
    assert client.get(address("item-reopen", item)).status_code == 200
    assert client.post(address("item-reopen", item), {"reason": "", "version": item.version}).status_code == 422
    answer = client.post(address("item-reopen", item), {"reason": "A doubt.", "version": item.version})
    assert answer["Location"] == address("item", item)
    item.refresh_from_db()
    assert (item.stage, item.round) == (Stage.LABELLING, 2)


def test_a_stale_reopening_is_refused_and_the_reason_stays(project, admin):
    item = closed(project, 1, 1, 1)
    answer = as_member(admin).post(address("item-reopen", item), {"reason": "A doubt.", "version": item.version - 1})
    assert answer.status_code == 409
    assert "A doubt." in answer.content.decode()


def test_an_admin_takes_an_item_out(project, admin):
    item = closed(project, 1, 1, 1)
    client = as_member(admin)
    assert client.get(address("item-withdraw", item)).status_code == 200
    client.post(address("item-withdraw", item), {"reason": "The author asked.", "version": item.version})
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.WITHDRAWN)
    answer = client.post(address("item-withdraw", item), {"reason": "Again.", "version": item.version})
    assert answer.status_code == 409


def test_a_reviewer_reports_illegal_content_and_sees_whom_to_tell(project, reviewer):
    Project.objects.filter(pk=project.pk).update(operator_contact="The legal desk, room 4")
    item = closed(project, 0, 1, 2)
    client = as_member(reviewer)
    assert client.get(address("item-report", item)).status_code == 200
    page = client.post(address("item-report", item), {}).content.decode()
    assert "The legal desk, room 4" in page
    item.refresh_from_db()
    assert item.excluded_for == Reason.REPORTED
    assert Event.objects.filter(item=item, verb="report").exists()


# ── Who gets in ───────────────────────────────────────────────────────────────

PAGES = ("review", "replace", "look-at-votes", "item-reopen", "item-withdraw", "item-report")


@pytest.mark.parametrize("name", PAGES)
def test_annotators_strangers_and_reviewers_elsewhere_get_the_same_404(project, name):
    item = closed(project, 0, 1, None)
    elsewhere = builders.make_member(builders.make_project("orchard"), Role.REVIEWER, Role.ADMIN)
    for member in (builders.make_member(project, Role.ANNOTATOR), elsewhere):
        client = as_member(member)
        assert client.get(address(name, item)).status_code in (404, 405)
        assert client.post(address(name, item), decision(item, reason="x")).status_code == 404
    item.refresh_from_db()
    assert item.stage == Stage.DISPUTED


@pytest.mark.parametrize("name", PAGES)
def test_an_item_of_another_project_is_not_found(project, reviewer, name):
    foreign = closed(builders.make_project("orchard"), 0, 1, None)
    Membership.objects.filter(pk=reviewer.pk).update(administers=True)
    assert as_member(reviewer).post(address(name, foreign), decision(foreign, reason="x")).status_code == 404


def test_reopening_and_taking_out_are_for_admins(project, reviewer):
    item = closed(project, 1, 1, 1)
    for name in ("item-reopen", "item-withdraw"):
        assert as_member(reviewer).post(address(name, item), {"reason": "x", "version": 1}).status_code == 404
