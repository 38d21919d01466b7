"""Find an item or a sample of the project that says almost the same as a text.

Each process keeps the texts of the projects that it was asked about lately, and adds new ones when it is asked again.
Items are followed by their keys. An item that a long import commits after later keys is missed here, and found when the
sample is accepted.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import QuerySet

from annotation.domain.imports.known_texts import Shelf
from annotation.models import Item, Project
from generation.domain.injection.states import SampleState
from generation.models import Sample

_PROJECTS = 4
_PIECE = 5_000


@dataclass
class _Known:
    """The texts of one project, up to a key of its items and an order of its samples."""

    items: Shelf = field(default_factory=Shelf)
    samples: Shelf = field(default_factory=Shelf)
    item_names: list[str] = field(default_factory=list)
    sample_names: list[UUID] = field(default_factory=list)
    last_item: int = 0
    last_sample: int = 0


_known: OrderedDict[UUID, _Known] = OrderedDict()
_turn = threading.Lock()


def told_before(project: Project, text: str, *, but: Sample | None = None) -> str:
    """Return a sentence that names the item or sample that says almost the same; empty if there is none.

    `but`: a sample that is not compared with.
    """
    with _turn:
        project_texts = _up_to_date(project)
        place = project_texts.items.near(text)
        if place is not None:
            return f"The item {project_texts.item_names[place]} says almost the same."
        if but is not None and but.order is not None:
            return ""  # it was compared with the other samples when it was written
        place = project_texts.samples.near(text)
        return "" if place is None else f"The sample {str(project_texts.sample_names[place])[:8]} says almost the same."


def _up_to_date(project: Project) -> _Known:
    project_texts = _known.setdefault(project.public_id, _Known())
    _known.move_to_end(project.public_id)
    while len(_known) > _PROJECTS:
        _known.popitem(last=False)
    while rows := list(_items(project, project_texts.last_item)[:_PIECE]):
        project_texts.items.add([text for _key, _name, text in rows])
        project_texts.item_names += [name for _key, name, _text in rows]
        project_texts.last_item = rows[-1][0]
    while some := list(_samples(project, project_texts.last_sample)[:_PIECE]):
        project_texts.samples.add([text for _order, _name, text in some])
        project_texts.sample_names += [name for _order, name, _text in some]
        project_texts.last_sample = some[-1][0] or project_texts.last_sample
    return project_texts


def _items(project: Project, after: int) -> "QuerySet[Item, tuple[int, str, str]]":
    rows = Item.objects.filter(project=project, pk__gt=after).exclude(text="").order_by("pk")
    return rows.values_list("pk", "external_id", "text")


def _samples(project: Project, after: int) -> "QuerySet[Sample, tuple[int | None, UUID, str]]":
    """Return the written samples after this order, in that order; duplicates add nothing and are left out."""
    rows = Sample.objects.filter(project=project, order__gt=after).exclude(state=SampleState.DUPLICATE)
    return rows.order_by("order").values_list("order", "public_id", "text")
