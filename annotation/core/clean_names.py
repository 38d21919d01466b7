"""Names of before the rule for one line: what it refuses is taken out of stored rows, once, by migrations."""

from typing import Any

from django.db import IntegrityError, models, transaction

from annotation.domain.one_line import one_line


def clean(model: type[models.Model], *fields: str) -> dict[int, dict[str, str]]:
    """Make these texts of all rows one line. Return what they were, by primary key and field.

    Of two rows that then have one name where it must be unique, the later one gets its key as a number.
    """
    before: dict[int, dict[str, str]] = {}
    for key, *texts in list(_not_one_line(model, fields)):
        old = {field: text for field, text in zip(fields, texts, strict=True) if text and one_line(text) != text}
        new = {field: one_line(text) or f"({key})" for field, text in old.items()}
        row = model._default_manager.filter(pk=key)
        try:
            with transaction.atomic():
                row.update(**new)
        except IntegrityError:
            row.update(**{field: _numbered(model, field, text, key) for field, text in new.items()})
        before[key] = old
    return before


def _not_one_line(model: type[models.Model], fields: tuple[str, ...]) -> Any:
    rows = model._default_manager.order_by("pk").values_list("pk", *fields)
    return (row for row in rows.iterator(chunk_size=5_000) if any(text and one_line(text) != text for text in row[1:]))


def _numbered(model: type[models.Model], field: str, text: str, key: int) -> str:
    column = model._meta.get_field(field)
    assert isinstance(column, models.CharField) and column.max_length
    ending = f" ({key})"
    return text[: column.max_length - len(ending)] + ending
