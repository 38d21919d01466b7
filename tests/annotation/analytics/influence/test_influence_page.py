"""The page about the influence of priors: what it says, what it changes, who may open it, what it costs."""

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.domain.choices import Modality, PriorArm, PriorDisplay, Role
from annotation.models import Event, Prior, Project
from markup import compact

pytestmark = pytest.mark.django_db

SHOWN, HIDDEN, WITHHELD = PriorArm.SHOWN, PriorArm.HIDDEN, PriorArm.WITHHELD


@pytest.fixture
def project():
    return builders.make_project("winter")


@pytest.fixture
def admin(project, client):
    client.force_login(builders.make_member(project, Role.ADMIN).user)
    return client


@pytest.fixture
def people(project):
    return [builders.make_member(project) for _ in range(3)]


def answered(project, people, items, arm_of, code_of, first_of=None):
    """Items with a text prior that says 1, answered by everybody; arm and code by item and person."""
    for number in range(items):
        item = builders.make_open_item(project)
        prior = Prior.objects.create(
            item=item, modality=Modality.TEXT, category=builders.category(project, 1), model="openai:m"
        )
        for who, (seat, person) in enumerate(zip(item.seat_rows.order_by("number"), people, strict=True)):
            arm = arm_of(number, who)
            builders.make_label(
                seat,
                person,
                code_of(number, who),
                prior_arm=arm,
                priors_shown=[] if arm == WITHHELD else [prior.pk],
                first_answer=first_of(number, who) if first_of else None,
            )


def mixed(project, people, items=10):
    answered(
        project,
        people,
        items,
        lambda item, who: WITHHELD if item % 3 == who else SHOWN,
        lambda item, who: (item + who) % 2,
    )


def page(client):
    return client.get("/p/winter/influence/")


def sheet(client, name):
    answer = client.get(reverse("annotation:dashboard-table", args=["winter", name]))
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_without_answers_the_page_says_what_the_arms_mean_and_what_is_needed(admin):
    text = page(admin).content.decode()
    assert "This person never sees the priors of this post; others may." in text
    assert "for 3,000 answers, as an example" in text
    assert "No answers to compare yet" in text
    assert "100 % now" in text


def test_the_plan_counts_the_answers_of_the_projects_posts(project, admin):
    # 40 items with three seats: 120 answers; a fifth is 24. 1.96 √(0.25 (1/24 + 1/96)) = 0.2236.
    for number in range(60):
        item = builders.make_item(project)
        if number < 40:
            Prior.objects.create(item=item, modality=Modality.TEXT, category=builders.category(project, 1), model="a:m")
        elif number < 50:  # the baseline's, which nobody is shown here
            racist = builders.category(project, 1)
            Prior.objects.create(item=item, modality=Modality.TEXT, category=racist, model="keyword:1")
    text = compact(page(admin).content.decode())
    assert "for the 120 answers of this project’s posts with a prior" in text
    row = re.search(r"20 %</th>.*?</tr>", text, re.S).group()
    assert re.findall(r">(?:± )?([\d.]+)</td>", row) == ["24", "22.4", "32.0"]


def test_a_project_without_priors_is_not_said_to_have_shown_any(project, people, admin):
    for seat, person in zip(builders.make_open_item(project).seat_rows.all(), people, strict=True):
        builders.make_label(seat, person, 1, prior_arm=SHOWN)
    text = compact(page(admin).content.decode())
    assert "nobody was shown one" in text
    assert "answers so far" not in text
    assert "for 3,000 answers, as an example" in text


def test_bars_differences_and_tables_are_there(project, people, admin):
    mixed(project, people)
    text = page(admin).content.decode()
    assert "Agreement with the text’s prior" in text and "Agreement with the picture’s prior" not in text
    assert "priors withheld" in text and "priors shown" in text
    assert "shown − withheld" in text
    for name in ("prior_shares", "prior_differences", "prior_changes"):
        assert f'id="table-{name}"' in text and f"/dashboard/{name}.csv" in text
    assert not re.search(r"\sstyle=", text)
    assert "nan" not in re.findall(r'(?:width|x1|x2|cx)="([^"]*)"', text)


def test_the_csv_holds_counts_shares_and_reasons(project, people, admin):
    answered(project, people[:3], 2, lambda item, who: SHOWN, lambda item, who: 1 if who else None)
    every, category = sheet(admin, "prior_shares")
    assert every == {
        "prior of the": "text",
        "posts": "All posts",
        "answers": "priors shown",
        "with a category": "4",
        "as the prior": "4",
        "without a category": "2",
        "share": "1.0",
        "low, 95 %": every["low, 95 %"],
        "high, 95 %": "1.0",
        "why undefined": "",
    }
    assert category["posts"] == "Prior says Racist"
    main = sheet(admin, "prior_differences")[0]
    assert (main["comparison"], main["difference"]) == ("shown − withheld", "")
    assert main["why undefined"] == "There is no such answer yet."


def test_changed_answers_are_told_where_priors_were_hidden(project, people, admin):
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    answered(
        project,
        people,
        4,
        lambda item, who: HIDDEN,
        lambda item, who: 1,
        lambda item, who: {"category": 1 if who else 0},
    )
    assert "33 % of 12 answers changed once the priors opened; 4 of these 4 went towards" in page(
        admin
    ).content.decode().replace("\n", " ")
    every = sheet(admin, "prior_changes")[0]
    assert (every["answered twice"], every["kept"], every["towards the prior"]) == ("12", "8", "4")


def test_a_share_is_stored_and_what_it_holds_for_is_said(project, admin):
    answer = admin.post("/p/winter/influence/", {"withheld_percent": "20"}, follow=True)
    assert "posts that are handed out from now on" in answer.content.decode()
    project.refresh_from_db()
    assert project.withheld_percent == 20
    assert Event.objects.get().facts == {"before": 0, "after": 20}
    assert "80 % now" in answer.content.decode() and "20 % now" in answer.content.decode()


@pytest.mark.parametrize("typed", ["91", "-1", "many", ""])
def test_nonsense_is_refused_and_stays_to_be_put_right(project, admin, typed):
    answer = admin.post("/p/winter/influence/", {"withheld_percent": typed})
    assert answer.status_code == 422
    assert f'value="{typed}"' in answer.content.decode() or not typed
    project.refresh_from_db()
    assert project.withheld_percent == 0 and not Event.objects.exists()


def test_the_share_of_a_plan_is_marked_as_the_one_in_force(project, admin):
    Project.objects.update(withheld_percent=15)
    text = compact(page(admin).content.decode())
    assert re.search(r"15 % <span class=\"chip\">now</span>", text)


def test_reviewers_read_it_on_the_dashboard_alone(project, people):
    mixed(project, people)
    reviewer = Client()
    reviewer.force_login(builders.make_member(project, Role.REVIEWER).user)
    assert page(reviewer).status_code == 404
    text = reviewer.get("/p/winter/dashboard/").content.decode()
    assert "<h2>Prior influence</h2>" in text and "priors withheld" in text
    assert "/p/winter/influence/" not in text
    assert len(sheet(reviewer, "prior_shares")) == 4


def test_nobody_who_labels_sees_any_of_it(project, people):
    mixed(project, people)
    labeller = Client()
    labeller.force_login(people[0].user)
    assert page(labeller).status_code == 404
    assert labeller.get("/p/winter/dashboard/prior_shares.csv").status_code == 404
    assert labeller.post("/p/winter/influence/", {"withheld_percent": "0"}).status_code == 404


def test_the_page_asks_as_much_for_one_post_as_for_thirty(project, people, admin, django_assert_num_queries):
    mixed(project, people, items=1)
    page(admin)
    with django_assert_num_queries(QUERIES):
        page(admin)
    mixed(project, people, items=30)
    with django_assert_num_queries(QUERIES):
        page(admin)


# Session, person, membership; how large the project is; the five of the report; the seats that the posts have.
QUERIES = 10
