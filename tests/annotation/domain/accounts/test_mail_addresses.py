import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.domain.accounts.mail_addresses import normal_address

SAME = {
    "wren@example.org": ["WREN@EXAMPLE.ORG", " wren@example.org ", "ｗｒｅｎ@example.org", "wren@example.org."],
    "wren@xn--mnchen-3ya.example": ["wren@münchen.example", "WREN@MÜNCHEN.example", "wren@XN--MNCHEN-3YA.example"],
    "": ["", " "],
    "no address": ["No address"],
    "a@": ["A@"],
}


@pytest.mark.parametrize(("normal", "written"), [(normal, way) for normal, ways in SAME.items() for way in ways])
def test_one_mailbox_is_one_text(normal, written):
    assert normal_address(written) == normal


@given(st.one_of(st.text(), st.emails()))
def test_what_is_normal_stays_so(text):
    assert normal_address(normal_address(text)) == normal_address(text)
