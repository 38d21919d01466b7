"""Measure the search for 10,000 glossary terms in texts, in milliseconds a text, against one regular expression.

A third of the terms are Latin words, a third Korean, a third Chinese; some of the made-up texts hold disguised terms:
three in fifteen words.

The texts come from the shared data if it is next to the repository; otherwise they are generated.
"""

import argparse
import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from annotation.domain.glossary import korean_words
from annotation.domain.glossary.matching import Matcher, Term

TERMS = 10_000
WANTED_MS = 0.5


def main() -> None:
    argparse.ArgumentParser(description=__doc__).add_argument("--json", action="store_true")
    words = [_MAKERS[number % 3](random.Random(number)) for number in range(TERMS)]
    began = time.process_time()
    matcher = Matcher(Term(number, word, _LANGUAGES[number % 3]) for number, word in enumerate(words))
    matcher.find(f"的{words[2]}的")  # the first search loads dictionaries …
    korean_words.is_everyday("잡초")  # … and segmenters
    figures: dict[str, object] = {"terms": TERMS, "seconds_to_index": round(time.process_time() - began, 2)}
    alternation = re.compile(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)
    worst = 0.0
    for name, texts in _texts(words).items():
        ours, theirs = _each(matcher.find, texts), _each(alternation.findall, texts[:100])
        worst = max(worst, ours)
        figures[f"ms_a_text_of_{name}"] = f"{ours:.3f} (wanted <= {WANTED_MS:g})"
        figures[f"one_regular_expression_for_{name}"] = f"{theirs:.3f} ms, {theirs / ours:.0f} x as long"
    print(json.dumps({"ok": worst <= WANTED_MS, **figures}))


def _each(find: Callable[[str], object], texts: list[str]) -> float:
    began = time.process_time()
    for text in texts:
        find(text)
    return (time.process_time() - began) / len(texts) * 1000


def _texts(words: list[str]) -> dict[str, list[str]]:
    shared = ROOT.parent / "shared" / "data"
    texts = {}
    for name, file in (("english_posts", "hatecheck_cases.csv"), ("korean_posts", "kmhas_valid.txt")):
        path = shared / file
        if path.is_file():
            texts[name] = path.read_text(encoding="utf-8").splitlines()[1:3001]
    maker = random.Random(1)
    for place, name in enumerate(("latin", "korean", "chinese")):
        joined_by = "" if name == "chinese" else " "
        texts[f"made_up_{name}_posts"] = [joined_by.join(_MAKERS[place](maker) for _ in range(20)) for _ in range(1000)]
        texts[f"posts_with_disguised_{name}_terms"] = [
            f" {joined_by} ".join(
                ".".join(maker.choice(words[place::3])) if number % 5 == 0 else _MAKERS[place](maker)
                for number in range(15)
            )
            for _ in range(1000)
        ]
    return texts


def _word(maker: random.Random) -> str:
    return "".join(maker.choice("abcdefghijklmnoprstuw") for _ in range(maker.randint(4, 9)))


def _syllables(maker: random.Random) -> str:
    return "".join(chr(0xAC00 + maker.randrange(400) * 28) for _ in range(maker.randint(2, 4)))


def _signs(maker: random.Random) -> str:
    return "".join(chr(0x4E00 + maker.randrange(2000)) for _ in range(maker.randint(2, 4)))


_MAKERS = (_word, _syllables, _signs)
_LANGUAGES = (("en",), ("ko",), ("zh",))


if __name__ == "__main__":
    main()
