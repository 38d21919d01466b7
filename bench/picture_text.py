"""Measure the reader of words in pictures: character error rate for each script, seconds a picture, memory.

The pictures are twenty drawn ones with known words (tests/support/memes.py). The reader's models know no Korean: those
pictures are read by a vision model, and the figure here says why.
"""

import argparse
import json
import resource
import sys
import time
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from annotation.media.reading_process import ReadingProcess, reader_name
from memes import MEMES, error_rate

WANTED = {"latin": 0.05, "chinese": 0.05}


def main() -> None:
    argparse.ArgumentParser(description=__doc__).add_argument("--json", action="store_true")
    rates: dict[str, list[float]] = defaultdict(list)
    seconds, spaced = [], []
    with ReadingProcess() as process:
        process.read(MEMES[0].drawn())  # the models are loaded with the first picture
        for meme in MEMES:
            content, began = meme.drawn(), time.monotonic()
            read = process.read(content).text
            seconds.append(time.monotonic() - began)
            rates[meme.script].append(error_rate(read, meme.text))
            if meme.script == "latin":
                spaced.append(error_rate(read, meme.text, spaces=True))
    mean = {script: sum(found) / len(found) for script, found in rates.items()}
    figures: dict[str, object] = {"reader": reader_name()}
    for script, rate in mean.items():
        goal = f" (wanted <= {WANTED[script]:.0%})" if script in WANTED else " (not one of its scripts)"
        figures[f"character_error_rate_{script}"] = f"{rate:.1%} of {len(rates[script])} pictures{goal}"
    figures["character_error_rate_latin_with_spaces"] = f"{sum(spaced) / len(spaced):.1%}"
    figures["seconds_a_picture"] = f"{sum(seconds) / len(seconds):.2f}, at most {max(seconds):.2f}"
    figures["megabytes_of_the_reading_process"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(json.dumps({"ok": all(mean[script] <= most for script, most in WANTED.items()), **figures}))


if __name__ == "__main__":
    main()
