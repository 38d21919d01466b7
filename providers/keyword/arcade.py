"""What the built-in baseline says in the courtroom and to one question: open cues of its own list, and nothing more.

It finds no hidden meaning, sees no picture and says so; it answers every role in the right form, so that all methods
run to the end on a machine without any model.
"""

from collections.abc import Mapping
from typing import Any

from providers.keyword.model import OWN_WORDS, Cues, Hit, KeywordAnswer, KeywordGroup, category_for, worst_hit
from providers.messages import Request

_NOT_SEEN = " It did not see the picture."


def cues(request: Request, own: Cues) -> dict[str, Any]:
    """Answer as gatekeeper or prosecutor: one open cue, or a word that the glossary explains, or none."""
    hit = worst_hit(str(request.context.get("text", "")), own)
    note = None if hit or request.role == "gatekeeper" else _note(request)  # a note is no open cue
    hit = hit or (_hit_by(note) if note else None)
    if hit is None or request.context.get("round", 1) > 1:  # it has no further argument
        return {"cues": []}
    category = category_for(request.context.get("categories", ()), hit)
    cue = {
        "id": "c1",
        "cue_type": "Socio-cultural" if note else "Direct",
        "target_group": hit.group.terms[0] if hit.group.terms else hit.words[0],
        "claim": f"The text says {_quoted(hit)}{_cited(note)}.",
        "hate_type": category["code"],
        "justification": _own(
            request,
            f"The project's glossary says of it: {note['meaning']}" if note else "It is on its list of open cues.",
        ),
    }
    return {"cues": [cue]}


def rebuttals(request: Request, own: Cues) -> dict[str, Any]:
    """Concede: the baseline has no argument of its own."""
    return {"rebuttals": []}


def verdict(request: Request, own: Cues) -> Any:
    """Answer as the judge or to the one question: hateful where an open cue stands in the text."""
    hit = worst_hit(str(request.context.get("text", "")), own)
    note = None if hit else _note(request)
    hit = hit or (_hit_by(note) if note else None)
    reason = _own(request, f"It found {_quoted(hit)}{_cited(note)}." if hit else "It found none of its cues.")
    if request.context.get("variant") == "comment":
        return f"{'' if hit else 'not '}hate speech: {reason}"
    if request.context.get("variant") == "agent":
        return {"label": "hateful" if hit else "not hateful", "reason": reason}
    if request.context.get("task") == "binary":
        return {"reason": reason, "hateful": hit is not None}
    return {"reason": reason, "category": category_for(request.context.get("categories", ()), hit)["code"]}


def explanation(request: Request, own: Cues) -> str:
    """Prose that ends in a conclusion."""
    hit = worst_hit(str(request.context.get("text", "")), own)
    finding = f"The text says {_quoted(hit)}, which is on its list." if hit else "The text holds none of its cues."
    return f"{_own(request, finding)}\nConclusion: {'hateful' if hit else 'non-hateful'}"


COURT: Mapping[str, KeywordAnswer] = {
    "gatekeeper": cues,
    "prosecutor": cues,
    "defender": rebuttals,
    "judge": verdict,
}
ONE_QUESTION: Mapping[str, KeywordAnswer] = {"baseline": verdict}
EXPLANATION: Mapping[str, KeywordAnswer] = {"explainer": explanation}


def _note(request: Request) -> Mapping[str, Any] | None:
    """Return the first note of the project's glossary about this text that names who is meant."""
    return next((note for note in request.context.get("glossary", ()) if note["target_group"]), None)


def _hit_by(note: Mapping[str, Any]) -> Hit:
    return Hit(KeywordGroup((), (note["target_group"],), ()), (note["term"],), 2)


def _cited(note: Mapping[str, Any] | None) -> str:
    return f", which the glossary explains (G{note['number']})" if note else ""


def _own(request: Request, finding: str) -> str:
    return f"{OWN_WORDS} {finding}{_NOT_SEEN if request.context.get('has_picture') else ''}"


def _quoted(hit: Hit) -> str:
    return " with ".join(f"“{words}”" for words in hit.words)
