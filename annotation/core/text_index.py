"""The index of text search: trigrams of folded posts, of their ids, and of the folded words in their pictures.

PostgreSQL has GIN indexes (extension pg_trgm) on what Django's `contains` and `icontains` compare; its planner uses
them by itself. SQLite has FTS5 tables kept by triggers; `candidates` asks them, and the caller compares as before. So a
search finds the same with and without the index, only later without. A term of one or two letters has no trigram.

The migration fills the folded columns and creates the index where it may; `manage.py text_index` does what is missing.
Rows that a process of an older version wrote during an upgrade have no folded text before that. On SQLite, Django
rebuilds a table to alter a column, which drops its triggers: such a migration must end with `create` again.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import DatabaseError, connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Q
from django.db.models.expressions import RawSQL

from annotation.domain.folding.text import folded

SHORTEST = 3
"""The letters of a trigram."""
_MOST_ASKED = 30  # trigrams of a long term that are looked up; the comparison decides

ITEMS, PICTURES = "annotation_item", "annotation_picturetext"
_COLUMNS = {ITEMS: ("folded", "external_id"), PICTURES: ("folded",)}
_FILLED_AT_ONCE = 200
_PASSES = 3  # rows that somebody held are free the next time


def create(database: BaseDatabaseWrapper) -> bool:
    """Create what is missing of the index. Return False if the database does not offer it or the role may not."""
    if not _has_columns(database):  # an older migration calls: a later one adds the columns and calls again
        return False
    if is_there(database):
        return True
    if database.vendor == "postgresql":
        return _create_extension(database) and _run(database, _on_postgresql())
    return _run(database, _on_sqlite())


def fill(database: BaseDatabaseWrapper) -> int:
    """Write the folded texts that are missing, some thousand rows at a time. Return the number of rows."""
    return sum(_fill(database, table) for table in _COLUMNS for _pass in range(_PASSES))


def _fill(database: BaseDatabaseWrapper, table: str) -> int:
    """Fill the rows that nobody holds, a few in a transaction: people label on, and wait for none of them."""
    free = " FOR UPDATE SKIP LOCKED" if database.vendor == "postgresql" else ""
    missing = "id > %s AND folded = '' AND text <> '' ORDER BY id LIMIT %s"
    query = f'SELECT id, text FROM "{table}" WHERE {missing}{free}'  # noqa: S608  our own names
    last = count = 0
    while True:
        with transaction.atomic(using=database.alias), database.cursor() as cursor:
            rows = _selected(cursor, query, [last, _FILLED_AT_ONCE])
            pairs = [(folded(text), key) for key, text in rows]
            if pairs:
                cursor.executemany(f'UPDATE "{table}" SET folded = %s WHERE id = %s', pairs)  # noqa: S608  our own names
        if not rows:
            return count
        last, count = rows[-1][0], count + len(rows)


def _selected(cursor: Any, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    cursor.execute(query, values)
    return list(cursor.fetchall())


def _has_columns(database: BaseDatabaseWrapper) -> bool:
    with database.cursor() as cursor:
        return all(
            set(columns) <= {column.name for column in database.introspection.get_table_description(cursor, table)}
            for table, columns in _COLUMNS.items()
        )


def remove(database: BaseDatabaseWrapper) -> None:
    """Remove the index; the extension stays."""
    if database.vendor == "postgresql":
        _run(database, [f'DROP INDEX IF EXISTS "{name}"' for name, _table, _column in _indexes()])
    else:
        _run(database, [*_without_triggers(), *(f'DROP TABLE IF EXISTS "{table}_words"' for table in _COLUMNS)])


def is_there(database: BaseDatabaseWrapper = connection) -> bool:
    """Return whether text searches use the index."""
    with database.cursor() as cursor:
        if database.vendor == "postgresql":
            names = [name for name, _table, _column in _indexes()]
            cursor.execute(
                "SELECT count(*) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
                " WHERE i.indisvalid AND pg_table_is_visible(c.oid) AND c.relname = ANY(%s)",
                [names],
            )
        else:
            names = [name for name, _body in _triggers()]
            places = ", ".join(["%s"] * len(names))
            cursor.execute(f"SELECT count(*) FROM sqlite_master WHERE type = 'trigger' AND name IN ({places})", names)
        return bool(cursor.fetchone()[0] == len(names))


def candidates(term: str) -> Mapping[str, Q]:
    """Return by table the condition that a row holds all trigrams of the term, where that is known.

    Every row whose text holds the term fulfils it. PostgreSQL needs no such condition.
    """
    if connection.vendor != "sqlite" or len(term) < SHORTEST or not is_there():
        return dict.fromkeys(_COLUMNS, Q())
    trigrams = list(dict.fromkeys(term[start : start + SHORTEST] for start in range(len(term) - SHORTEST + 1)))
    step = -(-len(trigrams) // _MOST_ASKED)
    match = " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in trigrams[::step])
    statements = {table: f'SELECT rowid FROM "{table}_words" WHERE "{table}_words" MATCH %s' for table in _COLUMNS}
    return {table: Q(pk__in=RawSQL(query, [match])) for table, query in statements.items()}  # noqa: S611  constant SQL, bound term


@register(Tags.database)
def check_text_index(databases: Sequence[str] | None = None, **options: Any) -> list[CheckMessage]:
    """Report a database without the index (`manage.py check --database default`)."""
    hint = "Run manage.py text_index; on PostgreSQL an administrator runs CREATE EXTENSION pg_trgm first."
    return [
        Warning("Text search has no index and reads every text.", hint=hint, id="annotation.W001")
        for alias in databases or ()
        if _is_migrated(connections[alias]) and not is_there(connections[alias])
    ]


def _is_migrated(database: BaseDatabaseWrapper) -> bool:
    """Return whether the migration that creates the index is applied."""
    if "django_migrations" not in database.introspection.table_names():
        return False
    with database.cursor() as cursor:
        cursor.execute("SELECT 1 FROM django_migrations WHERE app = 'annotation' AND name = '0014_figures'", ())
        return cursor.fetchone() is not None


def _run(database: BaseDatabaseWrapper, statements: Sequence[str]) -> bool:
    with database.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    return True


# ── PostgreSQL ────────────────────────────────────────────────────────────────


def _create_extension(database: BaseDatabaseWrapper) -> bool:
    try:
        with transaction.atomic(using=database.alias):
            return _run(database, ["CREATE EXTENSION IF NOT EXISTS pg_trgm"])
    except DatabaseError:  # not on this server, or not for this role
        return False


def _indexes() -> Iterator[tuple[str, str, str]]:
    for table, columns in _COLUMNS.items():
        for column in columns:
            yield f"{table}_{column}_words", table, column


def _on_postgresql() -> list[str]:
    """Return the statements. New entries wait in a list of 1 MB and are put in place together.

    Entries that are put in place one by one cost an import five times the time, and each label 2 ms: a label changes
    its item's row. With a longer list, the request that fills it would wait longer.
    """
    statements = []
    for name, table, column in _indexes():
        statements.append(f'DROP INDEX IF EXISTS "{name}"')  # a broken one
        compared = f'UPPER("{column}"::text)' if column == "external_id" else f'"{column}"'
        expression = f"{compared} gin_trgm_ops"
        statements.append(
            f'CREATE INDEX "{name}" ON "{table}" USING gin ({expression}) WITH (gin_pending_list_limit = 1024)'
        )
    return statements


# ── SQLite ────────────────────────────────────────────────────────────────────


def _triggers() -> Iterator[tuple[str, str]]:
    for table, columns in _COLUMNS.items():
        words, names = f'"{table}_words"', ", ".join(columns)
        new, old = (", ".join(f"{row}.{column}" for column in ("id", *columns)) for row in ("new", "old"))
        insert = f"INSERT INTO {words} (rowid, {names}) VALUES ({new})"
        delete = f"INSERT INTO {words} ({words}, rowid, {names}) VALUES ('delete', {old})"
        yield f"{table}_words_insert", f'AFTER INSERT ON "{table}" BEGIN {insert}; END'
        yield f"{table}_words_delete", f'AFTER DELETE ON "{table}" BEGIN {delete}; END'
        yield f"{table}_words_update", f'AFTER UPDATE OF {names} ON "{table}" BEGIN {delete}; {insert}; END'


def _without_triggers() -> list[str]:
    return [f'DROP TRIGGER IF EXISTS "{name}"' for name, _body in _triggers()]


def _on_sqlite() -> list[str]:
    statements = _without_triggers()
    for table, columns in _COLUMNS.items():
        options = f"content='{table}', content_rowid='id', tokenize='trigram', detail='none', columnsize=0"
        statements.append(
            f'CREATE VIRTUAL TABLE IF NOT EXISTS "{table}_words" USING fts5({", ".join(columns)}, {options})'
        )
        statements.append(f"""INSERT INTO "{table}_words" ("{table}_words") VALUES ('rebuild')""")
    return statements + [f'CREATE TRIGGER "{name}" {body}' for name, body in _triggers()]
