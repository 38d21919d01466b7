"""What is a person's own about care, what admins are told of it, and hours: each by page, for whom and no one else."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.assignment.annotator_state import read_annotator_state
from annotation.assignment.claim import claim
from annotation.assignment.item_query import is_item_wanted
from annotation.assignment.outcomes import HeldSeat
from annotation.domain.choices import Role, Stage
from annotation.domain.wellbeing.opt_outs import Unwanted, falls_under
from annotation.members.join import add_member
from annotation.models import CheckIn, Event, Membership, OptOut, Prior, Project, Seat, Skip, User, WorkDay
from annotation.wellbeing import preferences
from annotation.wellbeing.opt_out_counts import item_content
from builders import (
    category,
    make_item,
    make_label,
    make_member,
    make_open_item,
    make_picture,
    make_project,
    make_user,
)
from markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def garden() -> Project:
    return make_project("garden", name="Winter campaign")


@pytest.fixture
def wren(garden: Project) -> Membership:
    return make_member(garden, user=make_user("wren"), pseudonym="bofa17")


@pytest.fixture
def browser(wren: Membership) -> Client:
    return client_of(wren)


@pytest.fixture
def admin(garden: Project) -> Client:
    return client_of(make_member(garden, Role.ADMIN))


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


def text_of(page: Any) -> str:
    return compact(page.content.decode())


def in_force(member: Membership) -> set[tuple[int | None, str, int | None]]:
    rows = OptOut.objects.filter(member=member, ended_at=None).select_related("category")
    return {(row.category.code if row.category else None, row.target_group, row.severity) for row in rows}


CARE = "/p/garden/care/"

# ── Opting out ────────────────────────────────────────────────────────────────


def test_what_somebody_does_not_want_to_see_is_stored_and_shown_again(garden, wren, browser):
    for _ in range(10):
        make_item(garden, target_group="Nurses")
    page = text_of(browser.get(CARE))
    assert "Nurses" in page and "2 Sexist" in page
    sent = {"categories": ["2", "4"], "groups": ["Nurses"], "other_groups": "bakers\n\n  bakers ", "severity": "3"}
    assert browser.post(CARE, sent).status_code == 302
    assert in_force(wren) == {
        (2, "", None),
        (4, "", None),
        (None, "Nurses", None),
        (None, "bakers", None),
        (None, "", 3),
    }
    page = text_of(browser.get(CARE))
    assert page.count(" checked") == 3
    assert ">bakers</textarea>" in page.replace("\n", "") and '<option value="3" selected>' in page


def test_what_is_opted_into_again_ends_and_what_stays_is_the_same_row(wren, browser):
    browser.post(CARE, {"categories": ["2", "4"]})
    kept = OptOut.objects.get(category__code=4)
    browser.post(CARE, {"categories": ["4"], "severity": "2"})
    assert in_force(wren) == {(4, "", None), (None, "", 2)}
    assert OptOut.objects.get(category__code=4).pk == kept.pk
    assert OptOut.objects.exclude(ended_at=None).get().category.code == 2


def test_an_opt_out_of_a_category_that_was_retired_stays_until_it_is_taken_back(garden, wren, browser):
    browser.post(CARE, {"categories": ["2"]})
    garden.categories.filter(code__in=(2, 3)).update(retired_at=timezone.now(), key="")
    page = text_of(browser.get(CARE))
    assert "Sexist" in page and "Homophobic" not in page
    assert page.count(" checked") == 1
    browser.post(CARE, {"categories": ["2"], "severity": "3"})
    assert in_force(wren) == {(2, "", None), (None, "", 3)}
    assert browser.post(CARE, {"categories": ["3"]}).status_code == 422
    browser.post(CARE, {})
    assert in_force(wren) == set()


def test_a_group_of_few_posts_is_not_listed_since_that_would_tell_what_they_are_about(garden, browser):
    for _ in range(9):
        make_item(garden, target_group="Millers")
    assert "Millers" not in text_of(browser.get(CARE))


def test_too_long_a_group_is_refused_and_what_was_typed_stays(wren, browser):
    answer = browser.post(CARE, {"categories": ["2"], "other_groups": "x" * 201})
    assert answer.status_code == 422
    assert "200 characters at most" in text_of(answer)
    assert "x" * 201 in text_of(answer) and 'value="2"' in text_of(answer)
    assert in_force(wren) == set()


def test_an_unknown_category_is_refused(wren, browser):
    assert browser.post(CARE, {"categories": ["9"]}).status_code == 422
    assert in_force(wren) == set()


@pytest.mark.parametrize("ahead", [False, True])
def test_a_held_post_that_falls_under_it_goes_back_without_a_skip(garden, wren, browser, ahead):
    item = make_open_item(garden, intended=category(garden, 2))
    held = claim(wren, ahead=ahead)
    assert isinstance(held, HeldSeat) and held.seat.item == item
    answer = browser.post(CARE, {"categories": ["2"]}, follow=True)
    assert "this does not count against you" in text_of(answer)
    assert not Seat.objects.filter(annotator=wren).exists()
    assert not Skip.objects.exists()
    item.refresh_from_db()
    assert item.taken == 0


def test_a_held_post_that_does_not_fall_under_it_stays(garden, wren, browser):
    make_open_item(garden, intended=category(garden, 3), severity=1, target_group="Millers")
    claim(wren)
    browser.post(CARE, {"categories": ["2"], "other_groups": "Bakers", "severity": "2"})
    assert Seat.objects.filter(annotator=wren).count() == 1


def test_counts_of_an_item_and_handing_out_agree_on_what_falls_under_an_opt_out(garden, wren):
    items = [
        make_item(garden, intended=category(garden, 2), severity=1, target_group=" Bäcker"),
        make_item(garden, severity=3, target_group="bakers"),
        make_item(garden, intended_hateful=True),
        make_item(garden, severity=2),
        make_item(garden, intended=category(garden, 1), intended_categories=[1, 2]),
    ]
    Prior.objects.create(item=items[2], modality="text", category=category(garden, 3))
    Prior.objects.create(item=items[3], modality="text", category=category(garden, 3), current=False)
    found = []
    for wanted in (
        *(preferences.OptedOut(categories=frozenset({code})) for code in (2, 3)),
        *(preferences.OptedOut(groups=frozenset({group})) for group in ("BÄCKER", "Bakers", "bake")),
        *(preferences.OptedOut(severity=severity) for severity in (1, 2, 3)),
    ):
        OptOut.objects.all().delete()
        preferences.set_opt_outs(wren, wanted)
        row = OptOut.objects.get()
        unwanted = Unwanted(wren.pk, row.category_id, row.target_group, row.severity)
        for item in items:
            barred = falls_under(item_content(item, item.priors.filter(current=True)), unwanted)
            assert barred is not is_item_wanted(item.pk, read_annotator_state(wren, timezone.now()).unwanted), (
                wanted,
                item.pk,
            )
            found.append(barred)
    assert found.count(True) == 2 + 1 + 1 + 1 + 0 + 3 + 2 + 1


def test_nothing_left_is_forgotten_when_somebody_opts_in_again(wren, browser):
    Membership.objects.filter(pk=wren.pk).update(idle_until=timezone.now() + timedelta(seconds=30))
    browser.post(CARE, {})
    wren.refresh_from_db()
    assert wren.idle_until is None


def test_no_event_and_no_page_of_an_admin_tells_who_opted_out_of_what(garden, wren, browser, admin):
    item = make_open_item(garden, intended=category(garden, 2))
    claim(wren)
    browser.post(CARE, {"categories": ["2"], "other_groups": "Bakers", "severity": "1"})
    assert not Event.objects.exclude(verb="seat_lapsed").exists()
    for path in ("people/", "care/settings/", "hours/", "settings/", "dashboard/", f"items/{item.public_id}/"):
        page = text_of(admin.get(f"/p/garden/{path}"))
        assert "Bakers" not in page and "opted_out" not in page, path
    assert admin.get(CARE).status_code == 404


# ── Own limits ────────────────────────────────────────────────────────────────


def test_own_limits_are_stored_and_can_be_taken_back(wren, browser):
    assert browser.post(CARE, {"severe_a_day": "0", "minutes_a_day": "90"}).status_code == 302
    wren.refresh_from_db()
    assert (wren.severe_a_day, wren.minutes_a_day) == (0, 90)
    assert 'value="90"' in text_of(browser.get(CARE))
    browser.post(CARE, {"severe_a_day": "", "minutes_a_day": ""})
    wren.refresh_from_db()
    assert (wren.severe_a_day, wren.minutes_a_day) == (None, None)


def test_own_limits_above_the_project_s_are_refused_and_hold_back_no_opt_out(garden, wren, browser):
    Project.objects.filter(pk=garden.pk).update(severe_a_day=20, minutes_a_day=120)
    answer = browser.post(CARE, {"severe_a_day": "20", "minutes_a_day": "121", "other_groups": "Bakers"})
    assert answer.status_code == 422
    assert OptOut.objects.get(member=wren).target_group == "Bakers" and "Saved." in text_of(answer)
    assert "limit is 120" in text_of(answer) and 'value="121"' in text_of(answer)
    wren.refresh_from_db()
    assert (wren.severe_a_day, wren.minutes_a_day) == (None, None)
    assert browser.post(CARE, {"severe_a_day": "20", "minutes_a_day": "120"}).status_code == 302


# ── Display settings ────────────────────────────────────────────────────────


def test_filter_settings_follow_the_person_to_every_page(garden, wren, browser):
    item = make_open_item(garden, "A gate stands open.", picture=make_picture(garden))
    make_label(make_open_item(garden, "Snow on the path.").seat_rows.order_by("number")[0], wren, 1)
    browser.post(
        "/me/",
        {"blur": "on", "blur_strength": "blank", "sepia": "on", "picture_size": "small", "fold_text": "on",
         "theme": "system"},
    )  # fmt: skip
    assert User.objects.get(pk=wren.user_id).viewing_chosen
    for path in ("label/", "history/"):
        page = text_of(browser.get(f"/p/garden/{path}"))
        assert 'data-veil="blank"' in page and 'data-pictures="small"' in page, path
        assert " data-sepia" in page and " data-folded" in page, path
        assert "<details" in page.partition('id="main"')[2], path
    assert "is-grey" not in text_of(browser.get("/p/garden/label/"))
    assert item.text in text_of(browser.get("/p/garden/label/"))


def test_reviewers_see_posts_as_they_chose_too(garden):
    reviewer = make_member(garden, Role.REVIEWER)
    item = make_item(garden, stage=Stage.DISPUTED, picture=make_picture(garden))
    User.objects.filter(pk=reviewer.user_id).update(fold_text=True, picture_size="medium")
    for path in (f"items/{item.public_id}/", f"desk/{item.public_id}/"):
        page = text_of(client_of(reviewer).get(f"/p/garden/{path}"))
        assert 'data-pictures="medium"' in page and "is-text" in page, path


def test_somebody_who_joins_sees_as_the_project_proposes_until_they_choose(garden, admin):
    sent = {"blur": "on", "blur_strength": "soft", "picture_size": "small", "fold_text": "on"}
    assert admin.post("/p/garden/care/settings/viewing/", sent).status_code == 302
    garden.refresh_from_db()
    newcomer, decided = make_user("robin"), make_user("finch", viewing_chosen=True)
    for user in (newcomer, decided):
        add_member(garden, user.username, Role.ANNOTATOR)
        user.refresh_from_db()
    assert (newcomer.blur, newcomer.blur_strength, newcomer.grey) == (True, "soft", False)
    assert (newcomer.picture_size, newcomer.fold_text, newcomer.viewing_chosen) == ("small", True, False)
    assert (decided.blur_strength, decided.grey, decided.fold_text) == ("patches", True, False)
    assert Event.objects.get(verb="change_settings").facts == {"changed": ["viewing_defaults"]}


# ── Check-ins ─────────────────────────────────────────────────────────────────

CHECK_IN = "/p/garden/check-in/"


def test_a_check_in_is_one_tap_a_day_and_only_for_oneself(garden, wren, browser):
    assert browser.post(CHECK_IN, {"mood": "2"}).status_code == 302
    browser.post(CHECK_IN, {"mood": "4"})
    assert CheckIn.objects.get().mood == 4
    page = text_of(browser.get(CHECK_IN))
    assert 'value="4" aria-pressed="true"' in page and page.count("</title></circle>") == 1
    other = make_member(garden)
    assert "</circle>" not in text_of(client_of(other).get(CHECK_IN)).partition("<main")[2]


@pytest.mark.parametrize("mood", ["0", "6", "fine", "", "1.5"])
def test_no_other_answers_are_taken(browser, mood):
    assert browser.post(CHECK_IN, {"mood": mood}).status_code == 422
    assert not CheckIn.objects.exists()


@pytest.mark.parametrize("role", [Role.ADMIN, Role.REVIEWER])
def test_managers_get_404_on_check_ins_and_opt_outs(garden, wren, role):
    CheckIn.objects.create(member=wren, day=timezone.localdate(), mood=1)
    manager = client_of(make_member(garden, role))
    for path in ("check-in/", "care/", "hours/mine/"):
        assert manager.get(f"/p/garden/{path}").status_code == 404
    for path in ("check-in/", "check-in/forget/", "care/"):
        assert manager.post(f"/p/garden/{path}").status_code == 404
    assert CheckIn.objects.count() == 1


def test_the_question_is_asked_once_on_a_day_of_work_and_never_without(garden, wren, browser):
    question = "How are you after today’s work?"
    assert question not in text_of(browser.get("/p/garden/pause/"))
    WorkDay.objects.create(member=wren, day=timezone.localdate(), labels=3)
    assert question in text_of(browser.get("/p/garden/pause/"))
    assert question not in text_of(browser.get("/p/garden/pause/"))
    assert CheckIn.objects.get().mood is None


def test_the_pause_names_what_is_held_and_until_when_and_nothing_that_lapsed(garden, wren, browser):
    for _ in range(2):
        make_open_item(garden)
    claim(wren)
    claim(wren, ahead=True)
    front, ahead = Seat.objects.filter(annotator=wren).order_by("expires_at")
    until = [timezone.localtime(seat.expires_at).strftime("%H:%M") for seat in (front, ahead)]
    page = text_of(browser.get("/p/garden/pause/"))
    assert f"is reserved for you until {until[0]}" in page and f"kept for you until {until[1]}" in page
    assert "A pause of 10 minutes or more counts as a break" in page
    Seat.objects.filter(annotator=wren).update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "You hold no post" in text_of(browser.get("/p/garden/pause/"))


def test_own_answers_can_be_removed(wren, browser):
    today = timezone.localdate()
    for back in range(3):
        CheckIn.objects.create(member=wren, day=today - timedelta(days=back), mood=3)
    assert "3 answers are removed" in text_of(browser.post(f"{CHECK_IN}forget/", follow=True))
    assert not CheckIn.objects.filter(mood__isnull=False).exists()


def week_of_check_ins(project: Project, people: int) -> None:
    day = timezone.localdate() - timedelta(days=7)
    for _ in range(people):
        CheckIn.objects.create(member=make_member(project), day=day, mood=2)


@pytest.mark.parametrize(("people", "told"), [(4, False), (5, True)])
def test_a_week_of_check_ins_is_told_from_five_people_on(garden, admin, people, told):
    week_of_check_ins(garden, people)
    assert ("2.0" in text_of(admin.get("/p/garden/care/settings/"))) is told


def test_the_week_under_way_is_not_told(garden, admin):
    for _ in range(6):
        CheckIn.objects.create(member=make_member(garden), day=timezone.localdate(), mood=2)
    assert "2.0" not in text_of(admin.get("/p/garden/care/settings/"))


# ── What a project sets, and what its admins are told ─────────────────────────

SETTINGS = "/p/garden/care/settings/"
SENT = {
    "severe_from": "3", "severe_in_row": "2", "severe_a_session": "10", "severe_a_day": "40", "minutes_a_day": "240",
    "break_after_minutes": "45", "support_text": "Call Ada, Mondays 9 to 12.",
}  # fmt: skip


def test_care_settings_are_stored_and_written_down(garden, admin, browser):
    assert admin.post(SETTINGS, SENT).status_code == 302
    garden.refresh_from_db()
    assert (garden.severe_from, garden.severe_in_row, garden.severe_a_session) == (3, 2, 10)
    assert (garden.severe_a_day, garden.minutes_a_day, garden.break_after_minutes) == (40, 240, 45)
    assert "Call Ada" in text_of(browser.get("/p/garden/help/"))
    assert Event.objects.get(verb="change_settings").facts == {"changed": sorted(SENT)}
    admin.post(SETTINGS, {**SENT, "severe_a_day": ""})
    garden.refresh_from_db()
    assert garden.severe_a_day is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("severe_from", "0"), ("severe_from", "4"), ("severe_in_row", "51"), ("severe_in_row", "-1"),
        ("severe_a_session", "0"), ("severe_a_session", "41"), ("severe_a_day", "10001"), ("minutes_a_day", "9"),
        ("minutes_a_day", "1441"), ("break_after_minutes", "241"), ("support_text", "x" * 4001),
    ],
)  # fmt: skip
def test_settings_out_of_bounds_are_refused_and_what_was_typed_stays(garden, admin, name, value):
    answer = admin.post(SETTINGS, {**SENT, name: value})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [name]
    assert "Call Ada" in text_of(answer) or name == "support_text"
    garden.refresh_from_db()
    assert garden.break_after_minutes == 50 and not Event.objects.exists()


def make_days(project: Project, severe: list[int]) -> None:
    for number in severe:
        WorkDay.objects.create(
            member=make_member(project),
            day=timezone.localdate(),
            shown=50,
            severe=number,
            active_seconds=3600,
            breaks=1,
        )


def test_exposure_is_told_as_median_and_most_from_five_people_on(garden, admin):
    make_days(garden, [1, 7, 3, 12])
    page = text_of(admin.get(SETTINGS))
    assert "median" not in page and "most 12" not in page
    make_days(garden, [5])
    page = text_of(admin.get(SETTINGS))
    assert "median 5, most 12" in page  # 1 3 5 7 12
    assert "median 60, most 60" in page
    assert ">250<" in page and ">28<" in page  # shown, of these severe


def test_l28_skips_are_told_from_five_people_on_and_of_nobody_alone(garden, admin):
    member = make_member(garden)
    Skip.objects.create(item=make_item(garden), annotator=member)
    make_days(garden, [0, 0, 0, 0])
    assert admin.get(SETTINGS).context["figures"].skips is None
    make_days(garden, [0])
    assert admin.get(SETTINGS).context["figures"].skips == 1


def test_how_many_opted_out_is_told_from_five_people_on(garden, admin):
    people = [make_member(garden) for _ in range(5)]
    for member in people[:4]:
        preferences.set_opt_outs(member, preferences.OptedOut(severity=3))
    assert admin.get(SETTINGS).context["figures"].opted_out is None
    preferences.set_opt_outs(people[4], preferences.OptedOut(categories=frozenset({1})))
    assert admin.get(SETTINGS).context["figures"].opted_out == 5


def test_how_many_people_a_post_is_kept_from_is_told_where_five_annotate(garden, admin):
    item = make_item(garden, external_id="=post-1", intended=category(garden, 2), severity=3, target_group="Bakers")
    make_item(garden, external_id="post-2", severity=1)
    people = [make_member(garden) for _ in range(4)]
    preferences.set_opt_outs(people[0], preferences.OptedOut(categories=frozenset({2}), severity=2))
    preferences.set_opt_outs(people[1], preferences.OptedOut(groups=frozenset({"BAKERS"})))
    preferences.set_opt_outs(people[2], preferences.OptedOut(categories=frozenset({3})))
    page = f"/p/garden/items/{item.public_id}/"
    assert "Kept from" not in text_of(admin.get(page))
    assert admin.get("/p/garden/care/opt-outs.csv").status_code == 404
    make_member(garden)
    assert "Kept from" in text_of(admin.get(page))
    assert admin.get(page).context["barred"] == 2
    file = b"".join(admin.get("/p/garden/care/opt-outs.csv")).decode()
    assert file == "\ufeffid,people_kept_from_it\r\n'=post-1,2\r\npost-2,0\r\n"
    reviewer = client_of(make_member(garden, Role.REVIEWER))
    assert "Kept from" not in text_of(reviewer.get(page))


def test_an_opt_out_that_ended_still_counts_for_the_item(garden, admin):
    item = make_item(garden, severity=3)
    people = [make_member(garden) for _ in range(5)]
    preferences.set_opt_outs(people[0], preferences.OptedOut(severity=3))
    preferences.set_opt_outs(people[0], preferences.OptedOut())
    assert admin.get(f"/p/garden/items/{item.public_id}/").context["barred"] == 1


# ── Hours ─────────────────────────────────────────────────────────────────────


@pytest.fixture
def worked(garden: Project, wren: Membership) -> Membership:
    """Two people's days in March."""
    other = make_member(garden, pseudonym="=amel20")
    for member, day, seconds, labels in (
        (wren, 3, 3930, 41),
        (wren, 4, 600, 5),
        (other, 4, 1200, 90),
        (other, 9, 0, 0),
    ):
        WorkDay.objects.create(member=member, day=f"2026-03-{day:02}", active_seconds=seconds, labels=labels)
    return other


MARCH = "first=2026-03-01&last=2026-03-31"


def test_hours_stand_by_pseudonym_with_a_total_for_each(worked, admin):
    answer = admin.get(f"/p/garden/hours/?{MARCH}")
    found = [(row.pseudonym, row.days, row.minutes, row.labels) for row in answer.context["people"]]
    assert found == [("=amel20", 1, 20.0, 90), ("bofa17", 2, 75.5, 46)]
    assert "75.5" in text_of(answer) and "95.5" in text_of(answer)
    answer = admin.get("/p/garden/hours/?first=2026-03-04&last=2026-03-04")
    assert [row.minutes for row in answer.context["people"]] == [20.0, 10.0]


def test_hours_as_csv_are_safe_in_a_spreadsheet(worked, admin):
    answer = admin.get(f"/p/garden/hours/table.csv?{MARCH}")
    assert "garden-hours-2026-03-01-2026-03-31.csv" in answer["Content-Disposition"]
    assert answer.content.decode() == (
        "\ufeffannotator,date,active_minutes,labels\r\n"
        "'=amel20,2026-03-04,20.0,90\r\nbofa17,2026-03-03,65.5,41\r\nbofa17,2026-03-04,10.0,5\r\n"
    )


def test_everybody_sees_their_own_hours_and_nobody_else_s(worked, wren, browser):
    answer = browser.get(f"/p/garden/hours/mine/?{MARCH}")
    assert [(str(row.day), row.minutes, row.labels) for row in answer.context["days"]] == [
        ("2026-03-03", 65.5, 41), ("2026-03-04", 10.0, 5),
    ]  # fmt: skip
    assert "amel20" not in text_of(answer) and ">90<" not in text_of(answer)
    assert browser.get("/p/garden/hours/").status_code == 404
    assert browser.get(f"/p/garden/hours/table.csv?{MARCH}").status_code == 404
    assert "hours/mine/" in text_of(browser.get("/p/garden/history/"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("first=2026-03-05&last=2026-03-04", "before the first"),
        ("first=2025-01-01&last=2026-03-04", "366 days at most"),
        ("first=soon&last=2026-03-04", "valid date"),
        ("first=2026-03-04", "required"),
    ],
)
def test_days_that_make_no_sense_are_refused_in_a_sentence(worked, admin, browser, asked, said):
    for client, path in ((admin, "hours/"), (admin, "hours/table.csv"), (browser, "hours/mine/")):
        answer = client.get(f"/p/garden/{path}?{asked}")
        assert answer.status_code == 422
        assert said in text_of(answer)
    assert "2026-03-04" in text_of(admin.get(f"/p/garden/hours/?{asked}"))


def test_hours_take_as_many_queries_for_many_people_as_for_one(garden, admin, django_assert_num_queries):
    today = timezone.localdate()
    WorkDay.objects.create(member=make_member(garden), day=today, active_seconds=60)
    admin.get("/p/garden/hours/")
    with django_assert_num_queries(4):  # session, user, membership, days
        admin.get("/p/garden/hours/")
    for _ in range(5):
        WorkDay.objects.create(member=make_member(garden), day=today, active_seconds=60)
    with django_assert_num_queries(4):
        admin.get("/p/garden/hours/")


def test_the_care_pages_take_a_fixed_number_of_queries(garden, wren, admin, browser, django_assert_max_num_queries):
    make_days(garden, [1, 2, 3, 4, 5, 6])
    week_of_check_ins(garden, 6)
    with django_assert_max_num_queries(10):
        admin.get(SETTINGS)
    for path in (CARE, CHECK_IN, "/p/garden/pause/", "/p/garden/hours/mine/"):
        with django_assert_max_num_queries(9):
            browser.get(path)


def test_the_minutes_of_people_and_days_add_up_to_those_of_all(garden, wren):
    manager = client_of(make_member(garden, Role.ADMIN))
    today = timezone.localdate()
    seconds = {wren: (105, 3), make_member(garden): (8, 40), make_member(garden): (5, 27)}
    for member, of_days in seconds.items():
        for ago, active in enumerate(of_days):
            WorkDay.objects.create(member=member, day=today - timedelta(days=ago), active_seconds=active, labels=1)
    page = manager.get("/p/garden/hours/")
    people, total = page.context["people"], page.context["all"]
    assert round(sum(person.minutes for person in people), 1) == total.minutes
    assert round(sum(day.minutes for day in page.context["days"]), 1) == total.minutes
    cells = [line.split(",")[2] for line in manager.get("/p/garden/hours/table.csv").content.decode().split()[1:]]
    assert round(sum(map(float, cells)), 1) == total.minutes
