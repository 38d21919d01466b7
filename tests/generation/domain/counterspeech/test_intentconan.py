"""Files in IntentCONANv2's columns, as spreadsheets write them."""

import pytest

from generation.domain.counterspeech.intentconan import BadFile, Row, read_rows


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
