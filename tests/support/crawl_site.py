"""Crawl a running sample site: every page that links lead to, as every role, in each theme, width and language.

`make crawl` prints each fault with the first page that has it, then how often each was met. The exit status is 1 if
anything was found.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

import chromium
from page_faults import LANGUAGES, LOOKS, Listener, Look, barriers, english, too_wide

Logins = dict[str, tuple[str, str] | None]
ALIKE = 2
"""So many pages that differ in an id or a number alone are opened."""
NEVER = re.compile(r"/(logout|backstage|api)/|\.(csv|json|jsonl|md|zip|xlsx|png|jpg|svg)$|/file/")
LINKS = "[...document.querySelectorAll('a[href]')].filter(a => !a.hasAttribute('download')).map(a => a.href)"


def kind(address: str) -> str:
    """Return the address without ids and numbers, and with the names of its query alone."""
    parts = urlsplit(address)
    names = "&".join(sorted({pair.partition("=")[0] for pair in parts.query.split("&")}))
    return re.sub(r"/(?:[0-9a-f-]{20,}|[\w-]{22,}|\d+)(?=/|$)", "/…", parts.path) + f"?{names}"


def discover(listener: Listener, origin: str) -> list[str]:
    """Return the addresses of the pages that links lead to, at most `ALIKE` of a kind."""
    waiting, seen, pages, kinds = [f"{origin}/"], {f"{origin}/"}, list[str](), Counter[str]()
    while waiting:
        address = waiting.pop(0)
        if kinds[kind(address)] >= ALIKE or NEVER.search(urlsplit(address).path):
            continue
        kinds[kind(address)] += 1
        if not listener.opens(address):
            continue
        pages.append(address)
        for link in (urldefrag(found)[0] for found in listener.page.evaluate(LINKS)):
            if link.startswith(f"{origin}/") and link not in seen:
                seen.add(link)
                waiting.append(link)
    return pages


def agree(page: Page) -> None:
    """Accept the consent of each project that asks for it, so that the pages behind it open."""
    page.goto("/")
    homes = {match[0] for link in page.evaluate(LINKS) if (match := re.search(r"/p/[\w-]+/", link))}
    for home in sorted(homes):
        answer = page.goto(f"{home}consent/")
        if answer is not None and answer.ok and page.locator("main form [type=checkbox]").count():
            for box in page.locator("main form [type=checkbox]").all():
                box.check()
            page.locator("main form button").first.click()


def signed_in(browser: Browser, origin: str, login: tuple[str, str] | None) -> StorageState:
    """Return the cookies of somebody who has signed in, or of nobody."""
    context = browser.new_context(base_url=origin, locale="en-GB")
    page = context.new_page()
    page.goto("/")
    if login:
        page.goto("/accounts/login/")
        page.fill("#id_login", login[0])
        page.fill("#id_password", login[1])
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda url: "login" not in url)
        agree(page)
    cookies = context.storage_state()
    context.close()
    return cookies


def inspect(listener: Listener, address: str, turn: int, written: str) -> Iterator[tuple[Look, str]]:
    """Open a page once and yield its faults in each theme and width.

    Accessibility is tried in every third look. In another turn, with another language, those are others.
    """
    page, language = listener.page, LANGUAGES[turn]
    listener.opens(address)
    yield from ((LOOKS[turn], fault) for fault in listener.heard)
    if turn:
        yield from ((LOOKS[turn], fault) for fault in english(page, written))
    for number, look in enumerate(look for look in LOOKS if look.language == language):
        look.take_on(page)
        yield from ((look, fault) for fault in too_wide(page))
        if number % len(LANGUAGES) == turn:
            yield from ((look, fault) for fault in barriers(page))


def crawl(browser: Browser, origin: str, logins: Logins, written: str) -> int:
    """Crawl as each of the people, print what was found, and return the number of different faults."""
    faults: dict[str, list[str]] = defaultdict(list)
    for name, login in logins.items():
        cookies, pages = signed_in(browser, origin, login), list[str]()
        for turn, language in enumerate(LANGUAGES):
            context = browser.new_context(locale=language, storage_state=cookies)
            listener = Listener(context.new_page())
            pages = pages or discover(listener, origin)
            for address in pages:
                for look, fault in inspect(listener, address, turn, written):
                    where = f"{name} {address.removeprefix(origin)} {look}"
                    if fault not in faults:
                        print(fault, where, sep="\n        ", flush=True)
                    faults[fault].append(where)
            context.close()
        print(f"{name}: {len(pages)} pages in {len(LOOKS)} looks", flush=True)
    for fault, places in sorted(faults.items(), key=lambda entry: -len(entry[1])):
        print(f"{len(places):5} {fault}")
    return len(faults)


def main(origin: str, folder: str) -> int:
    """Crawl the site whose files are in the folder; words that are in its database are people's own."""
    logins: Logins = {"anonymous": None}
    rows = json.loads((Path(folder) / "demo_logins.json").read_text())
    logins |= {row["role"]: (row["username"], row["password"]) for row in rows}
    written = (Path(folder) / "interplay.sqlite3").read_text(errors="replace")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(chromium.FLAGS))
        return int(crawl(browser, origin, logins, written) > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
