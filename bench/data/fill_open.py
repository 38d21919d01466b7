"""Fill the configured database with open projects of these sizes, and BENCH_PEOPLE (32) signed-in annotators in each.

    python bench/data/fill_open.py SIZE…

The items come and are opened by the site's own commands, and nothing is prepared beyond that.

Prints JSON: for each size the project, a category, and each annotator's membership and session; and how many rows the
annotator's page and its form read, update and insert. bench/claim_and_submit.py runs it.
"""

import json
import os
import re
import sys
import tempfile
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.references.bare_site")
django.setup()

from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.choices import Role
from annotation.members.join import add_member
from annotation.members.participation import consent
from annotation.models import Membership, Project, User
from annotation.projects.create import create_project

PEOPLE = int(os.environ.get("BENCH_PEOPLE", "32"))
TEXT = "a remark about weeds and roses in a garden, and then some more words to fill a usual post."


def fill(size: int) -> dict[str, Any]:
    project = create_project(f"bench-{size}")
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as posts:
        posts.write("id,text\n")
        posts.writelines(f'i-{number},"Post {number}: {TEXT}"\n' for number in range(size))
        posts.flush()
        call_command("import_items", project.slug, posts.name, stdout=StringIO())
    call_command("batches", project.slug, "--open-all", stdout=StringIO())
    return signed_in(project)


def signed_in(project: Project) -> dict[str, Any]:
    """Add the annotators to a project. Return it with a category and each annotator's membership and session."""
    people = [add_member(project, f"annotator-{number}", Role.ANNOTATOR).membership for number in range(PEOPLE)]
    for member in people:
        consent(member)
    return {
        "slug": project.slug,
        "project": project.pk,
        "category": project.categories.get(code=0).pk,
        "people": [{"member": member.pk, "session": session(member.user)} for member in people],
    }


def session(user: User | None) -> str:
    assert user is not None
    client = Client()
    client.force_login(user)
    return str(client.cookies["sessionid"].value)


def counts(project: Project) -> dict[str, list[int]]:
    """Count the rows that page and form read, update and insert beyond a bare view, for BARE_GET and BARE_POST."""
    member = Membership.objects.filter(project=project).select_related("user").first()
    assert member is not None and member.user is not None
    client = Client(headers={"host": "127.0.0.1"})
    client.force_login(member.user)
    claimed = claim(member)
    assert isinstance(claimed, HeldSeat)
    form = {"category": "0", "key": str(uuid4())}
    category = project.categories.get(code=0).pk
    bare = f"/bare/?member={member.pk}&project={project.pk}&category={category}"
    swapped = {"HX-Request": "true", "HX-Target": "bench"}
    post = statement_counts(
        lambda: client.post(f"/p/{project.slug}/label/{claimed.seat.public_id}/", form, headers=swapped)
    )
    get = statement_counts(lambda: client.get(f"/p/{project.slug}/label/"))
    empty = statement_counts(lambda: client.get(bare))
    return {
        "BARE_POST": [max(0, page_count - bare_count) for page_count, bare_count in zip(post, empty, strict=True)],
        "BARE_GET": [max(0, page_count - bare_count) for page_count, bare_count in zip(get, empty, strict=True)],
    }


def statement_counts(act: Any) -> list[int]:
    """Return the numbers of reads, updates and inserts of a request; one statement may update and insert."""
    with CaptureQueriesContext(connection) as queries:
        response = act()
    assert response.status_code in (200, 302), (response.status_code, response.content[:500])
    statements = [query["sql"].lstrip() for query in queries.captured_queries]
    reads = sum(statement.startswith("SELECT") for statement in statements)
    texts = " ".join(statements)
    updates, inserts = (len(re.findall(change, texts)) for change in ('UPDATE "', "INSERT INTO"))
    return [reads, updates, inserts]


def main(*sizes: str) -> None:
    projects = {size: fill(int(size)) for size in sizes}
    queries = counts(Project.objects.get(slug=projects[sizes[0]]["slug"]))
    print(json.dumps({"projects": projects, "queries": queries}))


if __name__ == "__main__":
    main(*sys.argv[1:])
