"""Summary of a release for its pages, from its manifest."""

from typing import Any

from django.utils.translation import gettext as _

from annotation.core.svg import share
from annotation.domain.choices import Stage
from annotation.models import Release
from annotation.releases.files import checksum


def facts(release: Release) -> dict[str, Any]:
    """Return what both the internal and the public page of a release show."""
    manifest = release.manifest
    return {
        "release": release,
        "m": manifest,
        "checksum": checksum(manifest),
        "funnel": _funnel(manifest),
        "known_aside": _known(manifest),
        "categories": _categories(manifest),
        "bytes": sum(file["size"] for file in manifest["files"]),
    }


def _funnel(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Count items from import to gold, in the state of the project when the release was built.

    Items with a known answer are left out, as on the dashboard: nobody asks what they mean.
    """
    agreement = manifest["agreement"]
    imported = sum(agreement["stages"].values()) - _known(manifest)
    steps = [
        (_("Imported"), imported),
        (_("Fully labelled"), agreement["raw"]["items"]),
        (_("Quality"), agreement["steps"]["quality"]["items"]),
        (_("Consensus"), agreement["steps"]["consensus"]["items"]),
        (_("Aligned"), agreement["steps"]["alignment"]["items"]),
        (_("Gold"), agreement["stages"]["gold"]),
        (_("In this release"), manifest["counts"]["items"]),
    ]
    return [{"label": label, "n": n, "width": share(n, imported)} for label, n in steps]


def _known(manifest: dict[str, Any]) -> int:
    return int(manifest["agreement"]["stages"].get(Stage.KNOWN, 0))


def _categories(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    gold = manifest["counts"]["gold"]
    most = max(gold.values(), default=0)
    return [
        category | {"n": gold.get(str(category["code"]), 0), "width": share(gold.get(str(category["code"]), 0), most)}
        for category in manifest["categories"]
    ]
