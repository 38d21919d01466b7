"""The dashboard: what it says, who may see it, and that it costs the same for many items."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.db.models import OuterRef, Subquery
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

import builders
from annotation.analytics import stored_figures
from annotation.consensus.close import close_item
from annotation.domain.choices import Choose, Level, Order, Policy, PriorDisplay, Role, Source, Stage
from annotation.domain.patterns import pattern_of
from annotation.models import Dispute, Item, Label, Project, Seat
from annotation.pages.display_names import name_of
from generation.models import InjectionRules
from markup import compact
from question_builders import make_all_questions
from vocabulary import display_names, registration

pytestmark = pytest.mark.django_db

TABLES = (
    "funnel",
    "levels",
    "reasons",
    "patterns",
    "gold",
    "agreement",
    "categories",
    "confusions",
    "annotators",
    "pairs",
    "days",
    "prior_shares",
)


@pytest.fixture
def project():
    return builders.make_project(policy=Policy.REVIEW)


@pytest.fixture
def trio(project):
    return [builders.make_member(project, pseudonym=name) for name in ("Wren", "Finch", "Lark")]


@pytest.fixture
def labelled(project, trio):
    for codes in ((0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 2, 3)):
        close_item(builders.make_labelled_item(project, trio, codes))
    builders.make_labelled_item(project, trio, (0, 0))


def as_(project, *roles):
    client = Client()
    client.force_login(builders.make_member(project, *roles).user)
    return client


def page(client, project):
    return client.get(reverse("annotation:dashboard", args=[project.slug]))


def sheet(client, project, name):
    answer = client.get(reverse("annotation:dashboard-table", args=[project.slug, name]))
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_an_empty_project_is_told_what_comes_next(project):
    answer = page(as_(project, Role.ADMIN), project)
    assert answer.status_code == 200
    assert "Nothing to show yet" in answer.content.decode()


def test_the_page_shows_every_part(project, labelled):
    text = compact(page(as_(project, Role.ADMIN), project).content.decode())
    for heading in ("Funnel", "Levels", "Reasons", "Patterns", "Fleiss’ κ", "Krippendorff’s α", "Categories"):
        assert f"<h2>{heading}</h2>" in text
    for heading in ("Annotators", "Pairs of annotators", "Categories side by side", "Labels and disputes per day"):
        assert f"<h2>{heading}</h2>" in text
    assert text.count('class="tile') - text.count('class="tiles"') == 8
    assert "no majority" in text and "hateful, category unclear" in text


def test_charts_need_neither_inline_styles_nor_scripts(project, labelled):
    text = page(as_(project, Role.ADMIN), project).content.decode()
    assert not re.search(r"\sstyle=", text)
    assert not re.search(r"<script(?![^>]*\ssrc=)", text)
    assert "nan" not in re.findall(r'(?:width|x|x1|x2|cx|y|height)="([^"]*)"', text)


def test_the_funnel_counts_what_is_left_after_each_step(project, labelled):
    # Five items; four closed: perfect, weak, none (disputed), 1-2-3 hateful, category unclear (disputed).
    rows = sheet(as_(project, Role.ADMIN), project, "funnel")
    assert [int(row["items"]) for row in rows] == [5, 5, 4, 4, 2, 2, 2, 2, 0]


def test_levels_reasons_and_categories_are_counted(project, labelled):
    admin = as_(project, Role.ADMIN)
    assert {row["level"]: row["items"] for row in sheet(admin, project, "levels")} == {
        "perfect": "1",
        "strong": "1",
        "weak": "1",
        "none": "1",
    }
    reasons = sheet(admin, project, "reasons")
    assert {(row["stage"], row["reason"], row["items"]) for row in reasons} == {
        ("disputed", "no majority", "1"),
        ("disputed", "hateful, category unclear", "1"),
    }
    chosen = {row["category"]: (row["chosen"], row["gold"]) for row in sheet(admin, project, "categories")}
    assert chosen["NotHate"] == ("6", "2") and chosen["Racist"] == ("3", "0")


def test_tables_say_what_the_charts_say_in_the_language_of_the_reader(project, trio):
    make_all_questions(project)
    for codes in ((0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 2, 3)):
        close_item(builders.make_labelled_item(project, trio, codes))
    admin = as_(project, Role.ADMIN)
    admin.cookies[settings.LANGUAGE_COOKIE_NAME] = "ko"
    registration.complete()
    with translation.override("ko"):
        labels = {word: name_of(word) for word in display_names._LABELS}
    stored = {shown for word, label in labels.items() if label != word for shown in (word, word.replace("_", " "))}
    answer = page(admin, project)
    assert answer.status_code == 200
    figures = {figure.table.name: figure for line in answer.context["lines"] for figure in line}
    for name, figure in figures.items():
        found = stored & {cell for row in figure.table.rows for cell in row if isinstance(cell, str)}
        assert not found, (name, found)
    told = {row[1] for row in figures["reasons"].table.rows}
    assert told == {labels["no_majority"], labels["kind_undecided"]}
    assert [row[0] for row in figures["levels"].table.rows] == [labels[level] for level in Level]
    bars = [str(bar["name"]) for bar in figures["funnel"].chart]
    assert bars == [row[0] for row in figures["funnel"].table.rows]


def test_each_number_of_two_categories_leads_to_just_its_posts(project, trio, labelled):
    # 0 0 0, 0 0 1, 0 1 2 and 1 2 3 are closed; 0 0 is not.
    admin = as_(project, Role.ADMIN)
    rows = sheet(admin, project, "confusions")
    names = {category.name: category.code for category in project.categories.all()}
    counted = {(names[row["category"]], names[row["and"]]): int(row["items"]) for row in rows}
    assert counted == {(0, 0): 2, (0, 1): 2, (0, 2): 1, (1, 2): 2, (1, 3): 1, (2, 3): 1}
    assert {(row["items with the first"], row["items with the second"]) for row in rows[:2]} == {("3", "3")}
    links = re.findall(r'href="([^"]+named_both=(\d)-(\d))"', page(admin, project).content.decode())
    assert {(int(one), int(other)) for _link, one, other in links} == set(counted)
    for link, one, other in links:
        assert admin.get(link).context["page"].paginator.count == counted[int(one), int(other)], link


def test_tables_name_a_category_by_its_key_as_badges_do(project, labelled):
    project.categories.filter(code=5).update(code=740, key="w", name="Mild")
    text = page(as_(project, Role.ADMIN), project).content.decode()
    assert text.count("<bdi>w Mild</bdi>") > 1 and "740 Mild" not in text


def test_one_item_is_said_in_the_singular(project, trio):
    close_item(builders.make_labelled_item(project, trio, (0, 0, 1)))
    text = " ".join(page(as_(project, Role.ADMIN), project).content.decode().split())
    assert "1 item<" in text.replace(" <", "<") and "1 items" not in text and 'title="of 1 labels' not in text


def test_gold_by_pattern_and_category_stands_beside_what_is_wanted(project):
    for code, pattern in ((0, "000"), (0, "000"), (3, "001"), (3, None)):
        chosen = builders.category(project, code)
        builders.make_item(
            project,
            stage=Stage.GOLD,
            category=chosen,
            category_source=Source.IMPORTED,
            pattern=pattern,
            difficulty=pattern and pattern_of(pattern).difficulty,
        )
    InjectionRules.objects.create(project=project, targets={"001-3": 10, "110-0": 7})
    admin = as_(project, Role.ADMIN)
    rows = sheet(admin, project, "gold")
    assert len(rows) == 4 * 1 + 4 * 5  # four patterns for what is not hateful, four for five hateful categories
    told = {(row["pattern"], row["code"]): (row["gold items"], row["wanted"]) for row in rows}
    assert {square: cells for square, cells in told.items() if cells != ("0", "")} == {
        ("000", "0"): ("2", ""),
        ("001", "3"): ("1", "10"),
        ("110", "0"): ("0", "7"),
    }
    text = compact(page(admin, project).content.decode())
    assert reverse("generation:injection", args=[project.slug]) in text
    (link,) = re.findall(r'href="([^"]*pattern=001[^"]*)"', text)
    assert admin.get(link.replace("&amp;", "&")).context["page"].paginator.count == 1


def test_days_tell_labels_and_the_items_that_were_disputed_and_settled(project, trio):
    item = builders.make_labelled_item(project, trio, (0, 1, 2))
    now, day = timezone.now(), timedelta(days=1)
    for reason in ("no_majority", "kind_undecided"):
        Dispute.objects.create(item=item, reason=reason, opened_at=now - 2 * day, settled_at=now)
    Dispute.objects.create(item=builders.make_item(project), reason="no_majority", opened_at=now)
    rows = sheet(as_(project, Role.ADMIN), project, "days")
    assert [tuple(row.values())[1:] for row in rows] == [("0", "1", "0"), ("3", "1", "1")]
    assert rows[0]["day"] == timezone.localdate(now - 2 * day).isoformat()


def test_pairs_and_annotators_are_told_to_admins(project, labelled):
    admin = as_(project, Role.ADMIN)
    pairs = sheet(admin, project, "pairs")
    assert {frozenset((row["annotator"], row["and"])) for row in pairs} == {
        frozenset(two) for two in (("Wren", "Finch"), ("Wren", "Lark"), ("Finch", "Lark"))
    }
    # Wren and Finch on four items: 0 0, 0 0, 0 1, 1 2.
    (two,) = [row for row in pairs if {row["annotator"], row["and"]} == {"Wren", "Finch"}]
    assert (two["items of both"], two["equal"]) == ("4", "2")
    whole = [row for row in sheet(admin, project, "annotators") if row["category chosen"] == "all"]
    assert {(row["annotator"], row["labels"]) for row in whole} == {("Wren", "5"), ("Finch", "5"), ("Lark", "4")}


def test_people_are_listed_by_pseudonym_and_not_by_figures(project, labelled):
    """Who labelled most, or agrees most, comes first nowhere: Lark has four labels, the others five."""
    listed = [row["annotator"] for row in sheet(as_(project, Role.ADMIN), project, "annotators")]
    assert list(dict.fromkeys(listed)) == ["Finch", "Lark", "Wren"]


def test_where_labels_name_several_categories_people_agree_if_they_name_the_same(project, trio):
    Project.objects.update(choose=Choose.SEVERAL)
    item = builders.make_open_item(project)
    for seat, member, codes in zip(item.seat_rows.order_by("number"), trio, ([1, 2], [1, 3], [1, 2]), strict=True):
        builders.make_label(seat, member, 1, categories=codes)
    close_item(item)
    admin, names = as_(project, Role.ADMIN), [member.pseudonym for member in trio]
    equal = {frozenset((row["annotator"], row["and"])): row["equal"] for row in sheet(admin, project, "pairs")}
    assert [equal[frozenset((names[0], other))] for other in names[1:]] == ["0", "1"]
    first = [row for row in sheet(admin, project, "annotators") if row["annotator"] == names[0]]
    shares = {row["category chosen"]: (row["labels of others on these items"], row["of them equal"]) for row in first}
    assert shares == {"Racist": ("2", "2"), "Sexist": ("2", "1"), "all": ("2", "1")}


def test_first_answers_stand_beside_the_raw_labels_where_priors_are_hidden_first(project, trio):
    Project.objects.update(prior_display=PriorDisplay.AFTER_FIRST_ANSWER)
    item = builders.make_open_item(project)
    for seat, member in zip(item.seat_rows.order_by("number"), trio, strict=True):
        builders.make_label(seat, member, 0, first_answer={"category": 1})
    close_item(item)
    rows = sheet(as_(project, Role.ADMIN), project, "agreement")
    assert [row["labels"] for row in rows][:8] == ["Raw"] * 4 + ["First answers, before priors"] * 4
    assert rows[4]["why undefined"].startswith("Only one category was used")


def test_reviewers_see_figures_but_nobody_by_name(project, labelled):
    reviewer = as_(project, Role.REVIEWER)
    text = page(reviewer, project).content.decode()
    assert "Fleiss" in text
    assert not any(name in text for name in ("Wren", "Finch", "Lark"))
    for name in ("annotators", "pairs"):
        assert reviewer.get(reverse("annotation:dashboard-table", args=[project.slug, name])).status_code == 404


@pytest.mark.parametrize("roles", [(Role.ANNOTATOR,), (Role.ANNOTATOR, Role.REVIEWER)])
def test_nobody_who_labels_sees_agreement(project, labelled, roles):
    client = as_(project, *roles)
    assert page(client, project).status_code == 404
    for name in TABLES:
        assert client.get(reverse("annotation:dashboard-table", args=[project.slug, name])).status_code == 404


def test_another_projects_admin_sees_nothing(project, labelled):
    assert page(as_(builders.make_project(), Role.ADMIN), project).status_code == 404


@pytest.mark.parametrize("name", TABLES)
def test_every_chart_has_its_table_and_csv(project, labelled, name):
    admin = as_(project, Role.ADMIN)
    address = reverse("annotation:dashboard-table", args=[project.slug, name])
    text = page(admin, project).content.decode()
    assert address in text and f'id="table-{name}"' in text
    answer = admin.get(address)
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-{name}.csv"'
    assert answer["Content-Type"] == "text/csv; charset=utf-8"


def test_an_unknown_table_is_not_there(project, labelled):
    admin = as_(project, Role.ADMIN)
    assert admin.get(f"/p/{project.slug}/dashboard/secrets.csv").status_code == 404


def test_names_that_a_spreadsheet_would_run_are_made_safe():
    project = builders.make_project(categories=((0, "=1+1", False), (1, "@hate", True)))
    trio = [builders.make_member(project, pseudonym=name) for name in ("=cmd", "+Finch", "-Lark")]
    close_item(builders.make_labelled_item(project, trio, (0, 0, 1)))
    admin = as_(project, Role.ADMIN)
    assert [row["category"] for row in sheet(admin, project, "categories")] == ["'=1+1", "'@hate"]
    assert {row["annotator"] for row in sheet(admin, project, "annotators")} == {"'=cmd", "'+Finch", "'-Lark"}


def test_throughput_leaves_imported_labels_and_corrections_out(project, trio):
    item = builders.make_open_item(project)
    seats = list(item.seat_rows.order_by("number"))
    builders.make_label(seats[0], trio[0], 0)
    Label.objects.create(
        seat=seats[0], item=item, annotator=trio[0], revision=2, category=builders.category(project, 1)
    )
    builders.make_label(seats[1], trio[1], 0, imported=True)
    (day,) = sheet(as_(project, Role.ADMIN), project, "days")
    assert (day["day"], day["labels"]) == (timezone.localdate().isoformat(), "1")


def test_imported_labels_that_brought_their_own_time_count_on_their_day(project, trio):
    item = builders.make_open_item(project)
    when = timezone.now() - timedelta(days=3)
    builders.make_label(item.seat_rows.first(), trio[0], 0, imported=True, created_at=when)
    (day,) = sheet(as_(project, Role.ADMIN), project, "days")
    assert day["day"] == timezone.localdate(when).isoformat()


def many_gold(project, people, n):
    """Gold items with three labels each, written at once."""
    category = builders.category(project, 0)
    now = timezone.now()
    items = Item.objects.bulk_create(
        Item(
            project=project,
            external_id=f"many-{number}",
            text="A post.",
            stage=Stage.GOLD,
            level=Level.PERFECT,
            category=category,
            hateful=False,
            category_source=Source.CONSENSUS,
            closed_at=now,
        )
        for number in range(n)
    )
    seats = Seat.objects.bulk_create(
        Seat(item=item, number=number, seats=3, annotator=people[number - 1]) for item in items for number in (1, 2, 3)
    )
    Label.objects.bulk_create(
        Label(seat=seat, item=seat.item, annotator=seat.annotator, category=category) for seat in seats
    )
    theirs = Label.objects.filter(seat=OuterRef("pk")).values("pk")
    with connection.cursor() as cursor:  # else PostgreSQL may plan as for empty tables, and need minutes
        cursor.execute("ANALYZE")
    Seat.objects.filter(item__project=project, item__level=Level.PERFECT, label=None).update(label=Subquery(theirs))


@pytest.mark.slow
def test_the_dashboard_asks_as_much_for_ten_items_as_for_a_thousand(
    project, trio, django_assert_num_queries, monkeypatch
):
    monkeypatch.setattr(stored_figures, "MOST_ITEMS", 100_000)
    monkeypatch.setattr(stored_figures, "MOST_LABELS", 100_000)
    admin = as_(project, Role.ADMIN)
    for codes in [(0, 0, 0), (0, 0, 1), (0, 1, 2), (1, 1, 1), (0, 0, 0)] * 2:
        close_item(builders.make_labelled_item(project, trio, codes))
    page(admin, project)
    with django_assert_num_queries(QUERIES):
        page(admin, project)
    many_gold(project, trio, 1_000)
    with django_assert_num_queries(QUERIES):
        answer = page(admin, project)
    assert "1,010" in answer.content.decode()


# One of them asks how large the project is. Two ask whether there is any influence of priors to tell; where arms were
# drawn, three more read it.
QUERIES = 19


@pytest.mark.parametrize("order", list(Order))
def test_pages_say_what_hard_items_first_does_to_their_figures(project, labelled, order):
    Project.objects.update(order=order)
    admin, is_hard = as_(project, Role.ADMIN), order == Order.HARD
    assert ("agreement is lower now than at the end" in compact(page(admin, project).content.decode())) is is_hard
    settings = compact(admin.get(reverse("annotation:project-settings", args=[project.slug])).content.decode())
    assert "the gold items are no random sample of your posts" in settings
    assert ('<option value="hard" selected>' in settings) is is_hard
