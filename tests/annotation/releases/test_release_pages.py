"""The pages of releases: made, shown and handed out to admins, and only as long as nothing was changed."""

import io
import json
import zipfile
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

import builders
from annotation.consensus.close import close_item
from annotation.consensus.exclude import withdraw_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Role, Source, Stage
from annotation.domain.releases.columns import Scope
from annotation.models import Item, JobState, KnownAnswer, Release, ReleaseOrder
from annotation.releases import job, publication
from annotation.releases.build import release
from annotation.releases.files import checksum, manifest_text
from annotation.releases.request import Selection
from annotation.releases.summary import facts
from annotation.review.adjudicate import decide_item
from markup import compact
from release_builders import problems

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return builders.make_project(name='Winter "campaign"; X-Evil: 1')


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


@pytest.fixture
def gold(project, trio):
    item = builders.make_labelled_item(project, trio, (0, 0, 1))
    close_item(item)
    return item


def as_(project, *roles):
    client = Client()
    client.force_login(builders.make_member(project, *roles).user)
    return client


@pytest.fixture
def admin(project):
    return as_(project, Role.ADMIN)


def test_an_admin_makes_a_release_and_sees_it(project, gold, admin):
    answer = admin.post(
        reverse("annotation:releases", args=[project.slug]), {"levels": ["weak"], "key": uuid4()}, follow=True
    )
    made = Release.objects.get()
    assert answer.status_code == 200
    page = answer.content.decode()
    assert checksum(made.manifest) in page
    assert "κ raw" in page and "items.jsonl" in page
    assert made.options["levels"] == ["weak"]
    listed = admin.get(reverse("annotation:releases", args=[project.slug])).content.decode()
    assert reverse("annotation:release", args=[project.slug, 1]) in listed


def test_the_page_of_closed_posts_counts_gold_apart(project, gold, trio, admin):
    close_item(builders.make_labelled_item(project, trio, (0, 1, 2)))
    made = release(project, None, Selection(scope=Scope.CLOSED))
    page = compact(admin.get(reverse("annotation:release", args=[project.slug, made.number])).content.decode())
    assert "<dt>items</dt><dd>2</dd>" in page and "<dt>gold items</dt><dd>1</dd>" in page


def test_the_funnels_of_dashboard_release_and_public_page_agree_to_the_item(project, gold, trio, admin):
    for text in ("One.", "Two."):
        item = builders.make_item(project, text, stage=Stage.KNOWN)
        KnownAnswer.objects.create(item=item, category=project.categories.get(code=0))
    builders.make_item(project, "Nobody was asked yet.")
    for codes in ([0, 1, None], [0, 0, 1], [0, 1, 2], [None, None, None]):
        close_item(builders.make_labelled_item(project, trio, codes))
    builders.make_labelled_item(project, trio[:1], [1])
    builders.make_item(project, "Taken out before anybody labelled it.", stage=Stage.EXCLUDED)
    admin.post(reverse("annotation:releases", args=[project.slug]), {"levels": ["weak"], "key": uuid4()})
    made = Release.objects.get()
    shown = {step["label"]: step["n"] for step in facts(made)["funnel"]}
    table = admin.get(reverse("annotation:dashboard-table", args=[project.slug, "funnel"])).content.decode()
    dashboard = dict(line.split(",")[:2] for line in table.lstrip("\ufeff").splitlines()[1:])
    assert (shown["Imported"], shown["Closed"], shown["Quality"], shown["Consensus"], shown["Gold"]) == (8, 5, 3, 2, 2)
    both = ("Imported", "Closed", "Quality", "Consensus", "Aligned", "Gold")
    assert {name: shown[name] for name in both} == {name: int(dashboard[name]) for name in both}
    page = admin.get(reverse("annotation:release", args=[project.slug, 1])).content.decode()
    assert "2 posts with a known answer are left out" in page
    assert "1 adjudicated" not in page


def test_the_numbers_of_a_funnel_explain_each_other(project, gold, trio, admin):
    closed = Item.objects.filter(closed_at__isnull=False).count()
    for number in range(3):
        builders.make_item(
            project,
            f"It came decided, {number}.",
            stage=Stage.GOLD,
            category=builders.category(project, 0),
            category_source=Source.IMPORTED,
        )
    gone = builders.make_labelled_item(project, trio, [0, 0, 0])
    close_item(gone)
    gone.refresh_from_db()
    withdraw_item(gone, builders.make_member(project, Role.ADMIN), "The author asked.")
    admin.post(reverse("annotation:releases", args=[project.slug]), {"key": uuid4()})
    made = Release.objects.get()
    steps = {step["label"]: (step["n"], step["note"]) for step in facts(made)["funnel"]}
    assert steps["Closed"] == (closed + 1, "1 excluded since")
    assert steps["Gold"] == (closed + 3, "3 came decided")
    assert (made.manifest["closed_excluded"], made.manifest["gold_imported"]) == (1, 3)
    card = (folder_of(made) / "README.md").read_text()
    assert f"Of the project's {closed + 3} gold items 3 came decided with the data." in card
    assert f"Of the project's {closed + 1} fully labelled items 1 was excluded since" in card
    for name, numbers in (("release", [1]), ("dashboard", [])):
        page = admin.get(reverse(f"annotation:{name}", args=[project.slug, *numbers])).content.decode()
        assert "3 came decided" in page and "1 excluded since" in page


def test_the_funnel_of_a_release_says_how_much_gold_reviewers_decided(project, gold, trio, admin):
    torn = builders.make_labelled_item(project, trio, [0, 1, 2])
    close_item(torn)
    torn.refresh_from_db()
    judge = builders.make_member(project, Role.REVIEWER)
    decide_item(torn, judge, torn.version, "Quoted in order to object.", builders.category(project, 0))
    admin.post(reverse("annotation:releases", args=[project.slug]), {"levels": ["weak"], "key": uuid4()})
    steps = {step["label"]: (step["n"], step["note"]) for step in facts(Release.objects.get())["funnel"]}
    assert steps["Gold"] == (steps["Aligned"][0] + 1, "1 adjudicated")
    for name in ("release", "dashboard"):
        numbers = [1] if name == "release" else []
        page = admin.get(reverse(f"annotation:{name}", args=[project.slug, *numbers])).content.decode()
        assert "1 adjudicated" in page


def test_without_gold_the_form_says_why_nothing_was_made(project, admin):
    answer = admin.post(reverse("annotation:releases", args=[project.slug]), {"key": uuid4()})
    assert answer.status_code == 422
    assert "nothing to release" in answer.content.decode()


def test_a_level_that_does_not_exist_is_refused(project, gold, admin):
    assert (
        admin.post(
            reverse("annotation:releases", args=[project.slug]), {"levels": ["best"], "key": uuid4()}
        ).status_code
        == 422
    )
    assert not Release.objects.exists()


@pytest.mark.parametrize("roles", [(Role.ANNOTATOR,), (Role.REVIEWER,), (Role.ANNOTATOR, Role.REVIEWER)])
def test_nobody_but_admins_reaches_a_release(project, gold, roles):
    release(project, None)
    client = as_(project, *roles)
    for name, args in [
        ("releases", []),
        ("release", [1]),
        ("release-all", [1]),
        ("release-file", [1, "items.jsonl"]),
    ]:
        assert client.get(reverse(f"annotation:{name}", args=[project.slug, *args])).status_code == 404
    assert client.post(reverse("annotation:release-verify", args=[project.slug, 1])).status_code == 404
    assert client.post(reverse("annotation:releases", args=[project.slug])).status_code == 404
    assert Release.objects.count() == 1


def test_an_admin_of_another_project_sees_no_release(project, gold):
    release(project, None)
    client = as_(builders.make_project(), Role.ADMIN)
    assert client.get(reverse("annotation:release", args=[project.slug, 1])).status_code == 404


def body(answer):
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


@pytest.mark.parametrize("path", ["items.jsonl", "items.csv", "labels.csv", "README.md", "manifest.json", "SHA256SUMS"])
def test_every_file_is_handed_out_as_it_was_released(project, gold, admin, path):
    made = release(project, None)
    answer = admin.get(reverse("annotation:release-file", args=[project.slug, 1, path]))
    assert answer.status_code == 200
    assert body(answer) == (folder_of(made) / path).read_bytes()
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-1-{path}"'
    assert "X-Evil" not in answer.headers


@pytest.mark.parametrize("path", ["items.jsonl", "labels.csv", "README.md", "manifest.json", "SHA256SUMS"])
def test_a_file_with_one_flipped_byte_is_refused(project, gold, admin, path):
    made = release(project, None)
    target = folder_of(made) / path
    content = bytearray(target.read_bytes())
    content[7] ^= 1
    target.write_bytes(content)
    answer = admin.get(reverse("annotation:release-file", args=[project.slug, 1, path]))
    assert answer.status_code == 409
    assert path in answer.content.decode()
    assert admin.get(reverse("annotation:release-all", args=[project.slug, 1])).status_code == 409
    said = admin.post(reverse("annotation:release-verify", args=[project.slug, 1]), follow=True).content.decode()
    assert "not intact" in said


def test_a_release_rewritten_with_all_its_hashes_is_refused(project, gold, admin):
    made = release(project, None)
    folder = folder_of(made)
    text = (folder / "manifest.json").read_text()
    manifest = json.loads(text)
    manifest["licence"] = "anything goes"
    (folder / "manifest.json").write_text(manifest_text(manifest))
    sums = (folder / "SHA256SUMS").read_text().replace(checksum(made.manifest), checksum(manifest))
    (folder / "SHA256SUMS").write_text(sums)
    assert problems(folder) == []  # the folder agrees with itself …
    assert admin.get(reverse("annotation:release-all", args=[project.slug, 1])).status_code == 409  # … not with us


def test_a_file_that_is_not_of_the_release_is_not_there(project, gold, admin):
    made = release(project, None)
    (folder_of(made) / "stray.txt").write_text("x")
    for path in ("stray.txt", "../x", "pictures/", "nothing"):
        assert admin.get(f"/p/{project.slug}/releases/1/files/{path}").status_code == 404


def test_the_zip_holds_a_release_that_verifies(project, gold, admin, tmp_path):
    made = release(project, None)
    answer = admin.get(reverse("annotation:release-all", args=[project.slug, 1]))
    assert answer["Content-Disposition"] == f'attachment; filename="{project.slug}-release-1.zip"'
    with zipfile.ZipFile(io.BytesIO(body(answer))) as archive:
        archive.extractall(tmp_path)
    assert problems(tmp_path / f"{project.slug}-release-1") == []
    assert made.items == 1


def test_a_form_that_was_sent_twice_makes_one_release(project, gold, admin):
    key = uuid4()
    for _ in range(2):
        answer = admin.post(reverse("annotation:releases", args=[project.slug]), {"key": key})
        assert answer["Location"] == reverse("annotation:release", args=[project.slug, 1])
    assert Release.objects.count() == 1


def test_a_form_without_its_key_is_refused(project, gold, admin):
    answer = admin.post(reverse("annotation:releases", args=[project.slug]), {"key": "x"})
    assert answer.status_code == 422
    assert "Load the page again" in answer.content.decode()
    assert not Release.objects.exists()


@pytest.fixture
def large(monkeypatch):
    """Every release is one that a worker builds."""
    monkeypatch.setattr(job, "SMALL", 0)


def test_a_large_release_is_ordered_and_shows_how_far_it_is(project, gold, admin, large):
    answer = admin.post(reverse("annotation:releases", args=[project.slug]), {"key": uuid4()}, follow=True)
    row = ReleaseOrder.objects.get()
    assert row.state == JobState.QUEUED
    assert "0 of 1 items" in answer.content.decode()
    assert "under way" in admin.get(reverse("annotation:releases", args=[project.slug])).content.decode()
    ReleaseOrder.objects.update(state=JobState.WORKING, items_total=100, items_done=40)
    asked = admin.get(reverse("annotation:release-progress", args=[project.slug, row.public_id]))
    assert "40 of 100 items" in asked.content.decode() and "HX-Redirect" not in asked.headers


def test_an_order_leads_to_its_release_or_says_why_there_is_none(project, gold, admin, large):
    admin.post(reverse("annotation:releases", args=[project.slug]), {"key": uuid4()})
    row = ReleaseOrder.objects.get()
    address = reverse("annotation:release-ordered", args=[project.slug, row.public_id])
    ReleaseOrder.objects.update(state=JobState.FAILED, problem="The picture of item i-1 is not on the disk.")
    assert "not on the disk" in admin.get(address).content.decode()
    ended = admin.get(reverse("annotation:release-progress", args=[project.slug, row.public_id]))
    assert ended["HX-Redirect"] == address
    ReleaseOrder.objects.update(state=JobState.DONE, release=release(project, None))
    assert admin.get(address)["Location"] == reverse("annotation:release", args=[project.slug, 1])


def test_an_order_can_be_cancelled_before_and_while_it_is_built(project, gold, admin, large):
    admin.post(reverse("annotation:releases", args=[project.slug]), {"key": uuid4()})
    row = ReleaseOrder.objects.get()
    address = reverse("annotation:release-cancel", args=[project.slug, row.public_id])
    assert "was cancelled" in admin.post(address, follow=True).content.decode()
    assert "has already ended" in admin.post(address, follow=True).content.decode()
    ReleaseOrder.objects.update(state=JobState.WORKING)
    assert "being cancelled" in admin.post(address, follow=True).content.decode()


def test_verifying_a_whole_release_says_so(project, gold, admin):
    release(project, None)
    said = admin.post(reverse("annotation:release-verify", args=[project.slug, 1]), follow=True).content.decode()
    assert "complete and unchanged" in said


def test_the_list_of_releases_costs_the_same_for_many(project, gold, admin, django_assert_max_num_queries):
    release(project, None)
    address = reverse("annotation:releases", args=[project.slug])
    admin.get(address)
    with django_assert_max_num_queries(11):
        admin.get(address)
    for _ in range(5):
        release(project, None)
    with django_assert_max_num_queries(11):
        admin.get(address)


def test_a_release_shows_categories_by_the_key_and_colour_of_the_design(project, gold, admin):
    project.categories.filter(code=1).update(code=740, key="w", colour="pink", name="Insult, mild")
    project.categories.filter(code=2).update(code=111, key="d")
    admin.post(reverse("annotation:releases", args=[project.slug]), {"levels": ["weak"], "key": uuid4()})
    project.categories.filter(code=740).update(name="Mild")
    made = Release.objects.get()
    shown = publication.publish(made, project.memberships.get(administers=True))
    addresses = (
        reverse("annotation:release", args=[project.slug, 1]),
        reverse("annotation:public-release", args=[shown.key]),
    )
    for address in addresses:
        page = " ".join(admin.get(address).content.decode().split()).replace("<b >", "<b>")
        assert '<span class="category cat-2"><b>w</b> <bdi>Insult, mild</bdi></span>' in page, address
        assert '<span class="category cat-1"><b>d</b>' in page and '<dd class="cat-2">' in page, address
        assert "cat-740" not in page and "cat-111" not in page
