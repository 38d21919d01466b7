"""Finding an open item for one person in one statement, however many items there are.

Raw SQL, the same on both databases: Django cannot write limited queries joined by UNION ALL on SQLite. Each level
of `taken` is looked at from a random place on, then from the start; no probe sees more than `WIDTH` open items, so
the cost does not grow with the project or with what the person has done. `stage` is written out because SQLite
uses a partial index only where the statement repeats its condition.
"""

from collections.abc import Iterable, Sequence

from django.db import connection

from annotation.domain.words import Order
from annotation.models import Adjudication, Item, Membership, Replacement, Seat, Skip

PLACES = 2**31
"""An item's `place` is below this."""
WIDTH = 64
"""How many open items one probe looks at."""

_ITEM, _SEAT, _SKIP = (f'"{model._meta.db_table}"' for model in (Item, Seat, Skip))
_REPLACEMENT, _ADJUDICATION = (f'"{model._meta.db_table}"' for model in (Replacement, Adjudication))

_OPEN = "i.project_id = %s AND i.stage = 'labelling' AND i.taken < i.seats AND NOT i.picture_missing"
# Who skipped an item, or has seen its votes, is not asked about it.
_UNBARRED = f"""
    NOT EXISTS (SELECT 1 FROM {_SKIP} k WHERE k.item_id = c.id AND k.annotator_id = %s)
    AND NOT EXISTS (SELECT 1 FROM {_REPLACEMENT} e WHERE e.item_id = c.id AND e.reviewer_id = %s)
    AND NOT EXISTS (SELECT 1 FROM {_ADJUDICATION} a WHERE a.item_id = c.id AND a.reviewer_id = %s)
"""
_NO_SEAT = f"NOT EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s)"
_PROBE = f"""
    SELECT * FROM (
        SELECT {{number}} AS number, i.id, i.place FROM {_ITEM} i
        WHERE {_OPEN} AND i.taken = {{level}} AND i.place {{side}} %s
        ORDER BY i.place LIMIT {WIDTH}
    ) p{{number}}
"""
_SCAN = f"""
    SELECT c.id FROM (
        SELECT i.id, i.round, i.place FROM {_ITEM} i WHERE {_OPEN}
    ) c
    WHERE NOT EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s AND s.round = c.round)
    AND {_UNBARRED}
    ORDER BY EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s), c.place
    LIMIT 1
"""


def probe(member: Membership, place: int) -> int | None:
    """The key of an open item that this person has never sat at, near `place`; None where the probes are empty.

    Breadth first looks at the items with the fewest seats taken, depth first at those with the most. Every
    person draws another place, so that neighbours rarely meet.
    """
    project = member.project
    levels: Iterable[int] = range(project.seats + project.extra_seats)
    if project.order == Order.DEPTH:
        levels = reversed(range(project.seats + project.extra_seats))
    sides = [(level, side) for level in levels for side in (">=", "<")]
    probes = [_PROBE.format(number=number, level=level, side=side) for number, (level, side) in enumerate(sides)]
    # Who is barred is asked once of what all probes found, not in each: PostgreSQL plans that ten times faster.
    statement = f"""
        SELECT c.id FROM ({" UNION ALL ".join(probes)}) c
        WHERE {_NO_SEAT} AND {_UNBARRED} ORDER BY c.number, c.place LIMIT 1
    """
    return _first(statement, [project.pk, place] * len(sides) + [member.pk] * 4)


def scan(member: Membership) -> int | None:
    """The key of any open item that this person may still be asked about in its round; those labelled before last.

    Looks at every open item of the project: only for when the probes are empty.
    """
    return _first(_SCAN, [member.project.pk, *[member.pk] * 5])


def _first(statement: str, values: Sequence[int]) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None
