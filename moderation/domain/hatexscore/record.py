"""What is kept of a reading, as JSON: enough to show a score, and to score again with another p or threshold."""

from typing import Any

from moderation.domain.hatexscore.score import Measure, Reading, Score, combined
from moderation.domain.hatexscore.tgi import NamedGroup, identified


def record_of(reading: Reading) -> dict[str, Any]:
    """Return the reading without the texts it was made from."""
    return {
        "language": reading.language,
        "conclusions": [[each.start, each.end, each.hateful] for each in reading.conclusions],
        "quotations": [[*each.outer] for each in reading.quotations],
        "rationales": [{"quote": each.quote, "spans": [[*span] for span in each.spans]} for each in reading.rationales],
        "spans": [[*span] for span in reading.spans],
        "masked": reading.masked,
        "groups": [
            {"term": each.term, "category": each.category, "start": each.start, "end": each.end, "tie": each.tie}
            for each in reading.groups
        ],
        "trivial": reading.is_trivial,
        "evidence": reading.has_evidence,
    }


def scored(record: dict[str, Any], qf: float, prediction: bool | None, measure: Measure) -> Score:
    """Return the score of a record with this QF."""
    found = identified([NamedGroup(**each) for each in record["groups"]], prediction)
    return combined(int(bool(record["conclusions"])), qf, int(bool(found)), prediction, measure, found)
