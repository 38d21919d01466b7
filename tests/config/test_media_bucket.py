"""The site's files in a bucket: imports, pictures, releases, purge and vectors, against an S3 server."""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings as site_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from PIL import Image

import builders
from annotation.core import stored_files
from annotation.core.stored_files import StoreAway
from annotation.domain.choices import Reason, Role, Stage
from annotation.imports import uploads
from annotation.imports.job import FOLDER, IMPORTS
from annotation.imports.options import ImportOptions
from annotation.media.pictures import remove_orphans
from annotation.models import Import, ImportState, Item, Membership, Picture, Project, Release
from annotation.operations.audit import audit
from annotation.operations.audit_files import file_problems
from annotation.projects import purge
from annotation.releases import places, publication
from annotation.releases.build import release
from config.environment import env_bucket
from moderation.perspectives import example_store
from providers.vendors.embeddings import Embedder
from release_builders import accept, make_gold
from runs.sql.database_clock import database_now
from s3_server import BUCKET, S3Server

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server() -> Iterator[S3Server]:
    made = S3Server()
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def bucket(server: S3Server, settings: Any) -> S3Server:
    """Keep the files of the site in the bucket, which is empty."""
    server.empty()
    settings.MEDIA_BUCKET = BUCKET
    settings.STORAGES = {**settings.STORAGES, "default": server.storage}
    return server


@pytest.fixture
def admin() -> Membership:
    return builders.make_member(builders.make_project("garden"), Role.ADMIN)


def signed_in(member: Membership) -> Client:
    client = Client(raise_request_exception=False)
    assert member.user is not None
    client.force_login(member.user)
    return client


def picture_of(colour: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    return out.getvalue()


def packed(rows: int) -> SimpleUploadedFile:
    """A ZIP with a table and a picture for each row."""
    out = io.BytesIO()
    colours = ["red", "green", "blue", "white"]
    with zipfile.ZipFile(out, "w") as archive:
        lines = [{"id": f"p-{n}", "text": f"Post {n}.", "image": f"{n}.png"} for n in range(rows)]
        archive.writestr("posts.jsonl", "\n".join(map(json.dumps, lines)))
        for n in range(rows):
            archive.writestr(f"{n}.png", picture_of(colours[n]))
    return SimpleUploadedFile("posts.zip", out.getvalue())


def imported(admin: Membership, rows: int = 2) -> list[Item]:
    row = uploads.upload(admin, packed(rows), ImportOptions())
    row.refresh_from_db()
    assert row.state == ImportState.CHECKED, row.outcome
    assert uploads.store(row, admin)
    row.refresh_from_db()
    assert (row.state, row.file.name) == (ImportState.DONE, "")
    return list(Item.objects.filter(project=admin.project).select_related("picture").order_by("external_id"))


def files_here() -> list[Path]:
    return [path for path in Path(site_settings.MEDIA_ROOT).rglob("*") if path.is_file()]


def asked(member: Membership, item: Item, name: str) -> Any:
    assert item.picture is not None
    return signed_in(member).get(reverse(f"annotation:{name}", args=[item.picture.public_id]))


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


class TestPictures:
    def test_an_import_leaves_pictures_in_the_bucket_and_nothing_else_anywhere(
        self, admin: Membership, bucket: S3Server
    ) -> None:
        items = imported(admin)
        names = {name for item in items if item.picture for name in (item.picture.file.name, item.picture.blurred.name)}
        assert len(names) == 4 and bucket.keys() == names
        assert files_here() == []
        assert audit(admin.project) == []

    def test_each_request_is_asked_for_and_a_locked_picture_is_gone_at_once(
        self, admin: Membership, bucket: S3Server
    ) -> None:
        item = imported(admin, 1)[0]
        annotator, stranger = builders.make_member(admin.project), builders.make_member(builders.make_project("other"))
        assert item.picture is not None
        answer = asked(admin, item, "media")
        assert hashlib.sha256(body(answer)).hexdigest() == item.picture.file_sha256
        assert "Location" not in answer and answer["Cache-Control"] == "private, no-store"
        assert asked(annotator, item, "media").status_code == 404
        assert body(asked(annotator, item, "media-blurred")).startswith(b"\xff\xd8\xff")
        assert asked(stranger, item, "media-blurred").status_code == 404
        Item.objects.filter(pk=item.pk).update(excluded_for=Reason.REPORTED)
        assert asked(admin, item, "media").status_code == asked(annotator, item, "media-blurred").status_code == 404

    def test_objects_are_for_the_owner_of_the_bucket_alone(self, admin: Membership, bucket: S3Server) -> None:
        imported(admin, 1)
        for key in sorted(bucket.keys()):
            grants = bucket.client.get_object_acl(Bucket=BUCKET, Key=key)["Grants"]
            assert [grant["Grantee"]["Type"] for grant in grants] == ["CanonicalUser"]

    def test_a_lost_picture_is_a_page_that_is_not_there_and_the_audit_names_it(
        self, admin: Membership, bucket: S3Server
    ) -> None:
        item = imported(admin, 1)[0]
        assert item.picture is not None
        bucket.client.delete_object(Bucket=BUCKET, Key=item.picture.file.name)
        assert asked(admin, item, "media").status_code == 404
        assert any("is lost" in problem for problem in audit(admin.project))

    def test_files_without_a_row_are_removed_when_they_are_old(self, admin: Membership, bucket: S3Server) -> None:
        kept = {picture.file.name for picture in Picture.objects.all()} | {
            name for item in imported(admin, 1) if item.picture for name in (item.picture.file.name,)
        }
        default_storage.save(f"pictures/{admin.project.public_id}/aa/stray.jpg", ContentFile(b"x"))
        assert remove_orphans(timezone.now() - timedelta(minutes=1)) == 0
        assert remove_orphans(timezone.now() + timedelta(minutes=1)) == 1
        assert kept < bucket.keys() and not [key for key in sorted(bucket.keys()) if "stray" in key]


class TestReleases:
    @pytest.fixture
    def made(self, admin: Membership) -> Release:
        return make_release(admin)

    def test_a_release_is_whole_verified_and_sent(self, admin: Membership, made: Release, bucket: S3Server) -> None:
        listed = {file["path"] for file in made.manifest["files"]}
        assert [path for path in listed if path.startswith("pictures/")]
        names = {f"releases/{made.folder}/{path}" for path in listed | {"manifest.json", "SHA256SUMS"}}
        assert bucket.keys("releases/") == names
        assert files_here() == [] and publication.damage(made) == [] and list(file_problems(admin.project)) == []
        client = signed_in(admin)
        for path in ("items.jsonl", "manifest.json", "SHA256SUMS"):
            answer = client.get(reverse("annotation:release-file", args=["garden", 1, path]))
            stored = bucket.client.get_object(Bucket=BUCKET, Key=f"releases/{made.folder}/{path}")["Body"].read()
            assert answer.status_code == 200 and body(answer) == stored
        whole = client.get(reverse("annotation:release-all", args=["garden", 1]))
        with zipfile.ZipFile(io.BytesIO(body(whole))) as archive:
            assert {name.split("/", 1)[1] for name in archive.namelist()} == listed | {"manifest.json", "SHA256SUMS"}

    def test_a_changed_a_missing_and_an_extra_file_are_found(self, made: Release, bucket: S3Server) -> None:
        key = f"releases/{made.folder}/items.jsonl"
        content = bucket.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        bucket.client.put_object(Bucket=BUCKET, Key=key, Body=content[:-2] + b" \n")
        assert "items.jsonl: the SHA-256 is" in publication.damage(made)[0]
        bucket.client.delete_object(Bucket=BUCKET, Key=key)
        assert publication.damage(made)[0] == "items.jsonl: the file is missing."
        bucket.client.put_object(Bucket=BUCKET, Key=key, Body=content)
        bucket.client.put_object(Bucket=BUCKET, Key=f"releases/{made.folder}/stray.txt", Body=b"x")
        assert publication.damage(made) == ["stray.txt: the file is not part of the release."]

    def test_the_next_release_tells_what_changed_since(self, admin: Membership, made: Release) -> None:
        item = Item.objects.filter(project=admin.project, stage=Stage.GOLD).first()
        assert item is not None
        again = release(admin.project, None)
        assert (again.number, again.manifest["changes"]["counts"]["added"]) == (2, 0)

    def test_outsiders_get_any_part_of_the_archive(self, admin: Membership, made: Release, client: Client) -> None:
        shown = publication.publish(made, admin)
        request = publication.request_access(shown, "A", "a@example.org", "B", "C")
        assert publication.decide(made, request.request, admin, True)
        request.request.refresh_from_db()
        assert accept(shown, request.request)
        address = reverse("annotation:public-download", args=[shown.key, request.token])
        whole = body(client.get(address))
        assert hashlib.sha256(whole).hexdigest() == shown.archive_sha256
        part = client.get(address, headers={"Range": "bytes=10-99"})
        assert (part.status_code, body(part)) == (206, whole[10:100])
        assert publication.unpublish(made, admin)
        assert not default_storage.exists(f"releases/{made.folder}.zip")
        assert client.get(address).status_code == 404

    def test_a_release_that_is_undone_leaves_nothing(self, admin: Membership, bucket: S3Server) -> None:
        gold_with_pictures(admin)

        def refuse(made: Release) -> None:
            raise RuntimeError("cancelled")

        with pytest.raises(RuntimeError):
            release(admin.project, None, on_stored=refuse)
        assert bucket.keys("releases/") == set() and files_here() == [] and not Release.objects.exists()

    def test_what_a_killed_process_left_is_removed_and_releases_stay(
        self, admin: Membership, made: Release, bucket: S3Server
    ) -> None:
        stray = f"releases/{admin.project.public_id}/0f8e/items.jsonl"
        default_storage.save(stray, ContentFile(b"{}"))
        kept = bucket.keys("releases/") - {stray}
        assert places.remove_unlisted_releases(timezone.now() - timedelta(minutes=1)) == 0
        assert places.remove_unlisted_releases(timezone.now() + timedelta(minutes=1)) == 1
        assert bucket.keys("releases/") == kept


def gold_with_pictures(admin: Membership) -> None:
    items = imported(admin)
    trio = [builders.make_member(admin.project) for _ in range(3)]
    for item in items:
        make_gold(admin.project, trio, picture=item.picture)


def make_release(admin: Membership) -> Release:
    gold_with_pictures(admin)
    return release(admin.project, None)


def test_a_purged_project_leaves_no_file(admin: Membership, bucket: S3Server) -> None:
    make_release(admin)
    kept = builders.make_member(builders.make_project("kept"), Role.ADMIN)
    imported(kept, 1)
    Project.objects.filter(pk=admin.project_id).update(delete_after=database_now())
    assert purge.purge_due() == 1
    assert not [key for key in sorted(bucket.keys()) if str(admin.project.public_id) in key]
    assert len(bucket.keys(f"pictures/{kept.project.public_id}/")) == 2


def changed(storages: dict[str, Any], **options: str) -> dict[str, Any]:
    """The same storages with other options for the bucket."""
    default = storages["default"]
    return {**storages, "default": default | {"OPTIONS": default["OPTIONS"] | options}}


class TestAway:
    """The server of the bucket does not answer for a while."""

    def test_a_page_says_so_with_503(self, admin: Membership, bucket: S3Server, settings: Any) -> None:
        item, there = imported(admin, 1)[0], settings.STORAGES
        settings.STORAGES = changed(there, endpoint_url="http://127.0.0.1:9")
        answer = asked(admin, item, "media")
        assert (answer.status_code, answer["Retry-After"]) == (503, "60")
        assert "does not answer" in answer.content.decode()
        settings.STORAGES = there
        assert asked(admin, item, "media").status_code == 200

    def test_an_import_is_handed_back_and_done_later(self, admin: Membership, bucket: S3Server, settings: Any) -> None:
        row, there = uploads.upload(admin, packed(1), ImportOptions()), settings.STORAGES
        Import.objects.filter(pk=row.pk).update(state=ImportState.IMPORTING, beat_at=None)
        settings.STORAGES = changed(there, endpoint_url="http://127.0.0.1:9")
        IMPORTS.perform(row.pk)
        row.refresh_from_db()
        assert (row.state, row.beat_at) == (ImportState.IMPORTING, None)
        assert "cannot reach the files of this site" in row.problem
        page = signed_in(admin).get(reverse("annotation:import-show", args=["garden", row.public_id]))
        assert "cannot reach the files of this site" in page.content.decode()
        settings.STORAGES = there
        IMPORTS.perform(row.pk)
        row.refresh_from_db()
        assert (row.state, row.problem, Item.objects.count()) == (ImportState.DONE, "", 1)

    def test_what_the_server_refuses_is_no_missing_file(self, bucket: S3Server, settings: Any) -> None:
        settings.STORAGES = changed(settings.STORAGES, bucket_name="another-bucket")
        with pytest.raises(StoreAway):
            default_storage.listdir(FOLDER)


def test_a_matrix_that_one_machine_has_embedded_is_not_embedded_on_the_next(tmp_path: Path, bucket: S3Server) -> None:
    class Counting(Embedder):
        name, texts = "counting", 0

        def embed(self, texts: Any) -> Any:
            type(self).texts += len(texts)
            return np.array([[float(len(text)), 1.0] for text in texts], np.float32)

    rows = [(1, "Weeds.", True, "ab" * 16), (2, "Flowers.", False, "cd" * 16)]
    stores = [example_store.write_store(tmp_path / name, "garden", 1, rows) for name in ("one", "two")]
    for store in stores:
        store.prepare(Counting())
    assert Counting.texts == 2
    first, second = ([*store.folder.glob("????????????????.npy")] for store in stores)
    assert len(first) == len(second) == 1 and first[0].read_bytes() == second[0].read_bytes()
    assert len(bucket.keys("vectors/garden/v1/")) == 1
    example_store.forget_others(tmp_path / "one", [])
    assert bucket.keys("vectors/") == set()


def test_the_marker_is_seen_or_missed(bucket: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_files._Expected, "marker", None)
    assert not stored_files.is_out_of_sight()
    default_storage.save(stored_files.MARKER, ContentFile(b"one"))
    stored_files.expect_marker(b"one")
    assert not stored_files.is_out_of_sight()
    default_storage.delete(stored_files.MARKER)
    assert stored_files.is_out_of_sight()


def test_an_address_that_is_none_stops_the_start() -> None:
    with pytest.raises(ImproperlyConfigured, match="MEDIA_ENDPOINT must look like"):
        env_bucket.bucket("b", endpoint="minio:9000", region="", access_key="", secret_key="")
