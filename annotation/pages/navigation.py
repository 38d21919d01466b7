"""The pages of a project that a member's roles open: the links in its header and in the list of projects."""

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.core import extensions
from annotation.models import Membership, Project

_SETTINGS = ("project-settings", "guidelines-edit", "design", "webhook")
_GLOSSARY = ("glossary", "glossary-new", "glossary-entry", "glossary-rule", "glossary-import")

# The pages in the order of the header. A page whose URL does not exist is left out.
# URL name, audience, link text, URL names on which the link is current, the group that shares a link with it.
_PLACES = (
    ("label", extensions.annotators, gettext_noop("Annotate"), ("label", "label-correct", "consent", "history"), ""),
    ("items", extensions.figure_viewers, gettext_noop("Items"), ("items", "item"), extensions.POSTS),
    ("import", extensions.admins, gettext_noop("Import"), ("import", "import-show", "import-rows"), extensions.POSTS),
    ("priors", extensions.admins, gettext_noop("Priors"), ("priors",), extensions.POSTS),
    ("glossary", extensions.debate_viewers, gettext_noop("Glossary"), _GLOSSARY, ""),
    ("dashboard", extensions.figure_viewers, gettext_noop("Dashboard"), ("dashboard",), ""),
    ("releases", extensions.admins, gettext_noop("Releases"), ("releases", "release", "release-ordered"), ""),
    (
        "models",
        extensions.admins,
        gettext_noop("Models"),
        ("models", "models-try", "models-choose", "models-forget"),
        extensions.MODELS,
    ),
    ("batches", extensions.admins, gettext_noop("Campaign"), (), ""),  # current on each of its tabs
    ("project-settings", extensions.admins, gettext_noop("Settings"), _SETTINGS, ""),
)

# The tabs of the campaign's pages: URL name, link text, URL names on which the tab is current.
CAMPAIGN = (
    ("batches", gettext_noop("Batches"), ("batches", "batch", "batch-teams", "open-items")),
    ("members", gettext_noop("People"), ("members", "member", "invitations")),
    ("training-setup", gettext_noop("Training"), ("training-setup", "training-results")),
    ("quality", gettext_noop("Quality"), ("quality", "quality-person")),
    ("influence", gettext_noop("Prior influence"), ("influence",)),
    ("care-settings", gettext_noop("Care"), ("care-settings", "care-viewing")),
    ("hours", gettext_noop("Hours"), ("hours",)),
)

# Links of other apps come after the items; those marked `first` come right after the annotator's own link.
_OPENING = ("label", "items", "import", "priors")
_IN_CAMPAIGN = frozenset(name for _name, _text, names in CAMPAIGN for name in names)


def address_of(name: str, *args: Any) -> str:
    """Return the URL of a named page, "" if this installation has no such page."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


def places_of(member: Membership, project: Project, current_name: str = "") -> list[dict[str, Any]]:
    """Return the pages that the member's roles open, in the order of the header."""
    own = {
        name: {
            "href": address,
            "text": _(text),
            "current": current_name in (names or _IN_CAMPAIGN),
            "top": current_name == name,
            "group": group,
        }
        for name, visible_to, text, names, group in _PLACES
        if visible_to(member) and (address := address_of(f"annotation:{name}", project.slug))
    }
    others = [
        (
            place.first,
            {
                "href": address_of(place.url_name, project.slug),
                "text": place.text,
                "current": current_name in place.current_at,
                "top": current_name == place.url_name.partition(":")[2],
                "group": place.group,
            },
        )
        for place in extensions.navigation()
        if place.visible_to(member)
    ]
    return [
        *(own[name] for name in ("label",) if name in own),
        *(link for first, link in others if first),
        *(own[name] for name in _OPENING[1:] if name in own),
        *(link for first, link in others if not first),
        *(link for name, link in own.items() if name not in _OPENING),
    ]


def headed(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one link for each group, named after its first page and current on the pages of the whole group."""
    shown: dict[str, dict[str, Any]] = {}
    for place in places:
        link = shown.setdefault(place["group"] or place["href"], dict(place))
        link["current"] = link["current"] or place["current"]
    return list(shown.values())
