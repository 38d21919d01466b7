"""Every page of the site in Chromium, hostile words in every column: nothing runs, nothing is fetched (threat T5)."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext

from annotation.core.append_only import lifted
from annotation.domain.choices import Role
from annotation.models import User
from hostile_texts import ACCOUNT_PAGES, WORDS, admin_pages, fill, write_everywhere
from page_states import pages_of_states, write_report
from rows_of_every_model import LEARNT_OF, add_missing_rows
from site_addresses import ROUTES
from site_objects import World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MISSING_FILE = "Failed to load resource: the server responded with a status of 404"
"""The pictures of this world have no files."""


def pages(addresses: list[str], client: Client) -> list[str]:
    """Return the addresses that open a page for the visitor."""
    return [
        address
        for address in addresses
        if (answer := client.get(address)).status_code == 200 and answer["Content-Type"].startswith("text/html")
    ]


def visitors(world: World) -> Mapping[str, User | None]:
    """Return one person of each role, by the role: the site's administrator is an admin of the project too."""
    people = {
        "administrator of the site": world.members[Role.ANNOTATOR],  # `fill` gives them all roles
        "reviewer": world.members[Role.REVIEWER],
        "annotator": world.other,
    }
    User.objects.filter(pk=world.members[Role.ANNOTATOR].user_id).update(is_staff=True, is_superuser=True)
    return {"nobody": None} | {role: User.objects.get(pk=member.user_id) for role, member in people.items()}


def watched(context: BrowserContext, home: str, faults: list[str]) -> Any:
    """Return a page whose dialogs, errors and requests to elsewhere become faults."""
    page = context.new_page()
    page.on("dialog", lambda dialog: (faults.append(f"{page.url}: dialog"), dialog.dismiss()))
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on(
        "console",
        lambda said: (
            said.type == "error" and MISSING_FILE not in said.text and faults.append(f"{page.url}: {said.text}")
        ),
    )
    page.on(
        "request",
        lambda request: (
            (not request.url.startswith((home, "about:")) or request.url.endswith("/export"))
            and faults.append(f"{page.url}: request to {request.url}")
        ),
    )
    return page


def test_no_page_runs_or_fetches_what_words_say_whoever_opens_it(
    browser: Browser, live_server: Any, settings: Any
) -> None:  # T5, B40, B41, B42, B43, B44, B46, B47, B48, B49, B50, B51
    settings.MODEL_BINDINGS = {"MODEL_TEXT": LEARNT_OF}
    world = make_world()
    parts = {name: dict(route.parts(world)) for name, route in ROUTES.items()}
    addresses = [reverse(name, kwargs=parts[name]) for name, route in ROUTES.items() if "get" in route.methods]
    fill(world)
    add_missing_rows(world)
    addresses += [*map(reverse, ACCOUNT_PAGES), *admin_pages(world), *pages_of_states(world)]
    with lifted(connection):
        write_everywhere(" ".join(WORDS.values()))
    write_report()
    faults: list[str] = []
    opened: dict[str, int] = {}
    for role, user in visitors(world).items():
        client, context = Client(), browser.new_context()
        if user is not None:
            client.force_login(user)
            key = client.cookies[settings.SESSION_COOKIE_NAME].value
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])
        page = watched(context, live_server.url, faults)
        found = pages(addresses, client)
        for address in found:
            page.goto(live_server.url + address)
            page.wait_for_load_state("load")
            page.mouse.move(200, 300)
        if found:
            page.wait_for_load_state("networkidle")
        opened[role] = len(found)
        context.close()
    assert faults == []
    assert opened["administrator of the site"] > opened["reviewer"] > opened["annotator"] >= 10
