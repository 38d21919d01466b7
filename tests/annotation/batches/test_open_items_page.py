"""The admin's page that opens items and the project."""

import pytest
from django.test import Client

import builders
from annotation.domain.choices import Role, Stage
from annotation.items import views
from annotation.models import Item, Project, Skip

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return builders.make_project("winter")


@pytest.fixture
def admin(project: Project, client: Client) -> Client:
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    return client


def test_the_page_says_what_of_each_batch_can_be_opened(project, admin):
    builders.make_item(project, stage=Stage.READY, batch="pilot")
    builders.make_item(project, stage=Stage.READY, batch="pilot", picture_missing=True)
    builders.make_open_item(project)
    page = admin.get("/p/winter/items/open/", follow=True).content.decode()
    assert "pilot" in page and "Open 1 ready item" in page and "without a batch" in page


def test_ready_items_are_counted_up_to_a_bound_beside_the_list(project, admin, monkeypatch):
    for _ in range(2):
        builders.make_item(project, stage=Stage.READY)
    assert "Open 2 ready items" in admin.get("/p/winter/items/").content.decode()
    monkeypatch.setattr(views, "MOST_COUNTED", 1)
    assert "Open the ready items (more than 10,000)" in admin.get("/p/winter/items/").content.decode()


def test_one_batch_or_all_are_opened(project, admin):
    builders.make_item(project, stage=Stage.READY, batch="pilot")
    builders.make_item(project, stage=Stage.READY, batch="")
    builders.make_item(project, stage=Stage.READY, batch="main")
    assert "1 item is open" in admin.post("/p/winter/items/open/", {"batch": "pilot"}, follow=True).content.decode()
    assert Item.objects.filter(stage=Stage.READY).count() == 2
    assert "2 items are open" in admin.post("/p/winter/items/open/", follow=True).content.decode()
    assert not Item.objects.filter(stage=Stage.READY).exists()
    assert "Nothing was ready" in admin.post("/p/winter/items/open/", follow=True).content.decode()


def test_a_project_is_closed_and_opened_again(project, admin):
    assert "Close the project" in admin.get("/p/winter/batches/").content.decode()
    admin.post("/p/winter/items/open/project/", {"open": "0"})
    assert not Project.objects.get().is_open
    assert "Open the project" in admin.get("/p/winter/batches/").content.decode()
    admin.post("/p/winter/items/open/project/", {"open": "1"})
    assert Project.objects.get().is_open


def test_items_that_everybody_skipped_are_listed(project, admin):
    person, other = builders.make_member(project), builders.make_member(project)
    left = builders.make_open_item(project, external_id="left-over")
    builders.make_label(left.seat_rows.first(), person, 0)
    Skip.objects.create(item=left, annotator=other)
    half = builders.make_open_item(project, external_id="half-done")
    Skip.objects.create(item=half, annotator=other)
    page = admin.get("/p/winter/batches/").content.decode()
    assert "left-over" in page and "half-done" not in page
    builders.make_member(project)
    assert "left-over" not in admin.get("/p/winter/batches/").content.decode()


@pytest.mark.parametrize("items", [3, 60])
def test_the_page_takes_the_same_few_queries(project, admin, items, django_assert_max_num_queries):
    for number in range(items):
        builders.make_item(project, stage=Stage.READY, batch=f"b{number % 3}")
    with django_assert_max_num_queries(15):
        admin.get("/p/winter/batches/")
