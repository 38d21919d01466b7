"""A release as its pages tell it, from its manifest."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.charts import share
from annotation.models import Release
from annotation.release_files import checksum


def facts(made: Release) -> dict[str, Any]:
    """What both pages of a release show, its own and the public one."""
    manifest = made.manifest
    return {
        "release": made,
        "m": manifest,
        "checksum": checksum(manifest),
        "funnel": _funnel(manifest),
        "categories": _categories(manifest),
        "bytes": sum(file["size"] for file in manifest["files"]),
    }


def _funnel(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """From import to gold, as the project stood when the release was made."""
    found = manifest["agreement"]
    imported = sum(found["stages"].values())
    steps = [
        (_("Imported"), imported),
        (_("Fully labelled"), found["raw"]["items"]),
        (_("Quality"), found["steps"]["quality"]["items"]),
        (_("Consensus"), found["steps"]["consensus"]["items"]),
        (_("Aligned"), found["steps"]["alignment"]["items"]),
        (_("Gold"), found["stages"]["gold"]),
        (_("In this release"), manifest["counts"]["items"]),
    ]
    return [{"label": label, "n": n, "width": share(n, imported)} for label, n in steps]


def _categories(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    gold = manifest["counts"]["gold"]
    most = max(gold.values(), default=0)
    return [
        category | {"n": gold.get(str(category["code"]), 0), "width": share(gold.get(str(category["code"]), 0), most)}
        for category in manifest["categories"]
    ]
