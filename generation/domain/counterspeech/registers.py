"""Registers of a reply: how it speaks, beside the intent that says what it does.

They are the types of CONAN (Chung et al. 2019, section 4.2) and empathy (Hangartner et al. 2021). A reply can have
several. Intents stay as the papers of the methods have them: a register never changes which method is used.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from generation.domain.counterspeech.intents import Intent
from vocabulary.display_names import NamedEnum, pgettext
from vocabulary.refusals import Refused


class Register(NamedEnum):
    """A register of a reply; but for empathy, its value is the word of CONAN's column `cnType`."""

    FACTS = "facts", pgettext("stored word", "facts")
    HYPOCRISY = "hypocrisy", pgettext("stored word", "points out hypocrisy")
    CONSEQUENCES = "consequences", pgettext("stored word", "warns of consequences")
    AFFILIATION = "affiliation", pgettext("stored word", "shared identity")
    EMPATHY = "empathy", pgettext("stored word", "empathy")
    HUMOR = "humor", pgettext("stored word", "humour")
    POSITIVE = "positive", pgettext("stored word", "positive")
    QUESTION = "question", pgettext("stored word", "counter-question")
    DENOUNCING = "denouncing", pgettext("stored word", "denouncing")


INTENTS: Mapping[Register, Intent] = {
    Register.FACTS: Intent.INFORMATIVE,
    Register.POSITIVE: Intent.POSITIVE,
    Register.QUESTION: Intent.QUESTIONING,
    Register.DENOUNCING: Intent.DENOUNCING,
}
"""The intent that a type of CONAN is. The others are of no intent of IntentCONANv2."""

WITHOUT_REGISTER = frozenset({"negative", "other"})
"""CONAN's types that are no register here: nobody is to write in a hostile tone, and "other" says nothing."""

_ALSO: Mapping[str, Register] = {
    "fact": Register.FACTS,
    "humour": Register.HUMOR,
    "counter-question": Register.QUESTION,
    "counter question": Register.QUESTION,
    "counter_question": Register.QUESTION,
    "questions": Register.QUESTION,
    "consequence": Register.CONSEQUENCES,
    "denounce": Register.DENOUNCING,
    "hyocrisy": Register.HYPOCRISY,  # CONAN's own slip of the pen, in four rows
}


class UnknownRegister(Refused):
    """The word names no register; the message lists the registers."""


@dataclass(frozen=True)
class ReadTypes:
    """The registers that a cell of `cnType` names, and the words that name none."""

    registers: tuple[Register, ...]
    unread: tuple[str, ...]


def read_types(cell: str) -> ReadTypes:
    """Read the types of a cell, separated by commas as CONAN writes them. Case does not count; each stands once."""
    words = [word.strip() for word in cell.split(",") if word.strip()]
    named = [_ALSO.get(word.lower(), word.lower()) for word in words]
    known = WITHOUT_REGISTER.union(Register)
    return ReadTypes(in_order(named), tuple(word for word, name in zip(words, named, strict=True) if name not in known))


def read_registers(words: str) -> list[Register]:
    """Read registers separated by commas. Return each once, in their order. Raises UnknownRegister."""
    read = read_types(words)
    named = [word.strip().lower() for word in words.split(",")]
    if unread := (*read.unread, *(word for word in named if word in WITHOUT_REGISTER)):
        sentence = "%(word)r is no register; there are %(names)s."
        raise UnknownRegister(sentence, word=unread[0][:40], names=", ".join(Register))
    return list(read.registers)


def in_order(names: Iterable[str]) -> tuple[Register, ...]:
    """Return the registers of these values in the order of `Register`, each once. Other values are left out."""
    chosen = set(map(str, names))
    return tuple(register for register in Register if register in chosen)


def intent_of(registers: Iterable[Register]) -> Intent | None:
    """Return the intent of the first register that is one. Returns None if none of them is."""
    return next((INTENTS[register] for register in registers if register in INTENTS), None)


def cn_type(registers: Iterable[str], intent: Intent) -> str:
    """Return the types of a reply as CONAN writes them; those of its intent if it has no register."""
    named = in_order(registers) or tuple(register for register, same in INTENTS.items() if same is intent)
    return " , ".join(sorted(named))
