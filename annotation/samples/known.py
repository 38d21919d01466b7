"""Posts of the sample campaign whose answer is known: five to train on, three checks; written and drawn by us."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from annotation.samples.neighbourhood import Sample


@dataclass(frozen=True)
class Known:
    """A post whose intended category is its known answer, and why; `training`, or mixed in."""

    sample: Sample
    why: str = ""
    training: bool = True


def _scene(place: str, *things: list[Any], sign: str = "", at: tuple[int, int] = (50, 44)) -> dict[str, Any]:
    return {"place": place, "things": list(things), "sign": sign, "sign_at": at}


_PLAIN = "A plain remark; no group is named or meant."

KNOWN: tuple[Known, ...] = (
    Known(
        Sample(
            "The first snails of the year, and they brought their whole family.",
            _scene("garden", ["snail", 30, 92], ["snail", 52, 92], ["cabbage", 74, 92]),
            ((0, "A joke about snails."), (0, "Snails and a cabbage in a garden.")),
            0,
        ),
        "The snails are snails: the picture shows nothing that the words could stand for. NotHate.",
    ),
    Known(
        Sample(
            "Weeds again. Time to clear the lot.",
            _scene(
                "street", ["boxes", 24, 96], ["person", 52, 96, "d", "yellow", "long"], ["person", 68, 96, "c", "teal"]
            ),
            ((0, "A remark about weeds."), (0, "Two people with boxes move into a street.")),
            1,
            target="newcomers",
            severity=2,
        ),
        "Neither half says anything bad. Together the people who move in are the weeds that are to be cleared: who is "
        "meant shows in the picture, what is wished for them in the words. Racist.",
    ),
    Known(
        Sample(
            "This board was up for one morning. We painted over it before school began.",
            _scene("street", ["person", 78, 96, "b", "green"], sign="HER PLACE:\nTHE KITCHEN", at=(40, 50)),
            ((0, "Neighbours report that they painted over a board."), (2, "A board assigns women to the kitchen.")),
            0,
            severity=1,
        ),
        "The board alone would be sexist. The words show it in order to reject it: quoting is not agreeing. NotHate.",
    ),
    Known(
        Sample(
            "Finally a chef who knows where she belongs.",
            _scene("kitchen", ["cooker", 28, 96], ["person", 62, 96, "b", "red", "long"]),
            ((2, "Says that a woman belongs somewhere."), (0, "A woman beside a cooker.")),
            2,
            target="women",
            severity=1,
        ),
        "“Where she belongs” and the cooker say together that a woman's place is the kitchen. Mild in its wording, and "
        "still about women as a group. Sexist.",
    ),
    Known(
        Sample(
            "Free rides for everybody over seventy, starting today.",
            _scene("street", ["bus_stop", 50, 94], ["person", 34, 96, "a", "grey", "old"]),
            ((0, "An announcement of free rides."), (0, "An elderly person at a bus stop.")),
            0,
        ),
        "A group is named, and something good is said of it. Naming a group is not demeaning it. NotHate.",
    ),
    Known(
        Sample(
            "The ferry leaves at nine, as it always does.",
            _scene("shore", ["boat", 46, 70], ["person", 78, 96, "a", "blue"]),
            ((0, _PLAIN), (0, "A boat and a person on the shore.")),
            0,
        ),
        training=False,
    ),
    Known(
        Sample(
            "No domes in our street, whatever the council says.",
            _scene("street", ["house", 58, 94, "white", "dome"], ["cross", 58, 74]),
            ((4, "Wants houses of prayer out of a street."), (4, "A house of prayer is crossed out.")),
            4,
            target="Muslims",
            severity=2,
        ),
        training=False,
    ),
    Known(
        Sample("The choir practises on Tuesdays from now on.", None, ((0, _PLAIN), None), 0),
        training=False,
    ),
)


def named() -> Iterator[tuple[str, Known]]:
    """Each known post under its id."""
    for number, known in enumerate(KNOWN, 1):
        yield f"nb-known-{number:02}", known
