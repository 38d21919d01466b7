"""The tour: four steps for a role, to be left at any step, never shown again unless asked for."""

import pytest
from django.test import Client

from annotation.domain.choices import Role
from annotation.members import join
from annotation.models import User
from tests.support import builders

pytestmark = pytest.mark.django_db


def _send(client: Client, slug: str, **form: object) -> str:
    response = client.post(f"/p/{slug}/tour/", form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return str(response.content.decode())


def _newcomer() -> tuple[Client, str, User]:
    project = builders.make_project()
    user = join.add_member(project, "robin", Role.REVIEWER).membership.user
    client = Client()
    client.force_login(user)
    return client, project.slug, user


def test_four_steps_lead_through_the_tour_and_none_follows():
    client, slug, user = _newcomer()
    assert "1/4" in client.get(f"/p/{slug}/help/").content.decode()
    pages = [_send(client, slug, role="reviewer", step=step, do="next") for step in (1, 2, 3, 4)]
    assert ["2/4" in pages[0], "3/4" in pages[1], "4/4" in pages[2], pages[3].strip()] == [True, True, True, ""]
    assert 'class="tour ' not in client.get(f"/p/{slug}/help/").content.decode()
    user.refresh_from_db()
    assert user.tours == {"reviewer": 4}


def test_whoever_leaves_the_tour_gets_it_again_only_from_the_help_page():
    client, slug, user = _newcomer()
    assert _send(client, slug, role="reviewer", step=1, do="leave").strip() == ""
    join.add_member(builders.make_project(), "robin", Role.REVIEWER)
    user.refresh_from_db()
    assert user.tours == {"reviewer": 4}
    client.post(f"/p/{slug}/tour/", {"do": "again"})
    user.refresh_from_db()
    assert user.tours == {"reviewer": 0}


def test_a_step_sent_twice_passes_over_no_other():
    client, slug, _user = _newcomer()
    _send(client, slug, role="reviewer", step=1, do="next")
    assert "2/4" in _send(client, slug, role="reviewer", step=1, do="next")


def test_a_project_without_pictures_is_told_nothing_about_them():
    project = builders.make_project()
    user = join.add_member(project, "robin", Role.ANNOTATOR).membership.user
    client = Client()
    client.force_login(user)
    address = f"/p/{project.slug}/help/"
    page = client.get(address).content.decode()
    assert "1/4" in page and "Read the post." in page and "Pictures start blurred. Hold" not in page
    builders.make_picture(project)
    assert "Pictures start blurred. Hold" in client.get(address).content.decode()


@pytest.mark.parametrize(("language", "words"), [("en", "Find a post."), ("zh-hans", "找到帖子。"), ("ko", ".")])
def test_the_heading_of_a_step_ends_as_its_language_ends_a_sentence(language, words):
    client, slug, _user = _newcomer()
    page = client.get(f"/p/{slug}/help/", headers={"Accept-Language": language}).content.decode()
    strong = " ".join(page.split("<strong>")[1].split("</strong>")[0].split())
    assert strong.endswith(words)
