"""What the tags that pages share make of words."""

import pytest

from annotation.templatetags.page import breakable


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("NotHate", "NotHate"),
        ("NotHateSpeech", "Not<wbr>Hate<wbr>Speech"),
        ("HateSpeech", "Hate<wbr>Speech"),
        ("A<b>Name & more", "A&lt;b&gt;Name &amp; more"),
        ("출신차별출신차별출신차별", "출신차별출신차별출신차별"),
    ],
)
def test_a_long_name_may_be_broken_before_its_capitals(name: str, shown: str) -> None:
    assert breakable(name) == shown
