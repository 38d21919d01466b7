"""A sample explanation, and a sample entry of the glossary with a document that it comes from."""

ITEM = "nb-039"

EXPLANATION = """Definition: hateful is what demeans people, or calls for treating them worse, for who they are.

Analysis: The post quotes “You belong at the stove.” and says who had to listen: “I heard it for nine years.” The \
quoted words assign women to the kitchen. The writer does not share them; “Today I own the bakery” answers them, and \
the picture shows where the board with “HER PLACE” hangs now.

Conclusion: Non-hateful"""

TERM = "weeds"
MEANING = (
    "Plants where nobody wants them. Of people: those who are said not to belong, most often newcomers; the word asks "
    "for nothing and says that they should be pulled out."
)
EXAMPLE = "“The weeds are back at the bus stop.”"

DOCUMENT = "words-of-the-street.md"
DOCUMENT_TEXT = """# Words of the street

Written for the sample campaign; an invented list, as a neighbourhood office might keep one.

## Garden words

People speak about neighbours in words for plants. Roses are those who have been here long. Weeds are those who came \
lately, and the word is used so that nobody has to say whom they mean. Where a real bed is meant, the picture mostly \
shows it.

## Words for rubbish

Collection day, bulky goods, what was put out: said beside a picture of a family with boxes, these are about the family.
"""
