"""What a model is trained on: instructions in English, and splits of posts without leakage."""

import hashlib
import random
from itertools import combinations

import pytest

from generation.domain.counterspeech.explanations import Explanation
from generation.domain.counterspeech.instructions import Wording, explain_instruction, reply_instruction
from generation.domain.counterspeech.intents import Intent
from generation.domain.counterspeech.training_splits import leaks, split_of, splits_of
from generation.domain.near_duplicates import NEAR, near_pairs, shared_pieces


def test_an_instruction_has_the_right_article_and_ends_in_the_statement_on_one_line() -> None:
    for wording in Wording:
        for intent in Intent:
            asked = reply_instruction(intent, "Weeds\n choke\tour roses.", wording)
            article = "an" if intent is Intent.INFORMATIVE else "a"
            assert f" {article} {intent.value} " in asked and asked.endswith("Weeds choke our roses.")
            assert " a informative" not in asked and " an positive" not in asked


def test_the_seven_explanations_are_asked_by_seven_instructions() -> None:
    for wording in Wording:
        asked = [explain_instruction(explanation, "Weeds.", wording) for explanation in Explanation]
        assert len(set(asked)) == 7 and all(text.endswith("Weeds.") for text in asked)


def drawn_by_hand(post: str) -> str:
    share = int(hashlib.sha256(post.encode()).hexdigest()[:8], 16) % 100
    return "train" if share < 70 else "validation" if share < 80 else "test"


def test_a_post_without_near_duplicates_stands_where_its_own_hash_puts_it() -> None:
    posts = [f"{number} kinds of {word} grow here" for number, word in enumerate(("roses", "ferns", "herbs"))]
    assert splits_of(posts) == [split_of(post) for post in posts] == [drawn_by_hand(post) for post in posts]


def test_near_duplicates_stand_together_although_their_hashes_differ_and_cut_ones_are_leaks() -> None:
    stem = "The gardeners of the old town want every foreign weed pulled out of the white roses, row by row"
    posts = [f"{stem}{'!' * number} {number}" for number in range(12)]
    apart = [split_of(post) for post in posts]
    assert len(set(apart)) > 1 and leaks(posts, apart)
    together = splits_of(posts)
    assert len(set(together)) == 1 and leaks(posts, together) == []
    assert splits_of(list(reversed(posts))) == together  # the order of the posts does not count
    assert leaks(["Same.", "same. "], ["train", "test"])


@pytest.mark.parametrize("seed", range(6))
def test_no_pair_of_near_duplicates_is_missed(seed: int) -> None:
    draw = random.Random(seed)
    words = ["rose", "weed", "garden", "gate", "wall", "bread", "salt", "a", "the", "ox"]
    texts = [" ".join(draw.choices(words, k=draw.randint(0, 14))) for _ in range(40)]
    texts += [f"{text} {draw.choice(words)}" for text in texts[:20]] + ["", "ab", " AB ", "白玫瑰花园", "白玫瑰花园。"]
    slow = [(one, other) for one, other in combinations(range(len(texts)), 2)
            if shared_pieces(texts[one], texts[other]) >= NEAR]  # fmt: skip
    assert slow and set(slow) - set(near_pairs(texts)) <= {pair for pair in slow if not texts[pair[0]].strip()}
    assert set(near_pairs(texts)) <= set(slow)
