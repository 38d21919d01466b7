"""A campaign with every kind of label, what its people said, and the forms in which Label Studio exports it."""

from collections.abc import Iterable, Mapping
from typing import Any

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Modality
from annotation.models import Label, Prior, Project
from release_builders import imported_picture

CODES = ((0, "NotHate", False), (10, "Racist", True), (25, "Sexist", True))
_SAID: tuple[tuple[int | None, Mapping[str, Any]], ...] = (
    (10, {"note": "[1] Clear, here."}),
    (10, {"challenges": [{"modality": "image", "category": 25, "hateful": True}]}),
    (25, {"target_group": "gardeners' neighbours"}),
)


def make_campaign() -> Project:
    """Return a project with four gold items: both parts, a picture alone, a text alone, both parts again.

    Seven priors: three of pictures, and four of texts.
    """
    project = builders.make_project(categories=CODES)
    trio = [builders.make_member(project) for _ in range(3)]
    red, blue = imported_picture(project, "red"), imported_picture(project, "blue")
    for number, picture in enumerate((red, blue, None, imported_picture(project, "green"))):
        text = "" if number == 1 else f"Weeds no. {number} in the white roses, \U0001f339 “so”\nagain"
        item = builders.make_open_item(
            project, text, external_id=f"w.{number}", picture=picture, target_group="newcomers", licence="CC0-1.0"
        )
        none = builders.category(project, 0)
        Prior.objects.create(item=item, modality=Modality.TEXT, category=none, model="m", explanation="A\ngarden.")
        if picture:
            Prior.objects.create(item=item, modality=Modality.IMAGE, hateful=True, model="v")
        for seat, member, (code, fields) in zip(item.seat_rows.order_by("number"), trio, _SAID, strict=True):
            builders.make_label(seat, member, code, seconds=4.5, **fields)
        close_item(item)
    return project


def as_said(project: Project) -> list[object]:
    """Return what each person said of which item, without who they are, in an order of its own."""
    by_person: dict[int, list[tuple[object, ...]]] = {}
    for label in Label.objects.filter(seat__item__project=project).select_related("category", "seat__item"):
        item, code = label.seat.item, label.category.code if label.category else None
        corrected = [(challenge["modality"], challenge["category"]) for challenge in label.challenges]
        of_item = (item.external_id, item.text, item.target_group, bool(item.picture_id))
        by_person.setdefault(label.annotator_id, []).append(
            (*of_item, code, label.note, label.target_group, corrected, label.seconds)
        )
    return sorted(sorted(said, key=str) for said in by_person.values())


def exported(tasks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tasks as Label Studio's JSON export has them.

    Every annotation belongs to the user who imported them, and predictions are numbers.
    """
    return [
        {
            **task,
            "annotations": [{**annotation, "id": 1, "completed_by": 1} for annotation in task["annotations"]],
            "predictions": list(range(len(task["predictions"]))),
        }
        for task in tasks
    ]


def exported_short(tasks: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return tasks as its JSON-MIN export has them: a row for each annotation, the task's number as `id`."""
    rows = []
    for task in tasks:
        for number, annotation in reversed(list(enumerate(task["annotations"]))):
            row = {**task["data"], "id": task["id"]}
            for result in annotation["result"]:
                name, value = result["from_name"], result["value"]
                row[name] = [*row.get(name, ()), value] if "start" in value else _short(value)
            row |= {"annotator": 1, "annotation_id": number, "created_at": annotation["created_at"]}
            rows.append(row | {"lead_time": annotation["lead_time"]})
    return rows


def _short(value: Mapping[str, Any]) -> Any:
    if "rating" in value:
        return value["rating"]
    said = value.get("choices") or value["text"]
    return said[0] if len(said) == 1 else dict(value)
