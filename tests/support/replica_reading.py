"""Use a site that has a replica, and tell which database each query asked. Called in a process of that site."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.test import Client

import site_visitors
from annotation.analytics import stored_figures
from annotation.domain.choices import FigureKind, Role
from annotation.items import export
from annotation.members.join import add_member
from annotation.models import Figures, Item, JobState, Membership, Project
from runs.sql import read_replica

SLUG = "replica"


def fill(items: int) -> int:
    """Create a project with an admin and gold items, and return how many there are."""
    site_visitors.fill(SLUG, items, 2)
    project = Project.objects.get(slug=SLUG)
    add_member(project, "the-admin", Role.ADMIN)
    return Item.objects.filter(project=project).count()


def asked(use: Callable[[], Any]) -> dict[str, Any]:
    """Return what a function returns, and how many queries of posts and labels it asked of which database."""
    for name in ("primary", "replica"):
        database = connections[_ALIASES[name]]
        database.force_debug_cursor = True  # keeps queries, and connects only when one is made
        database.queries_log.clear()
    return {"value": use()} | {name: len(posts_asked(name)) for name in ("primary", "replica")}


def posts_asked(name: str) -> list[str]:
    """Return the queries for posts that this database was asked."""
    log = connections[_ALIASES[name]].queries_log
    return [query["sql"] for query in log if "annotation_item" in query["sql"] and query["sql"].startswith("SELECT")]


_ALIASES = {"primary": "default", "replica": read_replica.REPLICA}


def file_of_items() -> dict[str, Any]:
    """Write all items as CSV; `value` is the digest and the number of rows."""
    admin = Membership.objects.select_related("project", "user").get(user__username="the-admin")

    def write() -> list[Any]:
        content = b"".join(export.as_csv(admin, {}))
        return [sha256(content).hexdigest(), content.count(b"Post ")]

    return asked(write)


def figures() -> dict[str, Any]:
    """Compute the dashboard as a worker does; `value` is the number of items in it."""
    row = Figures.objects.create(project=Project.objects.get(slug=SLUG), kind=FigureKind.DASHBOARD)

    def compute() -> Any:
        stored_figures.FIGURES.perform(row.pk)
        row.refresh_from_db()
        assert row.state == JobState.DONE, row.problem
        return [row.result["counts"], row.events]

    return asked(compute)


def inside_a_transaction() -> dict[str, Any]:
    """Count items in a transaction that writes: it must see what it has written itself."""

    def count() -> int:
        with transaction.atomic():
            Item.objects.create(project=Project.objects.get(slug=SLUG), external_id="mine", text="Mine.")
            with read_replica.from_replica():
                seen = Item.objects.filter(external_id="mine").count()
            transaction.set_rollback(True)
        return seen

    return asked(count)


def change_what_the_replica_gave() -> list[str]:
    """Read an item from the replica and save it; return from where it came, where it went, and its text there."""
    with read_replica.from_replica():
        item = Item.objects.order_by("pk").first()
    assert item is not None
    came_from = item._state.db
    item.text = "Changed."
    item.save(update_fields=["text"])
    return [str(came_from), str(item._state.db), Item.objects.get(pk=item.pk).text]


def write_to_the_replica() -> str:
    """Try to write there, and return how that is refused."""
    try:
        Item.objects.using("replica").filter(external_id="i-0").update(text="Wrong.")
    except Exception as refused:
        return str(refused)
    return ""


def impatient() -> None:
    """Wait less for a replica that is behind."""
    read_replica.PATIENCE = 0.3


def lag() -> str:
    """Return how late the replica is, as Prometheus reads it."""
    token = {"Authorization": f"Bearer {settings.METRICS_TOKEN}", "Host": "127.0.0.1"}
    lines = Client().get("/metrics", headers=token).content.decode().splitlines()
    (line,) = (line for line in lines if line.startswith("interplay_replica_lag_seconds "))
    return line.partition(" ")[2]
