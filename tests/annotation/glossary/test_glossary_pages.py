"""The glossary in the browser: reviewers and admins write it, annotators ask it where they may."""

from uuid import UUID, uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.assignment import claim
from annotation.consensus.close import close_item
from annotation.domain.choices import GlossaryStatus, PriorDisplay, Role
from annotation.domain.glossary.entry import EntryValues
from annotation.glossary import entries
from annotation.models import Adjudication, Event, GlossaryEntry, Item, Membership, Project
from annotation.review import adjudicate
from builders import category, make_item, make_labelled_item, make_member, make_open_item, make_project
from markup import compact
from runs.control import start

pytestmark = pytest.mark.django_db
WEED = EntryValues("weed", "an unwanted person")


def client_of(member: Membership) -> Client:
    client = Client()
    assert member.user
    client.force_login(member.user)
    return client


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def written(**changed: object) -> dict[str, object]:
    fields = {"term": "weed", "kind": "term", "meaning": "an unwanted person", "languages": "en", "examples": ""}
    return {**fields, "target_group": "", **changed}


def test_a_reviewer_proposes_and_another_approves(project: Project) -> None:
    first, second = make_member(project, Role.REVIEWER), make_member(project, Role.REVIEWER)
    client = client_of(first)
    client.post("/p/garden/glossary/new/", written(approve="1"))
    entry = GlossaryEntry.objects.get()
    assert entry.status == GlossaryStatus.PROPOSED  # a reviewer cannot approve along
    page = f"/p/garden/glossary/{entry.public_id}/"
    approve = {"status": "approved", "version": 1}
    said = client.post(f"{page}rule/", approve, follow=True)
    assert "Somebody else approves what you proposed." in said.text
    said = client_of(second).post(f"{page}rule/", approve, follow=True)
    assert "is approved." in said.content.decode()
    entry.refresh_from_db()
    assert entry.status == GlossaryStatus.APPROVED
    assert "an unwanted person" in client.get("/p/garden/glossary/?q=WEED").text


def make_run(item: Item) -> UUID:
    """Create a run on the item; return its public id."""
    request = start.RunRequest("arcade", item.project.public_id, item.public_id, {"judge": "keyword:cues-1"})
    run = start.build_run(request)
    run.save()
    return run.public_id


def test_a_term_comes_from_an_item_or_a_run_in_one_click(project: Project) -> None:
    admin, other_project = make_member(project, Role.ADMIN), make_project()
    item, foreign = make_item(project, "Weeds again"), make_item(other_project)
    run, foreign_run = (make_run(row) for row in (item, foreign))
    client = client_of(admin)
    assert "the entry will link to it" in client.get(f"/p/garden/glossary/new/?item={item.public_id}&run={run}").text
    client.post(f"/p/garden/glossary/new/?item={item.public_id}&run={run}", written(approve="1"))
    source = GlossaryEntry.objects.get().sources.get()
    assert (source.kind, source.reference, source.item) == ("run", run, item.public_id)
    shown = client.get(reverse("annotation:item", args=["garden", item.public_id])).text
    assert "an unwanted person" in shown
    of_another = f"item={foreign.public_id}&run={foreign_run}&evidence={uuid4()}&decision={uuid4()}"
    assert "the entry will link to it" not in client.get(f"/p/garden/glossary/new/?{of_another}").text
    client.post(f"/p/garden/glossary/new/?{of_another}", written(term="rose"))
    assert not GlossaryEntry.objects.get(key="rose").sources.exists()


def test_a_term_comes_from_a_decision_in_one_click(project: Project) -> None:
    people = [make_member(project) for _ in range(3)]
    item = make_labelled_item(project, people, [1, 2, 0], text="Weeds again", external_id="post-1")
    close_item(item)
    item.refresh_from_db()
    reviewer = make_member(project, Role.REVIEWER)
    adjudicate.decide_item(item, reviewer, item.version, "“weeds” are people here.", category(project, 1))
    decision = Adjudication.objects.get()
    client, shown = client_of(reviewer), reverse("annotation:item", args=["garden", item.public_id])
    address = f"/p/garden/glossary/new/?decision={decision.public_id}&amp;item={item.public_id}"
    assert address in client.get(shown).text
    client.post(address.replace("&amp;", "&"), written())
    entry = GlossaryEntry.objects.get()
    source = entry.sources.get()
    assert (source.kind, source.reference, source.item) == ("decision", decision.public_id, item.public_id)
    page = compact(client.get(f"/p/garden/glossary/{entry.public_id}/").text)
    assert f'decision · <a href="{shown}">the post</a>' in page


def test_the_page_of_a_post_says_how_a_term_stands_in_it(project: Project) -> None:
    admin = make_member(project, Role.ADMIN)
    client, item = client_of(admin), make_item(project, "w33d and t.a.r.e")
    fields = written(
        variants="tare\nwheat", switched_off=["look_alikes", "masked"], initials="on", sounds="on", approve="1"
    )
    client.post("/p/garden/glossary/new/", fields)
    entry = GlossaryEntry.objects.get()
    assert (entry.variants, entry.switched_off) == ("tare\nwheat", ["look_alikes", "masked"])
    assert entry.initials and entry.sounds
    page = compact(client.get(f"/p/garden/glossary/{entry.public_id}/").text)
    assert page.count("checked") == 4
    shown = compact(client.get(reverse("annotation:item", args=["garden", item.public_id])).text)
    assert "“<bdi>t.a.r.e</bdi>” in the post: with signs or blanks inside, 85 % sure" in shown


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"variants": "x" * 121}, "at most 120 characters"),
        ({"switched_off": ["as_written"]}, "Select a valid choice"),
        ({"term": ""}, "This field is required."),
        ({"term": "a"}, "has one letter"),
        ({"languages": "english"}, "two letters"),
        ({"meaning": " "}, "required"),
        ({"kind": "riddle"}, "Select a valid choice"),
    ],
)
def test_what_was_written_stays_on_a_refused_page(project: Project, changed: dict[str, str], sentence: str) -> None:
    client = client_of(make_member(project, Role.ADMIN))
    answer = client.post("/p/garden/glossary/new/", written(examples="pull the weeds", **changed))
    assert answer.status_code == 422
    assert sentence in answer.text
    assert "pull the weeds" in answer.text
    assert not GlossaryEntry.objects.exists()


def test_a_term_that_is_there_leads_to_its_entry(project: Project) -> None:
    admin = make_member(project, Role.ADMIN)
    entry = entries.propose(admin, WEED)
    answer = client_of(admin).post("/p/garden/glossary/new/", written(meaning="something else"))
    assert answer.status_code == 422
    assert str(entry.public_id) in answer.text
    assert "something else" in answer.text


def test_a_change_over_somebody_elses_is_refused_with_409_and_kept(project: Project) -> None:
    admin = make_member(project, Role.ADMIN)
    entry = entries.propose(admin, WEED)
    entries.change(admin, entry, EntryValues("weed", "theirs"), 1)
    page = f"/p/garden/glossary/{entry.public_id}/"
    answer = client_of(admin).post(page, written(meaning="mine", version=1))
    assert answer.status_code == 409
    assert "mine" in answer.text
    assert client_of(admin).post(page, written(meaning="both", version=2)).status_code == 302


def test_a_file_with_a_bad_row_is_refused_by_line(project: Project) -> None:
    client = client_of(make_member(project, Role.REVIEWER))
    file = SimpleUploadedFile("words.csv", b"term,meaning\nrose,a flower\nweed,\n")
    answer = client.post("/p/garden/glossary/import/", {"file": file})
    assert (answer.status_code, GlossaryEntry.objects.count()) == (422, 0)
    assert "nothing was stored" in answer.text
    file = SimpleUploadedFile("words.csv", b"term,meaning\nrose,a flower\n")
    assert client.post("/p/garden/glossary/import/", {"file": file, "approved": "on"}).status_code == 302
    assert GlossaryEntry.objects.get().status == GlossaryStatus.PROPOSED  # approving is for admins here
    assert b"rose,term,a flower" in client.get("/p/garden/glossary/glossary.csv").getvalue()


def test_an_annotator_asks_only_where_the_project_allows_it_and_every_look_is_recorded(project: Project) -> None:
    admin, annotator = make_member(project, Role.ADMIN), make_member(project)
    make_open_item(project, "Weeds again")
    entries.propose(admin, WEED, approved=True)
    entries.propose(admin, EntryValues("again", "not approved"))
    client = client_of(annotator)
    client.get("/p/garden/label/")
    held = claim.claim(annotator)
    seat = held.seat  # type: ignore[union-attr]
    beside = f"/p/garden/label/{seat.public_id}/glossary/"
    assert client.post(beside).status_code == 404
    assert "unwanted person" not in client.get("/p/garden/label/").text
    client_of(admin).post("/p/garden/glossary/use/", {"glossary_for_annotators": "on"})
    assert "unwanted person" not in client.get("/p/garden/label/").text
    fragment = client.post(beside, headers={"HX-Request": "true"}).text
    assert "an unwanted person" in fragment
    assert "not approved" not in fragment
    whole = client.post(beside, {"category": "1", "note": "typed so far"}).text
    assert "an unwanted person" in whole
    assert "typed so far" in whole
    looks = Event.objects.filter(verb="glossary_opened")
    assert [(each.actor, each.row) for each in looks] == [(annotator, seat.public_id)] * 2
    other = client_of(make_member(project)).post(beside)
    assert other.status_code == 404


def test_nobody_asks_before_their_own_first_answer(project: Project) -> None:
    project.glossary_for_annotators, project.prior_display = True, PriorDisplay.AFTER_FIRST_ANSWER
    project.save()
    annotator = make_member(project)
    make_open_item(project, "Weeds again")
    held = claim.claim(annotator)
    client = client_of(annotator)
    assert "glossary/" not in client.get("/p/garden/label/").text
    assert client.post(f"/p/garden/label/{held.seat.public_id}/glossary/").status_code == 404  # type: ignore[union-attr]
