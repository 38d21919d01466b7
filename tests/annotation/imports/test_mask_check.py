"""mask_check: what masking finds in a file of texts, and what it says of bad input."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Item

pytestmark = pytest.mark.django_db


def checked(path: Path, *arguments: str) -> list[dict[str, Any]]:
    printed = io.StringIO()
    call_command("mask_check", str(path), "--json", *arguments, stdout=printed)
    return [json.loads(line) for line in printed.getvalue().splitlines()]


def test_each_text_is_told_with_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "posts.jsonl"
    file.write_text('{"id": "k11", "text": "010-1234-5678로 전화해"}\n\n{"id": 7, "text": "on 2023-05-14"}\nask @ada\n')
    assert checked(file) == [
        {"id": "k11", "masked": "<phone>로 전화해", "found": [{"kind": "phones", "start": 0, "end": 13}]},
        {"id": "7", "masked": "on 2023-05-14", "found": []},
        {"id": "4", "masked": "ask <user>", "found": [{"kind": "handles", "start": 4, "end": 8}]},
    ]
    assert checked(file, "--kinds", "emails")[0]["found"] == []
    assert not Item.objects.exists()


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (b'{"id": "a"}', (), "Line 1 has no text"),
        (b'{"id": "a",', (), "Line 1 is no JSON object"),
        (b"\xff\xfe", (), "is not in UTF-8"),
        (b"a", ("--kinds", "names"), "There are"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path: Path, content: bytes, arguments: tuple[str, ...], said: str) -> None:
    file = tmp_path / "posts.jsonl"
    file.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        checked(file, *arguments)
    with pytest.raises(CommandError, match="cannot be read"):
        checked(tmp_path / "nowhere")


def test_countries_are_named_by_their_codes(tmp_path: Path) -> None:
    file = tmp_path / "posts.jsonl"
    file.write_text("698765432\n")
    assert [row["masked"] for row in checked(file)] == ["698765432"]
    assert [row["masked"] for row in checked(file, "--regions", "es,KR")] == ["<phone>"]
    with pytest.raises(CommandError, match="no country with the code XX"):
        checked(file, "--regions", "XX")
