"""Make the seats of items: k where an item is opened, and for a check one for each annotator, before they come.

So a claim takes a free seat of either, by the same statements.
"""

from collections.abc import Sequence

from django.db import connection
from django.db.models import Exists, F, OuterRef

from annotation.domain.choices import Stage
from annotation.models import Item, KnownAnswer, Membership, Project, Seat

SPARE = 2
"""Free seats of a check for people who join before more are made."""


def make_seats(items: Sequence[int], most: int) -> None:
    """Give each item the seats of its round that it lacks, in one statement; none has more than `most`."""
    _insert(items, most, "i.seats")


def make_check_seats(project: Project | int, *items: Item) -> int:
    """Give each check in use as many seats as the project has annotators, and a few more; return how many were made.

    With `items`, only to these of the project.
    """
    seats = Membership.objects.filter(project=project, annotates=True).count() + SPARE
    last = Seat.objects.filter(item=OuterRef("pk"), round=OuterRef("round"), number=seats)
    in_use = {"known_answer__active": True, "known_answer__training": False}
    checks = Item.objects.filter(~Exists(last), project=project, stage=Stage.KNOWN, **in_use)
    if items:
        checks = checks.filter(pk__in=[item.pk for item in items])
    return _insert(list(checks.order_by("pk").values_list("pk", flat=True)), seats, "n.number")


def make_all_check_seats() -> int:
    """Make the seats of checks that a project lacks, for people who came in another way. A step of the sweeper."""
    projects = Project.objects.filter(Exists(KnownAnswer.objects.filter(item__project=OuterRef("pk"), training=False)))
    return sum(make_check_seats(key) for key in projects.values_list("pk", flat=True))


def add_check_seats(item: int) -> bool:
    """Add free seats to a locked check that has none left. Return False for any other item."""
    if not Item.objects.filter(pk=item, stage=Stage.KNOWN).exists():
        return False
    return bool(_insert([item], Seat.objects.filter(item=item, round=F("item__round")).count() + SPARE, "n.number"))


_RANDOM_UUID = """
    lower(
        hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2)
        || substr('89ab', 1 + abs(random() % 4), 1) || substr(hex(randomblob(8)), 2)
    )
"""
"""A UUID as `uuid4` makes it, so that a seat added later looks the same."""


def _insert(items: Sequence[int], most: int, seats: str) -> int:
    """Insert the seats 1 to `most`, at most `seats` (SQL, copied to each seat), that the items lack.

    Those that are there are found by the constraint: a search for what is missing may read all seats of the site.
    """
    if not items:
        return 0
    item, seat = Item._meta.db_table, Seat._meta.db_table
    a_key = "gen_random_uuid()" if connection.vendor == "postgresql" else _RANDOM_UUID
    with connection.cursor() as cursor:
        cursor.execute(f"""
            INSERT INTO {seat} (public_id, item_id, round, number, seats, reveals, prior_arm)
            WITH RECURSIVE numbers(number) AS (
                SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < {int(most)}
            )
            SELECT {a_key}, i.id, i.round, n.number, {seats}, 0, ''
            FROM {item} i JOIN numbers n ON n.number <= {seats}
            WHERE i.id IN ({",".join(str(int(key)) for key in items)})
            ON CONFLICT (item_id, round, number) DO NOTHING
        """)
        made: int = cursor.rowcount
    return made
