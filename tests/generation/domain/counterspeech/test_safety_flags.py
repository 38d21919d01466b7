"""What a reply must not do: the post's insults, threats, names, swear words, the wrong side; claims and doubles."""

import pytest

from generation.domain.counterspeech.claims import claims
from generation.domain.counterspeech.intents import Intent, UnknownIntent, read_intent, read_intents
from generation.domain.counterspeech.safety_flags import Flag, flags, in_wording, insults_of
from generation.domain.near_duplicates import distinct, shared_pieces
from generation.domain.tokens import tokens
from generation.domain.word_diff import changes, share_kept

POST = "The new weeds are choking the white roses on our street, <slur>s all of them."


@pytest.mark.parametrize(
    ("reply", "raised"),
    [
        ("Nobody on this street was planted here first.", []),
        ("These weeds pay rent as you do.", [Flag.REPEATS_INSULT]),
        ("WEEDS? People.", [Flag.REPEATS_INSULT]),
        ("A weedy argument about people.", []),  # another word
        ("W\u200beeds, you say.", [Flag.REPEATS_INSULT]),  # hidden characters hide nothing
        ("I know where you live.", [Flag.THREATENS]),
        ("You'll regret this, you are pathetic.", [Flag.THREATENS, Flag.CALLS_NAMES]),
        ("That is bullshit.", [Flag.SWEARS]),
        ("That is b***t.", [Flag.SWEARS]),
        ("那些邻居也是人,闭嘴。", [Flag.CALLS_NAMES]),
        ("당신 말은 개소리입니다.", [Flag.SWEARS]),
    ],
)
def test_the_wording_of_a_reply_raises_flags(reply: str, raised: list[Flag]) -> None:
    insults = insults_of(POST, ["weeds", "<slur>s", "not in the post"], [])
    assert flags(reply, insults) == raised


def test_the_critics_numbers_raise_flags_too() -> None:
    assert flags("They are right.", pc=0.2, t=0.1) == [Flag.SUPPORTS_CLAIM]
    assert flags("They are right.", pc=-0.2, t=0.5) == [Flag.TOXIC]
    assert flags("They are right.", pc=0.0, t=0.49) == []


def test_only_insults_that_stand_in_the_post_count_and_the_lexicon_always() -> None:
    assert insults_of(POST, ["weeds", "roses of another garden", "Weeds"], ["thistle"]) == ["weeds", "thistle"]
    whole = "The new weeds are choking the white roses"
    assert insults_of(POST, [whole], []) == []  # a quotation, not an insult
    assert in_wording("Call nobody a thistle.", ["thistle"])[0].words == "thistle"


def test_claims_are_the_sentences_that_somebody_can_check() -> None:
    reply = (
        "Twelve families moved in, which is 3.5 % of the street. According to the census, nobody left. "
        "Come and meet them! Do 40 people frighten you? Most of them work here."
    )
    assert claims(reply) == [
        "Twelve families moved in, which is 3.5 % of the street.",
        "According to the census, nobody left.",
        "Most of them work here.",
    ]
    assert claims("Please be kind to each other.") == []
    assert claims("研究显示他们更常帮助邻居。") == ["研究显示他们更常帮助邻居。"]


def test_near_duplicates_are_dropped_and_the_first_stays() -> None:
    first = "Nobody on this street was planted here first, and the roses are still white."
    again = "Nobody on this street was planted here first; and the roses are still white!"
    other = "What exactly is being choked, and by whom?"
    assert shared_pieces(first, again) == 1.0
    assert distinct([first, again, other, "  ", other.upper()]) == ([first, other], 3)
    assert distinct([first], known=[again]) == ([], 1)


def test_changes_lead_from_the_models_text_to_the_persons() -> None:
    before = "Most families came from somewhere else within three generations, and stayed."
    after = "Most families came from somewhere else, and stayed. Come and meet them."
    found = changes(before, after)
    assert "".join(each.text for each in found if each.kind != "added") == before
    assert "".join(each.text for each in found if each.kind != "removed") == after
    assert [(each.kind, each.text) for each in found if each.kind != "same"] == [
        ("removed", " within three generations"),
        ("added", " Come and meet them."),
    ]
    assert share_kept(before, before) == 1.0 > share_kept(before, after) > 0


def test_intents_are_read_by_their_words() -> None:
    assert read_intent(" Question ") is Intent.QUESTIONING and Intent.DENOUNCING.cs_type == "Denouncing"
    assert read_intents("positive, informative,positive") == [Intent.INFORMATIVE, Intent.POSITIVE]
    assert read_intents("") == read_intents("all") == list(Intent)
    with pytest.raises(UnknownIntent, match="there are informative, positive"):
        read_intent("humor")


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert tokens("The Roses' 꽃밭에 白玫瑰") == ["the", "roses", "꽃밭", "밭에", "白玫", "玫瑰"]
