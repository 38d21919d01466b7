"""Queries that are built once and run with other values: those behind every post that somebody labels, and every run.

For a short query Django spends several times as long on building and compiling the queryset as the database needs to
answer it. Here the queryset is written as everywhere, once, when its module is loaded, with slots where the values go:

    _MEMBER = Statement(Membership.objects.select_related("project").filter(user=slot("user"), active=True))
    member = _MEMBER.first(user=request.user.pk)

The rows come back as instances, with what `select_related` and `annotate` give. Only for querysets of whole
instances whose shape never changes; everything else stays an ordinary queryset.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Field, Model, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.query import get_related_populators  # what iterating a queryset uses
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Slot:
    """The place of a value in a statement. `field`: whose values it takes, where the database wants them adapted."""

    name: str
    field: "Field[Any, Any] | None" = None


def slot(name: str, field: "Field[Any, Any] | None" = None) -> RawSQL:
    """A place for a value in a queryset's filters, by name; with a field for UUIDs and times, which SQLite adapts."""
    return RawSQL("%s", (Slot(name, field),))


def planned_cursor() -> Any:
    """A cursor for SQL whose text never changes: PostgreSQL plans it once a connection; any other database's own."""
    return getattr(connection, "planned_cursor", connection.cursor)()


class Statement(Generic[Row]):
    """A queryset with slots, compiled when it is first run on a database."""

    def __init__(self, queryset: QuerySet[Row]) -> None:
        self._queryset = queryset
        self._plans: dict[str, _Plan] = {}
        self._compiling = threading.Lock()

    def rows(self, **values: Any) -> list[Row]:
        """The instances for these values, one for each slot. Raises TypeError where they do not fit the slots."""
        plan = self._plans.get(connection.vendor) or self._plan()
        if plan.locks and not connection.in_atomic_block:
            raise TransactionManagementError("These rows are locked: run this inside a transaction.")
        with connection.cursor() as cursor:
            cursor.execute(plan.sql, plan.filled(values))
            found = cursor.fetchall()
        return plan.instances(found)

    def changed(self, change: str, values: Sequence[Any]) -> list[Row]:
        """The instances that this UPDATE of their table leaves behind; filters and order of the queryset do not count.

        What `annotate` gives is asked after the change; there must be no join and no slot but in filters.
        """
        plan = self._plans.get(connection.vendor) or self._plan()
        with planned_cursor() as cursor:
            cursor.execute(f"{change} RETURNING {plan.selected}", [*values, *plan.selecting])
            found = cursor.fetchall()
        return plan.instances(found)

    def first(self, **values: Any) -> Row | None:
        """The first instance, if any; slice the queryset `[:1]` where there may be more."""
        return next(iter(self.rows(**values)), None)

    def _plan(self) -> "_Plan":
        # Compiling changes the query (aliases, joins): two threads at the same one make SQL that names tables it does
        # not join, which every later request would run again. So one compiles, from a copy; the others wait for it.
        with self._compiling:
            return self._plans.get(connection.vendor) or self._compiled()

    def _compiled(self) -> "_Plan":
        compiler = self._queryset.all().query.get_compiler(using=connection.alias)
        sql, params = compiler.as_sql()
        info = compiler.klass_info
        columns = info["select_fields"]
        plan = _Plan(
            sql=sql,
            selected=", ".join(column for _, (column, _), _ in compiler.select),
            selecting=[each for _, (_, given), _ in compiler.select for each in given],
            params=tuple(params),
            names=frozenset(each.name for each in params if isinstance(each, Slot)),
            locks=self._queryset.query.select_for_update,
            compiler=compiler,
            converters=compiler.get_converters([each for each, _, _ in compiler.select[: compiler.col_count]]),
            model=info["model"],
            columns=slice(columns[0], columns[-1] + 1),
            attributes=[each[0].target.attname for each in compiler.select[columns[0] : columns[-1] + 1]],
            related=get_related_populators(info, compiler.select, connection.alias),  # type: ignore[call-arg]  # Django 5.2's
            more=dict(compiler.annotation_col_map or {}),
        )
        self._plans[connection.vendor] = plan
        return plan


@dataclass(frozen=True)
class _Plan:
    """A compiled statement and how a row of its answer becomes an instance."""

    sql: str
    selected: str
    selecting: Sequence[Any]
    params: tuple[Any, ...]
    names: frozenset[str]
    locks: bool
    compiler: Any
    converters: Any
    model: type[Model]
    columns: slice
    attributes: Sequence[str]
    related: Sequence[Any]
    more: dict[str, int]

    def filled(self, values: dict[str, Any]) -> list[Any]:
        if values.keys() != self.names:
            raise TypeError(f"This statement takes {', '.join(sorted(self.names)) or 'no values'}, not {list(values)}.")
        return [self._adapted(each, values[each.name]) if isinstance(each, Slot) else each for each in self.params]

    @staticmethod
    def _adapted(place: Slot, value: Any) -> Any:
        return value if place.field is None else place.field.get_db_prep_value(value, connection)

    def instances(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """The rows of an answer as instances."""
        # As the compiler's `results_iter`, which finds out anew with every answer what is to be converted how.
        converted = self.compiler.apply_converters(rows, self.converters) if self.converters else rows
        return [self.instance(row) for row in converted]

    def instance(self, row: Sequence[Any]) -> Any:
        found = self.model.from_db(connection.alias, self.attributes, row[self.columns])
        for populator in self.related:
            populator.populate(row, found)
        for name, column in self.more.items():
            setattr(found, name, row[column])
        return found
