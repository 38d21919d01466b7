"""Compare the embeddings that find near examples: how often the three nearest of a labelled text have its label.

    .venv/bin/python bench/near_examples.py [--data ../shared/data] [--json]

Every text is held out once: it is in one of five parts, and the other four are its store. It gets the label that most
of its three nearest neighbours have. Equal texts count once, and texts with both labels are left out. What is hateful
follows docs/evaluation.md. The bench holds if each embedding is best where docs/predict.md says so.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import django
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotation.domain.categories import DEFAULT_CATEGORIES
from moderation.domain.evaluation.classification import Confusion, averages
from moderation.domain.evaluation.intervals import intervals
from moderation.domain.evaluation.paired_tests import mcnemar
from moderation.domain.predict.nearest_examples import nearest
from moderation.domain.predict.perspectives import NEAREST, digest_of
from moderation.evaluation.collect_answers import FileReading, file_items
from providers.messages import ProviderError
from providers.vendors.embeddings import LocalEmbedding, Vectors
from providers.vendors.word_vectors import WordVectorEmbedding, by_meaning

FILES = ("kmhas_valid.txt", "hatexplain_val.jsonl")
SPELLING, MEANING, SCRIPT = "spelling", "meaning", "by_script"
EMBED: dict[str, Callable[[Sequence[str]], Vectors]] = {
    SPELLING: LocalEmbedding().embed,
    MEANING: by_meaning,
    SCRIPT: WordVectorEmbedding().embed,
}
BEST = {"kmhas_valid.txt": SPELLING, "hatexplain_val.jsonl": MEANING}
"""The better one of spelling and meaning, by the documentation."""
PARTS = 5

Example = tuple[str, bool]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures: dict[str, object] = {}
    holds = True
    for name in FILES:
        if not (options.data / name).is_file():
            figures[name] = "left out: the file is not there"
            continue
        measured = compare(examples(options.data / name))
        figures[name] = measured
        if MEANING in measured["embeddings"]:
            rivals = {rival: measured["embeddings"][rival]["accuracy"] for rival in (SPELLING, MEANING)}
            holds &= max(rivals, key=lambda rival: rivals[rival]) == BEST[name]
    figures["ok"] = holds
    print(json.dumps(figures) if options.json else json.dumps(figures, indent=1))
    sys.exit(not holds)


def examples(path: Path) -> list[Example]:
    """Return the texts of a data set with their labels, each text once."""
    labels: dict[str, set[bool]] = {}
    texts: dict[str, str] = {}
    for item in file_items(path, FileReading(DEFAULT_CATEGORIES, text_only=True, leave_out_bad_rows=True)).rows:
        digest = digest_of(item.text)
        texts.setdefault(digest, item.text)
        labels.setdefault(digest, set()).add(item.gold.hateful)
    return [(text, labels[digest].pop()) for digest, text in texts.items() if len(labels[digest]) == 1]


def compare(rows: Sequence[Example]) -> dict[str, Any]:
    """Return the number of texts and the figures of every embedding that is installed."""
    truth = [hateful for _text, hateful in rows]
    results: dict[str, Any] = {}
    right: dict[str, list[bool]] = {}
    for name, embed in EMBED.items():
        began = time.perf_counter()
        try:
            vectors = embed([text for text, _hateful in rows])
        except ProviderError as fault:
            print(f"{name}: {fault}", file=sys.stderr)
            continue
        speed = round(len(rows) / (time.perf_counter() - began))
        labels = labels_near(rows, vectors)
        votes = [2 * sum(row) > len(row) for row in labels]
        right[name] = [vote is side for vote, side in zip(votes, truth, strict=True)]
        results[name] = figures_of(truth, votes, labels) | {"texts_per_second": speed}
    figures: dict[str, Any] = {
        "texts": len(rows),
        "larger_class": round(max(sum(truth), len(truth) - sum(truth)) / len(truth), 4),
        "embeddings": results,
    }
    if MEANING in right:
        figures["spelling_against_meaning"] = mcnemar(right[SPELLING], right[MEANING]).as_json()
    return figures


def labels_near(rows: Sequence[Example], vectors: Vectors) -> list[list[bool]]:
    """Return the labels of the nearest neighbours of each text, all of them from other parts than its own.

    The digest of a text decides its part, so that every machine has the same parts.
    """
    parts = np.array([bytes.fromhex(digest_of(text))[0] % PARTS for text, _hateful in rows])
    truth = np.array([hateful for _text, hateful in rows])
    labels: list[list[bool]] = [[] for _ in rows]
    for part in range(PARTS):
        stored, stored_truth = vectors[parts != part], truth[parts != part]
        for row in np.flatnonzero(parts == part).tolist():
            labels[row] = [bool(stored_truth[near]) for near, _cosine in nearest(stored, vectors[row], NEAREST)[0]]
    return labels


def figures_of(truth: Sequence[bool], votes: Sequence[bool], labels: Sequence[Sequence[bool]]) -> dict[str, Any]:
    """Return accuracy with its interval and macro F1 of the votes, and the share of neighbours with the same label."""
    pairs = [(int(side), int(vote)) for side, vote in zip(truth, votes, strict=True)]
    bounds = intervals([[pair] for pair in pairs], 1).accuracy
    means = averages(Confusion.of([side for side, _ in pairs], [vote for _, vote in pairs], (0, 1)))
    same = [label is side for side, row in zip(truth, labels, strict=True) for label in row]
    return {
        "accuracy": round(sum(side == vote for side, vote in pairs) / len(pairs), 4),
        "interval": bounds.as_json() if bounds else None,
        "macro_f1": round(means.macro_f1, 4) if means else None,
        "same_label": round(sum(same) / len(same), 4),
    }


if __name__ == "__main__":
    main()
