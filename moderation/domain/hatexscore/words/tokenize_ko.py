"""Korean morphemes by kiwi, the extra `ko`: 500 MB, loaded once a process when the first Korean text comes.

Never in a web process: scores are worked out by workers and commands. Its dictionary holds the terms of
`un_ko_extended`.
"""

import threading
from functools import cache
from importlib import import_module
from typing import Any

from moderation.domain.hatexscore import group_list_files
from moderation.domain.hatexscore.words.tokenize import MissingExtra, Token, TokenKind

_CONTENT = ("N", "V", "M", "XR", "SL", "SH", "SN")
_loading = threading.Lock()


def tokenize(text: str) -> list[Token]:
    """Return the morphemes of the text; signs are none."""
    found = []
    for each in segmenter().tokenize(text):
        if each.tag[0] == "S" and each.tag not in ("SL", "SH", "SN"):
            continue
        content = each.tag.startswith(_CONTENT) and not each.tag.startswith(("VC", "VX", "NP", "NB"))
        kind = TokenKind.CONTENT if content else TokenKind.FUNCTION
        found.append(Token(each.start, each.start + each.len, each.form.lower(), each.tag == "NNP", kind))
    return found


def segmenter() -> Any:
    """Kiwi with our terms, one for the process. Raises MissingExtra."""
    with _loading:
        return _loaded()


@cache
def _loaded() -> Any:
    try:
        kiwipiepy = import_module("kiwipiepy")
    except ImportError:
        raise MissingExtra("Korean explanations need kiwipiepy: install the extra `ko`.") from None
    made = kiwipiepy.Kiwi(num_workers=1)
    names = group_list_files.countries("ko")  # some are everyday words too: kiwi tells by what stands around them
    for terms in group_list_files.built_in("un_ko_extended").values():
        for term in terms:
            if " " not in term and term not in names:
                made.add_user_word(term, "NNP", 0.0)
    return made
