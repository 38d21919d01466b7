"""What an explanation takes back: "Hateful. Actually, no: …". What stood before that concludes nothing."""

import re
from collections.abc import Sequence
from functools import cache

from moderation.domain.hatexscore.labels import Segment
from moderation.domain.hatexscore.signs import any_of


@cache
def _retracts() -> re.Pattern[str]:
    return re.compile(rf"[\s>*\x01\x02'\"(—-]*+{any_of('retracts')}")


def retractions(text: str, segments: Sequence[Segment]) -> list[int]:
    """Return the places of the sentences that take back what was said before them."""
    return [segment.start for segment in segments if _retracts().match(text, segment.start, segment.end)]
