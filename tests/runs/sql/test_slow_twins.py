"""Compiled queries give what their querysets give, on the rows of real pages and runs."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.test import Client

from annotation.models import Item, Seat
from builders import make_member, make_open_item, make_project
from moderation.debates import start as debate_start
from runs.methods.method import method_named
from runs.models import Run
from runs.sql.compiled_queries import CompiledQuery

pytestmark = pytest.mark.django_db


def values_of(row: Any) -> dict[str, Any]:
    """The row's values, and those of the rows at hand through its foreign keys."""
    own = {
        name: value for name, value in vars(row).items() if name not in ("_state", "_name_before", "now", "newest_day")
    }
    related = row._state.fields_cache.items()
    return own | {f"{name} at hand": other and values_of(other) for name, other in related}


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Compares each compiled query with its queryset wherever the site runs it; the queries that were compared."""
    seen: list[int] = []
    rows = CompiledQuery.rows

    def both(self: CompiledQuery[Any], **values: Any) -> list[Any]:
        found = rows(self, **values)
        with transaction.atomic():
            expected = self.queryset_rows(**values)
        assert [values_of(row) for row in found] == [values_of(row) for row in expected]
        seen.append(id(self))
        return found

    monkeypatch.setattr(CompiledQuery, "rows", both)
    return seen


def test_every_compiled_query_of_a_labelled_post_and_a_debate_gives_what_its_queryset_gives(
    client: Client, compared: list[int]
) -> None:
    project = make_project()
    member = make_member(project)
    for number in range(3):
        make_open_item(project, f"Post {number} about a garden.")
    client.force_login(member.user)
    page = f"/p/{project.slug}/label/"
    assert client.get(page).status_code in (200, 302)
    assert client.get(page, follow=True).status_code == 200
    seat = Seat.objects.get(annotator=member)
    category = project.categories.get(code=0)
    assert client.post(page, {"seat": seat.public_id, "key": uuid4(), "category": category.pk}).status_code < 500
    debate_start.start_runs(project, Item.objects.all(), debate_start.DebateRequest("arcade"), ring=False)
    run = Run.objects.get(subject=Item.objects.order_by("pk")[0].public_id)
    method = method_named("arcade")
    assert method.case(run) is not None and method.still_wanted(run)
    assert len(set(compared)) >= 5
