"""A release shown to the world: its page, who gets its files and for how long, and what changed between two."""

import hashlib
import io
import json
import re
import zipfile
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

import builders
from annotation.consensus.close import close_item
from annotation.core.release_paths import folder_of
from annotation.domain.choices import Reason, Role, Stage
from annotation.domain.releases.columns import Scope
from annotation.domain.releases.splits import Shares
from annotation.media.responses import ByteRange, RangeOutOfFile, requested_range
from annotation.models import AccessRequest, AccessState, Item, ReleaseTerms
from annotation.operations.audit_files import file_problems
from annotation.releases import publication, views
from annotation.releases.build import release
from annotation.releases.request import Selection, Splitting
from annotation.releases.split import keep_list
from annotation.review.adjudicate import decide_item
from config.web.rate_limit_table import Rate
from release_builders import accept, archive_of, make_gold, make_picture, rows_of

pytestmark = pytest.mark.django_db

ASKED = {"name": "Ada", "email": "ada@example.org", "affiliation": "A lab", "purpose": "To study disagreement."}


@pytest.fixture
def project():
    return builders.make_project(name="Winter campaign")


@pytest.fixture
def trio(project):
    return [builders.make_member(project) for _ in range(3)]


@pytest.fixture
def admin(project):
    return builders.make_member(project, Role.ADMIN)


@pytest.fixture
def made(project, trio):
    make_gold(project, trio, picture=make_picture(project), external_id="w-1")
    return release(project, None)


@pytest.fixture
def shown(made, admin):
    return publication.publish(made, admin)


def address(page, shown, *more):
    return reverse(f"annotation:public-{page}", args=[shown.key, *more])


def granted(shown, admin):
    """A request that was approved and whose terms are accepted; its token."""
    asked = publication.request_access(shown, **ASKED)
    assert publication.decide(shown.release, asked.request, admin, True)
    asked.request.refresh_from_db()
    assert accept(shown, asked.request)
    return asked.token


def terms_on(page):
    """The digest of the terms that the page of a request shows, as its form sends it."""
    return re.search(r'name="terms" value="(\w+)"', page)[1]


def content_of(answer):
    return b"".join(answer.streaming_content)


def test_nothing_is_public_until_an_admin_publishes_it(client, made, admin, settings):
    assert client.get(reverse("annotation:public-release", args=["x" * 22])).status_code == 404
    client.force_login(admin.user)
    inside = reverse("annotation:release", args=[made.project.slug, made.number])
    assert "url     = {" not in client.get(inside).content.decode()
    client.post(reverse("annotation:release-publish", args=[made.project.slug, made.number]))
    assert "url     = {" in client.get(inside).content.decode()
    client.logout()
    page = client.get(address("release", made.publication))
    assert page.status_code == 200
    said = page.content.decode()
    assert "Winter campaign" in said and "@dataset{" in said
    assert f"url     = {{{settings.SITE_URL}{address('release', made.publication)}}}" in said
    assert publication.publish(made, admin) == made.publication  # once more is the same
    assert len(made.publication.key) >= 22


def test_an_archive_that_is_lost_is_told_and_comes_back_the_same(shown, admin):
    assert list(file_problems(admin.project)) == []
    archive_of(shown.release).unlink()
    assert list(file_problems(admin.project)) == [
        "Release 1: the archive that it is fetched as is lost; publish it again."
    ]
    assert publication.publish(shown.release, admin).key == shown.key
    assert hashlib.sha256(archive_of(shown.release).read_bytes()).hexdigest() == shown.archive_sha256


def test_somebody_asks_and_gets_the_files_for_some_days(client, shown, admin):
    ReleaseTerms.objects.create(project=admin.project, terms="Cite us.", access_days=3)
    answer = client.post(address("ask", shown), ASKED)
    own = answer["Location"]
    token = own.rstrip("/").rpartition("/")[2]
    row = AccessRequest.objects.get()
    assert token not in json.dumps(list(AccessRequest.objects.values()), default=str)
    assert "waits for an answer" in client.get(own).content.decode()
    assert client.post(own).status_code == 302  # accepting what is not granted does nothing
    assert client.get(address("download", shown, token)).status_code == 404
    assert publication.decide(shown.release, row, admin, True)
    page = client.get(own).content.decode()
    assert "Cite us." in page
    assert client.get(address("download", shown, token)).status_code == 404  # the terms come first
    client.post(own, {"terms": terms_on(page)})
    row.refresh_from_db()
    assert row.accepted_terms == "Cite us."
    assert timedelta(days=2) < row.expires_at - timezone.now() < timedelta(days=4)
    archive = content_of(client.get(address("download", shown, token)))
    assert hashlib.sha256(archive).hexdigest() == shown.archive_sha256
    with zipfile.ZipFile(io.BytesIO(archive)) as found:
        assert (
            found.read("-".join(found.namelist()[0].split("/")[:1]) + "/items.jsonl")
            == (folder_of(shown.release) / "items.jsonl").read_bytes()
        )
    row.refresh_from_db()
    assert row.downloads == 1
    AccessRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert client.get(address("download", shown, token)).status_code == 404
    assert "expired" in client.get(own).content.decode()


def test_a_download_goes_on_where_it_broke_off(client, shown, admin):
    link = address("download", shown, granted(shown, admin))
    whole = content_of(client.get(link))
    answer = client.get(link, headers={"Range": "bytes=100-", "If-Range": f'"{shown.archive_sha256}"'})
    assert (answer.status_code, content_of(answer)) == (206, whole[100:])
    assert answer["Content-Range"] == f"bytes 100-{len(whole) - 1}/{len(whole)}"
    assert content_of(client.get(link, headers={"Range": "bytes=-7"})) == whole[-7:]
    assert content_of(client.get(link, headers={"Range": "bytes=3-3"})) == whole[3:4]
    assert client.get(link, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416
    other = client.get(link, headers={"Range": "bytes=100-", "If-Range": '"another"'})
    assert (other.status_code, content_of(other)) == (200, whole)
    assert client.head(link)["Content-Length"] == str(len(whole))
    assert AccessRequest.objects.get().downloads == 2  # the first, and the one that began anew


@pytest.mark.once  # no row is read or written
@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_span_is_inside_the_file_or_refused(size, first, last):
    try:
        span = requested_range(f"bytes={first}-{last}", size)
    except RangeOutOfFile:
        assert first >= size
    else:
        assert span is None if first > last else span == ByteRange(first, min(last, size - 1))


@pytest.mark.parametrize("header", ["", "bytes=-", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b", "bytes=5-2"])
def test_a_range_that_makes_no_sense_is_the_whole_file(header):
    assert requested_range(header, 100) is None


def test_taking_it_back_closes_page_requests_and_links(client, shown, admin):
    token = granted(shown, admin)
    client.force_login(admin.user)
    client.post(reverse("annotation:release-take-back", args=[admin.project.slug, shown.release.number]))
    client.logout()
    for page in (address("release", shown), address("ask", shown), address("request", shown, token)):
        assert client.get(page).status_code == 404
    assert client.get(address("download", shown, token)).status_code == 404
    assert not archive_of(shown.release).exists()
    assert AccessRequest.objects.get().state == AccessState.REVOKED
    again = publication.publish(shown.release, admin)
    assert again.key != shown.key
    assert client.get(address("download", again, token)).status_code == 404


def test_an_admin_refuses_with_a_reason_and_revokes(client, shown, admin):
    asked = publication.request_access(shown, **ASKED)
    client.force_login(admin.user)
    decide_at = reverse(
        "annotation:release-access", args=[admin.project.slug, shown.release.number, asked.request.public_id]
    )
    refused = client.post(decide_at, {"do": "refuse", "reason": "Tell us <b>more</b>."}, follow=True)
    assert "This person has no access." in refused.content.decode()
    said = client.get(address("request", shown, asked.token)).content.decode()
    assert "Tell us &lt;b&gt;more&lt;/b&gt;." in said
    approved = client.post(decide_at, {"do": "approve"}, follow=True)
    assert "The files can be fetched once the terms are accepted." in approved.content.decode()
    asked.request.refresh_from_db()
    accept(shown, asked.request)
    assert client.get(address("download", shown, asked.token)).status_code == 200
    client.post(decide_at, {"do": "refuse"})
    assert client.get(address("download", shown, asked.token)).status_code == 404
    asked.request.refresh_from_db()
    assert asked.request.state == AccessState.REVOKED


@pytest.mark.parametrize(
    ("seen", "do", "after"),
    [
        ("waiting", "refuse", AccessState.APPROVED),  # another admin approved meanwhile
        ("waiting", "approve", AccessState.APPROVED),
        ("approved", "refuse", AccessState.REVOKED),
        ("revoked", "approve", AccessState.APPROVED),
    ],
)
def test_an_answer_from_a_page_that_shows_another_state_takes_no_access_back(client, shown, admin, seen, do, after):
    asked = publication.request_access(shown, **ASKED)
    publication.decide(shown.release, asked.request, admin, True)
    client.force_login(admin.user)
    where = reverse(
        "annotation:release-access", args=[admin.project.slug, shown.release.number, asked.request.public_id]
    )
    page = client.post(where, {"do": do, "state": seen, "reason": "Too vague."}, follow=True).content.decode()
    asked.request.refresh_from_db()
    assert asked.request.state == after
    assert ("That was no longer possible" in page) == (seen == "waiting" and do == "refuse")
    assert f'<input type="hidden" name="state" value="{after}">' in page


def test_a_key_pressed_in_a_reason_never_approves_and_taking_the_page_back_is_asked_for_once_more(client, shown, admin):
    publication.request_access(shown, **ASKED)
    client.force_login(admin.user)
    page = client.get(reverse("annotation:release", args=[admin.project.slug, shown.release.number]))
    assert 'data-confirm="Withdraw the public page?' in page.content.decode()
    forms = re.findall(r"<form.*?</form>", page.content.decode(), re.DOTALL)
    assert [('name="reason"' in form, 'value="approve"' in form) for form in forms if "/access/" in form] == [
        (False, True),
        (True, False),
    ]


def test_approving_what_is_approved_closes_no_link(client, shown, admin):
    link = address("download", shown, granted(shown, admin))
    row = AccessRequest.objects.get()
    assert publication.decide(shown.release, row, admin, True)
    assert client.get(link).status_code == 200
    client.force_login(admin.user)
    page = client.get(reverse("annotation:release", args=[admin.project.slug, shown.release.number]))
    assert 'value="approve"' not in page.content.decode()
    AccessRequest.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    page = client.get(reverse("annotation:release", args=[admin.project.slug, shown.release.number]))
    assert 'value="approve"' in page.content.decode()


def test_requests_that_wait_come_first_and_none_is_out_of_reach(client, shown, admin, monkeypatch):
    monkeypatch.setattr(views, "PAGE_LENGTH", 2)
    for name in ("Ada", "Bo", "Cy"):
        publication.request_access(shown, **ASKED | {"name": name})
    assert publication.decide(shown.release, AccessRequest.objects.get(name="Cy"), admin, False, "Too <i>vague</i>.")
    client.force_login(admin.user)
    at = reverse("annotation:release", args=[admin.project.slug, shown.release.number])
    first, second = (client.get(at, {"page": number}).content.decode() for number in (1, 2))
    assert ["<bdi>Bo</bdi>" in first, "<bdi>Ada</bdi>" in first, "<bdi>Cy</bdi>" in first] == [True, True, False]
    assert "<bdi>Cy</bdi>" in second and "Too &lt;i&gt;vague&lt;/i&gt;." in second
    said = client.get(reverse("annotation:releases", args=[admin.project.slug])).content.decode()
    assert "2 requests for access to release 1 wait for an answer." in said
    decided = client.post(
        reverse(
            "annotation:release-access", args=[admin.project.slug, 1, AccessRequest.objects.get(name="Bo").public_id]
        ),
        {"do": "approve"},
    )
    assert decided["Location"].startswith(f"{at}#request-")  # the keyboard goes on where it was


def test_whoever_lost_access_reads_that_it_was_taken_back(client, shown, admin):
    token = granted(shown, admin)
    assert publication.decide(shown.release, AccessRequest.objects.get(), admin, False, "The study ended.")
    said = client.get(address("request", shown, token)).content.decode()
    assert "Access was taken back." in said and "The study ended." in said


def test_what_was_typed_stays_where_too_many_requests_wait(client, shown, monkeypatch):
    monkeypatch.setattr(publication, "MOST_WAITING", 0)
    answer = client.post(address("ask", shown), ASKED)
    assert answer.status_code == 503
    said = answer.content.decode()
    assert "please ask again in some days" in said and "To study disagreement." in said and "ada@example.org" in said


def test_requests_are_bounded_in_rate_size_and_number(client, shown, settings, monkeypatch):
    assert client.post(address("ask", shown), ASKED | {"purpose": "x" * 2001}).status_code == 422
    assert client.post(address("ask", shown), ASKED | {"purpose": "\u200b \u2060"}).status_code == 422
    assert client.post(address("ask", shown), ASKED | {"email": "nobody"}).status_code == 422
    monkeypatch.setattr(publication, "MOST_WAITING", 1)
    assert client.post(address("ask", shown), ASKED).status_code == 302
    assert client.post(address("ask", shown), ASKED).status_code == 503
    assert AccessRequest.objects.count() == 1
    settings.RATE_LIMITS = {"access": Rate(1, 3600)}
    assert client.post(address("ask", shown), ASKED).status_code == 503  # which takes nothing from the limit
    monkeypatch.setattr(publication, "MOST_WAITING", 3)
    assert [client.post(address("ask", shown), ASKED).status_code for _ in range(2)] == [302, 429]


def test_a_damaged_release_is_not_published(client, made, admin):
    with (folder_of(made) / "items.jsonl").open("ab") as file:
        file.write(b"\n")
    with pytest.raises(publication.Damaged):
        publication.publish(made, admin)
    client.force_login(admin.user)
    answer = client.post(reverse("annotation:release-publish", args=[made.project.slug, made.number]), follow=True)
    assert "not intact" in answer.content.decode()


def test_terms_hold_for_the_next_release(client, admin, trio):
    make_gold(admin.project, trio, licence="platform terms", text="Secret roses")
    client.force_login(admin.user)
    body = {"authors": "Ada\n\n Bo \n", "withheld_licences": "platform terms", "terms": "", "access_days": 7}
    assert client.post(reverse("annotation:release-terms", args=[admin.project.slug]), body).status_code == 302
    made = release(admin.project, None)
    assert made.manifest["authors"] == ["Ada", "Bo"]
    assert rows_of(made)[0]["text"] is None


# ── What changed ──────────────────────────────────────────────────────────────


def test_the_next_release_says_what_changed_and_why(client, project, trio, admin, capsys):
    items = {name: make_gold(project, trio, (0, 0, 0), f"Text of {name}", external_id=name) for name in "abcdef"}
    torn = builders.make_labelled_item(project, trio, (0, 1, 2), external_id="torn")
    close_item(torn)
    first = release(project, None)
    Item.objects.filter(pk=items["a"].pk).update(stage=Stage.EXCLUDED, excluded_for=Reason.WITHDRAWN)
    Item.objects.filter(pk=items["b"].pk).update(stage=Stage.LABELLING)
    Item.objects.filter(pk=items["c"].pk).update(category=builders.category(project, 1), hateful=True)
    Item.objects.filter(pk=items["d"].pk).update(text="Another text")
    torn.refresh_from_db()
    decide_item(
        torn, builders.make_member(project, Role.REVIEWER), torn.version, "Quoted.", builders.category(project, 0)
    )
    make_gold(project, trio, external_id="new")
    second = release(project, None)
    told = json.loads((folder_of(second) / "changes.json").read_text())
    assert told["since"]["version"] == 1
    assert told["removed"] == [{"id": "a", "why": "withdrawn"}, {"id": "b", "why": "reopened"}]
    assert told["relabelled"] == [{"id": "c", "from": 0, "to": 1, "why": "decided_anew"}]
    assert told["added"] == [{"id": "torn", "why": "closed_since"}, {"id": "new", "why": "new"}]
    assert told["revised"] == ["d"]
    assert "Text of a" not in "".join(path.read_text() for path in folder_of(second).iterdir() if path.is_file())
    assert second.manifest["changes"]["counts"] == {"added": 2, "removed": 2, "relabelled": 1, "revised": 1}
    assert "2 items added, 2 removed, 1 relabelled" in (folder_of(second) / "README.md").read_text()
    call_command("release_diff", project.slug, "1", "2", as_json=True)
    assert json.loads(capsys.readouterr().out) == told
    client.force_login(admin.user)
    page = client.get(reverse("annotation:release-changes", args=[project.slug, 2, 1])).content.decode()
    assert "withdrawn" in page and "Racist" in page
    assert release(project, None, Selection(notes=True)).manifest["changes"]["counts"]["relabelled"] == 0
    assert first.manifest.get("changes") is None


def test_a_narrower_scope_reopens_nothing(project, trio):
    items = {name: make_gold(project, trio, external_id=name) for name in ("gone", "again", "kept")}
    for name in ("torn", "left-out"):
        item = builders.make_labelled_item(project, trio, (0, 1, 2), external_id=name)
        close_item(item)
        items[name] = item
    first = release(project, None, Selection(scope=Scope.CLOSED))
    assert first.manifest["counts"]["stages"] == {"disputed": 2, "gold": 3}
    Item.objects.filter(pk=items["gone"].pk).update(stage=Stage.EXCLUDED, excluded_for=Reason.WITHDRAWN)
    Item.objects.filter(pk=items["again"].pk).update(stage=Stage.LABELLING)
    Item.objects.filter(pk=items["left-out"].pk).update(stage=Stage.EXCLUDED, excluded_for=Reason.NOT_SURE)
    second = release(project, None)
    told = json.loads((folder_of(second) / "changes.json").read_text())
    assert {entry["id"]: entry["why"] for entry in told["removed"]} == {
        "gone": "withdrawn",
        "again": "reopened",
        "torn": "not_selected",
        "left-out": "excluded",
    }
    wider = release(project, None, Selection(scope=Scope.CLOSED)).manifest["changes"]
    assert wider["reasons"]["added"] == {"selected": 2}


def test_posts_that_moved_between_the_parts_are_told(client, project, trio, admin, capsys):
    for name in "abc":
        make_gold(project, trio, text=f"Quite another text, by {name * 9}.", external_id=name)
    for shares in ("100/0/0", "0/0/100"):
        made = release(project, None, Selection(split=Splitting(shares=Shares.read(shares), anew=True)))
    told = json.loads((folder_of(made) / "changes.json").read_text())
    assert told["moved"] == [{"id": name, "from": "train", "to": "test"} for name in "abc"]
    assert (told["counts"]["moved"], told["counts"]["revised"]) == (3, 0)
    assert told["reasons"]["moved"] == {"train to test": 3}
    card = (folder_of(made) / "README.md").read_text()
    assert "3 items\nare in another part of the split than before" in card and "| moved | train to test | 3 |" in card
    call_command("release_diff", project.slug, "1", "2")
    said = capsys.readouterr().out
    assert "moved: 3 (train to test 3)" in said and "c: train → test" in said
    client.force_login(admin.user)
    page = client.get(reverse("annotation:release-changes", args=[project.slug, 2, 1])).content.decode()
    assert "In another part" in page and "are the same, with the same categories" not in page
    kept = keep_list(project, None, "parts", io.BytesIO(b"a,test\nb,test\nc,test\n"))
    fixed = Splitting(shares=Shares.read("100/0/0"), frozen=str(kept.public_id))
    third = release(project, None, Selection(split=fixed)).manifest["changes"]
    assert "moved" not in third["counts"]


def test_only_the_terms_that_somebody_read_are_accepted(client, shown, admin):
    asked = publication.request_access(shown, **ASKED)
    assert publication.decide(shown.release, asked.request, admin, True)
    terms, _new = ReleaseTerms.objects.get_or_create(project=admin.project)
    ReleaseTerms.objects.filter(pk=terms.pk).update(terms="For research.")
    place = address("request", shown, asked.token)

    first = terms_on(client.get(place).content.decode())
    ReleaseTerms.objects.filter(pk=terms.pk).update(terms="For research, within a year.")
    for sent in (first, "", "x" * 64):
        answer = client.post(place, {"terms": sent}, follow=True)
        assert "please read it again" in answer.content.decode() and "within a year" in answer.content.decode()
    assert client.get(address("download", shown, asked.token)).status_code == 404
    second = terms_on(client.get(place).content.decode())
    for _time in range(2):  # twice, as a double click sends it
        assert "please read it again" not in client.post(place, {"terms": second}, follow=True).content.decode()
    asked.request.refresh_from_db()
    assert asked.request.accepted_terms == "For research, within a year."
    assert client.get(address("download", shown, asked.token)).status_code == 200
