"""The history holds one's own answers and skips; a skip is taken back there while its post has a free place."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.claim import claim
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.choices import Reason, Stage
from annotation.labelling import own_history
from annotation.labelling.own_history import PAGE, history_page
from annotation.members import participation
from annotation.models import Item, Label, Membership, Project, Seat, Skip
from builders import make_label, make_member, make_open_item, make_picture, make_project

pytestmark = pytest.mark.django_db

HISTORY = "/p/garden/history/"
BACK = "Label it after all"


@pytest.fixture
def project() -> Project:
    return make_project("garden", seats=2)


@pytest.fixture
def wren(project: Project) -> Membership:
    return make_member(project)


@pytest.fixture
def client(wren: Membership) -> Client:
    assert wren.user is not None
    client = Client()
    client.force_login(wren.user)
    return client


def skipped(member: Membership, text: str, *, minutes_ago: int = 60, reason: str = "") -> Skip:
    item = make_open_item(member.project, text)
    created_at = timezone.now() - timedelta(minutes=minutes_ago)
    return Skip.objects.create(item=item, annotator=member, reason=reason, created_at=created_at)


def labelled(member: Membership, text: str, code: int | None = 1, **fields: Any) -> Item:
    item = make_open_item(member.project, text)
    make_label(item.seat_rows.order_by("number")[0], member, code, **fields)
    return item


def texts(member: Membership, **query: str) -> list[str]:
    return [row["item"].text for row in history_page(Membership.objects.get(pk=member.pk), query)[1]]


def test_labels_and_skips_stand_together_by_time(wren: Membership) -> None:
    skipped(wren, "An hour ago.")
    skipped(wren, "A day ago.", minutes_ago=1440)
    labelled(wren, "Just now.")
    skipped(make_member(wren.project), "Somebody else's.")
    assert texts(wren) == ["Just now.", "An hour ago.", "A day ago."]
    participation.deactivate(wren, by=None)
    assert texts(wren) == ["Just now.", "An hour ago.", "A day ago."]


def test_what_was_reported_is_not_shown(wren: Membership) -> None:
    skipped(wren, "An hour ago.")
    Item.objects.update(stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    assert texts(wren) == []


def test_it_has_pages_of_a_number_up_to_a_bound(wren: Membership) -> None:
    for number in range(PAGE + 2):
        skipped(wren, f"{number}", minutes_ago=number)
    assert [*texts(wren), *texts(wren, page="2")] == [str(number) for number in range(PAGE + 2)]
    assert texts(wren, page="3") == texts(wren, page="1000000") == texts(wren, page="x") == texts(wren)


@pytest.mark.parametrize("active", [True, False])
def test_it_is_narrowed_to_an_answer_and_to_words_of_the_post(wren: Membership, client: Client, active: bool) -> None:
    skipped(wren, "A rose was skipped.")
    labelled(wren, "A rose.")
    labelled(wren, "Unsure.", None)
    labelled(wren, "Torn.", None, low_quality=True)
    labelled(wren, "Noted.", 2, note="so")
    if not active:
        participation.deactivate(wren, by=None)

    def found(query: str) -> list[str]:
        return [row["item"].text for row in client.get(f"{HISTORY}?{query}").context["rows"]]

    assert found("kind=1") == found("kind=1&q=ROSE") == ["A rose."]
    assert found("kind=not_sure") == ["Unsure."] and found("kind=low_quality") == ["Torn."]
    assert found("kind=note") == ["Noted."]
    assert found("kind=skip") == ["A rose was skipped."] and found("q=rose") == ["A rose.", "A rose was skipped."]
    assert found("kind=5") == [] and len(found("kind=nothing")) == 5


@pytest.mark.parametrize(
    ("zone", "day", "time"),
    [("Asia/Seoul", "2026-03-02", "07:30"), ("", "2026-03-01", "22:30"), ("../../etc/passwd", "2026-03-01", "22:30")],
)
def test_times_are_those_of_the_zone_that_the_browser_names(
    wren: Membership, client: Client, zone: str, day: str, time: str
) -> None:
    Skip.objects.filter(pk=skipped(wren, "A rose.").pk).update(created_at=datetime(2026, 3, 1, 22, 30, tzinfo=UTC))
    client.cookies["time_zone"] = zone
    page = client.get(HISTORY).content.decode()
    assert f">{day}</th>" in page and f"</span> {time}" in page


@pytest.mark.parametrize("active", [True, False])
def test_it_goes_on_by_key_in_both_directions(wren: Membership, active: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_history, "PAGE", 2)
    for text in "abc":  # a label and two skips of one moment each
        [label] = Label.objects.filter(item=labelled(wren, f"label {text}"))
        Seat.objects.filter(label=label).update(filled_at=label.created_at)
        skips = [skipped(wren, f"skip {number} {text}").pk for number in (1, 2)]
        Skip.objects.filter(pk__in=skips).update(created_at=label.created_at)
    if not active:
        participation.deactivate(wren, by=None)
    member = Membership.objects.get(pk=wren.pk)
    pages: list[list[str]] = []
    page, rows = history_page(member, {})
    while True:
        pages.append([row["item"].text for row in rows])
        if page.next is None:
            break
        page, rows = history_page(member, page.next)
    whole = [f"{kind} {text}" for text in "cba" for kind in ("label", "skip 2", "skip 1")]
    assert [text for texts_of in pages for text in texts_of] == whole
    for expected in reversed(pages[:-1]):
        assert page.previous is not None
        page, rows = history_page(member, page.previous)
        assert [row["item"].text for row in rows] == expected
    assert page.previous is None


def test_a_key_of_somebody_else_gives_the_first_page(wren: Membership) -> None:
    skipped(wren, "Mine.")
    theirs = skipped(make_member(wren.project), "Theirs.")
    for key in (str(theirs.item.public_id), "x"):
        assert texts(wren, after=key) == texts(wren, before=key) == ["Mine."]


def test_a_skip_is_shown_with_its_reason_and_labelled_after_all(wren: Membership, client: Client) -> None:
    skip = skipped(wren, "Weeds.", reason="Too hard today.")
    page = client.get(HISTORY).content.decode()
    assert "Too hard today." in page and BACK in page
    address = f"/p/garden/label/skipped/{skip.item.public_id}/back/"
    assert address in page
    assert "Weeds." in client.post(address, follow=True).content.decode()
    held = claim(wren)
    assert isinstance(held, HeldSeat) and held.seat.item == skip.item and not Skip.objects.exists()
    assert client.post(address).status_code == 404


def test_without_a_free_place_it_stays_skipped(wren: Membership, client: Client) -> None:
    skip = skipped(wren, "Weeds.")
    for seat in skip.item.seat_rows.order_by("number"):
        make_label(seat, make_member(wren.project), 1)
    Item.objects.update(taken=2)
    assert BACK not in client.get(HISTORY).content.decode()
    answer = client.post(f"/p/garden/label/skipped/{skip.item.public_id}/back/", follow=True)
    assert "The post stays skipped" in answer.content.decode() and Skip.objects.exists()


def test_nobody_takes_another_ones_skip_back(wren: Membership, client: Client) -> None:
    skip = skipped(make_member(wren.project), "Weeds.")
    assert client.post(f"/p/garden/label/skipped/{skip.item.public_id}/back/").status_code == 404
    assert Skip.objects.exists()


@pytest.mark.parametrize(("minutes_ago", "offered"), [(29, True), (31, False)])
def test_where_checks_are_mixed_in_the_clock_decides_and_a_check_is_not_told(
    wren: Membership, minutes_ago: int, offered: bool
) -> None:
    Project.objects.update(check_percent=5)
    check, full = skipped(wren, "A check.", minutes_ago=minutes_ago), skipped(wren, "Full.", minutes_ago=minutes_ago)
    Item.objects.filter(pk=check.item_id).update(stage=Stage.KNOWN)
    Item.objects.filter(pk=full.item_id).update(taken=2)
    _page, rows = history_page(Membership.objects.get(pk=wren.pk), {})
    assert [row["open"] for row in rows] == [offered, offered]


def test_in_a_closed_project_nothing_is_offered(wren: Membership, client: Client) -> None:
    skipped(wren, "Weeds.")
    Project.objects.update(is_open=False)
    assert BACK not in client.get(HISTORY).content.decode()


def test_pictures_stand_there_small_and_blurred_while_one_is_a_member(
    project: Project, wren: Membership, client: Client
) -> None:
    pictures = [make_picture(project), make_picture(project, (40, 32))]
    make_label(make_open_item(project, picture=pictures[0]).seat_rows.order_by("number")[0], wren, 1)
    Skip.objects.create(
        item=make_open_item(project, "", picture=pictures[1]), annotator=wren, created_at=timezone.now()
    )
    page = client.get(HISTORY).content.decode()
    addresses = [f'src="/media/{picture.public_id}/blurred/"' for picture in pictures]
    assert all(address in page for address in addresses) and page.count("/media/") == 2
    assert client.get(f"/media/{pictures[1].public_id}/blurred/").status_code == 200
    assert client.get(f"/media/{pictures[1].public_id}/").status_code == 404
    participation.deactivate(wren, by=None)
    page = client.get(HISTORY).content.decode()
    assert "/media/" not in page and page.count('<span class="chip">picture</span>') >= 1
