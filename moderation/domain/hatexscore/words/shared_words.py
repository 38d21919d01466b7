"""What stands for quotes where an explanation quotes nothing: the longest runs of words it shares with the text."""

from collections.abc import Sequence

from moderation.domain.hatexscore.normalize import Span
from moderation.domain.hatexscore.words.tokenize import Token, TokenKind, tongue


def shared_runs(text: str, explanation: str, language: str) -> list[str]:
    """Return the longest runs of words that stand in both and hold a content word, as the text writes them.

    Several where several are equally long.
    """
    speech = tongue(language)
    ours, theirs = speech.tokenize(text), speech.tokenize(explanation)
    longest = 0
    found: list[str] = []
    for start, end in _runs(ours, theirs):
        if all(token.kind is TokenKind.FUNCTION for token in ours[start:end]):
            continue
        if end - start > longest:
            longest, found = end - start, []
        if end - start == longest:
            found.append(text[ours[start].start : ours[end - 1].end])
    return list(dict.fromkeys(found))


def _runs(ours: Sequence[Token], theirs: Sequence[Token]) -> list[Span]:
    """Return the runs of our words that stand in theirs and cannot be made longer where they stand."""
    places: dict[str, list[int]] = {}
    for number, token in enumerate(theirs):
        places.setdefault(token.lemma, []).append(number)
    runs: list[Span] = []
    lengths: dict[int, int] = {}  # of the run that ends at our last word and at this place of theirs
    for start, token in enumerate(ours):
        now = {place: lengths.get(place - 1, 0) + 1 for place in places.get(token.lemma, ())}
        runs += [(start - length, start) for place, length in lengths.items() if place + 1 not in now]
        lengths = now
    runs += [(len(ours) - length, len(ours)) for length in lengths.values()]
    return sorted(set(runs))
