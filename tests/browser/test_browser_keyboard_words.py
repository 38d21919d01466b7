"""Coded words and words in pictures by keyboard alone: corrected, explained by the glossary, shown to an annotator."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import builders
from annotation.domain.choices import Role
from annotation.domain.pictures.words import Line, words_of
from annotation.models import GlossaryEntry, Membership
from annotation.picture_text import store
from keyboard import enter, tab_to

pytestmark = pytest.mark.django_db(transaction=True)


def test_words_of_a_picture_are_corrected_explained_and_read_out_without_a_mouse(
    page_of: Callable[[Membership], Page], live_server: Any
) -> None:
    project = builders.make_project("garden", glossary_for_annotators=True, picture_text_for_annotators=True)
    picture = builders.make_picture(project)
    item = builders.make_open_item(project, "Look at this.", picture=picture)
    store.store_words(project, picture.pk, words_of([Line("no z0rbl1ng", None, 0.8)]), "reader 1")
    admin, annotator = builders.make_member(project, Role.ADMIN, Role.REVIEWER), builders.make_member(project)

    page = page_of(admin)
    page.goto(f"{live_server.url}/p/garden/items/{item.public_id}/")
    tab_to(page, "Correct the words")
    page.keyboard.press("Enter")
    tab_to(page, "Words as they stand in the picture")
    page.keyboard.press("Control+End")
    page.keyboard.type("s here")
    tab_to(page, "Save the words")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The words are stored as you read them.")).to_be_visible()
    expect(page.locator("#words-in-picture")).to_be_focused()  # and not at the top of the page

    enter(page, "Add a term")
    tab_to(page, "Term")
    page.keyboard.type("zorbling")
    tab_to(page, "Meaning")
    page.keyboard.type("A newcomer, in code")
    tab_to(page, "with masked letters")
    page.keyboard.press("Space")
    tab_to(page, "Add and approve")
    page.keyboard.press("Enter")
    expect(page.get_by_text("“zorbling” is in the glossary.")).to_be_visible()
    assert GlossaryEntry.objects.get().switched_off == ["masked"]

    bench = page_of(annotator)
    bench.goto(f"{live_server.url}/p/garden/label/")
    tab_to(bench, "Words in the picture")
    bench.keyboard.press("Enter")
    expect(bench.get_by_text("no z0rbl1ngs here")).to_be_visible()
    said = bench.locator("[aria-live=polite]", has=bench.locator("#glossary"))
    expect(said).to_have_text("")
    bench.keyboard.press("w")
    expect(said).to_contain_text("A newcomer, in code")  # swapped into what a screen reader listens to
    expect(said).to_contain_text("with look-alike letters")
