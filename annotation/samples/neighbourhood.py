"""The sample campaign: posts of an invented neighbourhood, written by us and as mild as their purpose allows.

Every one of the eight patterns occurs. Priors are written by hand and say so (`sample:hand-written`). A vote is a
category code, `?` (not sure), `q` (low quality) or a code with `q`; `text=1` or `image=0` after a vote
challenges that prior. Fewer than three votes leave seats free for whoever tries the site.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One post: `alone` are the two hand-written priors as (code, explanation); None where there is no such part."""

    text: str
    scene: dict[str, Any] | None
    alone: tuple[tuple[int, str] | None, tuple[int, str] | None]
    intended: int
    votes: tuple[str, ...] = ()
    target: str = ""
    notes: tuple[str, ...] = ()
    severity: int = 0
    ruling: tuple[int, str] | None = None  # a reviewer's category and rationale, where votes did not decide


def _scene(place: str, *things: list[Any], sign: str = "", at: tuple[int, int] = (50, 44)) -> dict[str, Any]:
    return {"place": place, "things": list(things), "sign": sign, "sign_at": at}


_PARTY = _scene(
    "garden",
    ["person", 18, 92, "a", "blue"],
    ["person", 34, 92, "c", "yellow", "long"],
    ["table", 55, 92],
    ["person", 76, 92, "d", "red"],
    ["person", 90, 92, "b", "green", "scarf"],
)
_MOVING = _scene(
    "street",
    ["person", 58, 96, "c", "teal", "long"],
    ["person", 68, 96, "d", "yellow", "child"],
    ["boxes", 82, 96],
    ["person", 14, 96, "a", "grey", "old"],
)
_PLAIN_TEXT = "A plain remark; no group is named or meant."
_HARMLESS = "An everyday scene; nothing in it demeans anyone."

SAMPLES: tuple[Sample, ...] = (
    # 000 nothing hateful, alone or together
    Sample(
        "First tomatoes of the year!",
        _scene("garden", ["cabbage", 30, 92], ["person", 60, 92, "b", "green"]),
        ((0, _PLAIN_TEXT), (0, "A person beside vegetables in a garden.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "Our street party starts at four, bring a chair.",
        _PARTY,
        ((0, "An invitation to a party."), (0, "People smiling around a laid table.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "Grandmother's recipe finally worked.",
        _scene("kitchen", ["cake", 70, 80], ["cooker", 30, 96], ["person", 50, 96, "a", "violet", "old"]),
        ((0, _PLAIN_TEXT), (0, "An elderly person and a cake in a kitchen.")),
        0,
        ("0", "0", "0q"),
    ),
    Sample(
        "Waiting for the ferry, as every summer.",
        _scene("shore", ["boat", 40, 70], ["person", 75, 96, "c", "green"]),
        ((0, _PLAIN_TEXT), (0, "A person on a beach watches a sailing boat.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "Prize day for our reading group.",
        _scene("stage", ["person", 40, 96, "b", "blue", "long"], ["cup", 60, 96]),
        ((0, _PLAIN_TEXT), (0, "A woman on a stage beside a cup.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "两位邻居一起种的玫瑰终于开了。",
        _scene("garden", ["person", 40, 92, "a", "blue"], ["person", 56, 92, "c", "red"]),
        ((0, "Two neighbours' roses are in bloom; friendly."), (0, "Two people before a hedge of white roses.")),
        0,
        ("0", "0"),
    ),
    Sample(
        "오늘 우리 동네 벼룩시장에서 만나요.",
        _scene("street", ["table", 40, 96], ["person", 66, 96, "b", "yellow"]),
        ((0, "An invitation to a flea market."), (0, "A person at a stall in the street.")),
        0,
        (),
    ),
    # 001 two harmless halves, a hateful whole
    Sample(
        "Weeds in the white roses again. Somebody should really do something about them.",
        _PARTY,
        (
            (0, "A remark about a garden that needs weeding; no group is named."),
            (0, "People smiling at a garden party behind a laid table. Nothing demeans them."),
        ),
        1,
        ("1", "0", "5"),
        "newcomers",
        ("The weeds are the guests. Who stands among the roses?", "", "Newcomers, but I cannot tell which."),
        2,
    ),
    Sample(
        "Collection day. Put out whatever you no longer want in this street.",
        _MOVING,
        ((0, "A reminder about rubbish collection."), (0, "A family with boxes moves in; a neighbour looks on.")),
        1,
        ("1", "1", "1"),
        "newcomers",
        severity=2,
    ),
    Sample(
        "Every good kitchen comes with one of these built in.",
        _scene("kitchen", ["cooker", 25, 96], ["person", 55, 96, "a", "red", "long"]),
        ((0, "A remark about kitchen equipment."), (0, "A woman stands in a kitchen.")),
        2,
        ("2", "2", "2"),
        "women",
        severity=1,
    ),
    Sample(
        "Spot the thing that does not belong in a family album.",
        _scene(
            "room",
            ["person", 30, 96, "a", "blue"],
            ["person", 46, 96, "c", "green"],
            ["person", 62, 96, "b", "yellow", "child"],
        ),
        ((0, "A puzzle question about an album."), (0, "Two men and a child in a living room.")),
        3,
        ("3", "3", "0"),
        "same-sex parents",
        severity=2,
    ),
    Sample(
        "Such a lovely street. Shame about the new roof.",
        _scene("street", ["house", 55, 94, "white", "dome"], ["person", 16, 96, "b", "violet", "scarf"]),
        ((0, "An opinion about a building."), (0, "A domed house of prayer in a street.")),
        4,
        ("4", "4", "1"),
        "Muslims",
        severity=1,
    ),
    Sample(
        "Express lane, they said.",
        _scene(
            "street",
            ["bus_stop", 50, 94],
            ["person", 40, 96, "b", "grey", "chair"],
            ["person", 60, 96, "a", "teal", "old"],
        ),
        ((0, "An ironic remark about waiting."), (0, "A wheelchair user and an elderly person at a bus stop.")),
        5,
        ("5", "?", "5"),
        "disabled people",
        ("", "It may just be about the bus.", ""),
        1,
    ),
    Sample(
        "Guess how she got the corner desk.",
        _scene("office", ["desk", 60, 96], ["person", 30, 96, "b", "blue", "long"], ["cup", 88, 96]),
        ((0, "A question about a desk."), (0, "A woman in an office beside a cup.")),
        2,
        ("2",),
        "women",
        severity=1,
    ),
    Sample(
        "They all bring the same dish, the same smell, the same trouble.",
        _PARTY,
        ((0, "A complaint about food at a party."), (0, "Guests around a laid table.")),
        4,
        ("1", "4", "5"),
        "immigrants",
        severity=2,
    ),
    # 010 a hateful picture, disarmed by its text
    Sample(
        "This sign hung in our street until this morning. We took it down together.",
        _scene(
            "street",
            ["person", 70, 96, "b", "teal"],
            ["person", 84, 96, "d", "yellow", "long"],
            sign="LOCALS\nONLY",
            at=(34, 50),
        ),
        ((0, "Neighbours report that they removed a sign."), (1, "A sign tells people from elsewhere to stay out.")),
        0,
        ("0", "0", "0"),
        severity=1,
    ),
    Sample(
        "From our exhibition on advertisements of 1958. How far we have come.",
        _scene("kitchen", ["cooker", 26, 96], ["person", 80, 96, "a", "red", "long"], sign="HER PLACE", at=(52, 50)),
        ((0, "An announcement of a history exhibition."), (2, "A board assigns a woman to the kitchen.")),
        0,
        ("0", "0", "2"),
        severity=1,
    ),
    Sample(
        "Whoever crossed out our flag: we hung up three new ones.",
        _scene("street", ["rainbow", 45, 96, "crossed"], ["person", 78, 96, "c", "violet"]),
        ((0, "A calm answer to vandalism."), (3, "A rainbow flag is crossed out.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "Reported this poster to the council; it came down within the hour.",
        _scene("street", ["house", 58, 94, "white", "dome"], ["cross", 58, 74]),
        ((0, "A report to the council about a poster."), (4, "A house of prayer is crossed out.")),
        0,
        ("0", "0", "4"),
    ),
    Sample(
        "For the lesson on Thursday: what makes this notice unfair?",
        _scene("office", ["person", 74, 96, "b", "blue"], ["desk", 30, 96], sign="NO OVER-50s", at=(62, 40)),
        ((0, "A teacher's question about a notice."), (5, "A notice shuts out older people.")),
        0,
        ("0", "0"),
    ),
    Sample(
        "My landlord apologised for this board. Framed it as a reminder.",
        _scene("room", ["person", 78, 96, "d", "green"], sign="NO FOREIGNERS", at=(44, 60)),
        ((0, "A tenant tells of an apology."), (1, "A board turns foreigners away.")),
        0,
        (),
    ),
    # 011 a hateful picture, joined by its text
    Sample(
        "Finally a rule that makes sense.",
        _scene("street", ["person", 76, 96, "a", "grey"], sign="LOCALS\nONLY", at=(34, 50)),
        ((0, "Approval of some rule."), (1, "A sign tells people from elsewhere to stay out.")),
        1,
        ("1", "1", "1"),
        "newcomers",
        severity=2,
    ),
    Sample(
        "Some things were simply right in the old days.",
        _scene("kitchen", ["cooker", 26, 96], ["person", 80, 96, "a", "red", "long"], sign="HER PLACE", at=(52, 50)),
        ((0, "Nostalgia in general words."), (2, "A board assigns a woman to the kitchen.")),
        2,
        ("2", "2", "0"),
        "women",
        severity=1,
    ),
    Sample(
        "My contribution to a tidy town square.",
        _scene("street", ["rainbow", 45, 96, "crossed"], ["person", 80, 96, "a", "blue"]),
        ((0, "Someone speaks of tidying."), (3, "A rainbow flag is crossed out.")),
        3,
        ("3", "3", "3"),
        "LGBTQ people",
        severity=2,
    ),
    Sample(
        "Planning permission, the way I like it.",
        _scene("street", ["house", 58, 94, "white", "dome"], ["cross", 58, 74]),
        ((0, "A remark about planning permission."), (4, "A house of prayer is crossed out.")),
        4,
        ("4", "1", "4"),
        "Muslims",
        severity=2,
    ),
    Sample(
        "At last an honest job advertisement.",
        _scene("office", ["desk", 30, 96], ["person", 76, 96, "b", "blue"], sign="NO OVER-50s", at=(58, 40)),
        ((0, "Praise for an advertisement."), (5, "A notice shuts out older people.")),
        5,
        ("5", "0"),
        "older people",
        severity=1,
    ),
    # 100 a hateful-sounding text, disarmed by its picture
    Sample(
        "They come here, eat everything and multiply. Throw them all out!",
        _scene("garden", ["cabbage", 24, 92], ["cabbage", 50, 94], ["snail", 38, 95], ["snail", 66, 94]),
        ((1, "Taken alone it reads as if people were a plague to be removed."), (0, "Snails between cabbages.")),
        0,
        ("0", "0", "0"),
        severity=1,
    ),
    Sample(
        "Old, slow and always in the way. Time to get rid of it.",
        _scene("street", ["car", 50, 96, "grey"], ["person", 84, 96, "a", "blue"]),
        ((5, "Alone it may demean older people."), (0, "An old car in a street.")),
        0,
        ("0", "0", "0"),
    ),
    Sample(
        "She never listens, barks at everyone and still rules this house.",
        _scene("room", ["dog", 55, 94], ["person", 24, 96, "c", "teal"]),
        ((2, "Alone it belittles a woman of the house."), (0, "A dog in a living room.")),
        0,
        ("0", "0 text=0", "0 text=0"),
        notes=("", "She is the dog; no woman is meant.", "About the dog."),
    ),
    Sample(
        "Nobody invited you, and you are taking over our garden.",
        _scene("garden", ["weed", 30, 94], ["weed", 46, 92], ["weed", 62, 95], ["person", 82, 92, "b", "green"]),
        ((1, "Alone it can be read as hostile to newcomers."), (0, "Weeds in a lawn.")),
        0,
        ("0", "0 text=0", "0"),
        notes=("", "Plainly about weeds even without the picture.", ""),
    ),
    Sample(
        "Ugly thing, I will burn you before the guests arrive.",
        _scene("kitchen", ["cake", 60, 82], ["cooker", 26, 96]),
        ((5, "A threat against someone, if read alone."), (0, "A cake beside a cooker.")),
        0,
        ("0",),
    ),
    Sample(
        "밖에서 온 것들은 다 뽑아 버려야 해.",
        _scene("garden", ["weed", 40, 94], ["weed", 58, 94], ["person", 78, 92, "a", "yellow"]),
        ((1, "Alone it calls for removing what comes from outside."), (0, "Weeds in a garden.")),
        0,
        (),
    ),
    # 101 a hateful text over a harmless picture
    Sample(
        "Women and parking. I rest my case.",
        _scene("street", ["car", 50, 96, "red"]),
        ((2, "Repeats that women cannot park."), (0, "A parked car.")),
        2,
        ("2", "2", "2"),
        "women",
        severity=1,
    ),
    Sample(
        "People from over there should not be allowed to open shops here.",
        _scene("street", ["table", 44, 96], ["person", 70, 96, "c", "red"]),
        ((1, "Demands that people from elsewhere be kept from trading."), (0, "A stall in a street.")),
        1,
        ("1", "1", "5"),
        "immigrants",
        severity=2,
    ),
    Sample(
        "Those who pray there are not our neighbours.",
        _scene("street", ["house", 55, 94, "white", "dome"]),
        ((4, "Denies believers a place in the neighbourhood."), (0, "A domed house of prayer.")),
        4,
        ("4", "4", "4"),
        "Muslims",
        severity=2,
    ),
    Sample(
        "Two men are no family, whatever the photograph says.",
        _scene(
            "room",
            ["person", 30, 96, "a", "blue"],
            ["person", 46, 96, "c", "green"],
            ["person", 62, 96, "b", "yellow", "child"],
        ),
        ((3, "Denies that two men can be a family."), (0, "Two men and a child.")),
        3,
        ("3", "3"),
        "same-sex parents",
        severity=2,
    ),
    Sample(
        "Anyone over seventy should hand in the keys.",
        _scene("street", ["car", 44, 96, "teal"], ["person", 80, 96, "a", "grey", "old"]),
        ((5, "Takes a right from everyone above an age."), (0, "A car and an elderly person.")),
        5,
        ("5", "5", "0"),
        "older people",
        severity=1,
    ),
    # 110 hateful halves, a whole that speaks against them
    Sample(
        "“Go back where you came from”, he told me, under this very sign. I was born two doors down.",
        _scene("street", ["person", 74, 96, "d", "teal"], sign="LOCALS\nONLY", at=(36, 50)),
        ((1, "Quotes a demand to leave the country."), (1, "A sign tells people from elsewhere to stay out.")),
        0,
        ("0", "0", "1"),
        severity=2,
    ),
    Sample(
        "“You belong at the stove.” I heard it for nine years. Today I own the bakery.",
        _scene(
            "kitchen",
            ["cooker", 24, 96],
            ["cake", 52, 80],
            ["person", 82, 96, "c", "violet", "long"],
            sign="HER PLACE",
            at=(52, 50),
        ),
        ((2, "Quotes that women belong at the stove."), (2, "A board assigns a woman to the kitchen.")),
        0,
        ("0", "2", "2"),
        severity=1,
    ),
    Sample(
        "“Your kind ruins the square”: the note we found on our torn flag. The square answered with forty flags.",
        _scene(
            "street",
            ["rainbow", 40, 96, "crossed"],
            ["person", 66, 96, "b", "violet"],
            ["person", 80, 96, "a", "yellow", "long"],
        ),
        ((3, "Quotes an insult against LGBTQ people."), (3, "A rainbow flag is crossed out.")),
        0,
        ("0", "0", "0"),
        severity=1,
    ),
    Sample(
        "“Believers out” says the poster. Come and pray with us on Friday, whatever you believe.",
        _scene("street", ["house", 58, 94, "white", "dome"], ["cross", 58, 74], ["person", 18, 96, "b", "teal"]),
        ((4, "Quotes a call to drive believers out."), (4, "A house of prayer is crossed out.")),
        0,
        ("4", "0", "1"),
        severity=2,
        ruling=(0, "The poster is quoted in order to answer it with an invitation; nobody is demeaned."),
    ),
    Sample(
        "“Too old to learn”, wrote the firm beside this notice. I am 63 and teach their course now.",
        _scene("office", ["desk", 28, 96], ["person", 72, 96, "a", "violet", "old"], sign="NO OVER-50s", at=(54, 40)),
        ((5, "Quotes that older people cannot learn."), (5, "A notice shuts out older people.")),
        0,
        ("0",),
    ),
    # 111 hateful throughout
    Sample(
        "Outsiders ruin every street they move into.",
        _scene("street", ["person", 78, 96, "a", "grey"], ["boxes", 14, 96], sign="LOCALS\nONLY", at=(40, 50)),
        ((1, "Says that outsiders ruin streets."), (1, "A sign tells people from elsewhere to stay out.")),
        1,
        ("1", "1", "1"),
        "newcomers",
        severity=2,
    ),
    Sample(
        "Women should stay where this board says.",
        _scene("kitchen", ["cooker", 24, 96], ["person", 82, 96, "b", "red", "long"], sign="HER PLACE", at=(52, 50)),
        ((2, "Tells women where to stay."), (2, "A board assigns a woman to the kitchen.")),
        2,
        ("2", "2", "2"),
        "women",
        severity=1,
    ),
    Sample(
        "That flag and its people have no business here.",
        _scene("street", ["rainbow", 46, 96, "crossed"]),
        ((3, "Tells LGBTQ people that they have no business here."), (3, "A rainbow flag is crossed out.")),
        3,
        ("3", "3", "5"),
        "LGBTQ people",
        severity=2,
    ),
    Sample(
        "No prayers, no domes, no believers in our town.",
        _scene("street", ["house", 58, 94, "white", "dome"], ["cross", 58, 74], ["person", 14, 96, "a", "grey"]),
        ((4, "Wants believers out of the town."), (4, "A house of prayer is crossed out.")),
        4,
        ("4", "4", "q"),
        "Muslims",
        severity=2,
    ),
    Sample(
        "Pensioners only cost money.",
        _scene("office", ["desk", 30, 96], ["person", 76, 96, "a", "grey", "old"], sign="NO OVER-50s", at=(52, 40)),
        ((5, "Demeans older people as a mere cost."), (5, "A notice shuts out older people.")),
        5,
        ("5", "5", "5"),
        "older people",
        severity=1,
    ),
    # text or picture alone: no pattern
    Sample("The choir meets on Mondays; every voice is welcome.", None, ((0, _PLAIN_TEXT), None), 0, ("0", "0", "0")),
    Sample(
        "", _scene("garden", ["dog", 40, 92], ["person", 64, 92, "c", "blue"]), (None, (0, _HARMLESS)), 0, ("0", "?")
    ),
    Sample(
        "We all know which family the broken lift is thanks to.",
        None,
        ((0, "A veiled accusation; no group is named."), None),
        1,
        (),
    ),
)
