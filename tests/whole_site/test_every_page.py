"""Every page of the site, opened as a role that may: it renders, and its HTML is well formed."""

from collections import Counter
from html.parser import HTMLParser

import pytest
from django.test import Client
from django.urls import reverse
from lxml import etree

from hostile_texts import fill
from site_addresses import ROUTES
from site_objects import World, module_world, world

pytestmark = pytest.mark.django_db

__all__ = ["module_world", "world"]

VOID = frozenset(["area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"])
LEAVES = frozenset(["circle", "line", "path", "polygon", "polyline", "rect", "use"])  # of SVG, closed in their own tag
UNKNOWN_TO_LXML = 801  # its parser knows only HTML 4: <main>, <svg>, …


class Outline(HTMLParser):
    """The open elements, the end tags that close something else, and the ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, int]] = []
        self.wrong: list[str] = []
        self.ids: Counter[str] = Counter()
        self.feed(page)
        self.wrong += [f"<{tag}> of line {line} is never closed" for tag, line in self.open]
        self.wrong += [f"id {name} stands {times} times" for name, times in self.ids.items() if times > 1]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids.update(value for name, value in attrs if name == "id" and value)
        if tag not in VOID:
            self.open.append((tag, self.getpos()[0]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID | LEAVES:
            self.wrong.append(f"<{tag}/> in line {self.getpos()[0]}: browsers leave it open")

    def handle_endtag(self, tag: str) -> None:
        opened = self.open.pop() if self.open else ("nothing", 0)
        if opened[0] != tag:
            self.wrong.append(f"</{tag}> in line {self.getpos()[0]} ends <{opened[0]}> of line {opened[1]}")


def misplaced(page: str) -> list[str]:
    """Return the elements that stand where HTML ends the one around them, such as a list in a paragraph."""
    parser = etree.HTMLParser()
    etree.fromstring(page.encode(), parser)
    return [str(entry) for entry in parser.error_log if entry.type != UNKNOWN_TO_LXML]


def test_every_page_renders_well_formed_html(world: World) -> None:
    fill(world)
    wrong, pages = {}, 0
    for name, route in sorted(ROUTES.items()):
        if "get" not in route.methods:
            continue
        client = Client()  # raises what a view or a template raises
        for role in world.members if route.roles is None else route.roles:
            client.force_login(world.members[role].user)
            answer = client.get(reverse(name, kwargs=route.parts(world)))
            if not answer.get("Content-Type", "").startswith("text/html") or answer.status_code in (302, 303):
                continue
            page, pages = answer.content.decode(), pages + 1
            if answer.status_code != 200 and not (route.missing_is_fine and answer.status_code == 404):
                wrong[f"{name} for {role}"] = [answer.status_code]
            elif faults := Outline(page).wrong + misplaced(page):
                wrong[f"{name} for {role}"] = faults[:4]
    assert not wrong, "\n".join(f"{page}: {faults}" for page, faults in wrong.items())
    assert pages > 200


@pytest.mark.parametrize(
    "page",
    ["<div><p>a</div></p>", "<div>", "</div>", "<p><ul><li>a</li></ul></p>", "<div/>", "<b id=a></b><b id=a></b>"],
)
def test_html_that_browsers_would_repair_is_noticed(page: str) -> None:
    assert Outline(page).wrong + misplaced(page)
