"""Files in IntentCONANv2's columns, as spreadsheets write them."""

import json

import pytest

from generation.domain.counterspeech.intentconan import BadFile, BadRow, Row, read_rows


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("opening", ["", "\ufeff"])
def test_a_table_is_read_with_any_separator_of_spreadsheets(delimiter: str, opening: str) -> None:
    lines = [("hatespeech", "csType", "counterspeech"), ("Go away, now; please", "POSITIVE", "Welcome!")]
    quoted = [delimiter.join(f'"{cell}"' if " " in cell else cell for cell in line) for line in lines]
    (row,) = read_rows((opening + "\r\n".join(quoted)).encode(), "a.csv")
    assert isinstance(row, Row) and (row.hate, row.text) == ("Go away, now; please", "Welcome!")


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(BadFile, match="no column 'counterspeech'"):
        list(read_rows(b"hatespeech;csType\nGo away;POSITIVE\n", "a.csv"))


@pytest.mark.parametrize("column", ["id", "hatespeech", "counterspeech", "csType"])
@pytest.mark.parametrize(("character", "said"), [("\0", "NUL"), ("\ud800", "surrogate")])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_characters_that_cannot_be_stored_are_errors_of_their_row(
    column: str, character: str, said: str, name: str
) -> None:
    row = {"hatespeech": "Go away", "csType": "POSITIVE", "counterspeech": "Welcome!"} | {column: f"a{character}"}
    content = json.dumps([row] if name == "a.json" else row).encode()
    (bad,) = read_rows(content, name)
    assert isinstance(bad, BadRow) and (bad.line, said in bad.reason) == (1, True)
