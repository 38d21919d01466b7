"""Template tags and filters that every page shares."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from django import template
from django.forms import BoundField, Form
from django.template.defaultfilters import floatformat
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.timesince import timesince
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.consensus.reports import MOST_COUNTED, count_waiting_posts
from annotation.core import extensions
from annotation.domain.categories import COLOURS
from annotation.domain.markdown import render
from annotation.domain.pictures.words import GIVEN, PERSON
from annotation.domain.questions.kinds.span import quotations
from annotation.domain.questions.text_steps import steps
from annotation.domain.visible_controls import pieces
from annotation.domain.words import in_language
from annotation.domain.written_in import written_in
from annotation.models import Category, Item, Membership, Project, User, WithCategories
from annotation.pages.display_names import name_of
from annotation.pages.error_messages import says_it_all, sentence_for
from annotation.pages.navigation import CAMPAIGN, address_of, headed, places_of
from annotation.pages.page_keys import own_keys_here

register = template.Library()


class Written(Protocol):
    """A piece of a text that is shown in several."""

    @property
    def text(self) -> str: ...


_LANGUAGE_NOTES = {
    "zh": gettext_lazy("In Chinese"),
    "ja": gettext_lazy("In Japanese"),
    "ko": gettext_lazy("In Korean"),
    "und-Arab": gettext_lazy("In Arabic script"),
    "und-Cyrl": gettext_lazy("In Cyrillic script"),
    "und-Deva": gettext_lazy("In Devanagari script"),
    "und-Grek": gettext_lazy("In Greek script"),
    "und-Hebr": gettext_lazy("In Hebrew script"),
    "und-Thai": gettext_lazy("In Thai script"),
}
_BREAKABLE = 10
"""The fewest letters of a name that may be broken."""
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@register.filter
def breakable(name: str) -> SafeString:
    """Return a name; a long one may be broken before its capitals: Hate|Speech."""
    parts = _CAPITAL.split(name) if len(name) >= _BREAKABLE else [name]
    return format_html_join(SafeString("<wbr>"), "{}", ((part,) for part in parts))


@register.filter
def chosen_in(row: WithCategories, project: Project) -> list[Category]:
    """Return the categories that a row names, by code; asks the database only for a row with several."""
    lead: Category | None = getattr(row, "category", None)
    if not row.categories:
        return [lead] if lead else []
    return [project.categories_by_code[code] for code in row.categories]


@register.filter
def intended_in(item: Item, project: Project) -> list[Category]:
    """Return the categories that an item was meant to be, by code; asks the database only for several."""
    if not item.intended_categories:
        return [item.intended] if item.intended else []
    return [project.categories_by_code[code] for code in item.intended_categories]


@register.filter
def pairs(mapping: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return keys with values. A template takes `mapping.items` for the value of "items" where people name the keys."""
    return list(mapping.items())


@register.filter
def megabytes(size: int) -> str:
    """Format a number of bytes in decimal megabytes, without the unit; with one decimal below ten."""
    return floatformat(size / 1_000_000, -1 if size < 10_000_000 else 0)


@register.inclusion_tag("_nav.html", takes_context=True)
def project_nav(context: template.Context) -> dict[str, Any]:
    """Return the links to a project's pages that the viewer's roles permit, with the current one marked."""
    match = getattr(context.get("request"), "resolver_match", None)
    url_name = match.url_name if match else ""
    return {"places": headed(places_of(context["membership"], context["project"], url_name))}


@register.simple_tag(takes_context=True)
def reports_banner(context: template.Context, look: str = "page-banner notice is-bad") -> str:
    """Return the line that says how many reported posts wait for the viewer's answer; "" for everybody else.

    `look` are the classes of a warning on the page.
    Only admins for whom some wait cost a query: the account knows whether.
    """
    user = getattr(context.get("request"), "user", None)
    if not isinstance(user, User) or not user.reports_wait or not (number := count_waiting_posts(user)):
        return ""
    shown = f"{number:,}" if number < MOST_COUNTED else f"{number:,}+"
    return render_to_string("_reports_banner.html", {"number": number, "shown": shown, "look": look})


@register.inclusion_tag("components/tabs.html", takes_context=True)
def place_tabs(context: template.Context) -> dict[str, Any]:
    """Return the tabs of pages that share one link of the header."""
    match = getattr(context.get("request"), "resolver_match", None)
    url_name = match.url_name if match else ""
    places = places_of(context["membership"], context["project"], url_name)
    # A form that comes back with a fault stands at another address than its place.
    mark = "top" if any(place["top"] for place in places) else "current"
    group = next((place["group"] for place in places if place[mark]), "")
    tabs = [place | {"current": place[mark]} for place in places if group and place["group"] == group]
    return {"tabs": tabs if len(tabs) > 1 else [], "about": _("Posts") if group == extensions.POSTS else _("Models")}


@register.inclusion_tag("components/tabs.html", takes_context=True)
def campaign_tabs(context: template.Context) -> dict[str, Any]:
    """Return the tabs of the campaign pages, for admins."""
    match = getattr(context.get("request"), "resolver_match", None)
    url_name = match.url_name if match else ""
    project: Project = context["project"]
    tabs = [
        {"href": address, "text": _(text), "current": url_name in names}
        for name, text, names in CAMPAIGN
        if (address := address_of(f"annotation:{name}", project.slug))
    ]
    return {"tabs": tabs}


@register.inclusion_tag("components/tabs.html", takes_context=True)
def item_tabs(context: template.Context) -> dict[str, Any]:
    """Return the tabs of an item's pages: its own and those that other apps register."""
    match = getattr(context.get("request"), "resolver_match", None)
    view_name = match.view_name if match else ""
    item, project = context["item"], context["project"]
    known = [("annotation:item", _("The post")), *((tab.url_name, tab.text) for tab in extensions.tabs())]
    tabs = [
        {"href": reverse(name, args=[project.slug, item.public_id]), "text": text, "current": view_name == name}
        for name, text in known
    ]
    return {"tabs": tabs, "about": _("About this post")}


@register.inclusion_tag("_item_actions.html", takes_context=True)
def item_actions(context: template.Context) -> dict[str, Any]:
    """Return the buttons that other apps register for an item's page, where they apply."""
    item, project, member = context["item"], context["project"], context["membership"]
    offered = (action for action in extensions.actions() if action.visible_to(member) and item.stage in action.stages)
    actions = [
        {
            "href": reverse(action.url_name, args=[project.slug, item.public_id]),
            "text": action.text,
            "main": action.main,
        }
        for action in offered
        if action.fits(item)
    ]
    return {"actions": actions}


@register.inclusion_tag("_ways.html")
def project_ways(member: Membership, through: bool) -> dict[str, Any]:
    """Return a project's pages as buttons for the list of projects. Who is `through` for today is urged to none."""
    return {"places": headed(places_of(member, member.project)), "through": through}


@register.simple_tag
def menu_link(name: str, text: str, *args: Any) -> SafeString:
    """Return a link of the menu, or an empty text if this installation has no such page."""
    address = address_of(name, *args)
    return format_html('<a href="{}">{}</a>', address, text) if address else SafeString("")


@register.filter
def hue(category: Category) -> str:
    """Return the CSS class of a category's colour. Number and name must always be shown with it."""
    return f"cat-{COLOURS.index(category.colour) if category.colour in COLOURS else category.code % len(COLOURS)}"


@register.filter
def long_names(categories: Iterable[Category]) -> str:
    """Return the class of wider keys if a name takes more than two lines in a third of a phone's width."""
    return " is-long" if any(len(category.name) > 24 for category in categories) else ""


@register.simple_tag
def question_of(project: Project, item: Item) -> str:
    """Return the words above the categories: the project's own, or the site's."""
    own = in_language(project.question, get_language() or "")
    return own or (_("Taken together, this post is") if item.picture_id else _("This post is"))


@register.filter
def parts_alone(item: Item) -> str:
    """Return the heading over what models say about the parts of a post."""
    if item.text and item.picture_id:
        return _("Text and picture on their own")
    return _("The picture on its own") if item.picture_id else _("The text on its own")


@register.filter
def age(since: datetime) -> str:
    """Return how long ago a time was, in its largest unit only, to fit into lists."""
    return timesince(since, depth=1) if timezone.now() - since >= timedelta(minutes=1) else _("under a minute")


@register.filter
def marked(text: str) -> SafeString:
    """Escape the text and put a visible mark after every direction control.

    The control itself stays inside its own isolated element, so that the text reads as its author meant
    while the mark shows what happens there.
    """
    return format_html_join(
        "",
        "{}{}",
        ((piece.text, _mark(piece.mark)) for piece in pieces(text)),
    )


@register.filter
def lang_of(written: str | Sequence[Written] | None) -> str:
    """Return the `lang` of what somebody wrote, whole or in pieces: the page's own where nothing else can be told."""
    text = "".join(piece.text for piece in written) if isinstance(written, list | tuple) else str(written or "")
    page_language, tag = get_language() or "en", written_in(text)
    is_latin = page_language.partition("-")[0] not in ("ko", "zh")
    return page_language if not tag or page_language.startswith(tag) or (is_latin and tag == "und-Latn") else tag


@register.filter
def language_note(text: str) -> str:
    """Return in which language or script a text is, if that is another than the page's and is not Latin script."""
    tag = lang_of(text)
    return "" if tag == get_language() else str(_LANGUAGE_NOTES.get(tag, ""))


@register.simple_tag
def in_steps(text: str, code: str) -> SafeString:
    """Return the text in the steps by which parts of it are marked, each with its place in code points."""
    return format_html_join(
        "",
        '<span id="{}-{}" role="{}" data-start="{}" data-end="{}">{}</span>',
        (
            (code, step.start, "option" if step.stops else "none", step.start, step.end, marked(step.text))
            for step in steps(text)
        ),
    )


@register.simple_block_tag(takes_context=True)
def closed_copy(context: template.Context, content: str, title: str = "") -> str:
    """Return words of a post, or about it, that stand beside its text; closed for who keeps texts closed.

    They open and close with the text (`static/app.js`), and alone without JavaScript.
    """
    request = getattr(context, "request", None)  # in the context itself it is missing where a part is included alone
    user = getattr(request, "user", None)
    if not getattr(user, "fold_text", False):
        return content
    summary = title or _("Shown with the text")
    return format_html(
        '<details class="fold is-copy" data-copy><summary>{}</summary>{}</details>', summary, SafeString(content)
    )


@register.simple_block_tag
def scroll_table(content: str, title: str, look: str = "") -> str:
    """Return rows as a table that scrolls by itself where it is wider than the page; programs read its title."""
    return format_html(
        '<div class="scroll" tabindex="0" role="region" aria-label="{0}"><table class="{1}">'
        '<caption class="visually-hidden">{0}</caption>{2}</table></div>',
        title,
        f"table {look}".strip(),
        SafeString(content),
    )


@register.simple_tag(takes_context=True)
def own_keys(context: template.Context) -> str:
    """Return the person's own keys on this page as JSON (`annotation/pages/page_keys.py`). Returns "" without any."""
    request = getattr(context, "request", None)
    return own_keys_here(request) if request is not None and hasattr(request, "user") else ""


@register.simple_tag
def worded(words: Mapping[str, str], code: str = "") -> str:
    """Return words in the reader's language; without any, the code."""
    return in_language(words, get_language() or "") or code


@register.simple_tag
def quoted(value: object, text: str) -> str:
    """Return the parts of the text that an answer marks so far, one a line."""
    return "\n".join(quotations(value, text))


@register.filter
def as_guidelines(markdown: str) -> SafeString:
    """Render guidelines as HTML: the only place where text becomes markup, after the allow-list of `render`."""
    return SafeString(render(markdown))


@register.filter
def model_name(model: str) -> str:
    """Return the model's name without its provider; answers of the sample campaign say that no model gave them."""
    provider, _colon, name = model.partition(":")
    return _("sample (not a model)") if provider == "sample" else name or model


@register.simple_tag
def challenge_field(form: Form, modality: str) -> BoundField:
    """Return the form field that challenges the prior of a modality."""
    return form[f"challenge_{modality}"]


@register.filter
def class_for(value: str, classes: str) -> str:
    """Return the class of a value, with a space before it, out of `value=class` pairs; nothing for other values.

    It follows the element's own class: `class="chip{{ run.state|class_for:'succeeded=is-good failed=is-warn' }}"`.
    """
    by_value = dict(pair.split("=") for pair in classes.split())
    return f" {by_value[value]}" if value in by_value else ""


@register.filter
def among(value: str, values: str) -> bool:
    """Return whether the value is one of the values, which spaces separate."""
    return value in values.split()


@register.filter
def value_at(values: Mapping[str, Any], key: str) -> Any:
    """Return the value that a mapping has under a key that is itself a variable; an empty text if it has none."""
    return values.get(key, "")


@register.filter
def words_of(values: Iterable[str]) -> list[str]:
    """Return stored words as people read them."""
    return [words(value) for value in values]


@register.filter
def reader_name(reader: str) -> str:
    """Return who read the words in a picture: a program or model, a person, or the data themselves."""
    return {GIVEN: _("came with the data"), PERSON: _("a person")}.get(reader, reader)


@register.filter
def hateful_or_not(hateful: bool) -> str:
    """Return the word for a judgement of yes or no."""
    return _("hateful") if hateful else _("not hateful")


@register.simple_tag
def listed(*parts: str, by: str = ", ") -> SafeString:
    """Join the non-empty parts. For texts that follow each other without a space before the separator."""
    return format_html_join(by, "{}", ((part,) for part in parts if part))


@register.filter
def severity_name(band: int) -> str:
    """Return the name of a severity from 0 to 3."""
    return (_("nothing severe"), _("mild"), _("strong"), _("severe"))[band]


def _mark(name: str) -> SafeString | str:
    if not name:
        return ""
    return format_html('<span class="control" title="{}" translate="no">{}</span>', _("direction control"), name)


@register.simple_tag
def refusal(code: str, sentence: str) -> SafeString | str:
    """Return why a file or row was refused.

    In other languages the English sentence follows, if it has values and limits.
    """
    translated = sentence_for(code, sentence)
    if translated == sentence or says_it_all(code, sentence):
        return translated
    return format_html('{} <small class="quiet" lang="en" dir="ltr">{}</small>', translated, sentence)


@register.simple_tag
def page_fault(code: str, sentence: str) -> SafeString | str:
    """Return why a page of the web is no evidence."""
    return refusal(f"page_{code}", sentence)


@register.filter
def words(value: str | None) -> str:
    """Return a stored code as words: `kind_undecided` → kind undecided."""
    return name_of(value or "")
