"""All pages in Chromium as every role: no error, no message, nothing too wide, no barrier, no word of English left.

Each page is opened three times or more, so that it meets each role, width, theme and language. Barriers are looked for
once for each role and theme. `tests/support/crawl_site.py` opens a running site's pages in all combinations.
"""

from collections import defaultdict
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser

from annotation.domain.choices import Role
from annotation.models import Membership, Picture, User
from builders import make_picture, make_user
from hostile_texts import fill
from page_faults import LANGUAGES, THEMES, WIDTHS, Listener, Look, barriers, english, too_wide
from site_addresses import API, ROUTES
from site_objects import World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once, pytest.mark.slow]

Visitor = User | None
OPEN_TO_ALL = ("annotation:invitation", "annotation:mail-stop", "annotation:public-release", "annotation:public-ask")
SIGNING_IN = ("account_login", "account_reset_password")
OWN = "Label what text and picture mean; term, symbol, meme; languages, examples, source, variants, switched; "
OWN += "pattern, category, strategy, target; pool, count"
"""Words that people wrote, and names of columns."""


def pages(world: World) -> Iterator[tuple[str, list[Visitor]]]:
    """Yield the addresses of pages with the people who may open them."""
    people: dict[Role, Visitor] = {role: member.user for role, member in world.members.items()}
    outsider = make_user("outsider")
    for name, route in ROUTES.items():
        if "get" not in route.methods or name.startswith(API) or route.missing_is_fine:
            continue
        visitors = [people[role] for role in (Role if route.roles is None else route.roles)]
        visitors += [outsider] if route.roles is None else []
        visitors += [None] if name in OPEN_TO_ALL else []
        if visitors:
            yield reverse(name, kwargs=dict(route.parts(world))), visitors
    yield from ((reverse(name), [None]) for name in SIGNING_IN)


def visits(world: World) -> dict[tuple[Visitor, str], list[tuple[str, Look, bool]]]:
    """Return what each visitor opens in each language, how, and whether barriers are looked for."""
    found = defaultdict(list)
    for turn, (address, visitors) in enumerate(pages(world)):
        for number in range(max(len(visitors), len(WIDTHS))):
            look = Look(THEMES[(turn + number) % 2], WIDTHS[number % 3], LANGUAGES[(turn + number) % 3])
            is_new = number < max(len(visitors), len(THEMES))
            found[visitors[number % len(visitors)], look.language].append((address, look, is_new))
    return found


def faults_of(page: Listener, address: str, look: Look, with_barriers: bool) -> list[str] | None:
    """Return what is wrong with a page, or None if the address is no page."""
    look.take_on(page.page)
    if not page.opens(address):
        return None
    found = [*page.heard, *too_wide(page.page), *(barriers(page.page) if with_barriers else ())]
    return found if look.language.startswith("en") else [*found, *english(page.page, OWN)]


def test_every_page_is_whole_for_every_role(browser: Browser, live_server: Any) -> None:
    world = make_world()
    fill(world)
    Membership.objects.filter(pk=world.members[Role.ANNOTATOR].pk).update(reviews=False, administers=False)
    real = make_picture(world.project)
    Picture.objects.filter(pk=world.picture.pk).update(file=real.file.name, blurred=real.blurred.name)
    faults, opened, no_pages = defaultdict(list), 0, set[str]()
    for (visitor, language), addresses in visits(world).items():
        context = browser.new_context(locale=language, base_url=live_server.url)
        if visitor is not None:
            client, name = Client(), settings.SESSION_COOKIE_NAME
            client.force_login(visitor)
            context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        page = Listener(context.new_page())
        for address, look, with_barriers in sorted(addresses, key=itemgetter(1)):  # each change draws a page anew
            if address in no_pages:
                continue
            found = faults_of(page, address, look, with_barriers)
            if found is None:
                no_pages.add(address)
                continue
            opened += 1
            for fault in found:
                faults[fault].append(f"{address} {look}")
        context.close()
    assert not faults, "\n".join(f"{len(where)}: {fault}\n    {where[0]}" for fault, where in faults.items())
    assert opened > 300
