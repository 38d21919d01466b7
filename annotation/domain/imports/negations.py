"""Negations of a text, counted: two texts of which one has a negation more are two posts."""

from vocabulary.late_patterns import late

_WORDS = (
    "not|no|never|none|nobody|nothing|nor|neither|without|cannot|dont|doesnt|didnt|isnt|arent|wasnt|werent|cant|wont|aint"
    "|nicht|kein|keine[mnr]?|nie|niemals|pas|jamais|sans|nunca|jamás|non(?!-)|nao|não|niet|geen|не|нет|ни|değil|yok"
    "|لا|ليست?|لم|لن|غير|नहीं|नही|मत"
)
_NEGATION = late(
    rf"(?<!\w)(?:{_WORDS})(?!\w)|n['’-]t(?!\w)"
    r"|(?<![가-힣])[안못](?=\s)|않|아니[고야라었에]?|아닌|아닙|아님|아녜|없|지\s?마(?:라|세요|요|십시오)?"
    r"|不(?![过仅但管断])|没|無|无|(?<![并若除])非(?![常洲])|未|勿|(?<![特分级区个类性识])别(?![人墅处])"
    r"|ない|ません"
)


def negations_of(text: str) -> int:
    """Return the number of negations in a folded text."""
    return len(_NEGATION.findall(text))
