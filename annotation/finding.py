"""Finding items: the filters and orders that the items page and the API know, and no others.

A key outside the list is refused by name, so that nobody can ask the database about columns that are not
theirs to ask about (threat T4).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from annotation.domain.words import Difficulty, Level, Reason, Source, Stage
from annotation.models import Item, Project

PATTERNS = ("000", "001", "010", "011", "100", "101", "110", "111")

ORDERS = {"newest": "-id", "oldest": "id", "id": "external_id", "-id": "-external_id", "gold": "-gold_at"}
"""Names of orders, and the column each sorts by."""


class UnknownFilter(ValueError):
    """A filter, order or value that does not exist; `sentence` says which exist."""

    code = "unknown_filter"

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True)
class Filter:
    """One filter: the values it takes (empty: free text) and what it asks of the database."""

    values: tuple[str, ...]
    ask: Callable[[str], Q]


FILTERS: dict[str, Filter] = {
    "stage": Filter(tuple(Stage), lambda value: Q(stage=value)),
    "reason": Filter(
        tuple(Reason),
        lambda value: Q(disputes__reason=value, disputes__settled_at__isnull=True) | Q(excluded_for=value),
    ),
    "level": Filter(tuple(Level), lambda value: Q(level=value)),
    "difficulty": Filter(tuple(Difficulty), lambda value: Q(difficulty=value)),
    "source": Filter(tuple(Source), lambda value: Q(category_source=value)),
    "pattern": Filter((*PATTERNS, "undefined"), lambda value: Q(pattern=None if value == "undefined" else value)),
    "picture": Filter(
        ("yes", "no", "missing"),
        lambda value: Q(picture_missing=True) if value == "missing" else Q(picture__isnull=value == "no"),
    ),
    "batch": Filter((), lambda value: Q(batch=value)),
    "q": Filter((), lambda value: Q(text__icontains=value) | Q(external_id__icontains=value)),
}

NOT_FILTERS = frozenset({"page", "limit", "order"})


def find_items(project: Project, asked: Mapping[str, str]) -> QuerySet[Item]:
    """The project's items that answer every filter in `asked`, in the order it names (default: oldest first).

    Empty values ask nothing. Raises UnknownFilter for a key, value or order that does not exist.
    """
    found = Item.objects.filter(project=project)
    for key, value in asked.items():
        if key in NOT_FILTERS:
            continue
        if key not in FILTERS:
            raise UnknownFilter(
                _("There is no filter “%(key)s”; there are %(keys)s.")
                % {"key": key[:40], "keys": ", ".join(sorted(FILTERS))}
            )
        if value:
            found = found.filter(_question(key, value))
    if "reason" in asked:
        found = found.distinct()
    return found.order_by(_order(asked.get("order") or "oldest"))


def _question(key: str, value: str) -> Q:
    wanted = FILTERS[key]
    if "\x00" in value or (wanted.values and value not in wanted.values):
        raise UnknownFilter(
            _("“%(value)s” is no %(key)s; choose one of %(values)s.")
            % {"value": value[:40].replace("\x00", "␀"), "key": key, "values": ", ".join(wanted.values) or _("texts")}
        )
    return wanted.ask(value)


def _order(name: str) -> str:
    if name not in ORDERS:
        raise UnknownFilter(
            _("There is no order “%(name)s”; there are %(names)s.")
            % {"name": name[:40], "names": ", ".join(sorted(ORDERS))}
        )
    return ORDERS[name]
