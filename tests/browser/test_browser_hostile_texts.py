"""Every page of the site in Chromium, hostile words in every column: nothing runs, nothing is fetched (threat T5)."""

from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from playwright.sync_api import BrowserContext

from annotation.core.append_only import lifted
from annotation.domain.choices import Role
from hostile_texts import WORDS, admin_pages, fill, write_everywhere
from site_addresses import ROUTES
from site_objects import World, make_world

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MISSING_FILE = "Failed to load resource: the server responded with a status of 404"
"""The pictures of this world have no files."""


def pages(world: World, client: Client) -> list[str]:
    """The address of every page that opens, site administration included."""
    found = [reverse(name, kwargs=dict(route.parts(world))) for name, route in ROUTES.items() if "get" in route.methods]
    return [
        address
        for address in (*found, *admin_pages(world))
        if (answer := client.get(address)).status_code == 200 and answer["Content-Type"].startswith("text/html")
    ]


def test_no_page_runs_or_fetches_what_words_say(
    context: BrowserContext, live_server: Any
) -> None:  # T5, B40, B41, B42, B43, B44, B46, B47, B48, B49, B50, B51
    world = make_world()
    fill(world)
    with lifted(connection):
        write_everywhere(" ".join(WORDS.values()))
    member = world.members[Role.ANNOTATOR]
    assert member.user is not None
    member.user.refresh_from_db()
    member.user.is_staff = member.user.is_superuser = True
    member.user.save(update_fields=("is_staff", "is_superuser"))
    client = Client()
    client.force_login(member.user)
    key = client.cookies[settings.SESSION_COOKIE_NAME].value
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": key, "url": live_server.url}])

    faults: list[str] = []
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
            (not request.url.startswith((live_server.url, "about:")) or request.url.endswith("/export"))
            and faults.append(f"{page.url}: request to {request.url}")
        ),
    )
    opened = pages(world, client)
    assert len(opened) >= 30
    for address in opened:
        page.goto(live_server.url + address)
        page.wait_for_load_state("load")
        page.mouse.move(200, 300)
    page.wait_for_load_state("networkidle")
    assert faults == []
