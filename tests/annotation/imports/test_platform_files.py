"""Files as platforms export them: what becomes of each, the same on the page and by the command."""

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse
from PIL import Image
from pyarrow import feather

from annotation.domain.choices import Role
from annotation.domain.formats.base import Mapped
from annotation.imports.options import ImportOptions
from annotation.imports.run import import_file
from annotation.models import Item
from builders import make_member, make_project

pytestmark = pytest.mark.django_db


def lines(*records: Any) -> bytes:
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def whole(value: Any, indent: int | None = 1) -> bytes:
    return json.dumps(value, indent=indent).encode()


def packed(content: bytes) -> bytes:
    out = pa.BufferOutputStream()
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(content)
    return out.getvalue().to_pybytes()


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "."), content)
    return out.getvalue()


def picture(shade: int = 9) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (24, 20), (shade, shade, shade)).save(out, "PNG")
    return out.getvalue()


def comment(number: int, body: str, **more: Any) -> dict[str, Any]:
    about = {"author": "mole", "subreddit": "gardening", "created_utc": 1_700_000_000 + number, "score": number}
    return {"id": f"c{number}", "name": f"t1_c{number}", "body": body, **about, **more}


def submission(number: int, title: str, text: str = "", **more: Any) -> dict[str, Any]:
    about = {"author": "wren", "subreddit": "gardening", "created_utc": "1700000000", "over_18": False}
    return {"id": f"s{number}", "title": title, "selftext": text, **about, **more}


def tweet(number: int, text: str, **more: Any) -> dict[str, Any]:
    return {"id": f"17000000000000000{number:02}", "text": text, "author_id": "7", "lang": "en", **more}


def message(number: int, text: Any, **more: Any) -> dict[str, Any]:
    about = {"date": "2026-01-01T10:00:00", "date_unixtime": "1767261600", "from": "Mole", "from_id": "user7"}
    return {"id": number, "type": "message", "text": text, **about, **more}


def chat(*messages: Any, **more: Any) -> dict[str, Any]:
    return {"name": "Garden", "type": "public_channel", "id": 10, **more, "messages": list(messages)}


def reply(number: int, com: str | None = None, **more: Any) -> dict[str, Any]:
    return {"no": number, "resto": 100, "time": 1_767_261_600, **({"com": com} if com else {}), **more}


META_HEAD = "id,text,creation_time,post_owner.id,post_owner.type,lang,statistics.views\n"
USERS = {"users": [{"id": "7", "username": "wren"}]}
MEDIA = {"media": [{"media_key": "3_1", "type": "photo", "url": "https://example.org/a.jpg"}]}


def arrow(compression: str = "lz4", **columns: Any) -> bytes:
    out = io.BytesIO()
    feather.write_feather(pa.table(columns), out, compression=compression)
    return out.getvalue()


@dataclass
class File:
    """A file, the format that is found, the texts of its posts by their ids, and what is left or wrong."""

    content: bytes
    format: str
    texts: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Kept columns of the first post, among others."""
    command: Mapping[str, Any] = field(default_factory=dict)
    page: Mapping[str, Any] = field(default_factory=dict)


FILES: dict[str, File] = {
    "reddit comments": File(
        lines(comment(1, "Weeds &amp; &gt; stones"), comment(2, "Roses")),
        "reddit",
        {"t1_c1": "Weeds & > stones", "t1_c2": "Roses"},
        extra={"subreddit": "gardening", "author": "mole", "created_at": "2023-11-14T22:13:21+00:00", "score": 1},
    ),
    "reddit removed and deleted": File(
        lines(
            comment(1, "[removed]"),
            comment(2, "[deleted]", author="[deleted]"),
            comment(3, "stays", author="[deleted]"),
            comment(4, "[ Removed by Reddit ]"),
            comment(5, "we wrote [removed] here"),
        ),
        "reddit",
        {"t1_c3": "stays", "t1_c5": "we wrote [removed] here"},
        {"removed": 3},
    ),
    "reddit submissions": File(
        lines(
            submission(1, "A hedge", "It grows.", is_self=True, url="https://example.org/s1"),
            submission(2, "A link", url="https://example.org/x"),
            submission(3, "Taken", "[removed]"),
            submission(4, "Also taken", "text", removed_by_category="moderator"),
            submission(5, "[deleted by user]"),
            submission(6, "Kept", "", removed_by_category=None),
        ),
        "reddit",
        {"t3_s1": "A hedge\n\nIt grows.", "t3_s2": "A link", "t3_s6": "Kept"},
        {"removed": 3},
        extra={"created_at": "2023-11-14T22:13:20+00:00"},
    ),
    "reddit packed": File(
        packed(lines(comment(1, "a"), comment(2, "[removed]"))), "reddit", {"t1_c1": "a"}, {"removed": 1}
    ),
    "reddit packed and cut": File(
        packed(lines(*(comment(n, "a" * n) for n in range(90))))[:-90], "reddit", codes=("bad_archive",)
    ),
    "reddit as an array": File(whole([comment(1, "a"), comment(2, "b")]), "reddit", {"t1_c1": "a", "t1_c2": "b"}),
    "reddit, all removed": File(lines(comment(1, "[removed]")), "reddit", left={"removed": 1}, codes=("no_rows",)),
    "reddit with a broken line": File(lines(comment(1, "a")) + b'{"id": \n', "reddit", {}, codes=("invalid_json",)),
    "packed, of no platform": File(packed(lines({"id": "1", "text": "x"})), "interplay", {"1": "x"}),
    "reddit by other columns": File(
        lines(comment(1, "a", flair="x"), comment(2, "[removed]")),
        "jsonl",
        {"c1": "a", "c2": "[removed]"},
        command={"text_column": "body"},
        page={"text_column": "body"},
    ),
    "x, one page": File(
        whole({"data": [tweet(1, "A &lt;b&gt; &amp; c"), tweet(2, "two")], "includes": USERS, "meta": {}}),
        "x",
        {tweet(1, "")["id"]: "A <b> & c", tweet(2, "")["id"]: "two"},
        extra={"author": "wren", "author_id": "7", "lang": "en"},
    ),
    "x on one line": File(whole({"data": [tweet(1, "one")], "meta": {}}, None), "x", {tweet(1, "")["id"]: "one"}),
    "x, pages on lines": File(
        lines({"data": [tweet(1, "one")], "meta": {}}, {"data": [tweet(2, "two")], "includes": USERS, "meta": {}}),
        "x",
        {tweet(1, "")["id"]: "one", tweet(2, "")["id"]: "two"},
    ),
    "x, an array of pages": File(whole([{"data": [tweet(1, "one")]}]), "x", {tweet(1, "")["id"]: "one"}),
    "x, one post": File(whole({"data": tweet(1, "one"), "includes": USERS}), "x", {tweet(1, "")["id"]: "one"}),
    "x, includes first": File(whole({"includes": USERS, "data": [tweet(1, "one")]}), "x", {tweet(1, "")["id"]: "one"}),
    "x, deleted and mentioned": File(
        whole(
            {
                "data": [tweet(1, "one", referenced_tweets=[{"type": "replied_to", "id": "9"}])],
                "errors": [
                    {"resource_type": "tweet", "parameter": "ids", "resource_id": "3", "title": "Not Found Error"},
                    {"resource_type": "tweet", "parameter": "referenced_tweets.id", "resource_id": "9"},
                    {"resource_type": "user", "parameter": "ids"},
                ],
            }
        ),
        "x",
        {tweet(1, "")["id"]: "one"},
        {"removed": 1},
        extra={"referenced": ["replied_to:9"]},
    ),
    "x, a long post and a picture": File(
        whole(
            {
                "data": [
                    tweet(1, "cut …", note_tweet={"text": "all of it"}, attachments={"media_keys": ["3_1"]},
                          public_metrics={"like_count": 5})
                ],
                "includes": MEDIA,
            }
        ),
        "x",
        {tweet(1, "")["id"]: "all of it"},
        extra={"media_url": "https://example.org/a.jpg", "like_count": 5},
    ),  # fmt: skip
    "x, nothing found": File(whole({"data": [], "meta": {"result_count": 0}}), "jsonl", codes=("unknown_format",)),
    "telegram": File(
        whole(chat(message(1, "one"), message(2, ["two ", {"type": "bold", "text": "three"}], reply_to_message_id=1))),
        "telegram",
        {"10:1": "one", "10:2": "two three"},
        extra={"chat": "Garden", "author": "Mole", "created_at": "2026-01-01T10:00:00+00:00"},
    ),
    "telegram, events and stickers": File(
        whole(
            chat(
                message(1, "", action="pin_message") | {"type": "service"},
                message(2, "", media_type="sticker", file="stickers/a.webp"),
                message(3, "words"),
            )
        ),
        "telegram",
        {"10:3": "words"},
        {"service": 1, "empty": 1},
    ),
    "telegram, all chats": File(
        whole({"about": "x", "chats": {"about": "y", "list": [chat(message(1, "a")), chat(message(1, "b"), id=11)]}}),
        "telegram",
        {"10:1": "a", "11:1": "b"},
    ),
    "telegram, photos not exported": File(
        whole(chat(message(1, "a", photo="(File not included. Change data exporting settings to download.)"))),
        "telegram",
        {"10:1": "a"},
    ),
    "telegram in a zip with its photos": File(
        zipped(result__json=whole(chat(message(1, "", photo="photos/p.png"))), **{"photos/p__png": picture()}),
        "telegram",
        {"10:1": ""},
    ),
    "telegram, broken in the middle": File(
        whole(chat(message(1, "a"), message(2, "b")))[:-12], "telegram", codes=("invalid_json",)
    ),
    "imageboard": File(
        whole(
            {
                "posts": [
                    reply(100, "one<br>two<wbr>three", sub="Head", resto=0),
                    reply(101, '<a href="#p100">&gt;&gt;100</a>'),
                ]
            }
        ),
        "imageboard",
        {"100": "Head\n\none\ntwothree", "101": ">>100"},
        extra={"thread": "100", "created_at": "2026-01-01T10:00:00+00:00"},
    ),
    "imageboard, quotes, spoilers, scripts": File(
        whole({"posts": [reply(1, '<span class="quote">&gt;a &amp; b</span><br><s>c</s> <b>d</b> &#039;e&#039;')]}),
        "imageboard",
        {"1": ">a & b\nc d 'e'"},
    ),
    "imageboard, pictures and deleted": File(
        whole({"posts": [reply(1, "a"), reply(2, tim=5, ext=".jpg"), reply(3, "gone", deleted=1)]}),
        "imageboard",
        {"1": "a"},
        {"empty": 1, "removed": 1},
    ),
    "imageboard, threads on lines": File(
        lines({"posts": [reply(1, "a")], "board": "g"}, {"posts": [reply(2, "b")], "board": "g"}),
        "imageboard",
        {"1": "a", "2": "b"},
        extra={"board": "g"},
    ),
    "meta content": File(
        f"{META_HEAD}9001,one,2026-01-01,5,page,en,12\n9002,,2026-01-01,5,page,en,3\n9003,three,2026-01-02,6,group,en,1\n".encode(),
        "meta_content",
        {"9001": "one", "9003": "three"},
        {"empty": 1},
        extra={"post_owner.type": "page", "statistics.views": "12"},
    ),
    "meta content, many rows with few kinds": File(
        (META_HEAD + "".join(f"{n},text {n},2026-01-01,5,{'page' * (n % 2)},en,1\n" for n in range(60))).encode(),
        "meta_content",
        {str(n): f"text {n}" for n in range(60)},
    ),
    "meta content, ids that a spreadsheet rounded": File(
        f"{META_HEAD}1.23776E+18,one,2026-01-01,5,page,en,12\n".encode(), "meta_content", codes=("rounded_id",)
    ),
    "a form with one question": File(
        b"Timestamp,Email Address,What did you read?\n2026/01/01,a@example.org,one\n2026/01/02,b@example.org,two\n",
        "google_forms",
        {"": "one", " ": "two"},
        extra={"Timestamp": "2026/01/01", "Email Address": "e16bfe08be11"},
    ),
    "a form in Korean": File(
        "타임스탬프,어떤 댓글인가요?\n2026. 1. 1 오전 10:00:00,하나\n".encode(), "google_forms", {"": "하나"}
    ),
    "a form with two questions": File(
        b"Timestamp,What,Where\n2026/01/01,one,here\n", "google_forms", codes=("missing_column",)
    ),
    "a form with two questions, named": File(
        b"Timestamp,What,Where\n2026/01/01,one,here\n",
        "google_forms",
        {"": "one"},
        extra={"Where": "here"},
        command={"text_column": "What"},
        page={"text_column": "What"},
    ),
    "feather": File(
        arrow(id=["a", "b"], text=["one", "two"], score=[1.5, None]),
        "feather",
        {"a": "one", "b": "two"},
        extra={"score": 1.5},
    ),
    "feather, not packed": File(arrow("uncompressed", id=[1], text=["one"]), "feather", {"1": "one"}),
    "feather, categories of pandas": File(
        arrow("zstd", id=["a"], text=["one"], forum=pa.array(["x"]).dictionary_encode()),
        "feather",
        {"a": "one"},
        extra={"forum": "x"},
    ),
    "feather, cut off": File(arrow(id=["a"], text=["one"])[:-30], "feather", codes=("bad_parquet",)),
    "feather of version 1": File(b"FEA1" + b"\0" * 40 + b"FEA1", "feather", codes=("old_feather",)),
    "captions": File(
        zipped(
            **{"a__png": picture(), "a__txt": b"one\n", "b/c__png": picture(40), "b/c__txt": "둘".encode()},
            README__txt=b"x",
        ),
        "captions",
        {"a.png": "one", "b:c.png": "둘"},
    ),
    "a picture without a caption": File(
        zipped(a__png=picture(), a__txt=b"one", d__png=picture(90)), "captions", {"a.png": "one", "d.png": ""}
    ),
    "a caption whose picture is lost": File(
        zipped(a__png=picture(), a__txt=b"one", lost__txt=b"two"), "captions", codes=("missing_picture",)
    ),
    "captions in another encoding": File(
        zipped(a__png=picture(), a__txt="혐오 표현이 아닙니다".encode("cp949")), "captions", codes=("encoding",)
    ),
    "captions in a named encoding": File(
        zipped(**{"a__png": picture(), "a__txt": "둘".encode("cp949")}),
        "captions",
        {"a.png": "둘"},
        command={"encoding": "cp949"},
        page={"encoding": "cp949"},
    ),
    "a text that belongs to no picture": File(
        zipped(**{"a__png": picture(), "b__txt": b"id,text\n1,x\n"}), "csv", {"1": "x"}
    ),
}  # fmt: skip


@pytest.mark.once
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_what_comes_in(file: File, client: Any, tmp_path: Any, capsys: Any) -> None:
    project = make_project(slug="garden")
    path = tmp_path / "file"
    path.write_bytes(file.content)
    told = told_by_command(path, file, capsys)
    shown = shown_on_page(client, project, file)
    keys = ("format", "items", "left", "columns", "kept", "pictures", "missing_images")
    assert {key: told[key] for key in keys} == {key: shown[key] for key in keys}
    assert [error["reason"] for error in told["errors"]] == [error["reason"] for error in shown["errors"]]
    assert tuple(error["code"] for error in shown["errors"]) == file.codes
    assert shown["left"] == dict(file.left)
    if file.codes:
        return
    assert (shown["format"], shown["items"]) == (file.format, len(file.texts))
    report = import_file(project, io.BytesIO(file.content), options_of(file))
    assert report.stored
    items = list(Item.objects.filter(project=project).order_by("pk"))
    texts = {
        item.external_id if any(map(str.strip, file.texts)) else " " * n: item.text for n, item in enumerate(items)
    }
    assert texts == dict(file.texts)
    assert {name: items[0].extra.get(name) for name in file.extra} == dict(file.extra)


def options_of(file: File) -> ImportOptions:
    named = {name: value for name, value in file.command.items() if name != "text_column"}
    return ImportOptions(**named, mapped=Mapped(text=file.command.get("text_column", "")))


def told_by_command(path: Any, file: File, capsys: Any) -> dict[str, Any]:
    with suppress(SystemExit, CommandError):
        call_command("import_items", "garden", str(path), dry_run=True, as_json=True, **file.command)
    return dict(json.loads(capsys.readouterr().out))


def shown_on_page(client: Any, project: Any, file: File) -> dict[str, Any]:
    client.force_login(make_member(project, Role.ADMIN).user)
    upload = SimpleUploadedFile("file", file.content)
    answer = client.post(
        reverse("annotation:import", args=["garden"]),
        {"file": upload, **file.page},
        headers={"Accept": "application/json"},
    )
    return dict(answer.json()["outcome"])


BOMBS: dict[str, Callable[[], bytes]] = {
    "zeros": lambda: packed(b"\0" * (80 * 2**20)),
    "lines": lambda: packed(lines(comment(1, "x" * 900)) * 80_000),
}


@pytest.mark.once
@pytest.mark.parametrize("bomb", BOMBS)
def test_b122_a_packed_file_that_grows_too_large_is_refused(bomb: str) -> None:
    report = import_file(make_project(), io.BytesIO(BOMBS[bomb]()), ImportOptions(), dry_run=True)
    assert report.fatal is not None
    assert report.fatal.code in ("unpacks_too_large", "line_too_long", "encoding", "ratio")


FEW = {
    "X": whole(
        {"data": [{"id": "1", "text": "A post.", "public_metrics": {
            "like_count": 0, "retweet_count": 1, "reply_count": 0, "quote_count": 0, "bookmark_count": 1}}]}
    ),
    "Meta": b"id,text,creation_time,statistics.views,statistics.likes,statistics.shares,post_owner.id\n"
            b"1,A post.,2026-01-01,1,0,0,77\n2,Another.,2026-01-01,0,1,1,78\n",
    "Telegram": whole({"name": "Garden", "type": "public_channel", "id": 7, "messages": [
        {"id": n, "type": "message", "date": f"2026-01-0{n}T00:00:00", "from": "Wren",
         "text": "A post.", "views": n % 2, "forwards": 1 - n % 2, "up": 0}
        for n in range(1, 4)]}),
}  # fmt: skip


@pytest.mark.parametrize("content", FEW.values(), ids=FEW)
def test_low_counts_of_a_platform_are_no_labels(content: bytes) -> None:
    """Three columns of 0 and 1 stop a table of unknown origin; these are a platform's own."""
    report = import_file(make_project(), io.BytesIO(content), ImportOptions())
    assert report.errors == [] and report.stored
