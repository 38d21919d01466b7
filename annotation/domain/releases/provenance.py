"""What a release says about itself on its cards: licences, languages and people, from its manifest alone."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from annotation.domain.releases.licences import licence_of

NOT_STATED = "not stated"


class Annotators(StrEnum):
    """What a project says about the people who label in it."""

    UNSTATED = ""
    EXPERTS = "experts"
    CROWD = "crowd"


_CREATORS = {Annotators.EXPERTS: "expert-generated", Annotators.CROWD: "crowdsourced", Annotators.UNSTATED: "other"}


def item_licences(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Return the number of items under each licence, as written; an item that names none is under the project's."""
    counts = manifest["counts"]
    named = dict(counts.get("licences") or {})
    if rest := counts["items"] - sum(named.values()):
        own = manifest["licence"] or NOT_STATED
        named[own] = named.get(own, 0) + rest
    return dict(sorted(named.items(), key=lambda pair: (-pair[1], pair[0])))


def licences_of_parts(manifest: Mapping[str, Any]) -> list[str]:
    """Return the licences that hold for some part of the release: the project's first, then those of its items.

    NOT_STATED is among them if nobody names one for some items.
    """
    own = [manifest["licence"]] if manifest["licence"] else []
    return list(dict.fromkeys([*own, *item_licences(manifest)]))


def hub_licence(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys about licences as dataset hubs read them: identifiers of theirs, or `other` with a name."""
    hubs = {name: _hub_name(name) for name in licences_of_parts(manifest)}
    identifiers = list(dict.fromkeys(hubs.values()))
    head: dict[str, Any] = {"license": identifiers[0] if len(identifiers) == 1 else identifiers}
    if others := [name for name, hub in hubs.items() if hub == "other"]:
        head |= {"license_name": "-and-".join(_slug(name) for name in others)[:96], "license_link": "LICENSE"}
    return head


def _hub_name(name: str) -> str:
    licence = licence_of(name)
    return licence.hub if licence else "unknown" if name == NOT_STATED else "other"


def _slug(name: str) -> str:
    words = "".join(sign if sign.isascii() and sign.isalnum() or sign == "." else " " for sign in name.lower()).split()
    return "-".join(words) or "own"


def annotations_creators(manifest: Mapping[str, Any]) -> list[str]:
    """Return who made the labels, in the words of dataset hubs."""
    counts = manifest["counts"]
    came_along = counts.get("annotators_imported", 0)
    declared = Annotators(manifest.get("annotators") or "")
    labelled_here = (
        [_CREATORS[declared]] if counts["annotators"] > came_along or counts["sources"].get("adjudicated") else []
    )
    imported = ["found"] if came_along or counts["sources"].get("imported") else []
    return [*labelled_here, *imported] or ["no-annotation"]


def language_creators(manifest: Mapping[str, Any]) -> list[str]:
    """Return who wrote the texts, in the words of dataset hubs."""
    counts = manifest["counts"]
    injected = counts.get("injected", 0)
    return [*(["found"] if injected < counts["items"] else []), *(["machine-generated"] if injected else [])]
