"""Template tags and filters that every page shares."""

from datetime import datetime
from typing import Any

from django import template
from django.forms import BoundField, Form
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from annotation import rooms
from annotation.domain.guidelines import render
from annotation.domain.marking import has_tower, pieces
from annotation.links import CAMPAIGN, address_of, headed, opened_to, places_of
from annotation.models import Category, Membership, Project
from annotation.naming import name_of
from annotation.refusals import sentence_for

register = template.Library()


@register.filter
def megabytes(size: int) -> str:
    """A number of bytes in decimal megabytes, without the unit; to a tenth below ten."""
    return floatformat(size / 1_000_000, -1 if size < 10_000_000 else 0)


@register.inclusion_tag("_nav.html", takes_context=True)
def project_nav(context: template.Context) -> dict[str, Any]:
    """The links to a project's pages that the viewer's roles open; the current one is marked."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.url_name if match else ""
    return {"places": headed(places_of(context["membership"], context["project"], here))}


@register.inclusion_tag("_tabs.html", takes_context=True)
def place_tabs(context: template.Context) -> dict[str, Any]:
    """The tabs over the first page of each place that shares its link of the header with others."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.url_name if match else ""
    places = places_of(context["membership"], context["project"], here)
    # A form that comes back with a fault stands at another address than its place.
    mark = "top" if any(place["top"] for place in places) else "current"
    group = next((place["group"] for place in places if place[mark]), "")
    tabs = [place | {"current": place[mark]} for place in places if group and place["group"] == group]
    return {"tabs": tabs if len(tabs) > 1 else [], "about": _("Posts") if group == rooms.POSTS else _("Models")}


@register.inclusion_tag("_tabs.html", takes_context=True)
def campaign_tabs(context: template.Context) -> dict[str, Any]:
    """The tabs over every page about running the campaign; for admins."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.url_name if match else ""
    project: Project = context["project"]
    tabs = [
        {"href": address, "text": _(text), "current": here in names}
        for name, text, names in CAMPAIGN
        if (address := address_of(f"annotation:{name}", project.slug))
    ]
    return {"tabs": tabs}


@register.inclusion_tag("_tabs.html", takes_context=True)
def item_tabs(context: template.Context) -> dict[str, Any]:
    """The tabs over an item's pages: its own, and what other apps know about it."""
    match = getattr(context.get("request"), "resolver_match", None)
    here = match.view_name if match else ""
    item, project = context["item"], context["project"]
    known = [("annotation:item", _("The post")), *((tab.url_name, tab.text) for tab in rooms.tabs)]
    tabs = [
        {"href": reverse(name, args=[project.slug, item.public_id]), "text": text, "current": here == name}
        for name, text in known
    ]
    return {"tabs": tabs, "about": _("About this post")}


@register.inclusion_tag("_item_actions.html", takes_context=True)
def item_actions(context: template.Context) -> dict[str, Any]:
    """The buttons of other apps on an item's page, where they can be pressed."""
    item, project, opens = context["item"], context["project"], opened_to(context["membership"])
    found = [each for each in rooms.actions if opens[each.opens] and item.stage in each.stages and each.fits(item)]
    actions = [
        {"href": reverse(each.url_name, args=[project.slug, item.public_id]), "text": each.text, "main": each.main}
        for each in found
    ]
    return {"actions": actions}


@register.inclusion_tag("_ways.html")
def project_ways(member: Membership) -> dict[str, Any]:
    """The same places as buttons for the list of projects; the first is the main one."""
    return {"places": headed(places_of(member, member.project))}


@register.simple_tag
def menu_link(name: str, text: str, *args: Any) -> SafeString:
    """A link of the menu, or nothing where this installation has no such page."""
    address = address_of(name, *args)
    return format_html('<a href="{}">{}</a>', address, text) if address else SafeString("")


@register.filter
def hue(category: Category) -> str:
    """The class that carries a category's colour; number and name always stand beside it."""
    return f"cat-{category.code % 10}"


@register.filter
def age(since: datetime) -> str:
    """How long ago, in its largest unit alone: lists have no room for more."""
    return timesince(since, depth=1)


@register.filter
def marked(text: str) -> SafeString:
    """The text, escaped, with every direction control followed by a visible mark.

    The control itself stays inside its own isolated element, so that the text reads as its author meant
    while the mark says what happens there.
    """
    return format_html_join(
        "",
        "{}{}",
        ((piece.text, _mark(piece.mark)) for piece in pieces(text)),
    )


@register.filter
def towering(text: str) -> bool:
    """Whether the text stacks so many combining marks that its box needs a bounded line height."""
    return has_tower(text)


@register.filter
def as_guidelines(markdown: str) -> SafeString:
    """Guidelines as HTML: the one place where text becomes markup, after the allow-list of `render`."""
    return SafeString(render(markdown))


@register.filter
def model_name(model: str) -> str:
    """The model without its provider, as people know it."""
    return model.partition(":")[2] or model


@register.simple_tag
def challenge_field(form: Form, modality: str) -> BoundField:
    """The field by which the prior of a modality is challenged."""
    return form[f"challenge_{modality}"]


@register.filter
def severity_name(band: int) -> str:
    """The word for a severity of 0 to 3."""
    return (_("none expected"), _("mild"), _("strong"), _("severe"))[band]


def _mark(name: str) -> SafeString | str:
    if not name:
        return ""
    return format_html('<span class="control" title="{}" translate="no">{}</span>', _("direction control"), name)


@register.simple_tag
def refusal(code: str, sentence: str) -> SafeString | str:
    """Why a file or row was refused. In other languages the English sentence follows, with its values and limits."""
    said = sentence_for(code, sentence)
    if said == sentence:
        return sentence
    return format_html('{} <small class="quiet" lang="en" dir="ltr">{}</small>', said, sentence)


@register.filter
def words(value: str | None) -> str:
    """A stored word as people read it: `kind_undecided` → kind undecided."""
    return name_of(value or "")
