"""Every page of an archived project: it shows no button that would be refused, and keeps the others.

One rule of the stylesheet hides the buttons of all forms but those marked `data-when-closed`. Here the mark of each
form is compared with `open_when_closed` of the view that it is sent to.
"""

from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import resolve, reverse
from django.utils import timezone

from annotation.models import Project
from hostile_texts import fill
from site_addresses import ROUTES
from site_objects import World, module_world, world

pytestmark = [pytest.mark.django_db, pytest.mark.once]

__all__ = ["module_world", "world"]

Attributes = dict[str, str | None]
ONLY_CHANGE = {
    *(f"annotation:{name}" for name in ("batch-teams", "glossary-new", "glossary-import")),
    *(f"annotation:item-{name}" for name in ("reopen", "withdraw")),
    *(f"moderation:{name}" for name in ("desk-accept", "desk-missing", "score-review")),
}
"""Pages that hold a form and nothing to read: no link that looks like a button leads to them."""


class Buttons(HTMLParser):
    """The buttons that send something: the address, and whether the stylesheet leaves them in a closed project."""

    def __init__(self, page: str, address: str) -> None:
        super().__init__()
        is_part = "<body" not in page  # htmx puts it into a page
        self.address, self.is_marked, self.is_content = address, is_part, is_part
        self.links: list[str] = []
        self.form: Attributes | None = None
        self.named: dict[str, Attributes] = {}
        self.buttons: list[tuple[Attributes, Attributes | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "body":
            self.is_marked = "data-project-closed" in values
        elif tag == "main":
            self.is_content = True
        elif tag == "form":
            self.form = values
            self.named[values.get("id") or ""] = values
        elif tag == "button" and values.get("type", "submit") == "submit" and self.is_content:
            self.buttons.append((values, self.form))
        elif tag == "a" and "button" in (values.get("class") or "").split() and "data-when-open" not in values:
            self.links.append(urlsplit(urljoin(self.address, values["href"] or "")).path)
        assert tag != "input" or values.get("type") not in ("submit", "image"), "the stylesheet hides only <button>"

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.form = None
        elif tag == "main":
            self.is_content = False

    def sent(self) -> list[tuple[str, bool]]:
        found = []
        for button, around in self.buttons:
            form = self.named[button["form"] or ""] if "form" in button else around
            if form is not None and form.get("method") == "post":
                target = button.get("formaction") or form.get("action") or ""
                left = not self.is_marked or is_left(button, around)
                found.append((urlsplit(urljoin(self.address, target)).path, left))
        return found


def is_left(button: Attributes, around: Attributes | None) -> bool:
    """Whether the rule of `static/app.css` leaves the button in this form."""
    if around is None or around.get("method") != "post" or "data-when-closed" in around:
        return True
    if "action" in around and "/p/" not in (around["action"] or ""):
        return True
    return "formaction" in button and "/p/" not in (button["formaction"] or "")


def is_accepted(path: str, slug: str) -> bool:
    """Whether a closed project accepts what is sent to this address."""
    match = resolve(path)
    return match.kwargs.get("slug") != slug or getattr(match.func, "open_when_closed", False)


def test_an_archived_project_shows_the_buttons_that_it_accepts_and_no_others(world: World) -> None:
    fill(world)
    addresses = {
        name: reverse(name, kwargs=route.parts(world)) for name, route in ROUTES.items() if "get" in route.methods
    }
    slug = world.project.slug
    Project.objects.filter(pk=world.project.pk).update(archived_at=timezone.now(), is_open=False)
    wrong, seen = {}, 0
    for name, address in sorted(addresses.items()):
        client = Client()
        for role in world.members if ROUTES[name].roles is None else ROUTES[name].roles:
            client.force_login(world.members[role].user)
            answer = client.get(address)
            if not answer.get("Content-Type", "").startswith("text/html") or answer.status_code != 200:
                continue
            page = Buttons(answer.content.decode(), address)
            faults = [
                f"{resolve(path).view_name} {'is shown' if left else 'is hidden'}"
                for path, left in page.sent()
                if left != is_accepted(path, slug)
            ]
            if name not in ONLY_CHANGE:
                faults += [path for path in page.links if resolve(path).view_name in ONLY_CHANGE]
            seen += len(page.buttons)
            if faults:
                wrong[f"{name} for {role}"] = sorted(set(faults))
    assert not wrong, "\n".join(f"{page}: {faults}" for page, faults in wrong.items())
    assert seen > 200
