"""A walk through a page by Tab: every stop on the way must be in sight, not under a bar that stays on the screen."""

import pytest
from playwright.sync_api import Page

_FOCUS = """() => {
    const here = document.activeElement;
    const label = here.labels?.[0];
    const box = (label && getComputedStyle(here).opacity === "0" ? label : here).getBoundingClientRect();
    const points = [[.5, .5], [.1, .2], [.9, .8], [.1, .8], [.9, .2]];
    const hits = points.map(([x, y]) => document.elementFromPoint(box.left + box.width * x, box.top + box.height * y));
    const names = [here.innerText, label?.innerText, here.getAttribute("aria-label")];
    return {
        isNone: here === document.body,
        name: names.filter(Boolean).join(" ").replace(/\\s+/g, " "),
        seen: hits.some((hit) => hit && (here.contains(hit) || hit.contains(here) || label?.contains(hit))),
    };
}"""
_MOST = 120


def next_stop(page: Page) -> str:
    """Press Tab, and return the name of what has the focus then; empty where the page ends."""
    page.keyboard.press("Tab")
    focus = page.evaluate(_FOCUS)
    if focus["isNone"]:
        return ""
    assert focus["seen"], f"“{focus['name']}” has the focus and cannot be seen: {page.url}"
    return str(focus["name"])


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the focus is on the control of this name."""
    for _ in range(_MOST):
        if name in next_stop(page):
            return
    pytest.fail(f"Tab never comes to “{name}”: {page.url}")


def write(page: Page, name: str, text: str) -> None:
    """Go to a field and replace what is in it."""
    tab_to(page, name)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def enter(page: Page, name: str) -> None:
    """Go to a button or link, press it, and wait for the page that it leads to."""
    tab_to(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")
