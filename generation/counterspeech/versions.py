"""The texts of a reply that were handed in, each with what changed, and what was done with the reply."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Event
from generation.domain.word_diff import Change, changes
from generation.models import Reply, Submission

VERSIONS = 20
"""The maximum number of texts that were handed in, on the page of a reply."""


@dataclass(frozen=True)
class Version:
    """A text that was handed in, with what it changed in the one before; a correction's first one, in the reply's."""

    row: Submission
    changes: Sequence[Change]
    is_changed: bool
    follows: bool
    """Whether there is a text before it."""


def versions_of(reply: Reply, most: int = VERSIONS) -> list[Version]:
    """Return the texts that were handed in, the newest ones, oldest first."""
    newest = reply.submissions.select_related("returned_with__author").order_by("-number")[: most + 1]
    rows = list(reversed(newest))
    texts = [row.text for row in rows]
    is_cut = len(rows) > most
    before = [texts[0] if is_cut else reply.replaces.text if reply.replaces else None, *texts[:-1]] if rows else []
    versions = [
        Version(
            row,
            changes(earlier, row.text) if earlier is not None else (),
            earlier not in (None, row.text),
            earlier is not None,
        )
        for row, earlier in zip(rows, before, strict=True)
    ]
    return versions[1:] if is_cut else versions


def history_of(reply: Reply) -> list[Event]:
    """Return the events of a reply, oldest first."""
    events = Event.objects.filter(project=reply.exchange.project, row=reply.public_id)
    return list(events.select_related("actor").order_by("id"))
