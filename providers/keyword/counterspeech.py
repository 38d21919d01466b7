"""What the built-in baseline says about counterspeech: enough that the desk runs to the end, and never more.

It explains from open cues alone, offers a few fixed sentences in place of replies, and scores by word lists and length.
Every answer names it, and no picture is described.
"""

import re
from collections.abc import Mapping
from typing import Any

from providers.keyword.model import OWN_WORDS, Cues, Hit, KeywordAnswer, worst_hit
from providers.messages import Request

_SENTENCES: Mapping[str, tuple[str, ...]] = {
    "informative": (
        "Things said about a whole group, here {group}, do not hold for each person in it. "
        "Ask where such a statement comes from before passing it on.",
        "What is true of one person is no fact about {group}. Numbers about a whole group need a source.",
        "According to most people who know {group} at work or next door, they are as different as anybody else.",
    ),
    "positive": (
        "I would rather live in a place where {group} and everybody else can feel at home. "
        "We can disagree and still be kind to each other.",
        "There is room for {group} here, and we are better together. Thank you to all who treat people as people.",
        "Meeting somebody is the best answer to fear. I hope you get to know {group} and are welcome with them too.",
    ),
    "questioning": (
        "Have you met anybody of those you are speaking about, here {group}? What did you talk about?",
        "Would you say the same if somebody spoke like this about your own family? Why about {group}?",
        "What would have to happen for you to see {group} as single people? What makes you so sure?",
    ),
    "denouncing": (
        "Speaking about {group} like this is wrong. It hurts people who have done nothing to you.",
        "This is unacceptable: nobody should be treated as less for who they are, and {group} are no exception.",
        "Words like these harm {group} and everybody who reads them. Please stop and take them back.",
    ),
}
_OPPOSES = re.compile(
    r"\b(?:not|no|never|nobody|wrong|unacceptable|hurts?|harms?|stop|why|disagree|unfair|untrue|false|myth|instead"
    r"|rather|source|different|respect|welcome|kind|together|people)\b|不|没有|错|为什么|아니|않|왜|잘못",
    re.IGNORECASE,
)
_ARGUES = re.compile(
    r"\b(?:because|since|therefore|but|although|while|if|for example|according|so that|rather than|yet|source)\b"
    r"|因为|所以|但是|如果|왜냐|때문|하지만|만약",
    re.IGNORECASE,
)
_INSULTS = re.compile(
    r"\b(?:idiots?|morons?|stupid|dumb|scum|trash|pathetic|shut up|hell|bullshit|crap)\b|白痴|闭嘴|바보|닥쳐",
    re.IGNORECASE,
)
_SHOWS: Mapping[str, re.Pattern[str]] = {
    "denouncing": re.compile(r"\b(?:wrong|unacceptable|harms?|hurts?|shame|stop|hateful)\b|错|停|잘못|그만", re.I),
    "informative": re.compile(
        r"\d|\b(?:fact|facts|source|according|study|studies|research|number|numbers|true)\b|研究|统计|연구|통계", re.I
    ),
    "positive": re.compile(r"\b(?:welcome|kind|together|thank|hope|friends?|love|home)\b|欢迎|一起|환영|함께", re.I),
}


def counterspeaker(request: Request, own: Cues) -> dict[str, Any] | str:
    """One of the seven explanations, or fixed sentences for an intent; `context` says which."""
    text = str(request.context.get("text", ""))
    hit = worst_hit(text, own)
    if request.context.get("task") == "explain":
        return _explanation(str(request.context.get("explanation")), hit)
    group = _group(hit)
    sentences = [sentence.format(group=group) for sentence in _SENTENCES[str(request.context.get("intent"))]]
    if "place" in request.context:  # one reply as prose
        return sentences[int(request.context["place"]) % len(sentences)]
    count = int(request.context.get("candidates", 1))
    return {"note": OWN_WORDS, "replies": sentences[:count]}


def critic(request: Request, own: Cues) -> dict[str, Any]:
    """Answer with a number, or the intent it takes a reply for; by words and length alone."""
    reply = str(request.context.get("reply", ""))
    scored = {"stance": _stance, "quality": _quality, "toxicity": _toxicity, "intent": _intent}
    task = str(request.context.get("task"))
    return {"reason": OWN_WORDS, task: scored[task](reply, own)}


COUNTERSPEECH: Mapping[str, KeywordAnswer] = {
    "counterspeaker": counterspeaker,
    "counter_explainer": counterspeaker,
    "critic": critic,
    "toxicity": critic,
}


def _explanation(name: str, hit: Hit | None) -> dict[str, Any]:
    if hit is None:
        return {"explanation": f"{OWN_WORDS} It found none of its cues: write this one yourself."}
    quoted = " with ".join(f"“{words}”" for words in hit.words)
    known = {
        "offensiveness": f"The text says {quoted}.",
        "target_group": f"The text names {_group(hit)}.",
    }
    if name not in known:
        return {"explanation": f"{OWN_WORDS} It cannot tell from words alone: write this one yourself."}
    answer: dict[str, Any] = {"explanation": f"{OWN_WORDS} {known[name]}"}
    if name == "offensiveness":
        answer["insults"] = [hit.words[-1]]
    return answer


def _group(hit: Hit | None) -> str:
    return hit.words[0] if hit and len(hit.words) > 1 else "other people"


def _stance(reply: str, own: Cues) -> float:
    """1 where it says an open cue itself and opposes nothing; from 0 towards −1 with every word that opposes."""
    against = len(_OPPOSES.findall(reply))
    if worst_hit(reply, own) and not against:
        return 1.0
    return -min(1.0, 0.25 * against)


def _quality(reply: str, own: Cues) -> float:
    """Grows with its length up to sixty words, and with words that argue."""
    words = len(reply.split())
    return round(min(1.0, 0.1 + 0.6 * min(words, 60) / 60 + 0.1 * min(3, len(_ARGUES.findall(reply)))), 4)


def _toxicity(reply: str, own: Cues) -> float:
    hit = worst_hit(reply, own)
    return min(1.0, (0.3 * hit.severity if hit else 0.0) + 0.4 * len(_INSULTS.findall(reply)))


def _intent(reply: str, own: Cues) -> str:
    if re.search(r"[?？]", reply) and len(re.findall(r"[?？]", reply)) * 2 >= len(re.findall(r"[.!?。！？]", reply)):
        return "questioning"
    counts = {intent: len(pattern.findall(reply)) for intent, pattern in _SHOWS.items()}
    best = max(counts.values())
    return next((intent for intent, count in counts.items() if count == best), "none") if best else "none"
