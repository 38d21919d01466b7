"""What bare Django and the database alone need for the rows that a bench imports, releases or counts.

    python bench/references/bare_rows.py import FILE SLUG | release SLUG | labels SLUG

A bench runs it in a process of its own and on its own database, in the same run. Prints JSON: for `bare` (Django as
its tutorial uses it: `bulk_create`, querysets, `json`) and for `database` (the driver: rows in, rows out, nothing
computed) the seconds by the clock and of this process's processor.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.db import connection, transaction
from django.db.models import Prefetch

from annotation.models import Item, Label, Prior, Project

BATCH = 500


def timed(act: Callable[[], Any]) -> dict[str, float]:
    began, spent = time.monotonic(), time.process_time()
    act()
    return {"seconds": round(time.monotonic() - began, 3), "processor": round(time.process_time() - spent, 3)}


def imported(file: str, slug: str) -> dict[str, Any]:
    """Insert the rows of a file of JSON lines twice; nothing stays."""
    project = Project.objects.create(slug=f"{slug}-reference", name="Reference")
    try:
        return {
            "bare": timed(lambda: rolled_back(lambda: bare_import(file, project))),
            "database": timed(lambda: rolled_back(lambda: database_import(file, project))),
        }
    finally:
        project.delete()


class _Undone(Exception):
    """Ends a transaction whose rows are not kept."""


def rolled_back(act: Callable[[], None]) -> None:
    try:
        with transaction.atomic():
            act()
            raise _Undone
    except _Undone:
        return


def item_of(line: str, project: Project) -> Item:
    row = json.loads(line)
    return Item(project=project, external_id=row["id"], text=row["text"], source=row["source"])


def bare_import(file: str, project: Project) -> None:
    with Path(file).open(encoding="utf-8") as lines:
        batch: list[Item] = []
        for line in lines:
            batch.append(item_of(line, project))
            if len(batch) == BATCH:
                Item.objects.bulk_create(batch)
                batch = []
        Item.objects.bulk_create(batch)


def database_import(file: str, project: Project) -> None:
    """Send finished rows: one prepared statement on SQLite, COPY on PostgreSQL."""
    fields = [field for field in Item._meta.concrete_fields if not field.primary_key]
    names = ", ".join(f'"{field.column}"' for field in fields)
    with Path(file).open(encoding="utf-8") as lines:
        first = item_of(next(lines), project)
    values = [field.get_db_prep_save(getattr(first, field.attname), connection) for field in fields]
    keys = {field.column: place for place, field in enumerate(fields)}
    with Path(file).open("rb") as lines_again:
        count = sum(1 for _ in lines_again)

    def rows() -> Any:
        for number in range(count):
            values[keys["external_id"]] = f"r-{number}"
            values[keys["public_id"]] = f"{number:032x}"
            yield tuple(values)

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f'COPY "annotation_item" ({names}) FROM STDIN') as copy:
                for row in rows():
                    copy.write_row(row)
        else:
            marks = ", ".join(["%s"] * len(fields))
            insert = f'INSERT INTO "annotation_item" ({names}) VALUES ({marks})'  # noqa: S608 (our own columns)
            cursor.executemany(insert, rows())


def released(slug: str) -> dict[str, Any]:
    """Read the gold items of a project with their labels and priors: as objects into JSON, and as rows."""
    project = Project.objects.get(slug=slug)
    return {"bare": timed(lambda: bare_release(project)), "database": timed(lambda: database_release(project))}


def bare_release(project: Project) -> None:
    labels = Prefetch("labels", Label.objects.select_related("category", "annotator"))
    priors = Prefetch("priors", Prior.objects.select_related("category"))
    items = Item.objects.filter(project=project).select_related("category").prefetch_related(labels, priors)
    with Path(os.devnull).open("w") as out:
        for item in items.order_by("pk").iterator(chunk_size=2000):
            row = {
                "id": item.external_id,
                "text": item.text,
                "gold": item.category and item.category.code,
                "pattern": item.pattern,
                "labels": [
                    {"annotator": label.annotator.pseudonym, "category": label.category and label.category.code}
                    for label in item.labels.all()
                ],
                "priors": [
                    {"modality": prior.modality, "explanation": prior.explanation} for prior in item.priors.all()
                ],
            }
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


def database_release(project: Project) -> None:
    for model, path in ((Item, "project"), (Label, "item__project"), (Prior, "item__project")):
        drained(model.objects.filter(**{path: project}).values_list())


def labels(slug: str) -> dict[str, Any]:
    """Read the labels of a project: as objects, and as rows."""
    rows = Label.objects.filter(item__project__slug=slug)
    return {
        "bare": timed(lambda: [label.category_id for label in rows.select_related("item").iterator(chunk_size=2000)]),
        "database": timed(lambda: drained(rows.values_list("item_id", "annotator_id", "category_id", "created_at"))),
    }


def drained(rows: Any) -> None:
    """Have the database send all rows of a query, and make nothing of them."""
    statement, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        while cursor.fetchmany(2000):
            pass


if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    print(json.dumps({"import": imported, "release": released, "labels": labels}[kind](*arguments)))
