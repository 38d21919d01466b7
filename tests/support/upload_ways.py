"""Every way by which a file or a body of a stranger comes into a web process: who reads it, and the worst of its kind.

A view that takes files and has no entry here fails `tests/whole_site/test_reading_costs.py`.
"""

import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as default

from PIL import Image

from annotation.domain.formats.base import Format
from annotation.imports.examples import EXAMPLES

MB = 10**6
Content = Callable[[], Iterator[bytes]]
PROCESS = "a process of its own"
"""Who reads what must be unpacked or parsed with a library: within limits of memory and time."""


def of(piece: bytes, length: int, before: bytes = b"", after: bytes = b"") -> Content:
    """Return a content of about this length: the piece again and again."""

    def content() -> Iterator[bytes]:
        yield before
        times, block = length // len(piece), 10_000
        for _ in range(times // block):
            yield piece * block
        yield piece * (times % block) + after

    return content


def lines(line: Callable[[int], str], count: int, head: str = "", end: str = "") -> Content:
    """Return a content of numbered lines."""

    def content() -> Iterator[bytes]:
        yield head.encode()
        for start in range(0, count, 5000):
            yield "".join(line(number) for number in range(start, min(count, start + 5000))).encode()
        yield end.encode()

    return content


def whole(make: Callable[[], bytes]) -> Content:
    """Return a content that is made in one piece."""

    def content() -> Iterator[bytes]:
        yield make()

    return content


def zipped(members: Mapping[str, Content]) -> bytes:
    """Return a ZIP of members that are written piece by piece."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            with archive.open(name, "w") as member:
                for piece in content():
                    member.write(piece)
    return out.getvalue()


def bilevel(number: int) -> bytes:
    """Return a picture of 39 million pixels in a few kilobytes."""
    out = io.BytesIO()
    picture = Image.new("1", (6200, 6300))
    picture.putpixel((number, 0), 1)
    picture.save(out, "PNG")
    return out.getvalue()


def photograph(number: int) -> bytes:
    """Return a picture of 4 million pixels that no compression makes small."""
    out = io.BytesIO()
    small = Image.frombytes("RGB", (200, 200), random.Random(number).randbytes(120_000))
    small.resize((2000, 2000)).save(out, "JPEG", quality=90)
    return out.getvalue()


def pictures() -> bytes:
    """Return an archive of thirty tiny files with more than a thousand million pixels."""
    rows = "".join(json.dumps({"id": str(n), "text": "Weeds", "image": f"{n}.png"}) + "\n" for n in range(30))
    members = {f"{n}.png": whole(lambda n=n: bilevel(n)) for n in range(30)}  # type: ignore[misc]  # of a lambda
    return zipped({"posts.jsonl": whole(rows.encode), **members})


def pdf_bomb() -> bytes:
    """Return a PDF whose only page unpacks to 136 MB of drawn words."""
    packed = zlib.compress(b"BT (weeds) Tj ET " * 8_000_000, 9)
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
    )
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (number, text.encode()) for number, text in enumerate(objects, 1))
    body += (
        b"4 0 obj\n<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed + b"\nendstream\nendobj\n"
    )
    return b"%PDF-1.7\n" + body + b"trailer << /Root 1 0 R /Size 9 >>\n%%EOF"


def row(number: int) -> str:
    return f'{{"id": "r-{number}", "text": "Weeds in garden {number}."}}\n'  # json takes ten times as long


@dataclass(frozen=True)
class Way:
    """A view that takes a file: its page, the field of the file, other fields, who reads it, and what is sent."""

    page: str
    readers: tuple[str, ...]
    """Names of READERS in the test of reading costs, or PROCESS."""
    small: Content
    contents: Mapping[str, Content]
    ending: str
    field: str = "file"
    argument: str = ""
    fields: Mapping[str, str] = default(default_factory=dict)
    copies: Mapping[str, int] = default(default_factory=dict)

    def file_name(self, name: str) -> str:
        """Return the name of the file: the content's name may end in another ending."""
        return name if name.rpartition(".")[2] in ("txt", "md", "html", "pdf") else f"a.{self.ending}"

    def times(self, name: str) -> int:
        return self.copies.get(name, 1)


FORMATS = tuple(
    f"the format {kind}"
    for kind in sorted(set(Format) - {Format.AUTO, Format.XLSX, Format.PARQUET, Format.IMAGEFOLDER, Format.WEBDATASET})
)
SMALL = 2 * 2**20 - 1000
"""Just below the size up to which a page carries an import out itself."""
JSON_ATTACKS = {
    "brackets": of(b"[", MB - 10),
    "many names": lines(lambda n: f'"a{n}":["b"],', 60_000, "{"),
    "short texts": of(b'"a",', MB - 100, b'{"a": [', b'"a"]}'),
}
WAYS = {
    "annotation/imports/views.py:imports": Way(
        "annotation:import",
        (*FORMATS, "detection", "JSON", "masking of names and numbers", PROCESS),
        lines(row, 10),
        {
            "rows": lines(row, SMALL // 50),
            "short rows": lines(lambda n: f"{n},a\n", SMALL // 9, "id,text\n"),
            "bad rows": of(b"x\n", SMALL, b"id,text,label\n"),
            "an array": of(b"{},", SMALL, b"[", b"{}]"),
            "many keys": lines(lambda n: f'"k{n}":1,', SMALL // 12, '{"id":"1","text":"a",'),
            "one text": of(b"\xf0\x9f\x8c\xb1", SMALL, b'{"id":"1","text":"', b'"}'),
            "more than a page waits for": lines(row, 60 * MB // 50),
            "Parquet": whole(EXAMPLES[Format.PARQUET].read_bytes),
            "a workbook": whole(EXAMPLES[Format.XLSX].read_bytes),
            "a table packed 500 times": whole(lambda: zipped({"a.csv": of(b"1,a\n", 36 * MB, b"id,text\n")})),
            "pictures": whole(pictures),
        },
        "jsonl",
    ),
    "annotation/glossary/views.py:import_file": Way(
        "annotation:glossary-import",
        ("a glossary",),
        lines(lambda n: f"weed {n},a plant\n", 3, "term,meaning\n"),
        {
            "entries": lines(lambda n: f"word{n},a plant that grows in garden {n}\n", 400_000, "term,meaning\n"),
            "long entries": lines(lambda n: f"word{n},{'weed ' * 190}\n", 19_900, "term,meaning\n"),
        },
        "csv",
    ),
    "annotation/projects/views_design.py:read_file": Way(
        "annotation:design-read", ("a design",), of(b"{}", 2), JSON_ATTACKS, "json"
    ),
    "annotation/projects/views_lifecycle.py:new": Way(
        "annotation:project-new", ("a design",), of(b"{}", 2), JSON_ATTACKS, "json", fields={"slug": "other"}
    ),
    "annotation/releases/views.py:releases": Way(
        "annotation:releases",
        ("a split list",),
        lines(lambda n: f"r-{n},train\n", 3),
        {
            "ids": lines(lambda n: f"r-{n},train\n", 49 * MB // 16),
            "one line": of(b"a", 49 * MB),
        },
        "csv",
        field="split_file",
        fields={"key": "KEY", "formats": "hvli"},
    ),
    "moderation/evidence/views_documents.py:documents": Way(
        "moderation:documents",
        ("words of a document", "passages of a document", "a text", PROCESS),
        of(b"Weeds are plants. ", 200),
        {
            "words.txt": of(b"weeds grow ", 2 * MB - 100),
            "signs.txt": of("\U0001f331 ".encode(), 5 * MB),
            "one sign among letters.txt": of(b"a", 8 * MB - 100, "\U0001f331".encode()),
            "lines.md": of(b"#\n", 2 * MB - 100),
            "references.html": of(b"&am", 18 * MB, b"<p>"),
            "elements.html": of(b"<div>", 19 * MB),
            "tags.html": of(b"<", 19 * MB),
            "text.html": of(b"weeds grow here. ", 19 * MB, b"<p>"),
            "packed.pdf": whole(pdf_bomb),
            "no.pdf": of(b"\x00", 19 * MB, b"%PDF-1.7\n"),
        },
        "txt",
    ),
    "moderation/hatexscore/views.py:add_list": Way(
        "moderation:group-list-add", ("a group list",), of(b"{}", 2), JSON_ATTACKS, "json", fields={"name": "mine"}
    ),
    "moderation/perspectives/views.py:import_file": Way(
        "moderation:perspective-import",
        ("the format jsonl", "the format csv", PROCESS),
        lines(lambda n: f"weed {n},hateful\n", 3, "text,label\n"),
        {
            "rows": lines(lambda n: f"weed {n} {'grows ' * 60},hateful\n", 19 * MB // 380, "text,label\n"),
            "short rows": lines(lambda n: f"{n},hateful\n", 19 * MB // 14, "text,label\n"),
            "bad rows": of(b"x\n", 19 * MB, b"text,label\n"),
            "a table packed 500 times": whole(lambda: zipped({"a.csv": of(b"a,hateful\n", 90 * MB, b"text,label\n")})),
        },
        "csv",
        argument="perspective",
        fields={"text_column": "text", "label_column": "label", "do": "store"},
    ),
    "moderation/studies/views.py:start_study": Way(
        "moderation:study-start",
        ("a study",),
        of(b"a = 1\n", 6),
        {"names": lines(lambda n: f"a{n} = 1\n", 9_000), "brackets": of(b"[", 99_000, b"a = ")},
        "toml",
    ),
    "moderation/desk/views_actions.py:values": Way(
        "moderation:desk-values", ("value lists",), of(b"{}", 2), JSON_ATTACKS, "json"
    ),
    "generation/injection/views_plan.py:read_file": Way(
        "generation:injection-file", ("a plan",), of(b"[]", 2), JSON_ATTACKS, "json", field="plan"
    ),
    "generation/injection/views_material.py:add_files": Way(
        "generation:pool-files",
        (PROCESS,),
        whole(lambda: photograph(0)),
        {"a photograph": whole(lambda: photograph(1)), "pixels": whole(lambda: bilevel(1))},
        "png",
        field="files",
        argument="pool",
    ),
}
IMPORT = ("/api/v1/projects/garden/import/", "application/json")
FORM = ("/p/garden/guidelines/edit/", "application/x-www-form-urlencoded")
BODIES: Mapping[str, tuple[tuple[str, str], Content]] = {
    "rows": (IMPORT, lines(lambda n: row(n).strip() + ",", 999, '{"rows":[', row(999) + "]}")),
    "many keys": (IMPORT, lines(lambda n: f'"{n}":1,', 190_000, '{"rows":[{', '"a":1}]}')),
    "more keys": (IMPORT, lines(lambda n: f'"{n}":1,', 400_000, '{"rows":[{', '"a":1}]}')),
    "texts": (IMPORT, lines(lambda n: f'"{n}",', 190_000, '{"rows":[', '"a"]}')),
    "brackets": (IMPORT, of(b"[", 5 * MB)),
    "short texts": (IMPORT, of(b'"a",', 5 * MB, b'{"rows":[', b'"a"]}')),
    "Hangul": (FORM, of(b"%EA%B0%80", 1_800_000, b"number=0&text=")),
    "escaped letters": (FORM, of(b"%41", 600_000, b"number=0&text=")),
    "escaped signs": (FORM, of(b"%26", 600_000, b"number=0&text=")),
    "too many signs": (FORM, of(b"%25", 5 * MB, b"text=")),
    "many fields": (FORM, of(b"a=1&", 5 * MB)),
}
