"""A project of hundreds of thousands of posts with seats and labels, made by the database from one row of each kind."""

from collections.abc import Mapping

from django.db import connection, transaction
from django.db.models import Model

import builders
from annotation.domain.choices import BatchState, Level, Reason, Source, Stage
from annotation.models import Batch, Dispute, Item, Label, Membership, Project, Seat
from bench.data.copied_rows import copy

BATCHES = 20
UUID = "gen_random_uuid()"


def fill(project: Project, people: list[Membership], posts: int) -> None:
    """Give the project `posts` posts: half gold, every tenth of them disputed, the rest in labelling; on PostgreSQL.

    Three seats each. Gold and disputed posts have three labels, every fourth post in labelling has one.
    `people`, three or more, label by turns.
    """
    Batch.objects.bulk_create(
        Batch(project=project, name=f"batch {number:02}", state=BatchState.OPEN) for number in range(BATCHES)
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT usesuper FROM pg_user WHERE usename = current_user")
        if cursor.fetchone() == (True,):
            cursor.execute("SET LOCAL session_replication_role = replica")  # a million references need no check
        _posts(project, posts)
        _seats(project, people)
        _disputes(project)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _posts(project: Project, posts: int) -> None:
    item = Item(project=project, external_id="p-0", text="A post about weeds.", batch="batch 00", seats=3)
    item.stage, item.taken = Stage.LABELLING, 0
    item.save()
    gold = Item(
        project=project,
        external_id="g-0",
        text="A post about roses.",
        seats=3,
        stage=Stage.GOLD,
        taken=3,
        level=Level.PERFECT,
        category=builders.category(project, 1),
        hateful=True,
        category_source=Source.CONSENSUS,
        pattern="001",
        difficulty="easy",
        batch="batch 00",
    )
    gold.save()
    batch = f"'batch ' || lpad((n % {BATCHES})::text, 2, '0')"
    own = {"public_id": UUID, "place": "(random() * 2147483646)::int", "batch": batch}
    when = "now() - n * interval '1 minute'"
    words = "'post about ' || n"
    texts = {"text": words, "folded": words, "created_at": when}
    multiply(item, posts // 2, own | texts | {"external_id": "'p-' || n", "taken": "(n % 4 = 1)::int"})
    disputed = {
        "stage": f"CASE WHEN n % 10 = 0 THEN '{Stage.DISPUTED}' ELSE t.stage END",
        "closed_at": when,
        "gold_at": f"CASE WHEN n % 10 = 0 THEN NULL ELSE {when} END",
    }
    multiply(gold, posts - posts // 2, own | texts | disputed | {"external_id": "'g-' || n"})


def _seats(project: Project, people: list[Membership]) -> None:
    """Give each post three seats, and those with an annotator a label of the same key."""
    keys = ",".join(str(person.pk) for person in people)
    who = f"(ARRAY[{keys}])[1 + (i.id + number) % {len(people)}]"
    table, taken = Seat._meta.db_table, "number <= i.taken"
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            INSERT INTO {table} (
                id, public_id, item_id, round, number, seats, reveals, prior_arm, annotator_id, held_at,
                filled_at, label_id
            )
            SELECT 3 * i.id + number, {UUID}, i.id, 1, number, 3, 0, '', CASE WHEN {taken} THEN {who} END,
                CASE WHEN {taken} THEN i.created_at END, CASE WHEN {taken} THEN i.created_at END,
                CASE WHEN {taken} THEN 3 * i.id + number END
            FROM {Item._meta.db_table} i, generate_series(1, 3) number WHERE i.project_id = {project.pk}
            """
        )
    first = Seat.objects.filter(item__project=project, annotator__isnull=False).select_related("item").order_by("pk")[0]
    assert first.annotator is not None
    category = builders.category(project, 1)
    label = Label(pk=first.pk, seat=first, item=first.item, annotator=first.annotator, category=category, seconds=5)
    label.save(force_insert=True)
    own = {"id": "n.id", "seat_id": "n.id", "item_id": "n.item_id", "annotator_id": "n.annotator_id"}
    others = f"SELECT id, item_id, annotator_id, filled_at FROM {table} WHERE annotator_id > 0 AND id <> {first.pk}"
    copy(label, f"({others}) n", own | {"created_at": "n.filled_at", "public_id": UUID, "client_key": UUID})
    with connection.cursor() as cursor:
        for model in (Seat, Label):
            name = model._meta.db_table
            cursor.execute(f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), (SELECT max(id) FROM {name}))")


def _disputes(project: Project) -> None:
    disputed = Item.objects.filter(project=project, stage=Stage.DISPUTED).order_by("pk").first()
    assert disputed is not None
    dispute = Dispute.objects.create(item=disputed, reason=Reason.NO_MAJORITY)
    items = f"(SELECT id, created_at FROM {Item._meta.db_table} WHERE stage = 'disputed' AND id <> {disputed.pk}) n"
    copy(dispute, items, {"item_id": "n.id", "opened_at": "n.created_at"})


def multiply(row: Model, times: int, columns: Mapping[str, str]) -> None:
    """Copy a row until there are `times` of it; `columns` are SQL of what differs, with the number as `n`."""
    copy(row, f"generate_series(1, {int(times) - 1}) n", columns)
