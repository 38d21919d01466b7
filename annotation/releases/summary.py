"""Summary of a release for its pages, from its manifest."""

from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotation.analytics.funnel_notes import closed_note, gold_note
from annotation.domain.choices import Stage
from annotation.models import Release
from annotation.pages.svg import share
from annotation.releases.files import checksum

_AFTER_LABELLING = (Stage.GOLD, Stage.DISPUTED, Stage.EXCLUDED)
"""Where closed items are; older releases count them so, with those that were taken out before."""


def facts(release: Release) -> dict[str, Any]:
    """Return what both the internal and the public page of a release show."""
    manifest = release.manifest
    return {
        "release": release,
        "m": manifest,
        "gold_items": sum(manifest["counts"]["sources"].values()),
        "checksum": checksum(manifest),
        "funnel": _funnel(manifest),
        "known_aside": _known(manifest),
        "categories": _categories(release),
        "bytes": sum(file["size"] for file in manifest["files"]),
    }


def _funnel(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Count items from import to gold, in the state of the project when the release was built.

    Items with a known answer are left out, as on the dashboard: nobody asks what they mean.
    """
    agreement = manifest["agreement"]
    stages, imported = agreement["stages"], sum(agreement["stages"].values()) - _known(manifest)
    accounts = agreement["steps"] | {name: agreement[name] for name in ("final", "final_with_adjudicated")}
    passed = {name: account.get("total", account["items"]) for name, account in accounts.items()}
    adjudicated = passed["final_with_adjudicated"] - passed["final"]
    steps = [
        (_("Imported"), imported),
        (_("Closed"), manifest.get("closed", sum(stages[stage] for stage in _AFTER_LABELLING))),
        (_("Quality"), passed["quality"]),
        (_("Consensus"), passed["consensus"]),
        (_("Aligned"), passed["alignment"]),
        (_("Gold"), stages[Stage.GOLD]),
        (_("In this release"), manifest["counts"]["items"]),
    ]
    notes = {
        _("Closed"): closed_note(manifest.get("closed_excluded", 0)),
        _("Gold"): gold_note(adjudicated, manifest.get("gold_imported", 0)),
    }
    return [{"label": label, "n": n, "width": share(n, imported), "note": notes.get(label, "")} for label, n in steps]


def _known(manifest: dict[str, Any]) -> int:
    return int(manifest["agreement"]["stages"].get(Stage.KNOWN, 0))


def _categories(release: Release) -> list[dict[str, Any]]:
    """Return the categories with their gold items: by the names of the release, with the project's keys and colours."""
    gold = release.manifest["counts"]["gold"]
    most = max(gold.values(), default=0)
    present = release.project.categories_by_code
    rows = []
    for category in release.manifest["categories"]:
        n = gold.get(str(category["code"]), 0)
        shown = replace(present[category["code"]].value(), name=category["name"])
        rows.append({"shown": shown, "n": n, "width": share(n, most)})
    return rows
