"""The pages about batches, teams and quotas, as an admin meets them."""

from uuid import uuid4

import pytest
from django.test import Client

import builders
from annotation.assignment.claim import claim
from annotation.domain.choices import BatchState, Role, Stage
from annotation.models import Batch, Item, Membership, Project, Skip
from markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("winter", seats=3)


@pytest.fixture
def admin(project: Project, client: Client) -> Client:
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    return client


@pytest.fixture
def batch(project: Project) -> Batch:
    return Batch.objects.create(project=project, name="hedges", state=BatchState.OPEN)


def page(client: Client, address: str, **data: object) -> str:
    answer = client.post(address, data, follow=True) if data else client.get(address)
    return answer.content.decode()


def test_a_batch_shows_its_state_progress_and_who_is_needed(project, admin, batch):
    trio = [builders.make_member(project) for _ in range(2)]
    item = builders.make_open_item(project, batch="hedges")
    builders.make_label(item.seat_rows.first(), trio[0], 0)
    html = page(admin, "/p/winter/batches/")
    assert "hedges" in html and "33 %: 1 of 3 seats filled" in html
    assert "1 item cannot be finished with the present people; 1 more person is needed." in html
    html = page(admin, f"/p/winter/batches/{batch.public_id}/")
    assert "No estimate yet." in html and "there are 1 on 1" in html


def test_an_act_is_asked_about_first_and_done_by_its_button(project, admin, batch):
    builders.make_open_item(project, batch="hedges")
    address = f"/p/winter/batches/{batch.public_id}/"
    assert "Pause this batch?" in page(admin, f"{address}?do=pause")
    batch.refresh_from_db()
    assert batch.state == BatchState.OPEN
    assert "is paused" in page(admin, f"{address}do/", do="pause")
    assert Item.objects.get().queue is None
    assert "no longer possible" in page(admin, f"{address}do/", do="pause")
    assert "is handed out again" in page(admin, f"{address}do/", do="resume")
    assert "is the pilot" in page(admin, f"{address}do/", do="pilot")
    assert "is closed" in page(admin, f"{address}do/", do="close")


def test_opening_a_batch_opens_its_ready_items(project, admin, batch):
    Batch.objects.update(state=BatchState.WAITING)
    builders.make_item(project, batch="hedges", stage=Stage.READY)
    builders.make_item(project, batch="roses", stage=Stage.READY)
    assert "1 item is open" in page(admin, f"/p/winter/batches/{batch.public_id}/do/", do="open")
    assert dict(Item.objects.values_list("batch", "stage")) == {"hedges": "labelling", "roses": "ready"}


@pytest.mark.parametrize("do", ["", "burn", "__class__"])
def test_an_act_that_does_not_exist_is_refused(admin, batch, do):
    assert admin.post(f"/p/winter/batches/{batch.public_id}/do/", {"do": do}).status_code == 400
    assert admin.get(f"/p/winter/batches/{batch.public_id}/?do={do}").status_code == 200
    assert admin.get(f"/p/winter/batches/{uuid4()}/").status_code == 404


def test_a_batch_of_another_project_is_not_found(admin):
    foreign = Batch.objects.create(project=builders.make_project(), name="hedges")
    assert admin.get(f"/p/winter/batches/{foreign.public_id}/").status_code == 404
    assert admin.post(f"/p/winter/batches/{foreign.public_id}/do/", {"do": "close"}).status_code == 404


def test_a_batch_is_limited_to_people_and_opened_to_all_again(project, admin, batch):
    builders.make_open_item(project, batch="hedges")
    people = [builders.make_member(project) for _ in range(3)]
    address = f"/p/winter/batches/{batch.public_id}/do/"
    chosen = [str(person.public_id) for person in people[:2]]
    html = page(admin, address, do="people", limited="1", members=chosen)
    assert "Needs 1 more person to be finished." in html
    assert set(batch.members.all()) == set(people[:2]) and Item.objects.get().queue == batch.pk
    page(admin, address, do="people", limited="0")
    assert Item.objects.get().queue == 0


def test_a_limited_batch_needs_somebody_and_only_annotators_of_the_project(project, admin, batch):
    builders.make_member(project)
    stranger = builders.make_member(builders.make_project())
    address = f"/p/winter/batches/{batch.public_id}/do/"
    nobody = admin.post(address, {"do": "people", "limited": "1"})
    assert nobody.status_code == 422 and "Choose at least one person." in nobody.content.decode()
    wrong = admin.post(address, {"do": "people", "limited": "1", "members": [str(stranger.public_id)]})
    assert wrong.status_code == 422
    assert not Batch.objects.get().limited


@pytest.mark.parametrize(("typed", "status"), [("7", 302), ("-100", 302), ("101", 422), ("", 422), ("x", 422)])
def test_a_priority_is_a_number_within_its_limits(project, admin, batch, typed, status):
    builders.make_item(project, batch="hedges")
    answer = admin.post(f"/p/winter/batches/{batch.public_id}/do/", {"do": "priority", "priority": typed})
    assert answer.status_code == status
    assert Item.objects.get().priority == (int(typed) if status == 302 else 0)


def test_items_that_nobody_is_left_for_are_linked(project, admin, batch):
    item = builders.make_open_item(project, batch="hedges", external_id="left-over")
    Skip.objects.create(item=item, annotator=builders.make_member(project))
    for address in ("/p/winter/batches/", f"/p/winter/batches/{batch.public_id}/"):
        html = page(admin, address)
        assert "Nobody is left for 1 item" in html and f"/p/winter/items/{item.public_id}/" in html


def test_quotas_of_the_project_and_of_people_are_stored_and_what_is_wrong_is_not(project, admin):
    person = builders.make_member(project)
    page(admin, "/p/winter/batches/campaign/", quota="50", new_batches="open")
    project.refresh_from_db()
    assert (project.quota, project.new_batches) == (50, "open")
    field = f"quota-{person.public_id}"
    assert "1 quota is changed" in page(admin, "/p/winter/batches/quotas/", **{field: "0"})
    assert Membership.objects.get(pk=person.pk).quota == 0
    assert "reached" in page(admin, "/p/winter/batches/")
    for wrong in ("-1", "1.5", "many"):
        answer = admin.post("/p/winter/batches/quotas/", {field: wrong})
        assert answer.status_code == 422 and f'value="{wrong}"' in answer.content.decode()
    page(admin, "/p/winter/batches/quotas/", **{field: ""})
    assert Membership.objects.get(pk=person.pk).quota is None
    assert admin.post("/p/winter/batches/campaign/", {"quota": "-3", "new_batches": "open"}).status_code == 422
    assert admin.post("/p/winter/batches/campaign/", {"quota": "", "new_batches": "paused"}).status_code == 422


def test_the_quota_of_somebody_elsewhere_cannot_be_set(project, admin):
    stranger = builders.make_member(builders.make_project())
    admin.post("/p/winter/batches/quotas/", {f"quota-{stranger.public_id}": "3"})
    assert Membership.objects.get(pk=stranger.pk).quota is None


def test_teams_are_shown_before_they_are_made(project, admin, batch):
    people = [builders.make_member(project, pseudonym=f"p-{letter}") for letter in "abcdef"]
    for number in range(5):
        builders.make_open_item(project, batch="hedges", external_id=f"x{number}")
    begun = builders.make_open_item(project, batch="hedges", external_id="begun")
    builders.make_label(begun.seat_rows.first(), people[0], 0)
    asked = {
        "people": [str(person.public_id) for person in people],
        "size": "3",
        "how": "split",
        "batches": ["b:hedges"],
    }
    shown = admin.post("/p/winter/batches/teams/", asked)
    assert "Who would get what" in shown.content.decode() and Batch.objects.count() == 1
    assert "a team here has fewer" not in shown.content.decode()
    assert "a team here has fewer" in page(admin, "/p/winter/batches/teams/", **asked | {"size": "2"})
    seen = shown.context["plan"].digest
    changed = admin.post("/p/winter/batches/teams/", asked | {"seen": "something else"})
    assert "look at the plan again" in changed.content.decode() and Batch.objects.count() == 1
    assert "2 teams are made" in page(admin, "/p/winter/batches/teams/", **asked, seen=seen)
    found = {
        row.name: [member.pseudonym for member in row.members.order_by("pseudonym")] for row in Batch.objects.all()
    }
    assert found == {
        "hedges": [],
        "hedges team 1": ["p-a", "p-b", "p-c"],
        "hedges team 2": ["p-d", "p-e", "p-f"],
    }
    one, two = (Batch.objects.get(name=f"hedges team {number}") for number in (1, 2))
    where = {item.external_id: (item.batch, item.queue) for item in Item.objects.all()}
    assert where == {
        **dict.fromkeys(("x0", "x2", "x4"), ("hedges team 1", one.pk)),
        **dict.fromkeys(("x1", "x3"), ("hedges team 2", two.pk)),
        "begun": ("hedges", 0),
    }


def test_teams_of_a_batch_with_nothing_to_share_out_are_not_offered(project, admin, batch):
    people = [builders.make_member(project) for _ in range(6)]
    builders.make_label(builders.make_open_item(project, batch="hedges").seat_rows.first(), people[0], 0)
    asked = {"people": [str(each.public_id) for each in people], "size": "3", "how": "split", "batches": ["b:hedges"]}
    shown = admin.post("/p/winter/batches/teams/", asked)
    assert "there is nothing to share out" in compact(shown.content.decode())
    assert "Make these teams" not in shown.content.decode()
    admin.post("/p/winter/batches/teams/", asked | {"seen": shown.context["plan"].digest})
    assert Batch.objects.count() == 1


def test_the_column_of_labels_counts_labels_and_names_what_is_held(project, admin):
    ann = builders.make_member(project)
    Membership.objects.filter(pk=ann.pk).update(quota=2)
    builders.make_label(builders.make_open_item(project).seat_rows.first(), ann, 0)
    builders.make_open_item(project)
    claim(ann)
    text = compact(admin.get("/p/winter/batches/").content.decode())
    assert '1 <small class="quiet">+ 1 held</small>' in text
    assert '<span class="chip is-warn">reached</span>' not in text


def test_whole_batches_are_dealt_out_among_teams(project, admin):
    people = [builders.make_member(project, pseudonym=f"p-{letter}") for letter in "abcdef"]
    for name in ("", "a", "b"):
        builders.make_open_item(project, batch=name)
    asked = {
        "people": [str(person.public_id) for person in people],
        "size": "3",
        "how": "assign",
        "batches": ["b:", "b:a", "b:b"],
    }
    seen = admin.post("/p/winter/batches/teams/", asked).context["plan"].digest
    admin.post("/p/winter/batches/teams/", asked | {"seen": seen})
    names = {row.name: "".join(member.pseudonym[-1] for member in row.members.all()) for row in Batch.objects.all()}
    assert {name: "".join(sorted(who)) for name, who in names.items()} == {"": "abc", "a": "def", "b": "abc"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"size": "4"}, "fewer people than one group needs"),
        ({"batches": ["b:a", "b:b"]}, "choose one"),
        ({"people": []}, "Choose people."),
        ({"batches": []}, "Choose a batch."),
    ],
)
def test_teams_that_cannot_be_made_are_refused_with_a_sentence(project, admin, change, sentence):
    people = [builders.make_member(project) for _ in range(3)]
    for name in ("a", "b"):
        builders.make_open_item(project, batch=name)
    asked = {"people": [str(person.public_id) for person in people], "size": "3", "how": "split", "batches": ["b:a"]}
    answer = admin.post("/p/winter/batches/teams/", asked | change)
    assert answer.status_code == 422 and sentence in answer.content.decode()


@pytest.mark.parametrize("items", [4, 60])
def test_the_pages_take_the_same_few_queries(project, admin, batch, items, django_assert_max_num_queries):
    people = [builders.make_member(project) for _ in range(3)]
    batch.members.set(people)
    Batch.objects.update(limited=True)
    for number in range(items):
        item = builders.make_open_item(project, batch="hedges" if number % 2 else f"b{number % 6}")
        Skip.objects.create(item=item, annotator=people[number % 3])
    for address in ("/p/winter/batches/", f"/p/winter/batches/{batch.public_id}/"):
        with django_assert_max_num_queries(16):
            admin.get(address)
