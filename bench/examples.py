"""Search 200,000 labelled examples for the nearest three and print the time (goal: at most 20 ms after loading).

    .venv/bin/python bench/examples.py [--rows 200000] [--json]

The matrix is mapped from a file as in a run. A search reads the whole matrix once, so the script also measures a sum
over the same bytes: no exact search on this machine can be faster. It prints the best and the median of 25 searches.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from moderation.domain.predict.nearest_examples import nearest
from moderation.domain.predict.perspectives import digest_of
from moderation.perspectives.example_store import write_store
from providers.vendors.embeddings import DIMENSIONS, LocalEmbedding, Vectors, normalised

TEXTS = 5000


class Random:
    """An embedder with a random vector for each text, since embedding is not measured here."""

    name = "bench:random"

    def embed(self, texts: Sequence[str]) -> Vectors:
        random = np.random.default_rng(len(texts[0]) if texts else 0)
        return normalised(random.standard_normal((len(texts), DIMENSIONS)).astype(np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        texts = ((number, f"text {number}", number % 2 == 0) for number in range(options.rows))
        store = write_store(Path(folder), "bench", 1, ((*row, digest_of(row[1])) for row in texts))
        store.prepare(Random())
        began = time.perf_counter()
        store.search(Random(), "a post", 3)
        first = time.perf_counter() - began
        matrix = _matrix(store.folder)
        [query] = Random().embed(["a post"])
        search = timed(lambda: nearest(matrix, query, 3))
        whole = timed(lambda: store.search(Random(), "a post", 3))
        least = timed(lambda: matrix.sum())
        sample = [f"{number} words of a post to be embedded, {number * 7}" for number in range(TEXTS)]
        embedded = timed(lambda: LocalEmbedding().embed(sample), times=1)
    figures = {
        "rows": options.rows,
        "search_ms_best": round(min(search), 1),
        "search_ms_median": round(statistics.median(search), 1),
        "with_text_and_labels_ms_best": round(min(whole), 1),
        "sum_of_the_matrix_ms_best": round(min(least), 1),
        "of_the_sum": round(min(search) / min(least), 2),
        "first_search_ms": round(1000 * first, 1),
        "local_embedding_texts_per_second": round(1000 * TEXTS / embedded[0]),
        "ok": min(search) <= 20 * options.rows / 200_000 + 1,
    }
    print(json.dumps(figures) if options.json else "\n".join(f"{name}: {value}" for name, value in figures.items()))
    sys.exit(not figures["ok"])


def _matrix(folder: Path) -> Vectors:
    """Return the store's only matrix of vectors, mapped from its file."""
    (path,) = [path for path in folder.glob("*.npy") if path.stem not in {"ids", "labels", "places"}]
    return np.asarray(np.load(path, mmap_mode="r"))


def timed(work: Callable[[], object], times: int = 25) -> list[float]:
    """Call `work` several times. Return the milliseconds of each call."""
    milliseconds = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        milliseconds.append(1000 * (time.perf_counter() - began))
    return milliseconds


if __name__ == "__main__":
    main()
