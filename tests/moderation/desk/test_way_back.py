"""The way back to what was just decided, and the pages that set a post aside."""

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Reason, Role
from annotation.models import Adjudication, Item, Membership, Project
from concurrency import at_once
from markup import compact
from moderation.desk.settings import set_rules
from moderation.desk.way_back import way_back
from moderation.models import Lease, Proposal, SetAside

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("garden")


@pytest.fixture
def heron(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Heron")


@pytest.fixture
def wren(project: Project) -> Membership:
    return builders.make_member(project, Role.REVIEWER, pseudonym="Wren")


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def disputed(project: Project, text: str = "Weeds again") -> Item:
    people = [builders.make_member(project) for _ in range(3)]
    item = builders.make_labelled_item(project, people, (0, 1, 2), text=text)
    close_item(item)
    item.refresh_from_db()
    return item


def address(name: str, item: Item | None = None, **query: str) -> str:
    ids = [item.public_id] if item else []
    return reverse(f"moderation:{name}", args=["garden", *ids], query=query or None)


def decision(item: Item, **fields) -> dict[str, object]:
    item.refresh_from_db()
    return {"ruling": "decide", "category": "1", "rationale": "The roses.", "version": item.version, **fields}


def test_a_slip_is_decided_again_on_the_way_through_the_queue_and_both_stay(project, heron):
    slip, following = disputed(project), disputed(project, "The same dish")
    client = client_of(heron)
    page = client.post(address("desk-item", slip, order="age"), decision(slip), follow=True)
    assert page.redirect_chain[-1][0] == address("desk-item", following, order="age")
    back = address("desk-anew", slip, order="age", anew="queue")
    assert f'href="{back.replace("&", "&amp;")}" data-press="u"' in compact(page.content.decode())
    page = client.get(back, follow=True)
    words = compact(page.content.decode())
    assert ">The roses.</textarea>" in words and 'value="1" data-press="1" checked' in words
    sent_to = address("desk-item", slip, order="age", anew="queue")
    assert f'action="{sent_to.replace("&", "&amp;")}"' in words
    answer = client.post(sent_to, decision(slip, category="2", rationale="A slip."))
    assert answer["Location"] == address("desk-item", following, order="age")
    slip.refresh_from_db()
    assert slip.category.code == 2
    rows = Adjudication.objects.filter(item=slip).order_by("pk").values_list("category__code", "rationale")
    assert list(rows) == [(1, "The roses."), (2, "A slip.")]


def test_what_somebody_else_decided_is_not_filled_in_for_one_who_decides_again(project, heron, wren):
    item = disputed(project)
    client_of(heron).post(address("desk-item", item), decision(item))
    page = client_of(wren).get(address("desk-item", item, anew="1")).content.decode()
    assert "The roses.</textarea>" not in page and "The roses." in page  # among the decisions so far


def test_the_way_back_is_offered_for_a_while_and_only_for_what_can_be_replaced(project, heron, wren, monkeypatch):
    item, again = disputed(project), disputed(project)
    assert way_back(heron) is None
    client_of(heron).post(address("desk-item", item), decision(item))
    last = Adjudication.objects.get()
    assert way_back(heron) == last and way_back(wren) is None and way_back(heron, beside=item) is None
    monkeypatch.setattr("moderation.desk.way_back.SECONDS", -60)
    assert way_back(heron) is None
    monkeypatch.undo()
    client_of(heron).post(address("desk-item", again), decision(again, ruling="new_round"))
    assert way_back(heron) is None  # it is with other people


def test_what_two_reviewers_decided_together_is_not_taken_back_by_one(project, heron, wren):
    set_rules(builders.make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY], appeals=True)
    item = disputed(project)
    for member in (heron, wren):
        client_of(member).post(address("desk-item", item), decision(item))
    assert item.adjudications.count() == 1 and way_back(heron) is None and way_back(wren) is None


def test_what_waits_for_a_second_reviewer_is_changed_with_u_or_taken_back(project, heron, wren):
    set_rules(builders.make_member(project, Role.ADMIN), 15, [Reason.NO_MAJORITY], appeals=True)
    item, following = disputed(project), disputed(project, "The same dish")
    client = client_of(heron)
    page = client.post(address("desk-item", item, order="age"), decision(item), follow=True)
    assert page.redirect_chain[-1][0] == address("desk-item", following, order="age")
    back = address("desk-anew", item, order="age", anew="queue")
    assert f'href="{back.replace("&", "&amp;")}" data-press="u"' in compact(page.content.decode())
    page = compact(client.get(back, follow=True).content.decode())
    assert ">The roses.</textarea>" in page and 'value="1" data-press="1" checked' in page
    mine = Proposal.objects.get()
    assert f'name="replaces" value="{mine.public_id}"' in page and "Change your decision" in page
    sent = decision(item, category="2", replaces=str(mine.public_id))
    answer = client.post(address("desk-item", item, order="age", anew="queue"), sent)
    assert answer["Location"] == address("desk-item", following, order="age")
    assert way_back(heron).category.code == 2 and way_back(wren) is None and way_back(heron, beside=item) is None

    page = compact(client.get(address("desk-item", item)).content.decode())
    assert 'id="decision"' not in page and 'anew=queue" data-press="u"' in page
    page = client.post(address("desk-take-back", item), follow=True).content.decode()
    assert "Your decision is taken back." in page and 'id="decision"' in page and not Proposal.objects.exists()
    client.post(address("desk-item", item), decision(item))
    client_of(wren).post(address("desk-item", item), decision(item, category="2"))
    assert way_back(heron) is None
    page = client.post(address("desk-take-back", item), follow=True).content.decode()
    assert "It cannot be changed any more" in page and Proposal.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_who_decide_again_at_once_one_counts():
    project = builders.make_project("garden")
    reviewers = [builders.make_member(project, Role.REVIEWER) for _ in range(2)]
    item = disputed(project)
    client_of(reviewers[0]).post(address("desk-item", item), decision(item))
    sent = decision(item)

    def again(member: Membership, code: str) -> int:
        return client_of(member).post(address("desk-item", item, anew="queue"), sent | {"category": code}).status_code

    tries = [lambda member=member, code=code: again(member, code) for member, code in zip(reviewers, "23", strict=True)]
    assert sorted(at_once(tries)) == [302, 409]
    assert Adjudication.objects.filter(item=item).count() == 2


def test_a_post_is_parked_with_a_note_greyed_and_taken_with_one_press(project, heron, wren):
    first, second = disputed(project), disputed(project, "The same dish")
    client = client_of(heron)
    client.get(address("desk-item", first))
    wrong = client.post(address("desk-aside", first), {"reviewer": "", "note": "", "until": "2020-01-01"})
    assert (wrong.status_code, 'value="2020-01-01"' in wrong.content.decode()) == (422, True)
    answer = client.post(address("desk-aside", first), {"reviewer": "", "note": "Ask the lead."}, follow=True)
    assert answer.redirect_chain[-1][0] == address("desk-item", second)
    assert "The post is parked." in answer.content.decode() and Lease.objects.get().item == second
    client.post(address("desk-item", second), decision(second))

    others = client_of(wren)
    page = compact(others.get(address("desk")).content.decode())
    assert 'class="is-waiting"' in page and "parked" in page and 'data-press="j"' not in page
    page = compact(others.get(address("desk-item", first)).content.decode())
    assert "Ask the lead." in page and "By Heron" in page and 'id="decision"' not in page
    refused = others.post(address("desk-item", first), decision(first, rationale="Typed at length."))
    assert refused.status_code == 409 and "Typed at length." in refused.content.decode()
    page = others.post(address("desk-take", first), follow=True).content.decode()
    assert 'id="decision"' in page and Lease.objects.get(item=first).reviewer == wren
    assert others.post(address("desk-item", first), decision(first)).status_code == 302


def test_an_assigned_post_names_its_reviewer_and_is_theirs_to_decide_or_give_back(project, heron, wren):
    item = disputed(project)
    admin = builders.make_member(project, Role.ADMIN)
    client = client_of(admin)
    answer = client.post(address("desk-aside", item), {"reviewer": str(wren.public_id), "note": "You know this group."})
    assert answer["Location"] == address("desk")
    assert "for Wren" in compact(client_of(heron).get(address("desk")).content.decode())
    page = client_of(wren).get(address("desk-item", item)).content.decode()
    assert "Assigned to you" in page and "You know this group." in page and 'id="decision"' in page
    client_of(wren).post(address("desk-take", item))
    assert SetAside.objects.get().ended_at is not None


def test_who_is_asked_for_a_category_of_their_own_sees_no_note(project, heron, wren):
    people = [builders.make_member(project) for _ in range(3)]
    item = builders.make_labelled_item(project, people, (0, 0, None))
    close_item(item)
    client_of(builders.make_member(project, Role.ADMIN)).post(address("desk-aside", item), {"note": "Surely a 1."})
    client = client_of(wren)
    page = client.get(address("desk-missing", item)).content.decode()
    assert "Parked" in page and "Surely a 1." not in page
    assert client.post(address("desk-missing", item), {"category": "1"}).status_code == 409
