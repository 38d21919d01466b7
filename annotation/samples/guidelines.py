"""Guidelines, warning and consent of the sample campaign."""

GUIDELINES = """\
# What you decide

Say what the post means when its text and its picture are read **together**. Each part alone has been judged by
somebody else already; their views stand beside the post, and they err.

## Hateful

A post is hateful when it demeans people, or calls for treating them worse, *because of what they are*: their
origin or colour, sex, love, faith, age, disability. Choose the kind that is meant most.

## Not hateful

- An unkind word about a thing, an animal, an opinion, or one person for what they did.
- A post that **quotes** hate in order to answer, report or remember it.
- A harsh text that its picture shows to be about something else.

## When it is hard

| you see | do |
| --- | --- |
| two readings, both likely | *Not sure*; say in the note what they are |
| a picture too blurred, a text cut off | *Low quality* |
| a model's reading of one part is wrong | *Challenge* it |
| you would rather not look at this one | *Skip*; nobody asks why |

## Examples

1. “Every good kitchen comes with one of these built in” over a woman in a kitchen: each half is harmless, together
   it says where a woman belongs: **Sexist**.
2. “They come here, eat everything and multiply” over snails in a cabbage bed: **NotHate**.
"""

CONTENT_WARNING = (
    "The posts of this project are mild and invented. Some of them demean newcomers, women, older people, believers or "
    "same-sex families all the same. In a real project you would meet worse."
)

CONSENT = (
    "You may skip, pause and stop whenever you want, without a reason. Your labels are stored under a pseudonym; when "
    "you leave, they stay under it and your name goes. You can see your own answers at any time."
)
