"""What all pages tell an admin stands above the post, at work too, and covers nothing of it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.domain.choices import Reason, Role, Stage
from annotation.models import Membership, Report
from builders import make_item, make_member, make_project

pytestmark = pytest.mark.django_db(transaction=True)

HIDDEN = """() => {
    const banner = document.querySelector(".page-banners").getBoundingClientRect();
    const work = [...document.querySelectorAll("main, .decide")].map(part => part.getBoundingClientRect());
    return {banner: banner.height, covered: work.filter(part => part.top < banner.bottom - 1).length};
}"""


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desktop", "phone"])
def test_a_line_for_admins_takes_its_own_place_where_people_work(
    page_of: Callable[[Membership], Page], live_server: Any, size: tuple[int, int]
) -> None:
    project = make_project("garden", new_batches="open")
    admin = make_member(project, Role.ANNOTATOR, Role.REVIEWER, Role.ADMIN)
    make_item(project)
    reported = make_item(project, stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    Report.objects.create(item=reported, reporter=make_member(project))
    page = page_of(admin)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for address in ("label/", "desk/", "design/"):
        page.goto(f"{live_server.url}/p/garden/{address}")
        if address == "design/":
            with page.expect_popup() as opened:
                page.get_by_role("button", name="Preview for annotators").click()
            page = opened.value
            page.set_viewport_size({"width": size[0], "height": size[1]})
        expect(page.get_by_text("1 reported post waits for an answer.")).to_be_visible()
        found = page.evaluate(HIDDEN)
        assert (20 < found["banner"] < 120, found["covered"]) == (True, 0), (address, found)
