"""Files made to use up the machine: refused within five seconds of work and 200 MB of memory (threat T13)."""

import io
import json
import os
import resource
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from PIL import Image

import builders
from annotation.domain.choices import Role
from annotation.imports.job import IMPORTS
from annotation.models import Import, ImportState, Item, Picture

pytestmark = pytest.mark.django_db


def zipped(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("_", "."), content)
    return out.getvalue()


def pictured(content: bytes, name: str = "1_png") -> bytes:
    row = json.dumps({"id": "a", "text": "Weeds", "image": name.replace("_", ".")}).encode()
    return zipped(posts_jsonl=row + b"\n", **{name: content})


def bilevel(width: int, height: int, frames: int = 1) -> bytes:
    out = io.BytesIO()
    first, *others = [Image.new("1", (width, height), number % 2) for number in range(frames)]
    first.save(out, "GIF" if others else "PNG", **({"save_all": True, "append_images": others} if others else {}))
    return out.getvalue()


def text_bomb() -> bytes:
    """A PNG whose comment unpacks to 300 MB."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b"\0" * 2**20) for _ in range(300)) + packer.flush()
    picture = bilevel(32, 32)
    return picture[:33] + chunk(b"zTXt", b"Comment\0\0" + packed) + picture[33:]


def many_members() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("posts.jsonl", '{"id": "a", "text": "Weeds"}\n')
        for number in range(50_000):
            archive.writestr(f"p/{number}.png", b"")
    return out.getvalue()


def nested(levels: int = 8) -> bytes:
    content = b"\0" * 2**20
    for _ in range(levels):
        content = zipped(a_zip=content, posts_jsonl=b'{"id": "a", "text": "Weeds"}\n')
    return content


BOMBS: dict[str, Callable[[], bytes]] = {
    "B08 a quote that swallows a million rows": lambda: b'id,text\n1,"oops\n' + b"2,b\n" * 1_000_000,
    "B09 one field of 50 MB": lambda: b"id,text\n1," + b"a" * 50 * 2**20,
    "B10 a row of a million columns": lambda: b"id,text\n" + b"a," * 1_000_000 + b"\n",
    "B14 ten million brackets": lambda: b"[" * 10_000_000,
    "B14 objects in objects in one row": lambda: b'{"a":' * 2_000_000,
    "B15 a number of ten million digits": lambda: b'{"id": ' + b"9" * 10_000_000 + b', "text": "a"}\n',
    "B16 a million keys": lambda: b'{"id": "a", "text": "a"' + b', "k": 1' * 1_000_000 + b"}\n",
    "B22 a text of 40 MB": lambda: b'{"id": "a", "text": "' + b"a" * 40 * 2**20 + b'"}\n',
    "B27 one id a hundred thousand times": lambda: b'{"id": "a", "text": "a"}\n' * 100_000,
    "B39 a hundred thousand empty rows": lambda: b'{"id": "a"}\n' * 100_000,
    "B56 108 million pixels": lambda: pictured(bilevel(12_000, 9_000)),
    "B57 169 million pixels": lambda: pictured(bilevel(13_000, 13_000)),
    "B58 thirty frames of 16 million pixels": lambda: pictured(bilevel(4_000, 4_000, 30)),
    "B61 a comment of 300 MB": lambda: pictured(text_bomb()),
    "B69 200 MB of zeros": lambda: zipped(posts_jsonl=b'{"id": "a", "text": "a"}\n', z_bin=b"\0" * 200 * 2**20),
    "B69 a table of 200 MB of line ends": lambda: zipped(posts_jsonl=b"\n" * 200 * 2**20),
    "B71 ZIPs in ZIPs": nested,
    "B73 50,000 members": many_members,
}


def seconds_of_work() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def second() -> float:
    """Return the processor time of a second: more where the core is slow, or shared with other processes."""
    begun = seconds_of_work()
    for _ in range(550_000):
        json.loads('{"id": "a", "text": "Weeds"}')
    return max(1.0, (seconds_of_work() - begun) / 0.5)


@pytest.mark.slow
@pytest.mark.once  # a bomb is refused before the database sees a row of it
@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_refused_at_little_cost(bomb: Callable[[], bytes], client: Client) -> None:
    admin = builders.make_member(builders.make_project("garden"), Role.ADMIN)
    assert admin.user is not None
    client.force_login(admin.user)
    upload = SimpleUploadedFile("file", bomb())
    address, json_wanted = reverse("annotation:import", args=["garden"]), {"Accept": "application/json"}
    memory, work = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, seconds_of_work()
    answer = client.post(address, {"file": upload}, headers=json_wanted)
    if answer.status_code == 201:  # too large to be looked at while the page waits: a worker does
        IMPORTS.perform(Import.objects.get().pk)
    work = seconds_of_work() - work
    # What the test client holds of the upload itself is not the site's: it copies it about three times.
    copies = 4 * (upload.size or 0) / 1024
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory - copies
    row = Import.objects.get()
    assert row.state == ImportState.REFUSED
    assert row.outcome["errors"][0]["code"]
    assert len(row.outcome["errors"]) <= 100
    assert work < 5 or work / second() < 5
    assert grown < 200 * 1024  # KiB
    assert not Item.objects.exists() and not Picture.objects.exists()
