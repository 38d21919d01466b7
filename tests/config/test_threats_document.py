"""docs/threats.md stays true: every case has its row, and the test file that a row names exists and names the case."""

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
ROWS = re.findall(
    r"^\| ([TBLF]\d+|PI\d+) \| .+ \| .+ \| `(.+)` \|$", (ROOT / "docs/threats.md").read_text(encoding="utf-8"), re.M
)
THREATS = (*range(1, 9), *range(10, 14), 15, 16, *range(18, 22), *range(23, 28), *range(40, 45))
INPUTS = (*range(1, 26), *range(27, 120), *range(121, 135))
LEAKS = range(1, 34)
PROMPTS = range(1, 15)
FAULTS = (*range(1, 9), *range(11, 14), *range(16, 21), *range(23, 30), *range(32, 38), *range(40, 43), *range(46, 51))
CASES = [
    *(f"T{n}" for n in THREATS),
    *(f"B{n:02}" for n in INPUTS),
    *(f"L{n:02}" for n in LEAKS),
    *(f"PI{n}" for n in PROMPTS),
    *(f"F{n}" for n in FAULTS),
]


def test_every_case_has_one_row_in_order():
    assert [case for case, _file in ROWS] == CASES


def test_the_test_of_a_case_exists_and_names_it():
    for case, file in ROWS:
        files = file.split("`, `")  # the first names the case, others show more of it
        source, *_more = ((ROOT / "tests" / each).read_text(encoding="utf-8").replace("_", " ") for each in files)
        assert re.search(rf"(?<![A-Za-z0-9]){case}(?![0-9A-Za-z])", source, re.I), case
