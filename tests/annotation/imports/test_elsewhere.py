"""Files from elsewhere: an https address through the guarded fetcher, and a bucket of an S3 server."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

import builders
from annotation.domain.choices import Role
from annotation.domain.formats.base import Unreadable
from annotation.imports import elsewhere
from annotation.imports.job import IMPORTS
from annotation.models import Import, ImportState, Item, Membership, Project
from providers import wiring_web
from providers.http import buckets
from wire.certificates import certified
from wire.pages import OUTER, PageServer, Web, page, redirect

TABLE = b"id,text,intended\na,One.,Racist\nb,Two.,NotHate\n"


@pytest.fixture
def project(db: None) -> Project:
    return builders.make_project("garden")


@pytest.fixture
def outer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PageServer]:
    server_side, trust = certified(tmp_path, "data.example")
    with PageServer(context=server_side) as outer, PageServer() as inner:
        web = Web(outer, inner, {"data.example": [OUTER], "inner.example": ["10.0.0.1"]})
        fetcher = web.fetcher(trust=trust, size=10_000)
        monkeypatch.setattr(wiring_web, "_file_fetcher", lambda agent: fetcher)
        outer.pages["/posts.csv"] = page(TABLE, "application/octet-stream")
        yield outer
        assert inner.log == []


def brought(address: str) -> bytes:
    target = io.BytesIO()
    elsewhere.bring(address, target)
    return target.getvalue()


def refusal(address: str) -> str:
    with pytest.raises(Unreadable) as refused:
        brought(address)
    assert refused.value.error.reason.endswith(".")
    return f"{refused.value.error.code}: {refused.value.error.reason}"


class TestAnAddress:
    def test_the_file_behind_it_is_brought_whatever_the_server_calls_it(self, outer: PageServer) -> None:
        outer.pages["/latest"] = redirect("/posts.csv")
        for kind in ("text/csv", "application/zip", "application/x-ndjson", ""):
            outer.pages["/posts.csv"] = page(TABLE, kind)
            assert brought("https://data.example/latest") == TABLE

    @pytest.mark.parametrize(
        ("content", "kind"),
        [(b"<html>Sign in.", "text/html"), (b"\n<!DOCTYPE html><html>", "application/octet-stream")],
    )
    def test_a_web_page_is_one_sentence(self, outer: PageServer, content: bytes, kind: str) -> None:
        outer.pages["/posts.csv"] = page(content, kind)
        told = refusal("https://data.example/posts.csv")
        assert told.startswith("web_page: posts.csv: The address leads to a web page")

    def test_what_is_too_large_missing_inside_or_without_https_is_refused(self, outer: PageServer) -> None:
        outer.pages |= {"/large": page(b"a" * 20_000, "text/csv"), "/off": redirect("http://data.example/posts.csv")}
        assert "It has more than 10,000 bytes." in refusal("https://data.example/large")
        assert "data.example answered 404" in refusal("https://data.example/none.csv")
        assert "public" in refusal("https://inner.example/posts.csv")
        assert "from an https or s3 address" in refusal("http://data.example/posts.csv")
        assert "file_not_fetched" in refusal("https://data.example/off")
        assert "from an https or s3 address" in refusal("file:///etc/hostname")

    def test_the_command_imports_it(self, project: Project, outer: PageServer) -> None:
        call_command("import_items", "garden", "https://data.example/posts.csv")
        assert dict(Item.objects.values_list("external_id", "intended__name")) == {"a": "Racist", "b": "NotHate"}
        with pytest.raises(CommandError, match="answered 404"):
            call_command("import_items", "garden", "https://data.example/none.csv")


class TestThePage:
    @pytest.fixture
    def admin(self, project: Project, client: Client) -> Client:
        member: Membership = builders.make_member(project, Role.ADMIN)
        assert member.user is not None
        client.force_login(member.user)
        return client

    def post(self, admin: Client, **fields: Any) -> Any:
        return admin.post(reverse("annotation:import", args=["garden"]), fields)

    def test_a_worker_fetches_it_and_the_rest_goes_as_with_a_file(self, admin: Client, outer: PageServer) -> None:
        answer = self.post(admin, address="https://data.example/posts.csv")
        assert answer.status_code == 302 and outer.log == []  # the web process never goes there
        row = Import.objects.get()
        assert (row.state, row.file_name, row.size) == (ImportState.UPLOADED, "posts.csv", 0)
        IMPORTS.perform(row.pk)
        row.refresh_from_db()
        assert (row.state, row.size, row.outcome["items"]) == (ImportState.CHECKED, len(TABLE), 2)
        admin.post(reverse("annotation:import-act", args=["garden", row.public_id]), {"do": "store"})
        assert Item.objects.count() == 2
        assert len(outer.read()) == 1

    def test_what_cannot_be_fetched_is_refused_on_the_page(self, admin: Client, outer: PageServer) -> None:
        self.post(admin, address="https://data.example/none.csv")
        row = Import.objects.get()
        IMPORTS.perform(row.pk)
        row.refresh_from_db()
        assert row.state == ImportState.REFUSED
        page = admin.get(reverse("annotation:import-show", args=["garden", row.public_id])).content.decode()
        assert "data.example answered 404" in page

    @pytest.mark.parametrize("address", ["http://data.example/posts.csv", "s3://pool/posts.csv", "posts.csv"])
    def test_only_https_is_taken(self, admin: Client, address: str) -> None:
        answer = self.post(admin, address=address)
        assert answer.status_code == 400 and not Import.objects.exists()
        assert "begins with https://" in answer.content.decode()

    def test_a_file_and_an_address_are_one_too_many_and_neither_is_too_few(self, admin: Client) -> None:
        both = self.post(admin, address="https://data.example/posts.csv", file=io.BytesIO(TABLE))
        assert both.status_code == 400 and "not both" in both.content.decode()
        assert self.post(admin).status_code == 400


@pytest.fixture
def bucket(settings: Any) -> Iterator[Any]:
    """A bucket with a file, on a server of this machine."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 (takes a second)

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings.S3_ENDPOINT, settings.S3_REGION = f"http://{host}:{port}", "us-east-1"
    settings.S3_ACCESS_KEY, settings.S3_SECRET_KEY = "reader", "secret"
    client = boto3.client(
        "s3",
        endpoint_url=settings.S3_ENDPOINT,
        region_name="us-east-1",
        aws_access_key_id="writer",
        aws_secret_access_key="secret",
    )
    client.create_bucket(Bucket="pool")
    client.put_object(Bucket="pool", Key="2026/게시물.csv", Body=TABLE)
    yield client
    server.stop()


class TestABucket:
    def test_the_command_imports_a_file_of_it(self, project: Project, bucket: Any) -> None:
        call_command("import_items", "garden", "s3://pool/2026/게시물.csv")
        assert Item.objects.count() == 2

    def test_what_is_not_there_or_too_large_is_one_sentence(self, bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "There is no such file in the bucket." in refusal("s3://pool/none.csv")
        assert "There is no such bucket." in refusal("s3://lake/none.csv")
        assert "Name the bucket and the file" in refusal("s3://pool")
        monkeypatch.setattr(wiring_web, "_BUCKET_BYTES", 10)
        assert "It has more than 10 bytes." in refusal("s3://pool/2026/게시물.csv")

    def test_without_keys_a_server_or_the_extra_it_says_so(
        self, settings: Any, bucket: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.S3_ENDPOINT = "http://127.0.0.1:9"
        assert "Check the address and S3_ENDPOINT" in refusal("s3://pool/a.csv")
        monkeypatch.setattr(buckets, "boto3", None)
        assert buckets.MISSING in refusal("s3://pool/a.csv")
        settings.S3_SECRET_KEY = ""
        assert "set S3_ACCESS_KEY and S3_SECRET_KEY" in refusal("s3://pool/a.csv")


class Loaded:
    """A data set as the library `datasets` gives it."""

    features: dict[str, Any] = {}

    def __init__(self, *asked: Any) -> None:
        self.asked = asked

    def to_parquet(self, target: io.BytesIO) -> None:
        target.write(repr(self.asked).encode())


def load_dataset(name: str, config: str | None, split: str | None) -> Any:
    if name == "nobody/nothing":
        raise ConnectionError("Couldn't reach it\n on the Hub.")
    return Loaded(name, config, split) if split else {part: Loaded(name, config, part) for part in name.split("-")[1:]}


class TestADataSet:
    """What the real library does was tried by hand: parts, configurations, pictures, names of categories."""

    @pytest.fixture(autouse=True)
    def library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fake, table = ModuleType("datasets"), ModuleType("datasets.table")
        vars(fake).update(load_dataset=load_dataset, load_from_disk=lambda name: Loaded("saved"), Image=int)
        vars(table).update(embed_table_storage=None)
        monkeypatch.setitem(sys.modules, "datasets", fake)
        monkeypatch.setitem(sys.modules, "datasets.table", table)

    @pytest.mark.parametrize(
        ("address", "asked"),
        [
            ("hf://us/posts:test", ("us/posts", None, "test")),
            ("hf://us/posts#ko:test", ("us/posts", "ko", "test")),
            ("hf://us/posts-train", ("us/posts-train", None, "train")),
        ],
    )
    def test_it_comes_by_its_name_as_parquet(self, address: str, asked: tuple[Any, ...]) -> None:
        assert brought(address) == repr(asked).encode()

    def test_a_folder_that_the_library_saved_is_read(self, tmp_path: Path) -> None:
        (tmp_path / "state.json").touch()
        assert brought(f"hf://{tmp_path}") == b"('saved',)"

    def test_where_it_has_several_parts_one_is_asked_for(self) -> None:
        reason = "The data set has the parts train, test. Name one: hf://us/posts-train-test:train."
        assert refusal("hf://us/posts-train-test") == f"several_parts: {reason}"

    def test_what_the_library_says_is_passed_on(self) -> None:
        reason = "nobody/nothing: datasets cannot load it: Couldn't reach it on the Hub."
        assert refusal("hf://nobody/nothing:train") == f"file_not_fetched: {reason}"

    def test_without_the_library_a_sentence_says_what_to_do(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "datasets", None)
        assert "pip install datasets" in refusal("hf://us/posts:train")
