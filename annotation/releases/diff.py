"""Comparison of two releases of a project: the changes, with reasons as far as the present rows show them."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from annotation.core.stored_files import StoreAway
from annotation.domain.choices import Reason, Stage
from annotation.domain.releases.diff import Brief, ChangeReason, Changes, brief, compare
from annotation.models import Item, Project, Release
from annotation.releases.files import ITEMS
from annotation.releases.folders import release_folder

CHANGES = "changes.json"
_PIECE = 2000


def before_of(project: Project) -> tuple[Release, dict[str, Brief]] | None:
    """Return the newest release of the project and its rows in brief.

    Returns None if there is none whose rows can be read.
    """
    newest = Release.objects.filter(project=project).order_by("-number").first()
    if newest is None:
        return None
    try:
        return newest, dict(briefs(newest))
    except StoreAway:
        raise
    except OSError:
        return None


def briefs(release: Release) -> Iterator[tuple[str, Brief]]:
    """Yield the rows of a release, each with its id.

    Raises OSError if the file is lost.
    """
    texts = bool(release.manifest.get("selection", {}).get("texts", True))
    with release_folder(release).open(ITEMS) as lines:
        for line in lines:
            row = json.loads(line)
            yield row["id"], brief(row, texts)


def between(older: Release, newer: Release) -> dict[str, Any]:
    """Compare two releases; return the changes in the form of `changes.json`.

    Raises OSError if a file is lost.
    """
    differences = compare(dict(briefs(older)), briefs(newer))
    return describe_changes(older, differences, newer.project)


def describe_changes(older: Release, differences: Changes, project: Project) -> dict[str, Any]:
    """Describe the changes with their reasons. Deleted items appear by id only.

    `moved` is there only if items are in another part of the split; its reasons are the ways that they went.
    """
    standing = _standing(project, [*differences.added, *differences.removed])
    added = [{"id": name, "why": _why_added(standing.get(name), older)} for name in differences.added]
    removed = [
        {"id": name, "why": _why_removed(standing.get(name), stage)} for name, stage in differences.removed.items()
    ]
    relabelled = [
        {"id": relabelling.id, "from": relabelling.before, "to": relabelling.after, "why": relabelling.why.value}
        for relabelling in differences.relabelled
    ]
    changes: dict[str, Any] = {
        "since": {"version": older.number, "release": str(older.public_id)},
        "counts": {
            "added": len(added),
            "removed": len(removed),
            "relabelled": len(relabelled),
            "revised": len(differences.revised),
        },
        "reasons": {
            "added": _counted(added),
            "removed": _counted(removed),
            "relabelled": _counted(relabelled),
        },
        "added": added,
        "removed": removed,
        "relabelled": relabelled,
        "revised": differences.revised,
    }
    if differences.moved:
        changes["moved"] = [{"id": moved.id, "from": moved.before, "to": moved.after} for moved in differences.moved]
        changes["counts"]["moved"] = len(differences.moved)
        ways = Counter(f"{moved.before} to {moved.after}" for moved in differences.moved)
        changes["reasons"]["moved"] = dict(sorted(ways.items()))
    return changes


def _counted(listed: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return dict(sorted(Counter(relabelling["why"] for relabelling in listed).items()))


def _standing(project: Project, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return the present stage and times of items, by their ids."""
    items_by_id: dict[str, tuple[Any, ...]] = {}
    for start in range(0, len(names), _PIECE):
        items = Item.objects.filter(project=project, external_id__in=names[start : start + _PIECE])
        rows = items.values_list("external_id", "stage", "excluded_for", "created_at", "gold_at", "closed_at")
        items_by_id |= {row[0]: row[1:] for row in rows}
    return items_by_id


def _why_added(item: Sequence[Any] | None, older: Release) -> str:
    if item is None:
        return ChangeReason.GONE.value
    _stage, _reason, created, gold, closed = item
    if created > older.created_at:
        return ChangeReason.NEW.value
    moments = [moment for moment in (gold, closed) if moment is not None]
    return (ChangeReason.CLOSED_SINCE if moments and max(moments) > older.created_at else ChangeReason.SELECTED).value


def _why_removed(item: Sequence[Any] | None, before: str) -> str:
    """Return the reason; `before`: the stage that the older release gives."""
    if item is None:
        return ChangeReason.GONE.value
    stage, reason = item[0], item[1]
    if reason in (Reason.WITHDRAWN, Reason.REPORTED):
        return ChangeReason.WITHDRAWN.value
    if stage == before:
        return ChangeReason.NOT_SELECTED.value
    if stage == Stage.EXCLUDED:
        return ChangeReason.EXCLUDED.value
    # What was not gold before cannot be reopened since.
    return (ChangeReason.REOPENED if before == Stage.GOLD else ChangeReason.NOT_SELECTED).value
