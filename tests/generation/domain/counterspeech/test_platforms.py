"""Lengths as platforms count them; expected values are worked by hand from the rules that the platforms publish."""

import pytest

from generation.domain.counterspeech.platforms import LIMITS, Platform, length_on, lengths

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"  # one emoji of seven code points
LINK = "https://example.com/" + "a" * 100

# text, then its length on X, Bluesky, Mastodon, Threads and in units of UTF-16
COUNTED = [
    ("", 0, 0, 0, 0, 0),
    ("  Hello.  ", 6, 6, 6, 6, 6),
    ("Be kind.", 8, 8, 8, 8, 8),
    ("친절", 4, 2, 2, 2, 2),
    ("善良で", 6, 3, 3, 3, 3),
    ("é", 1, 1, 1, 1, 1),
    ("e\u0301", 1, 1, 1, 2, 2),  # composed before X counts
    ("“quoted” – so", 13, 13, 13, 13, 13),  # quotes and dashes are light
    ("so…", 4, 3, 3, 3, 3),  # the ellipsis is not
    ("😀", 2, 1, 1, 4, 2),
    ("a😀b", 4, 3, 3, 6, 4),
    (FAMILY, 2, 1, 1, 25, 11),
    ("👍🏽", 2, 1, 1, 8, 4),
    ("🇰🇷", 2, 1, 1, 8, 4),
    ("1\ufe0f\u20e3", 2, 1, 1, 7, 3),
    ("❤️", 2, 1, 1, 6, 2),
    ("©", 1, 1, 1, 1, 1),
    ("𝐁", 2, 1, 1, 1, 2),
    (LINK, 23, 120, 23, 120, 120),
    (f"See {LINK}.", 28, 125, 28, 125, 125),
    (f"{LINK} {LINK}", 47, 241, 47, 241, 241),
    ("See example.com.", 28, 16, 16, 16, 16),  # X links a host without a scheme
    ("a.b", 3, 3, 3, 3, 3),
    ("e.g. this", 9, 9, 9, 9, 9),
    ("write to me@example.com", 23, 23, 23, 23, 23),  # no link
    ("@user@mastodon.social hi", 24, 24, 8, 24, 24),
    ("@user hi", 8, 8, 8, 8, 8),
    ("#garden", 7, 7, 7, 7, 7),
    ("line\nline", 9, 9, 9, 9, 9),
]


@pytest.mark.parametrize(("text", "x", "bluesky", "mastodon", "threads", "units"), COUNTED)
def test_a_text_is_counted_as_each_platform_counts(
    text: str, x: int, bluesky: int, mastodon: int, threads: int, units: int
) -> None:
    found = {each.platform: each.length for each in lengths(text)}
    assert [found[name] for name in (Platform.X, Platform.BLUESKY, Platform.MASTODON, Platform.THREADS)] == [
        x, bluesky, mastodon, threads,
    ]  # fmt: skip
    others = (Platform.FACEBOOK, Platform.INSTAGRAM, Platform.YOUTUBE, Platform.REDDIT, Platform.TIKTOK)
    assert {found[name] for name in others} == {units}


@pytest.mark.parametrize(
    ("platform", "letter", "fits"),
    [
        (Platform.X, "a", 280),
        (Platform.X, "가", 140),
        (Platform.X, "😀", 140),
        (Platform.BLUESKY, FAMILY, 300),
        (Platform.MASTODON, "가", 500),
        (Platform.THREADS, "a", 500),
        (Platform.THREADS, "😀", 125),
        (Platform.TIKTOK, "a", 150),
    ],
)
def test_the_last_text_that_fits_and_the_first_that_does_not(platform: Platform, letter: str, fits: int) -> None:
    assert length_on(platform, letter * fits).over == 0
    assert length_on(platform, letter * (fits + 1)).over > 0


def test_every_platform_has_its_row() -> None:
    assert set(LIMITS) == set(Platform) and [each.platform for each in lengths("x")] == list(LIMITS)
