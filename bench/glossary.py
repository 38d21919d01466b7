"""Measure the search for 10,000 glossary terms in real texts, in milliseconds a text, against one regular expression.

The texts come from the shared data if it lies next to the repository; otherwise they are generated.
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

from annotation.domain.glossary.matching import Matcher, Term

TERMS = 10_000
WANTED_MS = 1.0


def main() -> None:
    argparse.ArgumentParser(description=__doc__).add_argument("--json", action="store_true")
    words = [_word(random.Random(number)) for number in range(TERMS)]
    began = time.process_time()
    matcher = Matcher(Term(number, word) for number, word in enumerate(words))
    figures: dict[str, object] = {"terms": TERMS, "seconds_to_index": round(time.process_time() - began, 2)}
    alternation = re.compile(r"\b(?:" + "|".join(map(re.escape, words)) + r")\b", re.IGNORECASE)
    worst = 0.0
    for name, texts in _texts().items():
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


def _texts() -> dict[str, list[str]]:
    shared = ROOT.parent / "shared" / "data"
    texts = {}
    for name, file in (("english_posts", "hatecheck_cases.csv"), ("korean_posts", "kmhas_valid.txt")):
        path = shared / file
        if path.is_file():
            texts[name] = path.read_text(encoding="utf-8").splitlines()[1:3001]
    maker = random.Random(1)
    return texts or {"made_up_posts": [" ".join(_word(maker) for _ in range(20)) for _ in range(2000)]}


def _word(maker: random.Random) -> str:
    return "".join(maker.choice("abcdefghijklmnoprstuw") for _ in range(maker.randint(4, 9)))


if __name__ == "__main__":
    main()
