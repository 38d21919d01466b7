"""The header of a project's pages: one link for each group of places, the rest as tabs on their first pages."""

import re

import pytest
from django.test import Client

from annotation.domain.choices import Role
from annotation.models import Membership, Project
from builders import make_member, make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project("garden")


def seen(member: Membership, path: str) -> tuple[list[str], list[str]]:
    """The texts of the header's links and of the tabs beneath the heading; the current one in brackets."""
    assert member.user is not None
    client = Client()
    client.force_login(member.user)
    page = client.get(f"/p/garden/{path}").content.decode()
    return _links(page, "site-nav"), _links(page.partition("<h1")[2], "tabs")


def _links(page: str, name: str) -> list[str]:
    found = re.search(rf'<nav class="{name}".*?</nav>', page, re.DOTALL)
    links = re.findall(r"<a ([^>]*)>(.*?)</a>", found[0]) if found else []
    return [f"[{text}]" if "aria-current" in attributes else text for attributes, text in links]


def test_an_admin_finds_imports_and_priors_beside_the_items(project: Project):
    admin = make_member(project, Role.ADMIN)
    header, tabs = seen(admin, "items/")
    assert header[:2] == ["Desk", "[Items]"]  # the rules of the desk are theirs
    assert not {"Import", "Priors", "Models", "Evaluations", "Documents"} & set(header)
    assert tabs == ["[Items]", "Import", "Priors", "Samples"]
    header, tabs = seen(admin, "import/")
    assert "[Items]" in header and "[Import]" in tabs


def test_an_admin_finds_models_and_documents_beside_the_debates(project: Project):
    header, tabs = seen(make_member(project, Role.ADMIN), "models/")
    assert "[Debates]" in header
    assert tabs == ["Debates", "Evaluations", "Scores", "Documents", "[Models]"]


def test_a_reviewer_gets_tabs_for_what_they_may_open(project: Project):
    reviewer = make_member(project, Role.REVIEWER)
    header, tabs = seen(reviewer, "debates/")
    assert header[:2] == ["Desk", "Items"] and "[Debates]" in header and "Samples" not in header
    assert tabs == ["[Debates]", "Evaluations", "Scores"]


def test_an_annotator_has_one_link_and_no_tabs(project: Project):
    header, tabs = seen(make_member(project), "guidelines/")
    assert header == ["Annotate"] and tabs == []


def test_the_address_of_a_project_leads_to_where_each_member_s_work_begins(project: Project):
    first = {}
    for role in Role:
        member = make_member(project, role)
        assert member.user is not None
        client = Client()
        client.force_login(member.user)
        first[role] = client.get("/p/garden/", follow=True).redirect_chain[0]
    assert first == {
        Role.ANNOTATOR: ("/p/garden/label/", 302),
        Role.REVIEWER: ("/p/garden/desk/", 302),
        Role.ADMIN: ("/p/garden/desk/", 302),
    }
    stranger = Client()
    stranger.force_login(make_user("stranger"))
    assert stranger.get("/p/garden/").status_code == 404
