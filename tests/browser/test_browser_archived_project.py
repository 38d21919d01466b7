"""The stylesheet hides what an archived project refuses; tests/whole_site/test_archived_project.py walks all pages."""

import pytest
from django.urls import reverse

import builders
from annotation.domain.choices import Role
from annotation.projects import lifecycle

pytestmark = pytest.mark.django_db(transaction=True)


def test_an_archived_project_shows_only_buttons_that_work(page_of, live_server):
    project = builders.make_project("past")
    admin, other = builders.make_member(project, Role.ADMIN), builders.make_member(project, Role.ANNOTATOR)
    lifecycle.archive(project, admin)
    page, shown = page_of(admin), {}
    for name in ("members", "member", "import", "batches", "training-setup", "models", "project-life"):
        parts = [project.slug, other.public_id] if name == "member" else [project.slug]
        page.goto(live_server.url + reverse(f"annotation:{name}", args=parts))
        assert page.locator("main form[method=post] button").count(), name
        shown[name] = page.locator("main form[method=post] button:visible").all_inner_texts()
    shown = {name: texts for name, texts in shown.items() if texts}
    assert shown == {"member": ["End access", "Make a link"], "project-life": ["Work in it again"]}
