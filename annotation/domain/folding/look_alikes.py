"""Letters of other alphabets that look like Latin ones."""

LATIN = str.maketrans(
    "авекмнорстухіїјѕԁԛԝьһѵ"  # Cyrillic
    "αβεηικνορτχωγ"  # Greek
    "ոսօցհ"  # Armenian
    "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ"  # small capitals
    "ıøłđħŧƀɨʉƶɓɗɠƙŋɑɡəɛɔɩʋʂʐɲɾ",  # letters with strokes and of the phonetic alphabet
    "abekmhopctyxiijsdqwbhvabeniknoptxwynuoghabcdefghijklmnopqrstuvwyzioldhtbiuzbdgknageeciusznr",
) | {
    char: chr(97 + number)
    for first in (0x1F150, 0x1F170, 0x1F1E6)
    for number, char in enumerate(range(first, first + 26))
}
"""The Latin letter by the code point of what looks like it."""


def latin(text: str) -> str:
    """Return a text with look-alikes as Latin letters, where it has Latin letters too."""
    if text.isascii() or not any("a" <= char <= "z" for char in text):
        return text
    return text.translate(LATIN)
