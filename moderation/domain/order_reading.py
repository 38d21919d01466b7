"""What a model reads in a post beside the rules: whether it tries to steer a program (`providers/orders.py`).

The reader adds to what the rules find and takes nothing away: the text that it reads may have been written to steer it.
"""

from dataclasses import dataclass

from moderation.domain.hatexscore.second_reading import Words
from moderation.domain.verdicts import AnswerShape
from vocabulary.written_values import YesNo


class OrderAnswer(AnswerShape):
    """The form in which the reader answers."""

    order: YesNo
    addressed: Words


@dataclass(frozen=True)
class OrderReading:
    """Whether the model `by` reads an order in a post, and whom that speaks to; empty: it names nobody."""

    order: bool
    addressed: str
    by: str
