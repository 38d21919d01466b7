"""The letters that press something on pages, by app, and what a person has instead of them.

Another key of a page is one line here, or in the `page_keys` of another app's extension.
"""

import json
from collections.abc import Mapping

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from annotation.core import extensions
from annotation.core.extensions import PageKey, PageKeys
from annotation.models import Membership, User

_LABELLING = PageKeys(
    "annotation",
    _("Posts to label"),
    extensions.annotators,
    (
        PageKey("u", _("Not sure")),
        PageKey("q", _("Low quality")),
        PageKey("n", _("Note")),
        PageKey("s", _("Skip")),
        PageKey("l", _("Later")),
        PageKey("r", _("Report")),
        PageKey("w", _("Glossary")),
        PageKey("c", _("Challenge")),
        PageKey("g", _("Guidelines")),
        PageKey("p", _("Pause")),
        PageKey("t", _("The text")),
        PageKey("z", _("Zoom")),
        PageKey("b", _("Keep unblurred")),
        PageKey("y", _("Greyscale")),
    ),
    app="annotation",
)

_REPORTS = PageKeys(
    "reports",
    _("Reports"),
    extensions.admins,
    (PageKey("j", _("Start with the first")),),
    app="annotation",
    pages=("reports",),
)


def page_keys_of(user: User) -> list[PageKeys]:
    """Return the letters of the pages that the person works with; those of labelling stand first, and always."""
    members = list(Membership.objects.filter(user=user, active=True).order_by("pk"))
    others = (each for each in (_REPORTS, *extensions.page_keys()) if any(map(each.visible_to, members)))
    return [_LABELLING, *others]


def every_page_keys() -> list[PageKeys]:
    """Return the letters of all pages; those of single pages stand before those of the app."""
    return [_REPORTS, _LABELLING, *extensions.page_keys()]


def own_keys_here(request: HttpRequest) -> str:
    """Return the person's own letters of this page by the usual ones, as JSON. Returns "" without any."""
    by_name: Mapping[str, Mapping[str, str]] = getattr(request.user, "own_keys", None) or {}
    at = request.resolver_match
    if not by_name or at is None:
        return ""
    here = (keys.name for keys in every_page_keys() if keys.are_on(at.app_name, at.url_name or ""))
    own = by_name.get(next(here, ""))
    return json.dumps(own) if own else ""
