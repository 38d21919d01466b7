"""The places of a project that a member's roles open: the links of its header, the buttons in the list of projects."""

from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.core import extensions
from annotation.models import Membership, Project

_GLOSSARY = ("glossary", "glossary-new", "glossary-entry", "glossary-rule", "glossary-import")

# What a member's roles open, in the order of the header. A page whose URL does not exist is left out.
# URL name, audience, text for people, names under which the place is the current one, the group it shares a link with.
_PLACES = (
    ("label", extensions.annotators, gettext_noop("Annotate"), ("label", "label-correct", "consent", "history"), ""),
    ("items", extensions.figure_viewers, gettext_noop("Items"), ("items", "item"), extensions.POSTS),
    ("import", extensions.admins, gettext_noop("Import"), ("import", "import-show", "import-rows"), extensions.POSTS),
    ("priors", extensions.admins, gettext_noop("Priors"), ("priors",), extensions.POSTS),
    ("glossary", extensions.debate_viewers, gettext_noop("Glossary"), _GLOSSARY, ""),
    ("dashboard", extensions.figure_viewers, gettext_noop("Dashboard"), ("dashboard",), ""),
    ("releases", extensions.admins, gettext_noop("Releases"), ("releases", "release", "release-ordered"), ""),
    ("models", extensions.admins, gettext_noop("Models"), ("models", "models-try", "models-choose"), extensions.MODELS),
    ("batches", extensions.admins, gettext_noop("Campaign"), (), ""),  # current on each of its tabs too
    ("project-settings", extensions.admins, gettext_noop("Settings"), ("project-settings", "guidelines-edit"), ""),
)

# The tabs of the campaign's pages: URL name, text, names under which the tab is the current one.
CAMPAIGN = (
    ("batches", gettext_noop("Batches"), ("batches", "batch", "batch-teams", "open-items")),
    ("members", gettext_noop("People"), ("members", "member", "invitations")),
    ("training-setup", gettext_noop("Training"), ("training-setup", "training-results")),
    ("quality", gettext_noop("Quality"), ("quality", "quality-person")),
    ("influence", gettext_noop("Prior influence"), ("influence",)),
    ("care-settings", gettext_noop("Care"), ("care-settings", "care-viewing")),
    ("hours", gettext_noop("Hours"), ("hours",)),
)

# Other apps' places stand behind the items, but for those that come first: behind the annotator's own.
_OPENING = ("label", "items", "import", "priors")
_IN_CAMPAIGN = frozenset(name for _name, _text, names in CAMPAIGN for name in names)


def address_of(name: str, *args: Any) -> str:
    """The URL of a named page, or nothing where this installation has no such page."""
    try:
        return reverse(name, args=args)
    except NoReverseMatch:
        return ""


def places_of(member: Membership, project: Project, here: str = "") -> list[dict[str, Any]]:
    """The pages that the member's roles open, in the order of the header."""
    own = {
        name: {
            "href": address,
            "text": _(text),
            "current": here in (names or _IN_CAMPAIGN),
            "top": here == name,
            "group": group,
        }
        for name, opens, text, names, group in _PLACES
        if opens(member) and (address := address_of(f"annotation:{name}", project.slug))
    }
    others = [
        (
            place.first,
            {
                "href": address_of(place.url_name, project.slug),
                "text": place.text,
                "current": here in place.current_at,
                "top": here == place.url_name.partition(":")[2],
                "group": place.group,
            },
        )
        for place in extensions.places()
        if place.opens(member)
    ]
    return [
        *(own[name] for name in ("label",) if name in own),
        *(link for first, link in others if first),
        *(own[name] for name in _OPENING[1:] if name in own),
        *(link for first, link in others if not first),
        *(link for name, link in own.items() if name not in _OPENING),
    ]


def headed(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One link for each group, named after its first place and current on the pages of all."""
    shown: dict[str, dict[str, Any]] = {}
    for place in places:
        link = shown.setdefault(place["group"] or place["href"], dict(place))
        link["current"] = link["current"] or place["current"]
    return list(shown.values())
