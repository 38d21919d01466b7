"""Which codes of PostgreSQL are outages: 503 for people, another try for workers."""

import psycopg
import pytest
from django.db import InternalError, OperationalError

from runs.sql.sqlstates import Outage, outage

CODES = {
    Outage.LOST: ["08000", "08003", "08006", "08P01", "25006", "25P03", "25P04"]
    + ["57P01", "57P02", "57P03", "57P04", "57P05"],
    Outage.BUSY: ["53000", "53200", "53300", "53400", "55P03", "55006", "58000", "58030"],
    Outage.CONFLICT: ["40001", "40003", "40P01"],
    Outage.STOPPED: ["57014"],
    Outage.DISK: ["53100"],
    None: ["00000", "22001", "23505", "25001", "25P02", "40002", "42601", "42P01", "57000", "XX000", "XX001", "P0001"],
}


class Coded(Exception):
    def __init__(self, code: str) -> None:
        self.sqlstate = code


@pytest.mark.parametrize(("code", "meaning"), [(code, meaning) for meaning, codes in CODES.items() for code in codes])
def test_each_code_has_one_meaning_wherever_it_comes_from(code, meaning):
    assert outage(Coded(code)) is meaning
    raised = OperationalError("as Django raises it")
    raised.__cause__ = Coded(code)
    assert outage(raised) is meaning


def test_a_fault_without_a_code_is_no_outage():
    assert (
        outage(None)
        is outage(ValueError("a"))
        is outage(InternalError("a"))
        is outage(psycopg.OperationalError())
        is None
    )
