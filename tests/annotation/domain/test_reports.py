"""Rules of reports: where a post returns to, and which addresses the words of a contact name."""

import pytest

from annotation.domain.choices import Stage
from annotation.domain.reports import addresses_in, needs_labels_again


@pytest.mark.parametrize(
    ("stage", "excluded_for", "before", "now", "again"),
    [
        (Stage.GOLD, None, 3, 3, False),
        (Stage.GOLD, None, 3, 2, True),
        (Stage.GOLD, None, 3, 4, False),  # an import added one
        (Stage.GOLD, None, 0, 0, False),  # it came as gold: nobody labelled it
        (Stage.DISPUTED, None, 3, 2, True),
        (Stage.LABELLING, None, 2, 1, False),  # it is labelled all the same
        (Stage.EXCLUDED, "low_quality", 3, 2, True),
        (Stage.EXCLUDED, "withdrawn", 3, 2, False),
        (Stage.KNOWN, None, 5, 4, False),
    ],
)
def test_a_post_whose_deciding_labels_are_gone_is_labelled_again(stage, excluded_for, before, now, again):
    assert needs_labels_again(stage, excluded_for, before, now) is again


@pytest.mark.parametrize(
    ("contacts", "addresses"),
    [
        (("legal@example.org",), ["legal@example.org"]),
        (("Ms Kim, room 4 <kim@lab.example.ac.kr>, or call 02-123",), ["kim@lab.example.ac.kr"]),
        (("법률팀: a.b+c@example.org。", "A.B+C@example.org"), ["a.b+c@example.org"]),
        (("a@example.org; b@example.org\nc@example.org.",), ["a@example.org", "b@example.org", "c@example.org"]),
        (("The legal desk, room 4", "", "@example", "a@b", "a@b.", "https://example.org/@me"), []),
    ],
)
def test_the_words_of_a_contact_name_its_addresses(contacts, addresses):
    assert addresses_in(*contacts) == addresses
