"""The reviewer's pages: queue, decision, missing category, taking out; nothing typed is lost (T22, B115, B116)."""

import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

import builders
from annotation.consensus.case_from_rows import seats_of
from annotation.consensus.close import close_item
from annotation.consensus.exclude import report_item
from annotation.domain.choices import Choose, Modality, Reason, Role, Source, Stage
from annotation.domain.questions.question import QuestionKind
from annotation.models import Adjudication, Event, Item, Membership, Prior, Project, Replacement
from annotation.review.adjudicate import decide_item
from annotation.review.expert_replacement import replace_not_sure
from annotation.review.queue import vote_cards
from markup import compact
from moderation.desk import appeals, settings
from moderation.desk.statements import filled
from moderation.domain.statement import problems
from moderation.models import Lease, Opinion, Score
from question_builders import answered, make_answered_item, make_question
from runs.control import start
from runs.domain.states import RunState

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
    return reverse(name if ":" in name else f"moderation:{name}", args=["garden", *ids], query=query or None)


def decision(item: Item, **fields) -> dict[str, object]:
    return {"ruling": "decide", "category": "1", "rationale": "The roses decide it.", "version": item.version, **fields}


# ── The queue ─────────────────────────────────────────────────────────────────


def test_an_empty_queue_says_that_there_is_nothing_to_do(reviewer):
    page = as_member(reviewer).get(address("desk")).content.decode()
    assert "Nothing is disputed" in page


def test_the_queue_shows_reasons_and_votes_and_filters_by_reason(project, reviewer):
    closed(project, 0, 1, 2, text="Weeds again")
    closed(project, 1, 2, 3, text="The same dish")
    closed(project, 1, 1, 1, text="Settled already")
    client = as_member(reviewer)
    page = client.get(address("desk")).content.decode()
    assert "Weeds again" in page and "The same dish" in page and "Settled already" not in page
    assert page.count('class="votes"') == 2
    page = client.get(address("desk", reason="kind_undecided")).content.decode()
    assert "Weeds again" not in page and "The same dish" in page


@pytest.mark.parametrize("query", [{"page": "-1"}, {"page": "１２"}, {"reason": "super_hate"}, {"page": "1000000000"}])
def test_odd_addresses_of_the_queue_are_harmless(project, reviewer, query):
    closed(project, 0, 1, 2)
    assert as_member(reviewer).get(address("desk", **query)).status_code == 200


def test_the_queue_asks_the_database_as_much_for_forty_items_as_for_one(
    project, reviewer, django_assert_max_num_queries, django_assert_num_queries
):
    client = as_member(reviewer)
    closed(project, 0, 1, 2)
    with django_assert_max_num_queries(13) as few:
        client.get(address("desk"))
    for _ in range(20):
        closed(project, 0, 1, 2)
        closed(project, 0, 0, None)
    with django_assert_num_queries(len(few)):
        client.get(address("desk"))


def test_the_page_of_a_post_asks_the_database_as_much_beside_other_posts_as_alone(
    project, reviewer, django_assert_max_num_queries, django_assert_num_queries
):
    item = closed(project, 0, 1, 2)
    run = start.build_run(start.RunRequest("arcade", project.public_id, item.public_id, {"judge": "keyword:cues-1"}))
    run.state, run.outcome, run.finished_at = RunState.SUCCEEDED, {"category": 2, "hateful": True}, now()
    run.save()
    client = as_member(reviewer)
    client.get(address("desk-item", item))
    with django_assert_max_num_queries(49) as alone:
        client.get(address("desk-item", item))
    for _ in range(5):
        closed(project, 0, 1, 2)
    with django_assert_num_queries(len(alone)):
        client.get(address("desk-item", item))


def test_the_row_of_a_post_is_had_alone_until_the_post_is_settled(project, reviewer):
    item, other = closed(project, 0, 1, 2, text="Weeds again"), closed(project, 0, 1, 2, text="The same dish")
    client = as_member(reviewer)
    row = compact(client.get(address("desk-row", item, order="age")).content.decode())
    own = address("desk-row", item, order="age")
    assert "Weeds again" in row and other.text not in row and "<html" not in row and f'hx-get="{own}"' in row
    assert 'aria-current="true"' in row
    client.post(address("desk-item", item), decision(item))
    assert client.get(address("desk-row", item)).status_code == 204


# ── Deciding ──────────────────────────────────────────────────────────────────


def test_the_page_shows_nameless_cards_in_an_order_of_its_own(project, reviewer):
    item = closed(project, 0, 1, 2, external_id="secret-7")
    client = as_member(reviewer)
    page = client.get(address("desk-item", item)).content.decode()
    order = [page.index(f"<h3>{letter}</h3>") for letter in "ABC"]
    assert order == sorted(order)
    assert "2 of 3 say hateful; no category has more than half." in page
    for name in ("secret-7", *item.labels.values_list("annotator__user__username", flat=True)):
        assert name not in page
    orders = {tuple(card.label.pk for card in vote_cards(item, reviewer, seats_of(item), ())) for _ in range(3)}
    others = {
        tuple(card.label.pk for card in vote_cards(item, builders.make_member(project), seats_of(item), ()))
        for _ in range(20)
    }
    assert len(orders) == 1 < len(others)


def test_each_card_shows_its_answers_in_the_version_that_was_asked(project, reviewer):
    make_question(project, "severity", QuestionKind.SCALE, wording={"": "How bad?"})
    make_question(project, "words", QuestionKind.SPAN)
    make_question(project, "severity", QuestionKind.SCALE, version=2, wording={"": "How severe?"}, points=9)
    trio = [builders.make_member(project) for _ in range(3)]
    answers = [answered(severity=4, words=[[7, 12]]), answered(2, severity=8), answered(severity=None)]
    item = make_answered_item(project, trio, answers, (0, 1, 2), text="A post about a garden.")
    text = compact(as_member(reviewer).get(address("desk-item", item)).content.decode())
    cards = [card.partition("</article>")[0] for card in text.split('<article class="ballot')[1:]]
    old, new, skipped = (next(card for card in cards if part in card) for part in ("4 / 5", "8 / 9", "skipped"))
    assert "How bad?" in old and '<q lang="en">about</q>' in old and "version" not in old
    assert "How severe?" in new and "version 2" in new
    assert "How bad?" in skipped and "<q" not in skipped


def test_who_only_administers_gets_no_form_also_while_a_reviewer_has_the_post(project, reviewer, admin):
    item = closed(project, 0, 1, 2)
    second = builders.make_member(project, Role.REVIEWER)
    pages = {}
    for held in (False, True):
        if held:
            as_member(reviewer).get(address("desk-item", item))
        for member in (admin, second):
            page = as_member(member).get(address("desk-item", item)).content.decode()
            pages[held, member] = ('name="rationale"' in page, "Only reviewers decide disputes" in page)
        Lease.objects.all().delete()
    assert pages == {
        (False, admin): (False, True),
        (False, second): (True, False),
        (True, admin): (False, True),
        (True, second): (True, False),  # what they write is kept, and stored once the post is free
    }


def test_a_decision_settles_the_item_and_leads_to_the_next(project, reviewer):
    first, second = closed(project, 0, 1, 2), closed(project, 1, 2, 3)
    answer = as_member(reviewer).post(address("desk-item", first), decision(first))
    assert (answer.status_code, answer["Location"]) == (302, address("desk-item", second))
    first.refresh_from_db()
    assert (first.stage, first.category.code, first.category_source) == (Stage.GOLD, 1, Source.ADJUDICATED)
    answer = as_member(reviewer).post(address("desk-item", second), decision(second))
    assert answer["Location"] == address("desk")


def test_the_reason_that_was_filtered_for_stays(project, reviewer):
    first = closed(project, 0, 1, 2)
    closed(project, 1, 2, 3)
    third = closed(project, 0, 1, 2)
    answer = as_member(reviewer).post(address("desk-item", first, reason="no_majority"), decision(first))
    assert answer["Location"] == address("desk-item", third, reason="no_majority")


@pytest.mark.parametrize(
    ("ruling", "stage"), [("exclude", Stage.EXCLUDED), ("new_round", Stage.LABELLING), ("decide", Stage.GOLD)]
)
def test_each_button_does_what_it_says(project, reviewer, ruling, stage):
    item = closed(project, 0, 1, 2)
    assert as_member(reviewer).post(address("desk-item", item), decision(item, ruling=ruling)).status_code == 302
    item.refresh_from_db()
    assert item.stage == stage


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"rationale": ""}, "Give the reason for the decision"),
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
    answer = as_member(reviewer).post(address("desk-item", item), sent)
    assert answer.status_code == (422 if sentence else 409)
    page = compact(answer.content.decode())
    assert (sentence or "This post has changed in the meantime") in page
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
    decide_item(item, reviewer, item.version, "First.", builders.category(project, 1))
    answer = as_member(builders.make_member(project, Role.REVIEWER)).post(address("desk-item", item), stale)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Heron" in page and "decide" in page and "Racist" in page
    assert "My own reasons." in page
    item.refresh_from_db()
    assert item.category.code == 1


def test_who_decided_in_another_tab_reads_that_they_did_so_themselves(project, reviewer):
    item = closed(project, 0, 1, 2)
    stale = decision(item, category="2", rationale="My own reasons.")
    client = as_member(reviewer)
    client.post(address("desk-item", item), decision(item))
    answer = client.post(address("desk-item", item), stale)
    page = compact(answer.content.decode())
    assert answer.status_code == 409
    assert "You have already decided this post" in page and "Somebody else was faster" not in page
    assert "What you sent now was not stored. What you wrote is still below." in page
    assert "Racist" in page and "My own reasons." in page
    item.refresh_from_db()
    assert item.category.code == 1


def test_who_changed_the_post_in_another_tab_reads_of_nobody_else(project, reviewer):
    item = closed(project, 0, 1, None)
    stale = decision(item)
    replace_not_sure(item, reviewer, builders.category(project, 2))
    page = compact(as_member(reviewer).post(address("desk-item", item), stale).content.decode())
    assert "This post has changed in the meantime" in page and "Somebody else was faster" not in page
    assert "Look again, then decide once more." in page


def test_a_post_that_somebody_else_holds_is_not_said_to_be_decided(project, reviewer):
    item = closed(project, 0, 1, 2)
    as_member(reviewer).get(address("desk-item", item))
    answer = as_member(builders.make_member(project, Role.REVIEWER)).post(address("desk-item", item), decision(item))
    page = compact(answer.content.decode())
    assert answer.status_code == 409
    assert "Somebody else has this post" in page and "Somebody else was faster" not in page


def test_a_stale_decision_on_a_still_disputed_item_can_be_sent_again(project, reviewer):
    item = closed(project, 0, 1, None)
    expert = builders.make_member(project, Role.REVIEWER)
    labeller = item.labels.first().annotator
    Membership.objects.filter(pk=labeller.pk).update(reviews=True)
    Project.objects.filter(pk=project.pk).update(adjudicate_own=True)
    stale = decision(item)
    replace_not_sure(item, expert, builders.category(project, 2))
    client = as_member(labeller)
    answer = client.post(address("desk-item", item), stale)
    item.refresh_from_db()
    assert answer.status_code == 409
    assert f'name="version" value="{item.version}"' in answer.content.decode()
    assert client.post(address("desk-item", item), decision(item)).status_code == 302


def test_a_reviewer_who_labelled_the_item_is_told_and_refused(project):
    both = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    item = builders.make_labelled_item(project, [both, *(builders.make_member(project) for _ in "ab")], (0, 1, 2))
    close_item(item)
    item.refresh_from_db()
    client = as_member(both)
    page = client.get(address("desk-item", item)).content.decode()
    assert "somebody else has to decide it" in page and "To the queue" in page
    assert 'id="decision"' not in page  # no form that would only be refused
    answer = client.post(address("desk-item", item), decision(item, rationale="Kept on the page."))
    assert answer.status_code == 403
    assert "You labelled this post" in answer.content.decode()
    assert "Kept on the page." in answer.content.decode()  # in the form that it was typed into


def test_an_admin_who_is_no_reviewer_looks_but_does_not_settle(project, admin):
    item = closed(project, 0, 1, 2)
    assert as_member(admin).get(address("desk-item", item)).status_code == 200
    assert as_member(admin).post(address("desk-item", item), decision(item)).status_code == 403


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
    page = client.get(address("desk-item", item)).content.decode()
    assert "Uphold the challenge: the text alone is hateful" in page
    assert "Text alone, corrected:" in page
    client.post(address("desk-item", item), decision(item, category="0", uphold_text="on"))
    item.refresh_from_db()
    assert (item.stage, item.pattern, item.difficulty) == (Stage.GOLD, "100", "normal")


def test_settled_items_lead_to_their_own_page(project, reviewer):
    item = closed(project, 1, 1, 1)
    answer = as_member(reviewer).get(address("desk-item", item))
    assert (answer.status_code, answer["Location"]) == (302, address("annotation:item", item))


def test_hostile_text_is_only_text(project, reviewer):
    item = closed(project, 0, 1, 2, text="<script>alert(1)</script> \u202egarden")
    page = as_member(reviewer).get(address("desk-item", item)).content.decode()
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page


# ── A missing category ────────────────────────────────────────────────────────


def test_the_missing_category_is_given_blind(project, reviewer):
    intended = builders.category(project, 3)
    item = closed(project, 4, 4, None, intended=intended, target_group="gardeners", source="a forum")
    Prior.objects.create(item=item, modality=Modality.TEXT, category=builders.category(project, 0))
    client = as_member(reviewer)
    answer = client.get(address("desk-item", item))
    assert answer["Location"] == address("desk-missing", item)
    page = client.get(address("desk-missing", item)).content.decode()
    for secret in ("ballot", item.external_id, "gardeners", "a forum", 'class="votes"'):
        assert secret not in page
    assert "The text on its own" in page  # what models say is given to annotators too
    queue = client.get(address("desk")).content.decode()
    assert "Your opinion is needed" in queue and 'class="votes"' not in queue
    answer = client.post(address("desk-missing", item), {"category": "4", "note": "A hedge."})
    assert answer["Location"] == address("desk")
    item.refresh_from_db()
    assert (item.stage, item.category.code) == (Stage.DISPUTED, 4)  # now it is misaligned
    assert Replacement.objects.get().note == "A hedge."


def test_a_decision_before_the_missing_category_is_refused_and_the_text_stays(project, reviewer):
    item = closed(project, 0, 0, None)
    answer = as_member(reviewer).post(address("desk-item", item), decision(item))
    page = compact(answer.content.decode())
    assert answer.status_code == 403
    assert "Give the category that replaces it first" in page and "The roses decide it." in page
    assert address("desk-missing", item) in page and 'class="votes"' not in page
    assert not Adjudication.objects.exists()


def test_a_replacement_without_a_category_keeps_the_note(project, reviewer):
    item = closed(project, 0, 0, None)
    answer = as_member(reviewer).post(address("desk-missing", item), {"note": "Saved."})
    assert answer.status_code == 422
    assert "Choose a category." in answer.content.decode() and "Saved." in answer.content.decode()


def test_who_sees_the_votes_gives_no_replacement_any_more(project, reviewer):
    item = closed(project, 0, 0, None)
    client = as_member(reviewer)
    answer = client.post(address("look-at-votes", item))
    assert answer["Location"] == address("desk-item", item)
    assert client.get(address("desk-item", item)).content.decode().count('<article class="ballot') == 3
    assert client.post(address("desk-missing", item), {"category": "0"}).status_code == 403
    assert client.post(address("desk-item", item), decision(item)).status_code == 302


def test_a_second_expert_learns_that_nothing_is_missing_any_more(project, reviewer):
    item = closed(project, 0, 1, None)
    replace_not_sure(item, builders.make_member(project, Role.REVIEWER), builders.category(project, 2))
    answer = as_member(reviewer).post(address("desk-missing", item), {"category": "2"})
    assert answer.status_code == 409
    assert "Somebody else gave the category first" in answer.content.decode()


# ── Taking out and reopening ──────────────────────────────────────────────────


def test_an_admin_reopens_gold_with_a_reason(project, admin):
    item = closed(project, 1, 1, 1)
    client = as_member(admin)
    assert client.get(address("annotation:item-reopen", item)).status_code == 200
    assert (
        client.post(address("annotation:item-reopen", item), {"reason": "", "version": item.version}).status_code == 422
    )
    answer = client.post(address("annotation:item-reopen", item), {"reason": "A doubt.", "version": item.version})
    assert answer["Location"] == address("annotation:item", item)
    item.refresh_from_db()
    assert (item.stage, item.round) == (Stage.LABELLING, 2)


def test_a_stale_reopening_is_refused_and_the_reason_stays(project, admin):
    item = closed(project, 1, 1, 1)
    answer = as_member(admin).post(
        address("annotation:item-reopen", item), {"reason": "A doubt.", "version": item.version - 1}
    )
    assert answer.status_code == 409
    assert "A doubt." in answer.content.decode()


def test_an_admin_takes_an_item_out(project, admin):
    item = closed(project, 1, 1, 1)
    client = as_member(admin)
    assert client.get(address("annotation:item-withdraw", item)).status_code == 200
    client.post(address("annotation:item-withdraw", item), {"reason": "The author asked.", "version": item.version})
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.WITHDRAWN)
    answer = client.post(address("annotation:item-withdraw", item), {"reason": "Again.", "version": item.version})
    assert answer.status_code == 409


def test_a_reviewer_reports_illegal_content_and_sees_whom_to_tell(project, reviewer):
    Project.objects.filter(pk=project.pk).update(operator_contact="The legal desk, room 4")
    item = closed(project, 0, 1, 2)
    client = as_member(reviewer)
    assert client.get(address("annotation:item-report", item)).status_code == 200
    page = client.post(address("annotation:item-report", item), {}).content.decode()
    assert "The legal desk, room 4" in page
    item.refresh_from_db()
    assert item.excluded_for == Reason.REPORTED
    assert Event.objects.filter(item=item, verb="report").exists()


# ── Who gets in ───────────────────────────────────────────────────────────────

PAGES = (
    "desk-item",
    "desk-missing",
    "look-at-votes",
    "annotation:item-reopen",
    "annotation:item-withdraw",
    "annotation:item-report",
)


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
    for name in ("annotation:item-reopen", "annotation:item-withdraw"):
        assert as_member(reviewer).post(address(name, item), {"reason": "x", "version": 1}).status_code == 404


# ── Leases, keys, help for the decision ───────────────────────────────────────


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Wren")


def test_a_post_that_somebody_has_is_read_along_and_a_decision_about_it_keeps_its_text(project, reviewer, wren):
    item = closed(project, 0, 1, 2)
    as_member(wren).get(address("desk-item", item))
    client = as_member(reviewer)
    page = client.get(address("desk-item", item)).content.decode()
    assert "Wren has it until" in page
    answer = client.post(address("desk-item", item), decision(item, rationale="Kept on the page."))
    assert answer.status_code == 409
    assert "Kept on the page." in answer.content.decode()
    assert not Adjudication.objects.exists()
    assert client.post(address("desk-renew", item)).status_code == 409
    assert as_member(wren).post(address("desk-renew", item)).status_code == 204
    queue = client.get(address("desk")).content.decode()
    assert "Wren" in queue and "Next post" not in queue


def test_the_same_form_sent_twice_is_one_decision_and_with_another_category_refused(project, reviewer):
    item, key = closed(project, 0, 1, 2), str(uuid4())
    client = as_member(reviewer)
    for _ in range(2):
        assert client.post(address("desk-item", item), decision(item, key=key)).status_code == 302
    answer = client.post(address("desk-item", item), decision(item, key=key, category="2"))
    assert answer.status_code == 422 and "sent before with another decision" in answer.content.decode()
    assert Adjudication.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "stage"),
    [
        ({"ruling": "more_seats", "count": "2"}, Stage.LABELLING),
        ({"ruling": "exclude", "reason": "low_quality"}, Stage.EXCLUDED),
        ({"ruling": "new_round", "message": "Section 2 is clearer now."}, Stage.LABELLING),
        ({"ruling": "decide", "target_group": "neighbours"}, Stage.GOLD),
    ],
)
def test_what_goes_with_a_decision_is_kept_with_it(project, reviewer, fields, stage):
    item = closed(project, 0, 1, 2)
    assert as_member(reviewer).post(address("desk-item", item), decision(item, **fields)).status_code == 302
    item.refresh_from_db()
    made = Adjudication.objects.get()
    assert (item.stage, made.ruling) == (stage, fields["ruling"])
    assert (made.target_group, made.message) == (fields.get("target_group", ""), fields.get("message", ""))
    assert item.message == fields.get("message", "")


def test_the_annotators_of_a_new_round_read_the_message_and_never_the_rationale(project, reviewer):
    item = closed(project, 0, 1, 2)
    sent = decision(item, ruling="new_round", message="Section 2 is clearer now.", rationale="A says 1, B says 2.")
    as_member(reviewer).post(address("desk-item", item), sent)
    page = as_member(builders.make_member(project)).get(reverse("annotation:label", args=["garden"])).content.decode()
    assert "Section 2 is clearer now." in page and "A says 1" not in page


def test_more_people_without_a_number_are_not_asked(project, reviewer):
    item = closed(project, 0, 1, 2)
    answer = as_member(reviewer).post(address("desk-item", item), decision(item, ruling="more_seats"))
    assert answer.status_code == 422 and "Say how many more people" in answer.content.decode()


def test_a_rationale_begins_as_a_models_reason_on_request_only_and_is_marked(project, reviewer):
    item = closed(project, 0, 1, 2)
    run = start.build_run(start.RunRequest("arcade", project.public_id, item.public_id, {"judge": "keyword:cues-1"}))
    run.state, run.outcome, run.finished_at = (
        RunState.SUCCEEDED,
        {"category": 1, "hateful": True, "reason": "Weeds."},
        now(),
    )
    run.save()
    client = as_member(reviewer)
    assert "started from a model" not in client.get(address("desk-item", item)).content.decode()
    page = client.get(address("desk-item", item, draft=str(run.public_id))).content.decode()
    page = compact(page)
    assert "started from a model" in page and " autofocus>Weeds.</textarea>" in page  # to make it one's own
    assert (
        "Weeds."
        not in client.get(address("desk-item", item, draft=str(uuid4()))).content.decode().split("<textarea")[1]
    )
    client.post(address("desk-item", item), decision(item, drafted_from=str(run.public_id)))
    assert Adjudication.objects.get().drafted_from == run.public_id


def test_a_view_of_ones_own_is_written_down_before_the_debates(project, reviewer):
    item = closed(project, 0, 1, 2)
    client = as_member(reviewer)
    assert client.post(address("desk-opinion", item), {"category": "1"}).status_code == 302
    assert "Your own view before the debates" in client.get(address("desk-item", item)).content.decode()
    client.post(address("desk-opinion", item), {"category": "2"})
    assert Opinion.objects.get().category.code == 1


def test_the_history_tells_everything_and_names_no_annotator_until_an_admin_asks(project, reviewer, admin):
    item = closed(project, 0, 1, 2)
    names = list(item.labels.values_list("annotator__pseudonym", flat=True))
    as_member(reviewer).post(address("desk-item", item), decision(item))
    item.refresh_from_db()
    as_member(reviewer).post(address("annotation:item-withdraw", item), {})
    appeals.appeal(item, admin, "It is a joke.", "the author")
    page = as_member(reviewer).get(address("desk-item", item, tab="history"))
    assert page.status_code == 200
    told = page.content.decode()
    for part in ("The roses decide it.", "It is a joke.", "the author", "no majority", "appealed against"):
        assert part in told
    assert not any(name in told for name in names)
    client = as_member(admin)
    assert not any(f">{name}<" in client.get(address("annotation:item", item)).content.decode() for name in names)
    client.post(address("annotation:item-names", item))
    assert all(f">{name}<" in client.get(address("annotation:item", item)).content.decode() for name in names)
    assert Event.objects.get(verb="names_revealed").actor == admin
    assert as_member(reviewer).post(address("annotation:item-names", item)).status_code == 404


def test_earlier_decisions_are_shown_beside_a_post(project, reviewer):
    decided, item = closed(project, 0, 1, 2, text="Weeds in the roses"), closed(project, 0, 1, 2, text="Weeds in roses")
    decide_item(decided, reviewer, decided.version, "It was about neighbours.", builders.category(project, 1))
    page = as_member(reviewer).get(address("desk-similar", item)).content.decode()
    assert "It was about neighbours." in page


def test_a_decision_is_replaced_by_a_new_one(project, reviewer, wren):
    item = closed(project, 0, 1, 2)
    decide_item(item, reviewer, item.version, "Plain.", builders.category(project, 1))
    item.refresh_from_db()
    client = as_member(wren)
    page = client.get(address("desk-item", item, anew="1")).content.decode()
    assert "Decide again" in page and 'value="exclude"' not in page
    answer = client.post(address("desk-item", item), decision(item, category="0"), follow=True)
    assert answer.redirect_chain[-1][0] == address("annotation:item", item)  # where it was begun
    assert "Decision saved." in answer.content.decode()
    item.refresh_from_db()
    assert item.category.code == 0


def test_an_exclusion_is_undone_by_a_new_decision_and_both_stay(project, reviewer, wren, admin):
    item = closed(project, 0, 1, 2)
    client = as_member(wren)
    assert client.post(address("desk-item", item), decision(item, ruling="exclude")).status_code == 302
    item.refresh_from_db()
    assert (item.stage, item.excluded_for) == (Stage.EXCLUDED, Reason.NO_MAJORITY)
    assert "Decide again" in client.get(address("annotation:item", item)).content.decode()
    assert client.get(address("desk-anew", item))["Location"] == address("desk-item", item, anew="1")
    page = client.get(address("desk-item", item, anew="1")).content.decode()
    assert "Decide again" in page and 'value="exclude"' not in page
    assert client.post(address("desk-item", item), decision(item, category="1")).status_code == 302
    item.refresh_from_db()
    assert (item.stage, item.category.code, item.excluded_for, item.category_source) == (
        Stage.GOLD, 1, None, Source.ADJUDICATED,
    )  # fmt: skip
    assert list(item.adjudications.order_by("pk").values_list("ruling", flat=True)) == ["exclude", "decide"]


def test_what_no_reviewer_excluded_is_not_decided_anew(project, reviewer, admin):
    Project.objects.filter(pk=project.pk).update(policy="paper")
    by_rule, item = closed(project, 0, 1, 2), closed(project, 0, 0, 0)
    report_item(item, admin)
    client = as_member(reviewer)
    for each in (by_rule, item):
        each.refresh_from_db()
        assert each.stage == Stage.EXCLUDED
        assert client.post(address("desk-item", each), decision(each)).status_code == (403 if each == by_rule else 404)
        each.refresh_from_db()
        assert each.stage == Stage.EXCLUDED
    assert client.get(address("desk-anew", by_rule))["Location"] == address("annotation:item", by_rule)
    assert client.get(address("desk-anew", item)).status_code == 404  # what was reported is at nobody's desk


# ── Around the desk ───────────────────────────────────────────────────────────


def test_what_two_reviewers_decided_offers_an_appeal_and_nothing_to_be_refused_later(project, reviewer, wren):
    settings.set_rules(builders.make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY], appeals=True)
    item = closed(project, 0, 1, 2)
    for member in (reviewer, wren):
        as_member(member).post(address("desk-item", item), decision(item))
    item.refresh_from_db()
    assert item.stage == Stage.GOLD
    client = as_member(wren)
    page = client.get(address("annotation:item", item)).content.decode()
    assert "Decide again" not in page and address("appeal", item) in page
    answer = client.get(address("desk-anew", item), follow=True)
    assert "Record an appeal, so that others look at it again." in answer.content.decode()
    assert client.get(address("desk-item", item, anew="1"))["Location"] == address("annotation:item", item)


def test_what_is_wrong_with_a_decision_has_the_keyboard(project, reviewer):
    item = closed(project, 0, 1, 2)
    page = as_member(reviewer).post(address("desk-item", item), decision(item, rationale="")).content.decode()
    assert 'role="alert" id="wrong" tabindex="-1" autofocus' in page


def test_many_posts_are_accepted_after_their_number_was_confirmed(project, reviewer):
    for _ in range(2):
        closed(project, 0, 0, 2, intended=builders.category(project, 1))
    client = as_member(reviewer)
    first = {"reason": "misaligned", "rationale": "The votes are right."}
    page = client.post(address("desk-accept"), first).content.decode()
    assert "Accept 2 posts" in page and "The votes are right." in page
    assert Adjudication.objects.count() == 0
    assert client.post(address("desk-accept"), {**first, "count": "3"}).status_code == 409
    assert client.post(address("desk-accept"), {**first, "count": "2"}).status_code == 302
    assert Adjudication.objects.count() == 2
    assert client.post(address("desk-accept"), {"reason": "misaligned"}).status_code == 422


def test_an_admin_sets_the_rules_of_the_desk(project, admin, reviewer):
    client = as_member(admin)
    sent = {"lease_minutes": "5", "second_for": ["no_majority"], "appeals": "on"}
    assert client.post(address("desk-rules"), sent).status_code == 302
    assert 'value="no_majority"' in client.get(address("desk-rules")).content.decode()
    assert client.post(address("desk-rules"), {"lease_minutes": "0"}).status_code == 422
    item = closed(project, 0, 1, 2)
    page = as_member(reviewer).post(address("desk-item", item), decision(item), follow=True).content.decode()
    assert "Another reviewer decides it too" in page
    assert "somebody else has to look at it too" in as_member(reviewer).get(address("desk-item", item)).content.decode()


def test_an_appeal_is_entered_on_a_page_and_answered_at_the_desk(project, reviewer, wren):
    item = closed(project, 0, 1, 2)
    decide_item(item, reviewer, item.version, "Plain.", builders.category(project, 1))
    client = as_member(reviewer)
    assert client.post(address("appeal", item), {"grounds": ""}).status_code == 422
    assert (
        client.post(address("appeal", item), {"grounds": "A joke.\nReally.", "appellant": "the author"}).status_code
        == 302
    )
    assert client.post(address("appeal", item), {"grounds": "Again."}).status_code == 409
    item.refresh_from_db()
    answer = client.post(address("desk-item", item), decision(item))
    assert answer.status_code == 403 and "against your own decision" in answer.content.decode()
    page = as_member(wren).get(address("desk-item", item)).content.decode()
    assert "A joke.<br>Really." in page and "Decision then" in page  # lines stay lines
    as_member(wren).post(address("desk-item", item), decision(item, category="0", rationale="It is.\nA joke."))
    page = client.get(address("appeals")).content.decode()
    assert "overturned" in page and "A joke.<br>Really." in page and "It is.<br>A joke." in page
    assert "It is.<br>A joke." in client.get(address("annotation:item", item)).content.decode()
    assert client.get(address("desk-figures")).status_code == 200


def test_a_statement_names_every_category_of_the_post():
    project = builders.make_project(choose=Choose.SEVERAL)
    trio = [builders.make_member(project) for _ in range(3)]
    item = builders.make_open_item(project)
    for seat, member in zip(item.seat_rows.all(), trio, strict=True):
        builders.make_label(seat, member, 1, categories=[1, 2])
    close_item(item)
    item.refresh_from_db()
    names = [row.name for row in project.categories.filter(code__in=(1, 2)).order_by("code")]
    fields = filled(item)
    assert fields["category"] == f"1 {names[0]}, 2 {names[1]}"
    assert fields["incompatible_content_ground"].endswith(f": {names[0]}, {names[1]}")
    # A platform's own list has one value for each statement.
    lists = {"category": [f"1 {names[0]}", f"2 {names[1]}"]}
    settings.set_value_lists(builders.make_member(project, Role.ADMIN), lists)
    assert filled(Item.objects.get(pk=item.pk))["category"] == f"1 {names[0]}"


def test_a_statement_is_written_checked_and_taken_along(project, reviewer):
    item = closed(project, 0, 1, 2, text="Weeds again")
    client = as_member(reviewer)
    assert client.get(address("statement", item)).status_code == 302  # nothing is decided
    decide_item(item, reviewer, item.version, "The roses.", builders.category(project, 1))
    page = client.get(address("statement", item)).content.decode()
    assert "The roses." in page
    item.refresh_from_db()
    fields = {name: "\n".join(value) if isinstance(value, list) else value for name, value in filled(item).items()}
    sent = {name: value for name, value in fields.items() if value not in ("", False)}
    answer = client.post(address("statement", item), sent)
    assert answer.status_code == 422 and "Say what was done" in answer.content.decode()
    assert client.post(address("statement", item), {**sent, "decision_visibility": "Removed"}).status_code == 302
    exported = client.get(reverse("moderation:statement-file", args=["garden", item.public_id, 1, "json"]))
    body = exported.json()
    assert problems(body) == {} and body["decision_visibility"] == "Removed"
    assert "\r" not in exported["Content-Disposition"] and '"' not in exported["Content-Disposition"][22:-1]
    document = client.get(reverse("moderation:statement-file", args=["garden", item.public_id, 1, "md"]))
    assert "> Removed" in document.content.decode()
    assert (
        client.get(reverse("moderation:statement-file", args=["garden", item.public_id, 1, "pdf"])).status_code == 404
    )


def test_the_page_says_whom_a_score_speaks_for_with_the_papers_figure_and_marks_what_was_quoted(project, reviewer):
    item = closed(project, 0, 0, 2, text="Weeds in the roses", intended=builders.category(project, 2))
    run = start.build_run(start.RunRequest("arcade", project.public_id, item.public_id, {"judge": "keyword:cues-1"}))
    run.state, run.outcome, run.finished_at = RunState.SUCCEEDED, {"category": 2, "hateful": True}, now()
    run.save()
    Score.objects.create(
        project=project, item=item, source="run", about_run=run.public_id, method="arcade", explanation="“Weeds”",
        text=item.text, rule="paper", threshold=0.3, estimator="given", state="scored", score=0.75,
        reading={"spans": [[0, 5]]}, prediction=True, htc=0, qf=1.0, tgi=1, cc=1,
    )  # fmt: skip
    client = as_member(reviewer)
    page = compact(client.get(address("desk-item", item)).content.decode())
    assert "The model may be right" in page and "74.8" in page and "On other data" in page
    assert '<mark class="rationale">Weeds</mark> in the roses' in page
    client.post(address("desk-item", item), decision(item, category="2"))
    assert Event.objects.get(item=item, verb="decide").facts["hint"]["side"] == "model"
    other = closed(project, 0, 1, 2)
    assert "1 score" not in client.get(address("desk-item", other)).content.decode()


def test_a_statement_asks_for_the_chosen_ground_and_folds_what_the_record_fills(project, reviewer):
    item = closed(project, 1, 1, 1)
    client = as_member(reviewer)

    def parts(page: str) -> dict[str, bool]:
        """Each part of the form by its title, and whether it is open."""
        found = re.findall(r'<details class="field-group fold"([^>]*)> ?<summary> ?<h2>([^<]*)</h2>', compact(page))
        return {title: " open" in attributes for attributes, title in found}

    page = client.get(address("statement", item)).content.decode()
    assert parts(page) == {
        "What was done": True,
        "On what ground": True,
        "If it breaks a rule of the platform": True,
        "If it breaks a law": True,
        "How long and where": False,
        "The content": False,
        "The facts": False,
        "What the person can do": False,
    }
    assert 'data-ground="illegal"' in page and 'data-ground="incompatible"' in page  # the style sheet shows one of them
    answer = client.post(address("statement", item), {"decision_ground": "illegal", "redress": "x" * 2001})
    assert answer.status_code == 422
    wrong = parts(answer.content.decode())
    assert wrong["The facts"] and wrong["The content"] and wrong["What the person can do"]  # errors are in sight
