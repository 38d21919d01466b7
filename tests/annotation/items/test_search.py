"""Finding items: filters, who may ask for what, saved searches, and the list as a file."""

import csv
import json
from datetime import UTC, datetime, timedelta
from io import BytesIO

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

import builders
from annotation.consensus.close import close_item
from annotation.domain.choices import Choose, Reason, Role, Stage
from annotation.domain.csv_cells import restored
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.items import saved_searches, views
from annotation.items.export import as_csv, as_jsonl
from annotation.items.search import FILTERS, UnknownFilter, asked_in, find_items, listed_values, query_of
from annotation.models import Batch, Item, Label, Membership, PictureText, Prior, Project, SavedSearch, Skip, WorkDay
from markup import compact

pytestmark = pytest.mark.django_db


def ids(member: Membership, **asked: str | list[str]) -> list[str]:
    lists = {key: value if isinstance(value, list) else [value] for key, value in asked.items()}
    return [item.external_id for item in find_items(member, lists)]


def batches(project, *names: str) -> None:
    Batch.objects.bulk_create(Batch(project=project, name=name) for name in names)


def client_of(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return client


@pytest.fixture
def project():
    return builders.make_project("find")


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN)


# ── Filters ───────────────────────────────────────────────────────────────────


def test_several_values_of_one_filter_are_either_and_several_filters_are_both(project, admin):
    batches(project, "a", "b")
    for number, (stage, batch) in enumerate([("gold", "a"), ("gold", "b"), ("ready", "a"), ("excluded", "a")]):
        builders.make_item(project, external_id=f"i{number}", stage=stage, batch=batch)
    assert ids(admin, stage=["gold", "ready"]) == ["i0", "i1", "i2"]
    assert ids(admin, stage=["gold", "ready"], batch="a") == ["i0", "i2"]
    assert ids(admin, stage="") == ["i0", "i1", "i2", "i3"]


def test_every_plain_filter_finds_what_it_names_and_nothing_else(project, admin):
    racist = builders.category(project, 1)
    batches(project, "first")
    moment = datetime(2026, 3, 10, 12, tzinfo=UTC)
    builders.make_item(
        project, "A red gate.", external_id="one", stage=Stage.GOLD, category=racist, level="weak", pattern="001",
        difficulty="hard", category_source="consensus", batch="first", priority=5, severity=2, intended=racist,
        target_group="Gardeners", extra={"platform": "reddit"}, created_at=moment, closed_at=moment, gold_at=moment,
    )  # fmt: skip
    other = builders.make_item(project, "A blue door.", external_id="two")
    Prior.objects.create(item=other, modality="text", severity=1)
    PictureText.objects.create(item=Item.objects.get(external_id="one"), text="Mind the HEDGE", reader="given")
    asked = {
        "q": "RED", "id": "one", "text": "gate", "picture_text": "hedge", "stage": "gold", "category": "1",
        "level": "weak", "pattern": "001",
        "difficulty": "hard", "source": "consensus", "batch": "first", "batched": "yes", "priority": "5",
        "severity_from": "2", "intended": "yes", "target_group": "gardeners",
        "extra": "platform=reddit", "created_to": "2026-03-10",
        "closed_from": "2026-03-10", "closed_to": "2026-03-10", "gold_from": "2026-03-09", "gold_to": "2026-03-11",
    }  # fmt: skip
    for key, value in asked.items():
        assert ids(admin, **{key: value}) == ["one"], key
    unasked = {"batched": "no", "intended": "no", "created_from": "2026-03-11", "id": str(other.public_id)}
    for key, value in unasked.items():
        assert ids(admin, **{key: value}) == ["two"], key
    assert ids(admin, severity_from="1") == ["one", "two"]  # the second by its prior
    assert ids(admin, closed_to="2026-03-09") == []
    left = (
        set(FILTERS) - set(asked) - set(unasked) - {"reason", "picture", "known", "annotator", "skipped", "named_both"}
    )
    assert left == set()


def test_items_are_found_by_who_labelled_or_skipped_them_by_reason_picture_and_known_answer(project, admin):
    people = [builders.make_member(project, pseudonym=name) for name in ("ada", "bea", "cyd")]
    item = builders.make_labelled_item(project, people, (1, 2, 0), external_id="disputed")
    close_item(item)
    begun = builders.make_open_item(project, external_id="begun", picture=builders.make_picture(project))
    builders.make_label(begun.seat_rows.get(number=1), people[0], 1)
    Skip.objects.create(item=begun, annotator=people[1])
    with pytest.raises(UnknownFilter, match="only where 5 people or more annotate"):
        ids(admin, skipped="yes")
    for member in (*people, *(builders.make_member(project) for _ in range(2))):
        WorkDay.objects.create(member=member, day=timezone.localdate(), shown=1)
    builders.make_item(project, external_id="known", stage=Stage.KNOWN)
    builders.make_item(project, external_id="out", stage=Stage.EXCLUDED, excluded_for=Reason.WITHDRAWN)
    assert ids(admin, annotator="ada") == ["disputed", "begun"]
    assert ids(admin, annotator=["bea", "cyd"]) == ["disputed"]
    assert (ids(admin, skipped="yes"), ids(admin, skipped="no")) == (["begun"], ["disputed", "known", "out"])
    assert ids(admin, reason=["no_majority", "withdrawn"]) == ["disputed", "out"]
    assert (ids(admin, picture="yes"), ids(admin, known="yes")) == (["begun"], ["known"])


def test_items_are_found_by_any_of_several_categories_and_by_two_labels_that_differ(admin, project):
    Project.objects.update(choose=Choose.SEVERAL)
    people = [builders.make_member(project, pseudonym=name) for name in ("ada", "bea", "cyd")]

    def closed(external_id, *answers, **fields):
        item = builders.make_open_item(project, external_id=external_id, closed_at=timezone.now(), **fields)
        for seat, person, codes in zip(item.seat_rows.order_by("number"), people, answers, strict=False):
            builders.make_label(seat, person, codes[0], categories=list(codes) if len(codes) > 1 else [])

    closed("same", (1, 2), (1, 2))
    closed("apart", (1, 2), (1, 3))
    closed("alone", (1,), (3,))
    closed("open", (1,), (3,))
    Item.objects.filter(external_id="open").update(closed_at=None)
    racist = builders.category(project, 1)
    Item.objects.filter(external_id="apart").update(category=racist, categories=[1, 3])
    Item.objects.filter(external_id="alone").update(category=racist)
    assert ids(admin, category="3") == ["apart"]
    assert ids(admin, category="1") == ["apart", "alone"]
    assert ids(admin, named_both="1-1") == ["same", "apart"]
    assert ids(admin, named_both="1-2") == []
    assert ids(admin, named_both="2-3") == ["apart"]
    assert ids(admin, named_both="1-3") == ["alone"]


def test_what_single_labels_say_is_not_for_reviewers_who_annotate(project):
    reviewer, both = (
        builders.make_member(project, Role.REVIEWER),
        builders.make_member(project, Role.REVIEWER, Role.ANNOTATOR),
    )
    assert ids(reviewer, named_both="0-1") == []
    with pytest.raises(UnknownFilter, match="There is no filter “named_both”"):
        ids(both, named_both="0-1")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("named_both", "1-9", "“1-9” is no named_both"),
        ("stage", "heaven", "“heaven” is no stage"),
        ("category", "9", "choose one of 0, 1, 2, 3, 4, 5"),
        ("batch", "none such", "“none such” is no batch"),
        ("annotator", "nobody", "“nobody” is no annotator"),
        ("closed_from", "yesterday", "days like 2026-01-31"),
        ("closed_to", "9999-12-31", "days like 2026-01-31"),
        ("priority", "1e3", "whole numbers"),
        ("priority", "99999", "whole numbers"),
        ("owner__password", "x", "There is no filter “owner__password”"),
        ("order", "text", "There is no order “text”"),
    ],
)
def test_what_does_not_exist_is_refused_in_one_sentence(project, admin, key, value, says):
    with pytest.raises(UnknownFilter) as refused:
        ids(admin, **{key: value})
    assert says in refused.value.sentence
    answer = client_of(admin).get(reverse("annotation:items", args=["find"]), {key: value, "q": "kept as typed"})
    assert answer.status_code == 400
    assert "kept as typed" in answer.content.decode()
    api = client_of(admin).get("/api/v1/projects/find/items/", {key: value})
    assert (api.status_code, api.json()["code"]) == (400, "unknown_filter")


def test_a_nul_is_no_text(project, admin):
    with pytest.raises(UnknownFilter) as refused:
        ids(admin, text="a\x00b")
    assert "a␀b" in refused.value.sentence


def test_orders_put_what_has_no_date_last_on_both_databases(project, admin):
    now = timezone.now()
    for name, gold_at, priority in (("a", None, 0), ("b", now, 9), ("c", now - timedelta(days=1), 3)):
        builders.make_item(project, external_id=name, gold_at=gold_at, priority=priority)
    assert ids(admin, order="gold") == ["b", "c", "a"]
    assert ids(admin, order="priority") == ["b", "c", "a"]
    assert (ids(admin, order="newest"), ids(admin, order="-id")) == (["c", "b", "a"], ["c", "b", "a"])


@pytest.mark.once  # no row is read or written
@given(st.dictionaries(st.sampled_from(sorted(FILTERS)), st.lists(st.text(min_size=1), min_size=1, max_size=3)))
def test_a_query_keeps_its_meaning_and_its_form(asked):
    query = query_of({key: [value for value in values if value.isascii()] for key, values in asked.items()})
    assert query_of(asked_in(query)) == query


# ── Who may ask for what ──────────────────────────────────────────────────────


def test_who_labelled_severity_and_known_answers_are_for_admins_to_ask(project):
    reviewer = builders.make_member(project, Role.REVIEWER)
    for key, value in (("annotator", "ada"), ("severity_from", "1"), ("known", "yes")):
        with pytest.raises(UnknownFilter):
            ids(reviewer, **{key: value})


def test_whoever_could_still_label_an_item_learns_nothing_of_its_intent_by_asking(project, admin):
    annotating = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    boss = builders.make_member(project, Role.ANNOTATOR, Role.ADMIN)
    intent = {"intended": builders.category(project, 3), "target_group": "Gardeners"}
    builders.make_open_item(project, external_id="open", **intent)
    builders.make_item(project, external_id="gold", stage=Stage.GOLD, **intent)
    builders.make_item(project, external_id="unsure", stage=Stage.DISPUTED, **intent)
    for asked in ({"intended": "yes"}, {"target_group": "Gardeners"}):
        assert ids(annotating, **asked) == ids(boss, **asked) == ["gold"]
        assert ids(admin, **asked) == ["open", "gold", "unsure"]
    assert ids(annotating, intended="no") == []  # not even by what is missing


def test_known_answers_are_hidden_from_reviewers_who_annotate(project, admin):
    annotating = builders.make_member(project, Role.ANNOTATOR, Role.REVIEWER)
    known = builders.make_item(project, external_id="known", stage=Stage.KNOWN)
    assert (ids(annotating), ids(admin)) == ([], ["known"])
    for name in ("annotation:item", "api:item", "api:item-priors"):
        address = reverse(name, args=["find", known.public_id])
        assert client_of(annotating).get(address).status_code == 404, name
        assert client_of(admin).get(address).status_code == 200, name


# ── The page ──────────────────────────────────────────────────────────────────


def test_the_page_asks_the_same_few_questions_for_ten_items_and_for_a_thousand(
    project, admin, django_assert_max_num_queries
):
    batches(project, "b")
    client, address = client_of(admin), reverse("annotation:items", args=["find"])
    query = {"stage": ["imported", "gold"], "q": "garden", "batch": ["b"], "order": "newest"}
    for count in (10, 990):
        Item.objects.bulk_create(
            Item(project=project, external_id=f"{count}-{number}", text="A garden.", batch="b")
            for number in range(count)
        )
        with django_assert_max_num_queries(15):  # one asks if the word is common; on SQLite one more, for its index
            answer = client.get(address, query)
        assert answer.status_code == 200
    assert "1,000 items" in answer.content.decode()
    assert answer.content.decode().count('name="item"') == 50


def test_matches_that_take_long_to_count_are_counted_up_to_a_bound(project, admin, monkeypatch):
    monkeypatch.setattr(views, "MOST_COSTLY", 120)
    client, address = client_of(admin), reverse("annotation:items", args=["find"])

    def page(**query: object) -> tuple[str, int, list[int]]:
        answer = client.get(address, query)
        pages = answer.context["page"].paginator
        assert answer.status_code == 200
        return compact(answer.content.decode()), pages.count, list(pages.page_range)

    for number in range(120):
        builders.make_item(project, "A garden.", external_id=f"{number:03}", severity=2)
    text, count, pages = page(q="garden")
    assert "120 items" in text and "All 120 found" in text and (count, pages) == (120, [1, 2, 3])
    builders.make_item(project, "A garden.", external_id="120", severity=2)
    for query in ({"q": "garden"}, {"text": "garden"}, {"severity_from": "1"}):
        text, count, pages = page(**query, page=99)
        assert "More than 120 items" in text and "All that were found" in text
        assert (count, pages) == (120, [1, 2, 3]) and ">119</" in text and ">120</" not in text
    text, count, _pages = page(stage="imported")  # an index counts these
    assert count == 121 and "121 items" in text and "More than" not in text
    change = {"act": "priority", "which": "all", "query": "q=garden"}
    assert client.post(reverse("annotation:bulk", args=["find"]), change).context["count"] == 121
    rows = client.get(reverse("annotation:items-file", args=["find", "jsonl"]), {"q": "garden"})
    assert len(b"".join(rows.streaming_content).splitlines()) == 121
    assert find_items(admin, {"q": ["garden"]}).count() == 121


def test_each_active_filter_is_a_chip_that_takes_it_away(project, admin):
    builders.make_item(project, stage=Stage.GOLD)
    answer = client_of(admin).get(reverse("annotation:items", args=["find"]), {"stage": ["gold", "ready"], "q": "post"})
    chips = {(chip.name, chip.value): chip.without for chip in answer.context["form"].chips}
    assert chips == {
        ("stage", "gold"): "q=post&stage=ready",
        ("stage", "ready"): "q=post&stage=gold",
        ("text or id", "post"): "stage=gold&stage=ready",
    }


def test_long_lists_become_a_field_with_suggestions_that_keeps_what_was_chosen(project, admin):
    batches(project, *(f"batch {number:02}" for number in range(20)))
    for number in range(20):
        builders.make_item(project, batch=f"batch {number:02}")
    page = client_of(admin).get(reverse("annotation:items", args=["find"]), {"batch": ["batch 03", "batch 04"]})
    text = compact(page.content.decode())
    assert '<input type="checkbox" name="batch" value="batch 03" checked>' in text
    assert '<option value="batch 19">' in text
    assert page.context["page"].paginator.count == 2


# ── Saved searches ────────────────────────────────────────────────────────────


def test_a_search_is_saved_renamed_shared_and_deleted(project, admin):
    client = client_of(admin)
    sent = {"name": "weak gold", "query": "order=newest&stage=gold&level=weak&page=3"}
    assert client.post(reverse("annotation:search-save", args=["find"]), sent).status_code == 302
    kept = SavedSearch.objects.get()
    assert (kept.name, kept.query, kept.shared) == ("weak gold", "level=weak&order=newest&stage=gold", False)
    reviewer = builders.make_member(project, Role.REVIEWER)
    assert list(saved_searches.open_to(reviewer)) == []
    change = reverse("annotation:search-change", args=["find", kept.public_id])
    client.post(change, {"name": "weak ones", "shared": "on"})
    assert [search.name for search in saved_searches.open_to(reviewer)] == ["weak ones"]
    assert client_of(reviewer).post(change, {"name": "mine now"}).status_code == 404
    page = client_of(reviewer).get(reverse("annotation:items", args=["find"])).content.decode()
    assert "?level=weak&amp;order=newest&amp;stage=gold" in page
    client.post(change, {"delete": "1"})
    assert not SavedSearch.objects.exists()


def test_a_search_that_cannot_be_asked_or_a_name_given_twice_is_not_saved(project, admin):
    saved_searches.save(admin, "mine", "stage=gold")
    with pytest.raises(saved_searches.NameTaken):
        saved_searches.save(admin, "mine", "stage=ready")
    with pytest.raises(UnknownFilter):
        saved_searches.save(admin, "other", "password=a")
    answer = client_of(admin).post(
        reverse("annotation:search-save", args=["find"]), {"name": "mine", "query": "stage=gold"}, follow=True
    )
    assert "You have a search named “mine” already." in answer.content.decode()
    assert SavedSearch.objects.count() == 1


# ── Files ─────────────────────────────────────────────────────────────────────


def found_rows(member, **asked):
    return [json.loads(line) for line in as_jsonl(member, {key: [value] for key, value in asked.items()})]


@pytest.fixture
def two_items(project):
    people = [builders.make_member(project, pseudonym=name) for name in ("ada", "bea", "cyd")]
    intent = {"intended": builders.category(project, 1), "target_group": "Gardeners", "severity": 2}
    gold = builders.make_labelled_item(project, people, (1, 1, 0), external_id="-gold", text="A, “gate”.", **intent)
    close_item(gold)
    begun = builders.make_open_item(project, external_id="begun", **intent)
    builders.make_label(begun.seat_rows.get(number=1), people[0], 5, note="My note.")
    return gold, begun


def test_an_admin_gets_everything_under_pseudonyms(admin, two_items):
    gold, begun = found_rows(admin)
    assert (gold["id"], gold["gold"], gold["level"], gold["stage"], gold["severity"]) == ("-gold", 1, "weak", "gold", 2)
    assert sorted(label["annotator"] for label in gold["labels"]) == ["ada", "bea", "cyd"]
    assert (begun["intended"], begun["labels"][0]["note"], begun["labels"][0]["category"]) == (1, "My note.", 5)
    assert found_rows(admin, stage="labelling") == [begun]


@pytest.mark.parametrize("roles", [(Role.REVIEWER,), (Role.REVIEWER, Role.ANNOTATOR)])
def test_a_reviewer_gets_no_names_and_nothing_that_unblinds(project, two_items, roles):
    gold, begun = found_rows(builders.make_member(project, *roles))
    assert (begun["labels"], begun["intended"], begun["target_group"], begun["aligned"]) == ([], None, None, None)
    assert [label["annotator"] for label in gold["labels"]] == ["A", "B", "C"]
    assert {label["note"] for label in gold["labels"]} == {None}
    assert "severity" not in gold
    assert (gold["intended"], gold["target_group"]) == (1, "Gardeners")


def test_cells_do_not_run_in_a_spreadsheet_and_reported_items_stay_out(project, admin, two_items):
    builders.make_item(project, external_id="bad", stage=Stage.EXCLUDED, excluded_for=Reason.REPORTED)
    head, *rows = csv.reader(b"".join(as_csv(admin, {})).decode("utf-8-sig").splitlines())
    assert [restored(row[head.index("id")]) for row in rows] == ["-gold", "begun"]
    assert rows[0][head.index("id")] == "'-gold"
    assert rows[0][head.index("text")] == "A, “gate”."


def test_what_is_exported_can_be_imported_into_another_project(admin, two_items):
    other = builders.make_project("other")
    lines = b"".join(as_jsonl(admin, {"stage": ["gold"]}))
    report = import_file(other, BytesIO(lines), ImportOptions(), dry_run=False)
    assert (report.errors, report.items) == ([], 1)
    made = Item.objects.get(project=other)
    assert (made.external_id, made.stage, made.category.code, Label.objects.filter(item=made).count()) == (
        "-gold",
        "gold",
        1,
        3,
    )


def test_the_file_page_streams_and_a_wrong_filter_leads_back_to_the_list(project, admin, two_items):
    client = client_of(admin)
    answer = client.get(reverse("annotation:items-file", args=["find", "csv"]), {"stage": "gold"})
    assert answer.streaming
    assert len(b"".join(answer.streaming_content).splitlines()) == 2
    assert "find-items.csv" in answer["Content-Disposition"]
    back = client.get(reverse("annotation:items-file", args=["find", "jsonl"]), {"stage": "heaven"})
    assert (back.status_code, back["Location"]) == (302, "/p/find/items/?stage=heaven")
    assert client.get(reverse("annotation:items-file", args=["find", "exe"])).status_code == 404


def test_days_are_those_of_the_sites_clock(project, admin):
    today = timezone.localdate()
    builders.make_item(project, external_id="today")
    assert ids(admin, created_from=str(today), created_to=str(today)) == ["today"]
    assert ids(admin, created_to=str(today - timedelta(days=1))) == []


def test_filters_name_categories_by_their_keys(project, admin):
    project.categories.filter(code=5).update(code=740, key="w", name="Mild")
    project.categories.exclude(code__in=(1, 740)).delete()
    assert listed_values(admin, "category") == [("1", "1 Racist"), ("740", "w Mild")]
    assert ("1-740", "1 Racist and w Mild") in listed_values(admin, "named_both")
