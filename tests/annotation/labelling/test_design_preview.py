"""The annotator's page with a design that is not stored yet."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.domain.choices import PriorDisplay, Role
from annotation.domain.design.file import read_design
from annotation.models import Project
from annotation.projects.design import change_design
from builders import make_member, make_open_item, make_project
from markup import compact
from page_forms import design_fields

pytestmark = pytest.mark.django_db

SCALE = {"code": "severity", "wording": "How severe is it?", "kind": "scale", "points": 5, "required": True}
WORDS = {"code": "words", "wording": "Which words?", "kind": "span"}


@pytest.fixture
def project() -> Project:
    project = make_project("garden", prior_display=PriorDisplay.AFTER_FIRST_ANSWER, glossary_for_annotators=True)
    make_open_item(project, text="A post of a stranger")
    rows = [{"code": 0, "name": "Fine", "hateful": False}, {"code": 1, "name": "Bad", "hateful": True}]
    change_design(project, read_design({"categories": rows, "questions": [SCALE, WORDS]}), admin=None)
    return project


def typed(client, project, **fields):
    client.force_login(make_member(project, Role.ADMIN).user)
    return design_fields(client.get("/p/garden/design/")) | fields


def test_an_admin_sees_the_design_as_typed_on_a_post_of_ours_and_nothing_is_stored(client, project):
    fields = typed(client, project, **{"question_": "It is", "category-1-name": "Worse", "category-0-key": "5"})
    with CaptureQueriesContext(connection) as queries:
        page = compact(client.post("/p/garden/design/preview/", fields).content.decode())
    assert [each["sql"] for each in queries if not each["sql"].startswith("SELECT")] == []
    assert "A post of a stranger" not in page and "This is a sample post." in page
    assert 'aria-label="It is"' in page and ">Worse<" in page and 'data-key="5"' in page
    assert "How severe is it?" in page and "Which words?" in page  # though annotators see models' views later
    # Nothing of it is sent: neither by a form nor by a script. Sign-out and language are the menu's.
    assert set(re.findall(r'<form [^>]*id="(?:answer|skip|later|undo)"[^>]*method="(\w+)"', page)) == {"dialog"}
    assert not re.search(r"hx-(post|get)=|data-renew|/report/", page)


def test_what_cannot_be_stored_is_said_instead_of_shown(client, project):
    fields = typed(client, project, **{"category-1-name": "Fine"})
    page = client.post("/p/garden/design/preview/", fields)
    assert page.status_code == 422 and "Another category has this name." in page.content.decode()


def test_the_page_of_a_real_post_is_none_of_a_preview(client, project):
    """The parts that are the same for every post are kept between requests: a preview is none of them."""
    client.post("/p/garden/design/preview/", typed(client, project))
    client.force_login(make_member(project, Role.ANNOTATOR).user)
    page = client.get("/p/garden/label/").content.decode()
    assert 'method="dialog"' not in page and "A post of a stranger" in page
