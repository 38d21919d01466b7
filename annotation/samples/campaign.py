"""The sample campaign as a ZIP that the ordinary import takes: items.jsonl and drawn pictures."""

import json
import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any
from zipfile import ZIP_STORED, ZipFile

from annotation.samples.drawing import picture
from annotation.samples.known import Known, named
from annotation.samples.neighbourhood import SAMPLES, Sample

ANNOTATORS = ("wren", "heron", "osprey")
BY_HAND = "sample:hand-written"
"""The model that the hand-written priors name: none."""
PILOT, MAIN, SECOND, TEAM = "pilot", "main", "second wave", "close readers"
DAYS = 12
"""Over how many days before now the sample votes are spread."""

_VOTE = re.compile(r"(?P<category>\d?)(?P<unsure>\??)(?P<low>q?)(?: (?P<part>text|image)=(?P<instead>\d))?")


def archive(now: datetime) -> bytes:
    """The campaign as ZIP bytes; votes are dated back from `now` (aware)."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as file:
        file.writestr("items.jsonl", "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows(now)))
        for number, sample in enumerate(SAMPLES, 1):
            if sample.scene is not None:
                file.writestr(_picture_name(number), picture(sample.scene))
        for name, known in named():
            if known.sample.scene is not None:
                file.writestr(f"pictures/{name}.png", picture(known.sample.scene))
    return out.getvalue()


def rows(now: datetime) -> Iterator[dict[str, Any]]:
    """The items in the keys of Interplay JSONL."""
    for number, sample in enumerate(SAMPLES, 1):
        yield _written(_row(number, sample, now))
    for name, known in named():
        yield _written(_known_row(name, known))


def _written(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if value not in (None, "", [])}


def batch_of(number: int) -> str:
    """The sample's batch: the pilot is finished, and most of what is left to label is in the main one."""
    if number % 5 == 3:
        return PILOT
    if 34 <= number <= 40:
        return TEAM
    return SECOND if number > 40 else MAIN


def _row(number: int, sample: Sample, now: datetime) -> dict[str, Any]:
    row = _content(f"nb-{number:03}", _picture_name(number), sample)
    row |= {"intended": sample.intended, "batch": batch_of(number)}
    row["labels"] = [_label(number, seat, sample, now) for seat in range(len(sample.votes))]
    if sample.ruling is not None:
        row |= {"gold": sample.ruling[0], "source": "adjudicated", "rationale": sample.ruling[1]}
    return row


def _known_row(name: str, known: Known) -> dict[str, Any]:
    """A post whose answer is known; nobody votes on it."""
    row = _content(name, f"pictures/{name}.png", known.sample)
    answer = {"known_category": known.sample.intended, "known_explanation": known.why}
    return row | answer | {"known_training": known.training}


def _content(name: str, picture_name: str, sample: Sample) -> dict[str, Any]:
    """What a post is, and what is said of its parts alone."""
    row: dict[str, Any] = {
        "id": name,
        "text": sample.text,
        "image": picture_name if sample.scene is not None else "",
        "severity": sample.severity,
        "target_group": sample.target,
        "source": "Interplay sample campaign",
        "licence": "CC0-1.0",
    }
    for part, prior in zip(("text", "image"), sample.alone, strict=True):
        if prior is not None:
            row |= {f"{part}_label": prior[0], f"{part}_explanation": prior[1], f"{part}_model": BY_HAND}
    return row


def _label(number: int, seat: int, sample: Sample, now: datetime) -> dict[str, Any]:
    vote = _VOTE.fullmatch(sample.votes[seat])
    if vote is None:
        raise ValueError(f"sample {number}: {sample.votes[seat]!r} is no vote")
    age = timedelta(days=DAYS * (1 - number / len(SAMPLES)), hours=2 * seat, minutes=7 * number % 60)
    label: dict[str, Any] = {
        # Who sits where changes from item to item, so that everyone agrees and differs with everyone.
        "annotator": ANNOTATORS[(seat + number) % len(ANNOTATORS)],
        "seconds": 6 + (number * 7 + seat * 11) % 23,
        "at": (now - age - timedelta(hours=3)).isoformat(timespec="seconds"),
    }
    if vote["category"]:
        label["category"] = int(vote["category"])
    if vote["unsure"]:
        label["not_sure"] = True
    if vote["low"]:
        label["low_quality"] = True
    if seat < len(sample.notes) and sample.notes[seat]:
        label["note"] = sample.notes[seat]
    if vote["part"]:
        label["challenges"] = [{"modality": vote["part"], "category": int(vote["instead"])}]
    return label


def _picture_name(number: int) -> str:
    return f"pictures/{number:03}.png"
