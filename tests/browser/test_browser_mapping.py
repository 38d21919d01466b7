"""The page on which columns are named: the table scrolls in its own box, and the keyboard alone reads a file."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from playwright.sync_api import Page, expect

from annotation.domain.choices import Role
from annotation.imports.options import ImportOptions
from annotation.imports.uploads import upload
from annotation.models import Item, Membership
from builders import make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)

FILE = (
    "nr;comment;forum;date;kept column with a long name of many words;score\n"
    + "".join(
        f"{number};Die Gärten in unserer Straße sind groß und schön, und das ist erst der Anfang von allem {number};"
        f"forum;2024-01-0{number};a,b;{number}\n"
        for number in range(1, 8)
    )
).encode("cp1252")


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (1440, "dark"), (390, "light"), (390, "dark")])
def test_a_file_is_mapped_by_keys_alone_and_only_the_table_scrolls(
    width: int, theme: str, page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = make_project("garden", name="Garden posts")
    admin = make_member(project, Role.ADMIN)
    row = upload(admin, SimpleUploadedFile("posts.csv", FILE), ImportOptions())
    page = page_of(admin)
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme)
    page.goto(f"{live_server.url}/p/garden/import/{row.public_id}/")
    form = page.get_by_role("form", name="What does each column hold?")
    expect(form).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    expect(form.get_by_label("comment", exact=True)).to_have_value("text")
    expect(form.get_by_label("Encoding")).to_have_value("cp1252")
    expect(form).to_contain_text("Straße")
    expect(form).to_contain_text("semicolon")
    form.get_by_label("nr", exact=True).focus()
    page.keyboard.type("the id")
    expect(form.get_by_label("nr", exact=True)).to_have_value("id")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value") == "map":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Every row can be imported")).to_be_visible()
    assert not Item.objects.filter(project=project).exists()
