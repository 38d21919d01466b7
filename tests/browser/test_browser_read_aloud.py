"""What a screen reader gets on the pages with keys: names of regions, what is said of an answer, where the focus is."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.consensus.close import close_item
from annotation.domain.choices import Role, Stage
from annotation.domain.questions.question import QuestionKind
from annotation.models import KnownAnswer, Membership, Project
from builders import (
    category,
    make_item,
    make_label,
    make_labelled_item,
    make_member,
    make_open_item,
    make_project,
    make_user,
)
from question_builders import make_question

pytestmark = pytest.mark.django_db(transaction=True)

Opens = Callable[[Membership], Page]


@pytest.fixture
def project() -> Project:
    return make_project("garden", name="Garden posts", daily_goal=5)


def test_each_post_names_the_main_region_and_what_was_stored_is_said(
    project: Project, page_of: Opens, live_server: Any
) -> None:
    make_question(project, "how", QuestionKind.SCALE, low={"": "mild"}, high={"": "severe"})
    for text in ("First post.", "Second post.", "Third post."):
        make_open_item(project, text)
    page = page_of(make_member(project))
    page.goto(f"{live_server.url}/p/garden/label/")
    main = page.get_by_role("main")
    expect(main).to_have_accessible_name(re.compile(r"^Post 1 of 5 \w+ post\.$"))
    expect(page.get_by_role("radio", name="1, mild")).to_be_attached()
    expect(page.get_by_role("radio", name="5, severe")).to_be_attached()
    for number in ("2 of 5", "3 of 5"):
        page.keyboard.press("0")
        page.keyboard.press("Enter")
        expect(main).to_have_accessible_name(re.compile(rf"^Post {number} \w+ post\.$"))
        expect(main).to_be_focused()
        expect(page.locator("#stored[role=status]")).to_have_text("Labelled NotHate. Backspace goes back.")


def test_a_closed_text_is_not_read_out(project: Project, page_of: Opens, live_server: Any) -> None:
    make_open_item(project, "First post.")
    page = page_of(make_member(project, user=make_user(fold_text=True)))
    page.goto(f"{live_server.url}/p/garden/label/")
    expect(page.get_by_role("main")).to_have_accessible_name("Post 1 of 5")


def test_training_correction_and_desk_name_their_regions(project: Project, page_of: Opens, live_server: Any) -> None:
    known = make_item(project, "Known.", stage=Stage.KNOWN)
    KnownAnswer.objects.create(item=known, category=category(project, 1), explanation="So it is.", training=True)
    member = make_member(project)
    label = make_label(make_open_item(project, "Mine.", seats=3).seat_rows.order_by("number")[0], member, 0)
    disputed = make_labelled_item(project, [make_member(project) for _ in range(3)], [0, 1, 2], text="Disputed.")
    close_item(disputed)
    page = page_of(member)
    page.goto(f"{live_server.url}/p/garden/label/own/{label.public_id}/")
    expect(page.get_by_role("main")).to_have_accessible_name("Change a label Mine.")
    expect(page.locator("#changing")).to_be_focused()
    page.goto(f"{live_server.url}/p/garden/training/")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("main")).to_have_accessible_name("Training, 1 of 1 Known.")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status", name="What is known")).to_contain_text("That is the known answer.")
    expect(page.get_by_role("status", name="What is known")).to_be_focused()
    desk = page_of(make_member(project, Role.REVIEWER))
    desk.goto(f"{live_server.url}/p/garden/desk/{disputed.public_id}/")
    expect(desk.get_by_role("main")).to_have_accessible_name("Settle a dispute")
    for region in ("Post", "Help for the decision", "Decision"):
        expect(desk.get_by_role("region", name=region, exact=True)).to_be_visible()
