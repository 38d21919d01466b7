"""Make the tables of `vocabulary/word_weights.py` from the cases of the tests and from composed texts.

    .venv/bin/python bench/data/word_weights.py [TABLE] [--apart]

A table is a logistic regression, made with scikit-learn, of which small weights are left out. What the tests call
`kept` is never learnt from. `--apart` writes nothing: it reads each set of cases with weights that were made without
it, and prints how many of a language are told and how many others are taken. A case of `readings` is a conclusion that
rules read, and told where it is right. `misreadings.tsv` has those that earlier rules read wrongly: the text's digest,
where the conclusion stood, and its side.
"""

import argparse
import hashlib
import json
import random
import re
import sys
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from generation.methods.counterspeech import weighed_marks
from moderation.domain.hatexscore.conclusion import Conclusion
from moderation.domain.hatexscore.htc import by_rules
from moderation.domain.hatexscore.second_opinion import LEAST_SCORE, is_weighed, weighed
from providers import order_weights
from vocabulary.word_weights import features

TESTS = ROOT / "tests"
EXPLANATIONS = TESTS / "moderation" / "domain" / "hatexscore"
DRAFTS = TESTS / "generation" / "domain" / "counterspeech"
KEPT = "kept"  # sets of the tests that are never learnt from
COMPOSED, COMPOSED_POSTS = 700, 900  # texts a language and kind
OTHER_SENTENCES = 6000  # of the thousands of explanations that refuse nothing
SENTENCES_OF_PAGES = 600  # a catalogue
OTHER_EXPLANATIONS = 300  # a page about hate speech orders nothing
SMALLEST, MOST = 0.03, 15_000  # weights below are left out where the table says no other bound; also all but so many
BLOCK = 400  # explanations that were written at about the same time
RARE = 3  # a feature of fewer texts has no weight
REFUSING = re.compile(r"request|sorry|safe|guideline|요청|죄송|안전|지침|请求|抱歉|准则|安全", re.IGNORECASE)
SLOT = re.compile(r"<([a-z][a-z0-9]*)>|\{([^{}]*)\}")


class Case(NamedTuple):
    text: str
    told: bool
    source: str
    said: Conclusion | None = None


class Table(NamedTuple):
    """What a table is made of; `strength` is the inverse of the penalty of large weights, `least` what tells a case.

    `weighed` returns what of a case is weighed. Where the table is `by_length`, a long text weighs as much as a short
    one.
    """

    path: Path
    cases: Callable[[], Iterator[Case]]
    weighed: Callable[[Case], set[str]]
    strength: float
    by_length: bool = False
    smallest: float = SMALLEST
    least: float = 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", nargs="?", choices=[*TABLES], help="default: all")
    parser.add_argument("--apart", action="store_true", help="read each set with weights made without it")
    options = parser.parse_args()
    for name in [options.table] if options.table else TABLES:
        table = TABLES[name]
        (read_apart if options.apart else write)(name, [*table.cases()], table)


def rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def refusals() -> Iterator[Case]:
    for row in rows(TESTS / "providers" / "refusals.jsonl"):
        yield Case(str(row["text"]), True, "refusals")
    for row in rows(TESTS / "providers" / "like_refusals.jsonl"):
        yield Case(str(row["text"]), False, "refusals")
    for name in ("ordinary_refusals", "unlisted_refusals"):
        for row in rows(TESTS / "providers" / f"{name}.jsonl"):
            if not str(row["set"]).startswith(KEPT):
                yield Case(str(row["text"]), bool(row["refuses"]), f"{name} {row['set']}")
    for row in rows(TESTS / "providers" / "hidden_refusals.jsonl"):
        yield Case(str(row["text"]), bool(row["refuses"]), "hidden_refusals")
    for path in sorted((EXPLANATIONS / "held_out").glob("*.jsonl")):
        if not path.name.startswith(KEPT):
            is_refusal = "refusals" in path.stem and "like" not in path.stem
            yield from (Case(str(row["text"]), is_refusal, f"explanations {path.stem[:2]}") for row in rows(path))
    yield from random.Random(0).sample(explanations(), OTHER_SENTENCES)
    yield from composed("replies", "refusals", "verdicts", COMPOSED)


def explanations() -> list[Case]:
    """Return the explanations that refuse nothing: those that conclude, and others without a word of a refusal."""
    held = [row for path in sorted(EXPLANATIONS.glob("*.jsonl")) for row in rows(path)]
    cases = []
    for row in held:
        text = str(row.get("explanation") or row["text"])
        concludes = any(isinstance(row.get(key), bool) for key in ("conclusion", "hateful", "prediction"))
        if concludes or not REFUSING.search(text):
            cases.append(Case(text, False, "sentences"))
    return cases


def orders() -> Iterator[Case]:
    for name, part in (("orders", ""), ("hidden_orders", ""), ("varied_orders", "part"), ("unlisted_orders", "part")):
        for row in rows(TESTS / "providers" / f"{name}.jsonl"):
            if name != "unlisted_orders" or not str(row["part"]).startswith(KEPT):
                yield Case(str(row["text"]), bool(row["order"]), f"{name} {row.get(part, '')}")
    held = sorted((EXPLANATIONS / "held_out").glob("?-conclusions-*.jsonl"))
    texts = [str(row["text"]) for path in held for row in rows(path)]
    yield from (Case(text, False, "sentences") for text in random.Random(0).sample(texts, OTHER_EXPLANATIONS))
    yield from (Case(text, False, "sentences") for text in page_sentences())
    yield from composed("posts", "orders", "others", COMPOSED_POSTS)


def page_sentences() -> Iterator[str]:
    """Yield sentences of our own pages: they tell people, in all three languages, what to do with labels and models."""
    for language in ("ko", "zh_Hans"):
        catalogue = (ROOT / "locale" / language / "LC_MESSAGES" / "django.po").read_text(encoding="utf-8")
        shown = re.findall(r'^(msgid|msgstr) "([^"%{<\\]{30,160})"$', catalogue, re.MULTILINE)
        said = sorted({text for kind, text in shown if language == "ko" or kind == "msgstr"})
        yield from random.Random(0).sample(said, min(len(said), SENTENCES_OF_PAGES))


def drafts(kind: str) -> Iterator[Case]:
    """Yield drafts that are of a kind or not; one of another kind whose text may be of this one, too, is left out."""
    for row in rows(DRAFTS / "marks.jsonl"):
        if row["mark"] in (kind, None):
            yield Case(str(row["text"]), row["mark"] == kind, f"marks {row['set']}")
    for row in rows(DRAFTS / "unlisted_marks.jsonl"):
        if not str(row["set"]).startswith(KEPT):
            yield Case(str(row["text"]), kind in cast(list[str], row["marks"]), f"unlisted {row['set']}")
    for row in rows(DRAFTS / "claims.jsonl"):
        yield Case(str(row["text"]), False, "claims")
    yield from composed("drafts", kind, "others", COMPOSED)


def readings() -> Iterator[Case]:
    """Yield what the rules read of explanations, and what earlier ones read wrongly, where that is weighed."""
    misread: dict[str, set[Conclusion]] = defaultdict(set)
    for line in (ROOT / "bench" / "data" / "misreadings.tsv").read_text(encoding="utf-8").splitlines():
        digest, start, end, side = line.split("\t")
        misread[digest].add(Conclusion(int(start), int(end), side == "hateful"))
    for path in sorted([*EXPLANATIONS.glob("*_??.jsonl"), *(EXPLANATIONS / "held_out").glob("*conclusions-??.jsonl")]):
        if path.name.startswith((KEPT, "worked")):
            continue
        for place, row in enumerate(rows(path)):
            text, label = str(row["text"]), row.get("conclusion", row.get("hateful"))
            own, found = by_rules(text)
            for said in {*found[-1:], *misread[hashlib.sha256(text.encode()).hexdigest()[:12]]}:
                if is_weighed(own, said):
                    yield Case(own, said.hateful is label, f"{path.stem[:-3]} {place // BLOCK}", said)


def composed(name: str, told: str, others: str, count: int) -> Iterator[Case]:
    """Yield texts of the templates of a file, the same at each call."""
    data = tomllib.loads((ROOT / "bench" / "data" / f"{name}.toml").read_text(encoding="utf-8"))
    for parts in data.values():
        draw = random.Random(0)
        for key in (told, others):
            for place in range(count):
                template = parts[key][place % len(parts[key])]
                yield Case(filled(template, parts, draw), key == told, "composed")


def filled(template: str, parts: Mapping[str, Sequence[str]], draw: random.Random) -> str:
    """Return a template with a part or a choice in each of its places; a brace of the text is « or »."""
    while place := next((slot for slot in SLOT.finditer(template) if slot[2] is not None or slot[1] in parts), None):
        chosen = draw.choice(place[2].split("|") if place[1] is None else parts[place[1]])
        template = template[: place.start()] + chosen + template[place.end() :]
    return template.replace("«", "{").replace("»", "}").strip()


def fit(cases: Sequence[Case], table: Table) -> tuple[CountVectorizer, LogisticRegression]:
    counts = CountVectorizer(analyzer=table.weighed, binary=True, min_df=RARE).fit(cases)
    model = LogisticRegression(C=table.strength, solver="liblinear", max_iter=2000, random_state=0)
    model.fit(counted(counts, cases, table), [case.told for case in cases])
    sizes = np.abs(model.coef_)
    model.coef_[sizes < max(table.smallest, np.sort(sizes[0])[-MOST:][0])] = 0
    return counts, model


def counted(counts: CountVectorizer, cases: Sequence[Case], table: Table) -> Any:
    """Return what of each text is weighed, a row each: ones, or less in a long text."""
    seen = counts.transform(cases)
    if not table.by_length:
        return seen
    lengths = [len(table.weighed(case)) or 1 for case in cases]
    return seen.multiply(1 / np.sqrt(lengths)[:, None]).tocsr()


def write(name: str, cases: Sequence[Case], table: Table) -> None:
    counts, model = fit(cases, table)
    weighed = dict(zip(counts.get_feature_names_out(), model.coef_[0], strict=True)) | {"": model.intercept_[0]}
    lines = sorted((feature, round(100 * weight)) for feature, weight in weighed.items() if weight)
    path = table.path
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{weight}\t{feature}\n" for feature, weight in lines), encoding="utf-8")
    print(f"{name}: {len(lines)} weights of {len(cases)} texts, {path.stat().st_size // 1000} kB")


def read_apart(name: str, cases: Sequence[Case], table: Table) -> None:
    for source in sorted({case.source for case in cases if case.told} - {"composed"}):
        counts, model = fit([case for case in cases if case.source != source], table)
        apart = [case for case in cases if case.source == source]
        scores = model.decision_function(counted(counts, apart, table))
        print(f"{name} {source}: {figures(apart, scores, table.least)}", flush=True)


def figures(cases: Sequence[Case], scores: Sequence[float], least: float) -> str:
    said = []
    for language in ("en", "ko", "zh"):
        pairs = zip(cases, scores, strict=True)
        read = [(case.told, score > least) for case, score in pairs if written(case) == language]
        told = [is_told for meant, is_told in read if meant]
        taken = [is_told for meant, is_told in read if not meant]
        said.append(f"{language} {sum(told)} of {len(told)}, {sum(taken)} of {len(taken)} others")
    return "; ".join(said)


def written(case: Case) -> str:
    return "ko" if re.search("[가-힣]", case.text) else "zh" if re.search("[一-鿿]", case.text) else "en"


def said_in(case: Case) -> set[str]:
    assert case.said is not None
    return weighed(case.text, case.said)


WEIGHTS = ROOT / "providers" / "weights"
READINGS = ROOT / "moderation" / "domain" / "hatexscore" / "lists" / "readings.tsv"
TABLES = {
    "refusals": Table(WEIGHTS / "refusals.tsv", refusals, lambda case: features(case.text, {}), 0.3),
    "orders": Table(WEIGHTS / "orders.tsv", orders, lambda case: features(case.text, order_weights.IDEAS), 0.1),
    "readings": Table(READINGS, readings, said_in, 0.3, least=LEAST_SCORE),
} | {
    str(kind): Table(
        path,
        partial(drafts, str(kind)),
        lambda case: weighed_marks.weighed(case.text),
        20,
        by_length=True,
        smallest=0.3,
    )
    for kind, path in weighed_marks.TABLES.items()
}

if __name__ == "__main__":
    main()
