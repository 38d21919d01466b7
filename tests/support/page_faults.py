"""What is wrong with a page as Chromium shows it: messages, width, accessibility, words of another language."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Error, Page, ViewportSize

THEMES = ("light", "dark")
WIDTHS = (1440, 820, 390)
LANGUAGES = ("en-GB", "ko", "zh-CN")

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    "resultTypes": ["violations"],
}
"""The rules of WCAG 2.2 AA, targets of 24 px among them, and of landmarks, headings and names."""
RUN_AXE = """async rules => {
    const {violations} = await axe.run(rules);
    const again = async (broken, node) => {
        const element = document.querySelector(node.target[0]);
        element.scrollIntoView({block: "center"});
        return (await axe.run(element, {runOnly: [broken.id]})).violations.length > 0;
    };
    const said = [];
    for (const broken of violations)
        for (const node of broken.nodes)
            if (broken.id !== "target-size" || await again(broken, node))
                said.push([broken.id, `${broken.id}: ${node.target.join(" ")} ${node.html.slice(0, 160)}`]);
    return violations.flatMap(({id}) => said.filter(([rule]) => rule === id).slice(0, 3).map(([, text]) => text));
}"""
"""What a bar at the edge of the window covers in part is a small target only where it stays covered after scrolling."""
# What people or models wrote stands in bdi or dir="auto"; names of languages and of models carry lang or translate.
WORDS = """() => {
    const written = "script, style, code, pre, kbd, samp, textarea, bdi, [dir=auto], [lang=en], [translate=no]";
    const shown = element => element.checkVisibility() && !element.closest(written);
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
        if (shown(texts.currentNode.parentElement)) found.push(texts.currentNode.data);
    for (const element of document.querySelectorAll("[aria-label], [title], [placeholder], [alt]"))
        if (shown(element))
            for (const name of ["aria-label", "title", "placeholder", "alt"]) found.push(element.getAttribute(name));
    return [document.title, ...found.filter(text => text && text.trim())];
}"""
HINT = "Autofocus processing was blocked"
"""The browser says so where our script gave the focus before it could."""
NAMES = re.compile("Interplay|Hugging Face|Hateful Memes|Label Studio|doccano|Parquet|WebDataset|train, dev, test")
"""Names that are the same in every language."""
ENGLISH = re.compile(r"\b[A-Za-z][a-z]{2,}(?:[ ,'’]+[A-Za-z]?[a-z]+)+")


@dataclass(frozen=True, order=True)
class Look:
    """How a page is looked at."""

    theme: Literal["light", "dark"]
    width: int
    language: str

    def take_on(self, page: Page) -> None:
        """Give the page this theme and width, if it has others; its language is that of its context."""
        page.emulate_media(color_scheme=self.theme)
        if page.viewport_size != (size := ViewportSize(width=self.width, height=900)):
            page.set_viewport_size(size)


LOOKS = [Look(*values) for values in product(THEMES, WIDTHS, LANGUAGES)]


class Listener:
    """A page whose errors and messages on the console are kept until they are asked for.

    Each document that it opens begins with axe: sending half a megabyte to each took as long as showing it.
    """

    def __init__(self, page: Page) -> None:
        self.page, self.heard = page, list[str]()
        page.add_init_script(AXE_SCRIPT)
        page.on("console", lambda said: self.heard.extend([f"console: {said.text}"] * (HINT not in said.text)))
        page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))

    def opens(self, address: str) -> bool:
        """Open the address. Return False if it is no page: a download, a picture, a part of a page, or not there."""
        self.heard.clear()
        try:
            answer = self.page.goto(address)
        except Error as error:
            if "Download" in str(error) or "ERR_ABORTED" in str(error):
                return False
            raise
        assert answer is not None
        if answer.status >= 400:
            self.heard.append(f"status {answer.status}")
        is_page = bool(self.page.evaluate("document.doctype !== null && document.contentType === 'text/html'"))
        if not is_page:  # the browser shows a picture with a style of its own, which the picture's policy blocks
            self.page.goto("about:blank")
            self.heard.clear()
        return is_page


def too_wide(page: Page) -> list[str]:
    """Return the width of a page that is wider than its window."""
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    return [f"{width} px wide in {window}"] if width > window else []


def barriers(page: Page) -> list[str]:
    """Return what axe finds on a page of a `Listener`, three places a rule at most."""
    found: list[str] = page.evaluate(RUN_AXE, RULES)
    return found


def english(page: Page, written: str) -> Iterator[str]:
    """Yield the English phrases of two words or more that are not among the words people have written."""
    for text in page.evaluate(WORDS):
        for phrase in ENGLISH.findall(NAMES.sub("·", text)):
            if phrase not in written:
                yield f"English: {phrase} (in: {' '.join(text.split())[:120]})"
