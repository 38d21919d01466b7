"""Queries that find an item for one annotator in one statement, however many items there are.

Raw SQL, the same on both databases: Django cannot write limited queries joined by UNION ALL on SQLite. An annotator
gets items of the common queue (0) and of the batches limited to them. The probe looks at the highest priority that
has open items in any of these queues; there, in each queue at each level of `taken`, from a random place on, then from
the start. A probe sees at most `PROBE_WIDTH` open items of a level, so its cost grows neither with the project nor with
what the annotator has done. `stage` is written out because SQLite uses a partial index only where the statement repeats
the index's condition.

Where hard items come first, a probe also looks at the highest `informativeness` alone, with an index of its own
(`item_open_hard`; the needless condition `informativeness >= 0` keeps that index from other orders' statements). So
nothing is stored anew when a project changes its order.

Clauses for unwanted content are added only to the statements of annotators who have some.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection

from annotation.domain.choices import Order
from annotation.domain.priors.informativeness import Informativeness
from annotation.models import Adjudication, Item, KnownAnswer, Membership, Prior, Replacement, Seat, Skip

PLACE_RANGE = 2**31
"""An item's `place` is below this."""
PROBE_WIDTH = 64
"""How many open items of a level one probe looks at."""
PROBED_QUEUES = 4
"""How many queues one probe looks at; of more than that others each time."""
COMMON_QUEUE = 0
"""The queue that is nobody's in particular."""

_ITEM, _SEAT, _SKIP = (f'"{model._meta.db_table}"' for model in (Item, Seat, Skip))
_REPLACEMENT, _ADJUDICATION = (f'"{model._meta.db_table}"' for model in (Replacement, Adjudication))
_PRIOR, _KNOWN = (f'"{model._meta.db_table}"' for model in (Prior, KnownAnswer))

_OPEN = "{i}.project_id = %s AND {i}.stage = 'labelling' AND {i}.taken < {i}.seats AND NOT {i}.picture_missing"
_OPEN_I, _OPEN_T, _OPEN_U = (_OPEN.format(i=name) for name in "itu")
# Who skipped an item, or has seen its votes, is not asked about it.
_UNBARRED = f"""
    NOT EXISTS (SELECT 1 FROM {_SKIP} k WHERE k.item_id = c.id AND k.annotator_id = %s)
    AND NOT EXISTS (SELECT 1 FROM {_REPLACEMENT} e WHERE e.item_id = c.id AND e.reviewer_id = %s)
    AND NOT EXISTS (SELECT 1 FROM {_ADJUDICATION} a WHERE a.item_id = c.id AND a.reviewer_id = %s)
"""
_NO_SEAT = f"NOT EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s)"
_HIGHEST = f"SELECT (SELECT MAX(t.priority) FROM {_ITEM} t WHERE {_OPEN_T} AND t.queue = {{queue}}) AS priority"
_NEXT = f"""
    SELECT (
        SELECT MAX(u.priority) FROM {_ITEM} u
        WHERE {_OPEN_U} AND u.queue = {{queue}} AND u.priority < (SELECT priority FROM highest)
    ) AS priority
"""
_IS_HARD = "AND {i}.informativeness >= 0"
_HARDEST = f"""
    SELECT (
        SELECT MAX(h.informativeness) FROM {_ITEM} h WHERE {_OPEN.format(i="h")} AND h.queue = {{queue}}
        AND h.priority = (SELECT priority FROM top) {_IS_HARD.format(i="h")} AND h.informativeness <= {{most}}
    ) AS priority
"""
_AS_HARD = f"{_IS_HARD.format(i='i')} AND i.informativeness = (SELECT informativeness FROM hardest)"
_PROBE = f"""
    SELECT * FROM (
        SELECT -i.priority AS rank, {{level}} AS level, {{side}} AS side, i.id, i.place FROM {_ITEM} i
        WHERE {_OPEN_I} AND i.queue = {{queue}} AND i.priority = (SELECT priority FROM top) {{alike}}
        AND i.taken = {{taken}} AND i.place {{comparison}} %s
        ORDER BY i.place LIMIT {PROBE_WIDTH}
    ) p{{name}}
"""
# Few, so all of them are looked at; they come before everything else where one is wanted at all.
_CHECK = f"""
    SELECT -100000 AS rank, 0 AS level, CASE WHEN i.place < %s THEN 1 ELSE 0 END AS side, i.id, i.place FROM {_ITEM} i
    WHERE i.project_id = %s AND i.stage = 'known' AND NOT i.picture_missing AND EXISTS (
        SELECT 1 FROM {_KNOWN} n WHERE n.item_id = i.id AND n.active AND NOT n.training
    )
"""
_WALK = f"""
    SELECT * FROM (
        SELECT c.priority, c.informativeness, c.id FROM {_ITEM} c
        WHERE {_OPEN.format(i="c")} AND c.queue = {{queue}} {{hard}} AND {_NO_SEAT} AND {_UNBARRED} {{wanted}}
        ORDER BY c.priority DESC{{hardest}}, c.taken DESC, c.place DESC LIMIT 1
    ) w{{name}}
"""
_SCAN = f"""
    SELECT c.id FROM (
        SELECT i.id, i.round, i.priority, i.informativeness, i.place FROM {_ITEM} i
        WHERE {_OPEN_I} AND i.queue IN ({{queues}})
    ) c
    WHERE NOT EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s AND s.round = c.round)
    AND {_UNBARRED} {{wanted}}
    ORDER BY EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %s),
    c.priority DESC{{hardest}}, c.place LIMIT 1
"""


@dataclass(frozen=True)
class UnwantedContent:
    """Content that is not given to an annotator: what they opted out of, and what their caps exclude now."""

    categories: Sequence[int] = ()
    """Keys; as intended, or as a current prior says."""
    groups: Sequence[str] = ()
    """Target groups, compared without case."""
    severity: int | None = None
    """This and above."""

    def and_severity(self, severity: int) -> "UnwantedContent":
        """Return this, extended by items of that severity and above."""
        return replace(self, severity=severity if self.severity is None else min(severity, self.severity))


@dataclass(frozen=True)
class ItemSearch:
    """The annotator for whom an item is sought, the queues to search, and the content to leave out."""

    member: Membership
    queues: Sequence[int] = (COMMON_QUEUE,)
    unwanted: UnwantedContent = field(default_factory=UnwantedContent)


def probe_items(
    search: ItemSearch,
    place: int,
    *,
    below: bool = False,
    check: bool = False,
    hardest: Informativeness = Informativeness.HATE,
) -> int | None:
    """Return the primary key of an open item near `place` at which this annotator never had a seat.

    Breadth first looks at the items with the fewest seats taken, depth first at those with the most. Hard first looks
    at the most informative items alone, but none above `hardest`: among them as breadth first. Every annotator draws
    another place, so that they rarely meet at one item. `below` looks at the second highest priority. `check` prefers
    an item with a known answer.

    Returns None if the probes find nothing.
    """
    project = search.member.project.pk
    queues = _some(search.queues)
    # Named, so that PostgreSQL plans it once and not in every probe.
    named, projects = f"highest(priority) AS ({_of_all(_HIGHEST, queues)})", 1
    if below:
        named, projects = f"{named}, top(priority) AS ({_of_all(_NEXT, queues)})", 2
    else:
        named = f"{named}, top(priority) AS (SELECT priority FROM highest)"
    alike = ""
    if _is_hard_first(search):
        found = _HARDEST.replace("{most}", f"{hardest:d}")
        named, projects, alike = (
            f"{named}, hardest(informativeness) AS ({_of_all(found, queues)})",
            projects + 1,
            _AS_HARD,
        )
    probes, values = ([_CHECK], [place, project]) if check else ([], [])
    for queue in queues:
        for level, taken in enumerate(_levels(search.member)):
            for side, comparison in enumerate((">=", "<")):
                at = {"queue": queue, "level": level, "taken": taken, "side": side, "comparison": comparison}
                probes.append(_PROBE.format(name=len(probes), alike=alike, **at))
                values += [project, place]
    wanted, more = _wanted(search.unwanted)
    # Who is barred is asked once of what all probes found, not in each: PostgreSQL plans that ten times faster.
    statement = f"""
        WITH {named} SELECT c.id FROM ({" UNION ALL ".join(probes)}) c
        WHERE {_NO_SEAT} AND {_UNBARRED} {wanted} ORDER BY c.rank, c.level, c.side, c.place LIMIT 1
    """
    return _first(statement, [*[project] * projects * len(queues), *values, *[search.member.pk] * 4, *more])


def walk_items(search: ItemSearch) -> int | None:
    """Return the primary key of the first open item, by priority, at which this annotator never had a seat.

    The query passes over what they have seen, so its cost grows with that: use it only when the probes find nothing.

    Returns None if there is no such item.
    """
    wanted, more = _wanted(search.unwanted)
    walks, values = [], []
    hard = _IS_HARD.format(i="c") if _is_hard_first(search) else ""
    for name, queue in enumerate(search.queues):
        walks.append(_WALK.format(queue=int(queue), name=name, wanted=wanted, hard=hard, hardest=_order(search, "c")))
        values += [search.member.project.pk, *[search.member.pk] * 4, *more]
    order = f"f.priority DESC{_order(search, 'f')}"
    return _first(f"SELECT f.id FROM ({' UNION ALL '.join(walks)}) f ORDER BY {order} LIMIT 1", values)


def scan_items(search: ItemSearch) -> int | None:
    """Return the primary key of any open item that this annotator may still label in its round.

    Items that they labelled in an earlier round come last. The query reads every open item of the queues: use it only
    when nothing else is found.

    Returns None if there is no such item.
    """
    wanted, more = _wanted(search.unwanted)
    queues = ", ".join(str(int(queue)) for queue in search.queues)
    statement = _SCAN.format(queues=queues, wanted=wanted, hardest=_order(search, "c"))
    member = search.member.pk
    return _first(statement, [search.member.project.pk, *[member] * 4, *more, member])


def is_item_wanted(item: int, unwanted: UnwantedContent) -> bool:
    """Whether the item has none of the unwanted content."""
    wanted, more = _wanted(unwanted)
    return not wanted or _first(f"SELECT c.id FROM {_ITEM} c WHERE c.id = %s {wanted}", [item, *more]) is not None


def _levels(member: Membership) -> Iterable[int]:
    levels = range(member.project.seats + member.project.extra_seats)
    return reversed(levels) if member.project.order == Order.DEPTH else levels


def _is_hard_first(search: ItemSearch) -> bool:
    return search.member.project.order == Order.HARD


def _order(search: ItemSearch, table: str) -> str:
    """Return what an ORDER BY has after the priority."""
    return f", {table}.informativeness DESC" if _is_hard_first(search) else ""


def _of_all(highest: str, queues: Sequence[int]) -> str:
    """Return SQL for the maximum of `highest` over the queues."""
    each = " UNION ALL ".join(highest.format(queue=queue) for queue in queues)
    return f"SELECT MAX(each_one.priority) FROM ({each}) each_one"


def _some(queues: Sequence[int]) -> list[int]:
    few = list(queues) if len(queues) <= PROBED_QUEUES else random.sample(list(queues), PROBED_QUEUES)
    return [int(queue) for queue in few]


def _wanted(unwanted: UnwantedContent) -> tuple[str, list[Any]]:
    """Return the SQL clause that excludes unwanted items `c`, and its values; both empty if nothing is unwanted."""
    clauses: list[str] = []
    values: list[Any] = []
    if unwanted.severity is not None:
        clauses.append("(w.severity IS NULL OR w.severity < %s)")
        values.append(unwanted.severity)
    if unwanted.categories:
        places = ", ".join(["%s"] * len(unwanted.categories))
        clauses.append(f"(w.intended_id IS NULL OR w.intended_id NOT IN ({places}))")
        said = "r.item_id = w.id AND r.current AND r.state = 'ok'"
        clauses.append(f"NOT EXISTS (SELECT 1 FROM {_PRIOR} r WHERE {said} AND r.category_id IN ({places}))")
        values += [*unwanted.categories, *unwanted.categories]
    if unwanted.groups:
        spellings = sorted({each for group in unwanted.groups for each in _spellings(group)})
        places = ", ".join(["%s"] * len(spellings))
        clauses.append(f"TRIM(w.target_group) NOT IN ({places}) AND LOWER(TRIM(w.target_group)) NOT IN ({places})")
        values += [*spellings, *spellings]
    if not clauses:
        return "", []
    return f"AND EXISTS (SELECT 1 FROM {_ITEM} w WHERE w.id = c.id AND {' AND '.join(clauses)})", values


def _spellings(group: str) -> set[str]:
    """Return spellings of a group beyond what LOWER knows: on SQLite, and on some PostgreSQL, that is ASCII only."""
    group = group.strip()
    forms = {group, group.lower(), group.upper(), group.title(), group.capitalize(), group.casefold()}
    return forms | {"".join(letter.lower() if letter.isascii() else letter for letter in form) for form in forms}


def _first(statement: str, values: Sequence[Any]) -> int | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row = cursor.fetchone()
    return row[0] if row else None
