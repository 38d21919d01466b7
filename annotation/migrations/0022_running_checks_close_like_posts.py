"""Checks that are there follow a post of their annotator, and have seats for all."""

from bisect import bisect_left
from os import urandom
from random import choice
from uuid import UUID, uuid4

from django.db import migrations

RECENT, SPARE, AT_ONCE = 8, 2, 1_000


def follow(apps, schema_editor):
    """Let each check that somebody holds or has labelled follow one of the posts that they labelled just before it."""
    seats = apps.get_model("annotation", "Seat").objects
    given = seats.filter(item__stage="known", annotator__isnull=False, closes_with=None)
    for member in given.order_by().values_list("annotator", flat=True).distinct():
        posts = seats.filter(annotator=member, label__isnull=False).exclude(item__stage="known").order_by("filled_at")
        rows = list(posts.values_list("filled_at", "pk"))
        if not rows:
            continue
        for check in given.filter(annotator=member):
            place = len(rows) if check.filled_at is None else bisect_left(rows, (check.filled_at, 0))
            followed = choice(rows[max(0, place - RECENT) : place] or rows[:1])[1]
            seats.filter(pk=check.pk).update(closes_with=followed)


def make_seats(apps, schema_editor):
    """Give each check in use a seat for each annotator; the ids look like those of other posts' seats."""
    Item = apps.get_model("annotation", "Item")
    Seat = apps.get_model("annotation", "Seat")
    Membership = apps.get_model("annotation", "Membership")
    new_id = uuid4 if schema_editor.connection.vendor == "postgresql" else lambda: UUID(bytes=urandom(16))
    checks = Item.objects.filter(stage="known", known_answer__active=True, known_answer__training=False)
    for project in checks.order_by().values_list("project", flat=True).distinct():
        wanted = Membership.objects.filter(project=project, annotates=True).count() + SPARE
        for check in checks.filter(project=project):
            there = set(Seat.objects.filter(item=check, round=check.round).values_list("number", flat=True))
            Seat.objects.bulk_create(
                [
                    Seat(public_id=new_id(), item=check, round=check.round, number=number, seats=number)
                    for number in range(1, wanted + 1)
                    if number not in there
                ],
                batch_size=AT_ONCE,
            )


class Migration(migrations.Migration):

    dependencies = [
        ('annotation', '0021_checks_close_like_posts'),
    ]

    operations = [
        migrations.RunPython(follow, migrations.RunPython.noop, elidable=True),
        migrations.RunPython(make_seats, migrations.RunPython.noop, elidable=True),
    ]
