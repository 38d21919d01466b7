"""Querysets that are compiled once and run with other values: those behind every labelled post and every run.

For a short query Django spends several times as long on building and compiling the queryset as the database needs to
answer it (`bench/sql_gain.py` measures it). Here the queryset is written as usual, once, when its module is loaded,
with slots for the values:

    _MEMBER = CompiledQuery(Membership.objects.select_related("project").filter(user=slot("user"), active=True))
    member = _MEMBER.first(user=request.user.pk)

Rows come back as instances, with what `select_related` and `annotate` add. Only for querysets of whole instances whose
shape never changes; everything else stays an ordinary queryset. `queryset_rows` evaluates the queryset itself; tests
compare `rows` with it.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model, QuerySet
from django.db.models.base import ModelState
from django.db.models.expressions import RawSQL
from django.db.models.query import get_related_populators  # what iterating a queryset uses
from django.db.models.sql import UpdateQuery
from django.db.transaction import TransactionManagementError

Row = TypeVar("Row", bound=Model)


@dataclass(frozen=True)
class Slot:
    """The place of a value in a compiled query. `field` adapts the value to the database (UUIDs and times)."""

    name: str
    field: "Field[Any, Any] | None" = None


def slot(name: str, field: "Field[Any, Any] | None" = None) -> RawSQL:
    """Return a named place for a value in a queryset's filters.

    UUIDs and times need their field, because SQLite adapts them.
    """
    return RawSQL("%s", (Slot(name, field),))


def insert(row: Model) -> None:
    """Store a new row as `save` does, by a statement whose text never changes; no signal is sent."""
    statement, values = _insertion(row)
    with planned_cursor() as cursor:
        cursor.execute(statement, values)
        _set_key(row, cursor.fetchone()[0])


class Changes:
    """Inserts and updates that belong together: one statement on PostgreSQL, elsewhere one after the other.

    None of them sees what the others change, but for the key of a row inserted before (`KeyOf`).
    """

    def __init__(self) -> None:
        self._changes: list[tuple[str, Sequence[Any], Model | None]] = []

    def insert(self, row: Model) -> None:
        """Add the insertion of a new row. `send` sets its key."""
        self._changes.append((*_insertion(row), row))

    def run(self, statement: str, values: Sequence[Any]) -> None:
        """Add a statement that changes rows and returns none."""
        self._changes.append((statement, values, None))

    def send(self) -> list[int]:
        """Change the rows. Return the number of rows that each change has touched, in their order."""
        return self._send_together() if connection.vendor == "postgresql" else self._send_in_turn()

    def _send_together(self) -> list[int]:
        rows = [row for *_, row in self._changes]
        clauses, counts, all_values = [], [], []
        for number, (statement, values, row) in enumerate(self._changes):
            pieces = statement.split("%s")
            for place, value in enumerate(values):
                is_key = isinstance(value, KeyOf)
                pieces[place] += _KEY_OF.format(rows.index(value.row)) if is_key else "%s"
                all_values += [] if is_key else [value]
            clauses.append(f"change_{number}(key) AS ({''.join(pieces)}{'' if row else ' RETURNING 1'})")
            counts.append((_KEY_OF if row else _COUNT_OF).format(number))
        with planned_cursor() as cursor:
            cursor.execute(f"WITH {', '.join(clauses)} SELECT {', '.join(counts)}", all_values)
            results: list[int] = list(cursor.fetchone())
        for row, key in zip(rows, results, strict=True):
            if row is not None:
                _set_key(row, key)
        return [result if row is None else 1 for row, result in zip(rows, results, strict=True)]

    def _send_in_turn(self) -> list[int]:
        counts = []
        for statement, values, row in self._changes:
            with planned_cursor() as cursor:
                cursor.execute(statement, [value.row.pk if isinstance(value, KeyOf) else value for value in values])
                if row is not None:
                    _set_key(row, cursor.fetchone()[0])
                counts.append(cursor.rowcount if row is None else 1)
        return counts


@dataclass(frozen=True)
class KeyOf:
    """The primary key of a row, as a value in `Changes` that insert the row before."""

    row: Model


_KEY_OF, _COUNT_OF = "(SELECT MAX(key) FROM change_{})", "(SELECT COUNT(*) FROM change_{})"
_INSERTS: dict[tuple[type[Model], str], str] = {}


def _insertion(row: Model) -> tuple[str, list[Any]]:
    """Return the statement that stores a new row and returns its key, and the values of the statement."""
    model, database = type(row), connections[DEFAULT_DB_ALIAS]
    fields = [field for field in model._meta.local_concrete_fields if not field.primary_key]
    if (statement := _INSERTS.get((model, database.vendor))) is None:
        quote = database.ops.quote_name
        columns, places = ", ".join(quote(str(field.column)) for field in fields), ", ".join(["%s"] * len(fields))
        key = quote(str(model._meta.pk.column))
        statement = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({places}) RETURNING {key}"  # noqa: S608  # names of the model
        _INSERTS[model, database.vendor] = statement
    return statement, [field.get_db_prep_save(field.pre_save(row, True), database) for field in fields]


def _set_key(row: Model, key: Any) -> None:
    row.pk = key
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def planned_cursor() -> Any:
    """Return a cursor for SQL whose text never changes: PostgreSQL plans such a statement once per connection."""
    database = connections[DEFAULT_DB_ALIAS]  # `connection` would look it up for each attribute
    return database.planned_cursor() if hasattr(database, "planned_cursor") else database.cursor()


class CompiledQuery(Generic[Row]):
    """A queryset with slots, compiled when it first runs on a database."""

    def __init__(self, queryset: QuerySet[Row]) -> None:
        self._queryset = queryset
        self._plans: dict[str, _Plan] = {}
        self._compiling = threading.Lock()

    def rows(self, **values: Any) -> list[Row]:
        """Return the instances for these values, one value for each slot.

        Raises TypeError if the values do not match the slots.
        Raises TransactionManagementError if the rows are locked outside a transaction.
        """
        database = connections[DEFAULT_DB_ALIAS]
        plan = self._plans.get(database.vendor) or self._plan()
        if plan.locks and not database.in_atomic_block:
            raise TransactionManagementError("These rows are locked: run this inside a transaction.")
        with planned_cursor() as cursor:
            cursor.execute(plan.sql, plan.arguments(values))
            rows = cursor.fetchall()
        return plan.instances(rows)

    def queryset_rows(self, **values: Any) -> list[Row]:
        """Return what `rows` returns, by evaluating the queryset: the slow twin, for tests and `bench/sql_gain.py`."""

        def fill_slots(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            return execute(sql, [_with_value(param, values) for param in params], many, context)

        with connection.execute_wrapper(fill_slots):
            return list(self._queryset.all())

    def changed(self, change: str, values: Sequence[Any]) -> list[Row]:
        """Run this UPDATE of the table and return the changed rows; the queryset's filters and order are ignored.

        What `annotate` adds is read after the change. The queryset may have no join, and slots only in filters.
        """
        plan = self._plans.get(connection.vendor) or self._plan()
        with planned_cursor() as cursor:
            cursor.execute(f"{change} RETURNING {plan.selected}", [*values, *plan.selecting])
            rows = cursor.fetchall()
        return plan.instances(rows)

    def first(self, **values: Any) -> Row | None:
        """Return the first instance; slice the queryset `[:1]` if there may be more.

        Returns None if there is none.
        """
        return next(iter(self.rows(**values)), None)

    def _plan(self) -> "_Plan":
        # Compiling changes the query (aliases, joins). Two threads compiling the same query would produce SQL that
        # names tables it does not join. So one thread compiles, from a copy, and the others wait.
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
            selecting=[value for _, (_, values), _ in compiler.select for value in values],
            params=tuple(params),
            names=frozenset(param.name for param in params if isinstance(param, Slot)),
            locks=self._queryset.query.select_for_update,
            compiler=compiler,
            converters=compiler.get_converters([column for column, _, _ in compiler.select[: compiler.col_count]]),
            model=_StoredModel(info["model"]),
            columns=slice(columns[0], columns[-1] + 1),
            attributes=[selected[0].target.attname for selected in compiler.select[columns[0] : columns[-1] + 1]],
            related=_related(get_related_populators(info, compiler.select, connection.alias)),  # type: ignore[call-arg]  # Django 5.2's
            annotations=dict(compiler.annotation_col_map or {}),
        )
        self._plans[connection.vendor] = plan
        return plan


class CompiledUpdate:
    """An UPDATE of a queryset's rows, with slots in its filters and values, compiled when it first runs."""

    def __init__(self, queryset: QuerySet[Any], **fields: Any) -> None:
        self._queryset, self._fields = queryset, fields
        self._plans: dict[str, tuple[str, Sequence[Any]]] = {}
        self._compiling = threading.Lock()

    def run(self, **values: Any) -> int:
        """Return the number of rows that were changed."""
        with planned_cursor() as cursor:
            cursor.execute(*self.statement(**values))
            changed: int = cursor.rowcount
        return changed

    def statement(self, **values: Any) -> tuple[str, list[Any]]:
        """Return the statement and its values, for `Changes`."""
        statement, params = self._plans.get(connection.vendor) or self._plan()
        return statement, [_with_value(param, values) for param in params]

    def _plan(self) -> tuple[str, Sequence[Any]]:
        with self._compiling:  # as a `CompiledQuery` does
            query: Any = self._queryset.all().query.chain(UpdateQuery)
            query.add_update_values(self._fields)
            statement, params = query.get_compiler(using=connection.alias).as_sql()
            self._plans[connection.vendor] = statement, params
        return statement, params


def _with_value(param: Any, values: dict[str, Any]) -> Any:
    """Return the parameter of a statement; in place of a slot its value, in the database's form."""
    if not isinstance(param, Slot):
        return param
    value = values[param.name]
    return (
        value if param.field is None or isinstance(value, KeyOf) else param.field.get_db_prep_value(value, connection)
    )


def _related(populators: Sequence[Any]) -> Sequence[Any]:
    """Let what `select_related` adds be made as the rows themselves are."""
    for populator in populators:
        populator.model_cls = _StoredModel(populator.model_cls)
        _related(populator.related_populators)
    return populators


@dataclass(frozen=True)
class _StoredModel:
    """A model whose stored rows become instances without the signals and defaults of a new one.

    Most of the time of Django's `from_db` goes there.
    """

    model: type[Model]

    def from_db(self, alias: str, attributes: Sequence[str], values: Sequence[Any]) -> Any:
        """Return the row of these values, one for each attribute, as an instance."""
        row_instance = self.model.__new__(self.model)
        row_instance._state = state = ModelState()
        state.adding, state.db = False, alias
        vars(row_instance).update(zip(attributes, values, strict=True))
        return row_instance


@dataclass(frozen=True)
class _Plan:
    """A compiled query, and how a row of its result becomes an instance."""

    sql: str
    selected: str
    selecting: Sequence[Any]
    params: tuple[Any, ...]
    names: frozenset[str]
    locks: bool
    compiler: Any
    converters: Any
    model: "_StoredModel"
    columns: slice
    attributes: Sequence[str]
    related: Sequence[Any]
    annotations: dict[str, int]

    def arguments(self, values: dict[str, Any]) -> list[Any]:
        if values.keys() != self.names:
            raise TypeError(f"This statement takes {', '.join(sorted(self.names)) or 'no values'}, not {list(values)}.")
        return [_with_value(param, values) for param in self.params]

    def instances(self, rows: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the rows of a result as instances."""
        # Like the compiler's `results_iter`, which looks up the converters again for every result.
        converted = self.compiler.apply_converters(rows, self.converters) if self.converters else rows
        return [self.instance(row) for row in converted]

    def instance(self, row: Sequence[Any]) -> Any:
        row_instance = self.model.from_db(DEFAULT_DB_ALIAS, self.attributes, row[self.columns])
        for populator in self.related:
            populator.populate(row, row_instance)
        for name, column in self.annotations.items():
            setattr(row_instance, name, row[column])
        return row_instance
