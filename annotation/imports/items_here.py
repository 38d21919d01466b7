"""Rows of a file beside the items that the project has: equal ids, equal texts."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from annotation.domain.category_sets import codes_of
from annotation.domain.formats.base import BadValue
from annotation.domain.imports.read_row import ReadRow
from annotation.imports.first_seen import FirstSeen
from annotation.imports.options import ImportOptions
from annotation.imports.report import ImportReport
from annotation.models import Item, Project


class ItemsHere:
    """What a project has of the rows of one import, and what rows have in common. `twins`: numbers of such rows."""

    def __init__(
        self,
        project: Project,
        options: ImportOptions,
        report: ImportReport,
        on_here: Callable[[ReadRow], None],
        stack: ExitStack,
    ) -> None:
        """Take the report that is told; `on_here` is called for each row whose id an item has.

        `stack` closes a temporary file.
        """
        self.project, self.options, self.report, self._on_here = project, options, report, on_here
        self.crowded = Item.objects.filter(project=project).exists()
        self.texts = FirstSeen(stack)
        self.twins: set[int] = set()

    def not_yet_here(self, batch: list[ReadRow]) -> list[ReadRow]:
        """Return the rows whose id is new; the others are errors, or are passed over where that was asked for."""
        if not self.crowded:
            return batch
        names = [item.external_id for item in batch]
        rows = Item.objects.filter(project=self.project, external_id__in=names)
        facts = ("text_sha256", "picture_name", "intended_hateful", "intended__code", "intended_categories")
        existing = {
            name: (*values, codes_of(lead, stored))
            for name, *values, lead, stored in rows.values_list("external_id", *facts)
        }
        for item in batch:
            if item.external_id in existing:
                self._already_here(item, existing[item.external_id])
        return [item for item in batch if item.external_id not in existing]

    def _already_here(self, item: ReadRow, stored: Sequence[Any]) -> None:
        self._on_here(item)
        if self.options.skip_existing:
            intent = item.intent
            intended = intent and codes_of(intent.code, intent.codes)
            new_values = (item.text_sha256, item.picture, intent and intent.side, intended)
            is_changed = any(new not in (None, "", (), old) for new, old in zip(new_values, stored, strict=True))
            self.report.note_existing(item.external_id, is_changed)
            return
        reason = f"The project has an item {item.external_id} already; it is never overwritten."
        fault = BadValue("id_exists", reason, "id").at(item.line, item.external_id, item.entry)
        self.report.errors.append(replace(fault, status=409))

    def find_twins(self, batch: list[ReadRow]) -> None:
        """Warn of equal texts, however they are composed, in the file and in the project."""
        stored_digests: set[str] = set()
        if self.crowded:
            digests = [item.text_sha256 for item in batch if item.text_sha256]
            same = Item.objects.filter(project=self.project, text_sha256__in=digests)
            stored_digests = set(same.values_list("text_sha256", flat=True))
        for item in batch:
            digest = item.text_sha256
            if not digest:
                continue
            if self.texts.first(digest, item.number) != item.number or digest in stored_digests:
                self._note_twin(item)

    def _note_twin(self, item: ReadRow) -> None:
        self.twins.add(item.number)
        self.report.note_twin(item.line, item.external_id, "text", item.entry)
