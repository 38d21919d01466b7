"""Perspectives: how one community of annotators tells hateful from not hateful (PREDICT, sections 3.1 and 4.1).

Every project starts with five. They follow the labelling rules of five Korean data sets as the paper describes them
(Table 3 and Appendix D), in our own words.
"""

import hashlib
import re
import unicodedata
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

CODE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
CRITERIA_LIMIT = 6000
NEAREST = 3
"""The number of examples that a perspective sees (paper, section 4.1; the released code uses 4)."""


class Perspective(BaseModel):
    """A perspective as a run stores it. `store` is the version of its examples at the start, or 0 if it has none."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = ""
    code: str
    name: str
    criteria: str
    hateful_label: str
    other_label: str
    version: int = 1
    store: int = 0


class Example(BaseModel):
    """A labelled text that is similar to the post; `similarity` is the cosine."""

    model_config = ConfigDict(frozen=True)

    id: int
    text: str
    hateful: bool
    similarity: Annotated[float, Field(allow_inf_nan=False)]


class Neighbourhood(BaseModel):
    """The nearest examples, nearest first, and how many were left out because they are the post itself."""

    nearest: list[Example] = []
    same_text: int = 0


def digest_of(text: str) -> str:
    """Return the digest that all texts with the same normal form share."""
    return hashlib.blake2b(normal_form(text).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def normal_form(text: str) -> str:
    """Return the normal form of a text: two examples with the same normal form are the same.

    It ignores compatibility forms, case, white space and invisible signs.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    seen = "".join(" " if sign.isspace() else sign for sign in plain if sign.isspace() or _is_seen(sign))
    return " ".join(seen.split())


def _is_seen(letter: str) -> bool:
    return unicodedata.category(letter) not in {"Cf", "Cc"}


SEEDED = (
    Perspective(
        code="k-haters",
        name="K-HATERS",
        hateful_label="Offensive",
        other_label="Not offensive",
        criteria=(
            "This view was formed on comments below news articles, each rated by how strongly it offends and whom.\n"
            "\n"
            "Offensive\n"
            "- The wording is plainly offensive: an insult, a swear word, an obscenity or a threat that would upset or"
            " annoy those who read it.\n"
            "- Or the offence is carried without such words, by sarcasm, an insinuation or a stereotype.\n"
            "- It may hit people for their gender, age, race or origin, religion, politics, job or disability, a single"
            " person, or somebody else.\n"
            "- Among offensive comments only those that hit a group of people as such are hate speech, openly worded or"
            " not; for this question both kinds are offensive.\n"
            "\n"
            "Not offensive\n"
            "- Nothing in it offends, by any of these kinds, and nobody is aimed at."
        ),
    ),
    Perspective(
        code="k-mhas",
        name="K-MHaS",
        hateful_label="Hate speech",
        other_label="Not hate speech",
        criteria=(
            "This view was formed on comments below online news, with Korean society and its history in mind.\n"
            "\n"
            "Hate speech\n"
            "- Words that attack or belittle a person or a group for one of these traits: political leaning, origin or"
            " region, looks and body, age, gender, religion, race.\n"
            "- A comment may touch several of them.\n"
            "- Plain swearing counts as well, even where nobody is named.\n"
            "- Nicknames, slang and coinages that stand for such an attack count like the attack itself.\n"
            "\n"
            "Not hate speech\n"
            "- No swearing and no offensive wording.\n"
            "- Nobody is put down for one of the traits above."
        ),
    ),
    Perspective(
        code="kold",
        name="KOLD",
        hateful_label="Offensive",
        other_label="Not offensive",
        criteria=(
            "This view was formed on comments from news sites and video platforms; it asks in three steps whether a"
            " comment offends, what kind of target it has, and which group that is.\n"
            "\n"
            "Offensive\n"
            "- Rude or profane language, also where it is aimed at nobody.\n"
            "- Or an insult or a threat against somebody, said openly or between the lines. The target may be one"
            " person, a group, or something else such as an organisation or an event.\n"
            "- Groups are those of gender and sexual orientation, race, ethnicity and nationality, political"
            " affiliation, religion, and others.\n"
            "- Only what offends such a group is hate speech in the narrow sense; for this question it is offensive"
            " like the rest.\n"
            "\n"
            "Not offensive\n"
            "- Neither profanity nor an insult or a threat, open or implied, against anybody."
        ),
    ),
    Perspective(
        code="kodoli",
        name="KODOLI",
        hateful_label="Offensive",
        other_label="Not offensive",
        criteria=(
            "This view was formed on comments of online communities. It weighs two things together: what the writer"
            " wants to bring about and whether the language is abusive. It prescribes no list of groups.\n"
            "\n"
            "Offensive\n"
            "- Language that is not acceptable in a public exchange, or an offence against a person or a group:"
            " insults, threats, sexual harassment.\n"
            "- An offence hidden behind sarcasm, irony or a joke at somebody's expense counts too, and so does a"
            " comment that is only likely to offend.\n"
            "- The feeling that the comment expresses helps to tell what is meant; a negative feeling alone is no"
            " offence.\n"
            "\n"
            "Not offensive\n"
            "- No offence, direct or indirect, and no abusive or profane word, not even an unintended one."
        ),
    ),
    Perspective(
        code="unsmile",
        name="UnSmile",
        hateful_label="Hate speech",
        other_label="Not hate speech",
        criteria=(
            "This view was formed on posts from communities and comments on news, with the categories of social"
            " science; it asks whether prejudice against a group is passed on.\n"
            "\n"
            "Hate speech\n"
            "- Hostility, ridicule or prejudice against people of a race or nationality, a religion, a region, an age,"
            " against women or families, sexual minorities, men, or another social group.\n"
            "- Openly degrading or discriminating words about such a group.\n"
            "- Stereotypes about it, and sentences that nail its members to one trait or behaviour, even in a friendly"
            " tone.\n"
            "- Plain swearing counts as well.\n"
            "\n"
            "Not hate speech\n"
            "- None of this.\n"
            "- People who run themselves down, or the group they say they belong to."
        ),
    ),
)
