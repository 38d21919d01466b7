"""Queries that find an item for one annotator in one statement, however many items there are.

Raw SQL, the same on both databases: Django cannot write limited queries joined by UNION ALL on SQLite. An annotator
gets items of the common queue (0) and of the batches limited to them. The probe looks at the highest priority that
has open items in any of these queues; there, in each queue at each level of `taken`, from a random place on, then from
the start. It ends where it finds something: COALESCE asks no level after that. A probe sees at most `PROBE_WIDTH` open
items of a level, so its cost grows neither with the project nor with what the annotator has done. `stage` is written
out because SQLite uses a partial index only where the statement repeats the index's condition.

Texts of probes never change, so PostgreSQL plans each once a connection. Their plans must be good without statistics
of the tables: the OFFSET of `_LAZY` keeps it from joining what it should look up, item by item.

Where hard items come first, a probe also looks at the highest `informativeness` alone, with an index of its own
(`item_open_hard`; the needless condition `informativeness >= 0` keeps that index from other orders' statements). So
nothing is stored anew when a project changes its order.

Clauses for unwanted content are added only to the statements of annotators who have some.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from annotation.domain.choices import Order
from annotation.domain.priors.informativeness import Informativeness
from annotation.models import Adjudication, Category, Item, KnownAnswer, Membership, Prior, Replacement, Seat, Skip
from runs.sql.compiled_queries import planned_cursor

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
_PRIOR, _KNOWN, _CATEGORY = (f'"{model._meta.db_table}"' for model in (Prior, KnownAnswer, Category))
_INTENDED = "REPLACE(REPLACE(REPLACE(CAST(w.intended_categories AS TEXT), '[', ','), ']', ','), ' ', '')"
"""The codes of all intended categories of the item `w`, where there are several: `,1,4,`."""

_OPEN = "{i}.project_id = %(project)s AND {i}.stage = 'labelling' AND {i}.taken < {i}.seats AND NOT {i}.picture_missing"
_OPEN_I, _OPEN_T, _OPEN_U = (_OPEN.format(i=name) for name in "itu")
# Who skipped an item, or has seen its votes, is not asked about it.
_UNBARRED = f"""
    NOT EXISTS (SELECT 1 FROM {_SKIP} k WHERE k.item_id = c.id AND k.annotator_id = %(member)s {{lazy}})
    AND NOT EXISTS (SELECT 1 FROM {_REPLACEMENT} e WHERE e.item_id = c.id AND e.reviewer_id = %(member)s {{lazy}})
    AND NOT EXISTS (SELECT 1 FROM {_ADJUDICATION} a WHERE a.item_id = c.id AND a.reviewer_id = %(member)s {{lazy}})
"""
_LAZY = "LIMIT 1 OFFSET 0"
_NEW = f"""
    NOT EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %(member)s {_LAZY})
    AND {_UNBARRED.format(lazy=_LAZY)}
"""
# Not MAX: without statistics PostgreSQL would read all open items for it.
_HIGHEST = f"""
    SELECT (
        SELECT t.priority FROM {_ITEM} t WHERE {_OPEN_T} AND t.queue = {{queue}} ORDER BY t.priority DESC LIMIT 1
    ) AS priority
"""
_NEXT = f"""
    SELECT (
        SELECT u.priority FROM {_ITEM} u
        WHERE {_OPEN_U} AND u.queue = {{queue}} AND u.priority < (SELECT priority FROM highest)
        ORDER BY u.priority DESC LIMIT 1
    ) AS priority
"""
_IS_HARD = "AND {i}.informativeness >= 0"
_HARDEST = f"""
    SELECT (
        SELECT h.informativeness FROM {_ITEM} h WHERE {_OPEN.format(i="h")} AND h.queue = {{queue}}
        AND h.priority = (SELECT priority FROM top) {_IS_HARD.format(i="h")} AND h.informativeness <= {{most}}
        ORDER BY h.informativeness DESC LIMIT 1
    ) AS priority
"""
_AS_HARD = f"{_IS_HARD.format(i='i')} AND i.informativeness = (SELECT informativeness FROM hardest)"
_PROBE = f"""
    SELECT * FROM (
        SELECT i.id, i.place FROM {_ITEM} i
        WHERE {_OPEN_I} AND i.queue = {{queue}} AND i.priority = (SELECT priority FROM top) {{alike}}
        AND i.taken = {{taken}} AND i.place {{side}} %(place)s
        ORDER BY i.place LIMIT {PROBE_WIDTH}
    ) p
"""
# Few, so all of them are looked at.
_CHECK = f"""
    SELECT i.id, i.place + CASE WHEN i.place < %(place)s THEN {PLACE_RANGE} ELSE 0 END AS place FROM {_ITEM} i
    WHERE i.project_id = %(project)s AND i.stage = 'known' AND NOT i.picture_missing AND EXISTS (
        SELECT 1 FROM {_KNOWN} n WHERE n.item_id = i.id AND n.active AND NOT n.training
    )
"""
_NEAREST = f"(SELECT c.id FROM ({{found}}) c WHERE {_NEW} {{wanted}} ORDER BY c.place LIMIT 1)"
_WALK = f"""
    SELECT * FROM (
        SELECT c.priority, c.informativeness, c.id FROM {_ITEM} c
        WHERE {_OPEN.format(i="c")} AND c.queue = {{queue}} {{hard}} AND {_NEW} {{wanted}}
        ORDER BY c.priority DESC{{hardest}}, c.taken DESC, c.place DESC LIMIT 1
    ) w
"""
_SCAN = f"""
    SELECT c.id FROM (
        SELECT i.id, i.round, i.priority, i.informativeness, i.place FROM {_ITEM} i
        WHERE {_OPEN_I} AND i.queue IN ({{queues}})
    ) c
    WHERE NOT EXISTS (
        SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %(member)s AND s.round = c.round
    )
    AND {_UNBARRED.format(lazy="")} {{wanted}}
    ORDER BY EXISTS (SELECT 1 FROM {_SEAT} s WHERE s.item_id = c.id AND s.annotator_id = %(member)s),
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
    hardest: Informativeness = Informativeness.HATE,
) -> int | None:
    """Return the primary key of an open item near `place` at which this annotator never had a seat.

    Breadth first looks at the items with the fewest seats taken, depth first at those with the most. Hard first looks
    at the most informative items alone, but none above `hardest`: among them as breadth first. Every annotator draws
    another place, so that they rarely meet at one item. `below` looks at the second highest priority.

    Returns None if the probes find nothing.
    """
    return _first(*_probe_statement(search, place, below=below, hardest=hardest))


def probe_with_check(search: ItemSearch, place: int) -> tuple[int | None, int | None]:
    """Return what `probe_items` returns, and the next item with a known answer, each None if there is none.

    Both are always looked for, so that the statement tells nothing of which one is taken.
    """
    clause, _values = _wanted(search)
    check = _NEAREST.format(found=_CHECK, wanted=clause)
    item, known = _row(*_probe_statement(search, place, more=check)) or (None, None)
    return item, known


def _probe_statement(
    search: ItemSearch,
    place: int,
    *,
    below: bool = False,
    hardest: Informativeness = Informativeness.HATE,
    more: str = "",
) -> tuple[str, dict[str, Any]]:
    """Return the statement of a probe, with `more` as a second value, and its values."""
    queues, values = _places("queue", _some(search.queues))
    # Named, so that PostgreSQL plans it once and not in every probe.
    named = f"highest(priority) AS ({_of_all(_HIGHEST, queues)})"
    named += f", top(priority) AS ({_of_all(_NEXT, queues) if below else 'SELECT priority FROM highest'})"
    alike = ""
    if _is_hard_first(search):
        hardest_of_queue = _HARDEST.replace("{most}", f"{hardest:d}")
        named, alike = f"{named}, hardest(informativeness) AS ({_of_all(hardest_of_queue, queues)})", _AS_HARD
    probes = []
    for seats_taken, side in product(_levels(search.member), (">=", "<")):
        queries = (_PROBE.format(queue=queue, taken=seats_taken, side=side, alike=alike) for queue in queues)
        probes.append(" UNION ALL ".join(queries))
    clause, wanted = _wanted(search)
    nearest = ", ".join(_NEAREST.format(found=probe, wanted=clause) for probe in probes)
    second = f", {more}" if more else ""
    return f"WITH {named} SELECT COALESCE({nearest}, NULL){second}", values | wanted | {"place": place}


def walk_items(search: ItemSearch) -> int | None:
    """Return the primary key of the first open item, by priority, at which this annotator never had a seat.

    The query passes over what they have seen, so its cost grows with that: use it only when the probes find nothing.

    Returns None if there is no such item.
    """
    queues, values = _places("queue", search.queues)
    clause, more = _wanted(search)
    hard = _IS_HARD.format(i="c") if _is_hard_first(search) else ""
    walks = [_WALK.format(queue=queue, wanted=clause, hard=hard, hardest=_order(search, "c")) for queue in queues]
    order = f"f.priority DESC{_order(search, 'f')}"
    return _first(f"SELECT f.id FROM ({' UNION ALL '.join(walks)}) f ORDER BY {order} LIMIT 1", values | more)


def scan_items(search: ItemSearch) -> int | None:
    """Return the primary key of any open item that this annotator may still label in its round.

    Items that they labelled in an earlier round come last. The query reads every open item of the queues: use it only
    when nothing else is found.

    Returns None if there is no such item.
    """
    queues, values = _places("queue", search.queues)
    clause, more = _wanted(search)
    scan = _SCAN.format(queues=", ".join(queues), wanted=clause, hardest=_order(search, "c"))
    return _first(scan, values | more)


def is_item_wanted(item: int, unwanted: UnwantedContent) -> bool:
    """Whether the item has none of the unwanted content."""
    clause, values = _wanted_clause(unwanted)
    statement = f"SELECT c.id FROM {_ITEM} c WHERE c.id = %(item)s {clause}"
    return not clause or _first(statement, values | {"item": item}) is not None


def _levels(member: Membership) -> Iterable[int]:
    levels = range(member.project.seats + member.project.extra_seats)
    return reversed(levels) if member.project.order == Order.DEPTH else levels


def _is_hard_first(search: ItemSearch) -> bool:
    return search.member.project.order == Order.HARD


def _order(search: ItemSearch, table: str) -> str:
    """Return what an ORDER BY has after the priority."""
    return f", {table}.informativeness DESC" if _is_hard_first(search) else ""


def _of_all(highest: str, queues: Sequence[str]) -> str:
    """Return SQL for the maximum of `highest` over the queues."""
    maxima = " UNION ALL ".join(highest.format(queue=queue) for queue in queues)
    return f"SELECT MAX(each_one.priority) FROM ({maxima}) each_one"


def _some(queues: Sequence[int]) -> Sequence[int]:
    return queues if len(queues) <= PROBED_QUEUES else random.sample(queues, PROBED_QUEUES)


def _places(name: str, values: Iterable[Any]) -> tuple[list[str], dict[str, Any]]:
    """Return places for these values in a statement, and the values by the names of the places."""
    named = {f"{name}{number}": value for number, value in enumerate(values)}
    return [f"%({place})s" for place in named], named


def _wanted(search: ItemSearch) -> tuple[str, dict[str, Any]]:
    """Return the SQL clause that excludes unwanted items `c`, and the values of a statement with it."""
    clause, values = _wanted_clause(search.unwanted)
    return clause, values | {"project": search.member.project.pk, "member": search.member.pk}


def _wanted_clause(unwanted: UnwantedContent) -> tuple[str, dict[str, Any]]:
    """Return the SQL clause that excludes unwanted items `c`, and its values; both empty if nothing is unwanted."""
    clauses: list[str] = []
    values: dict[str, Any] = {}
    if unwanted.severity is not None:
        clauses.append("(w.severity IS NULL OR w.severity < %(severity)s)")
        values["severity"] = unwanted.severity
    if unwanted.categories:
        places, named = _places("category", unwanted.categories)
        categories, values = ", ".join(places), values | named
        clauses.append(f"(w.intended_id IS NULL OR w.intended_id NOT IN ({categories}))")
        several = f"k.id IN ({categories}) AND {_INTENDED} LIKE '%%,' || k.code || ',%%'"
        clauses.append(f"(w.intended_categories = '[]' OR NOT EXISTS (SELECT 1 FROM {_CATEGORY} k WHERE {several}))")
        usable = "r.item_id = w.id AND r.current AND r.state = 'ok'"
        clauses.append(f"NOT EXISTS (SELECT 1 FROM {_PRIOR} r WHERE {usable} AND r.category_id IN ({categories}))")
    if unwanted.groups:
        spellings = sorted({spelling for group in unwanted.groups for spelling in _spellings(group)})
        places, named = _places("spelling", spellings)
        groups, values = ", ".join(places), values | named
        clauses.append(f"TRIM(w.target_group) NOT IN ({groups}) AND LOWER(TRIM(w.target_group)) NOT IN ({groups})")
    if not clauses:
        return "", {}
    return f"AND EXISTS (SELECT 1 FROM {_ITEM} w WHERE w.id = c.id AND {' AND '.join(clauses)} {_LAZY})", values


def _spellings(group: str) -> set[str]:
    """Return spellings of a group beyond what LOWER knows: on SQLite, and on some PostgreSQL, that is ASCII only."""
    group = group.strip()
    forms = {group, group.lower(), group.upper(), group.title(), group.capitalize(), group.casefold()}
    return forms | {"".join(letter.lower() if letter.isascii() else letter for letter in form) for form in forms}


def _first(statement: str, values: dict[str, Any]) -> int | None:
    row = _row(statement, values)
    return row[0] if row else None


def _row(statement: str, values: dict[str, Any]) -> Any:
    with planned_cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()
