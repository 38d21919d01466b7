"""Notes beside the steps of a funnel, which say why the numbers of two steps differ; for the dashboard and releases."""

from django.utils.translation import gettext as _


def closed_note(excluded: int) -> str:
    """Return how many closed items were excluded since, withdrawn ones among them."""
    return _("%(n)s excluded since") % {"n": excluded} if excluded else ""


def gold_note(adjudicated: int, imported: int) -> str:
    """Return how many gold items did not become gold by the votes: gold can be more than the closed items."""
    parts = [
        _("%(n)s adjudicated") % {"n": adjudicated} if adjudicated else "",
        _("%(n)s came decided") % {"n": imported} if imported else "",
    ]
    return ", ".join(filter(None, parts))
