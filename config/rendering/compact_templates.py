"""The templates of the annotator's post without what only their authors read: each answer would send it anew."""

import re

from django.template.base import Origin
from django.template.loaders import filesystem

SENT_FOR_EVERY_POST = (
    "annotation/_day.html",
    "annotation/_workspace",
    *(
        f"components/{name}"
        for name in ("category", "not_sure", "picture_stage", "post_", "severity", "workspace_tools")
    ),
)
"""How the names of these templates begin."""

_LINE_END = re.compile(r"\s*\n\s*")
_TAG = re.compile(r"(\{% .*? %\})")
_PAIRED = {"if", "for", "with"}
_BETWEEN = {"elif", "else", "empty"}
_SETS = re.compile(r" as \w+ %\}$")


class Loader(filesystem.Loader):
    """The loader of the site's own folder. Values are filled in later: no text that somebody wrote is touched."""

    def get_contents(self, origin: Origin) -> str:
        """Return the source of the template. In a debugging process it stays as written, so that faults have lines."""
        source = super().get_contents(origin)
        is_sent = str(origin.template_name).startswith(SENT_FOR_EVERY_POST)
        return compact(source) if is_sent and not self.engine.debug else source


def compact(source: str) -> str:
    """Return the source of a template that shows the same in one line, with as few blanks as possible.

    A tag that shows nothing and stands on a line of its own loses the end of that line, if the tag that it belongs to
    does too: the end of the line before them stays, so whatever stood apart still does.
    """
    parts = _TAG.split(_LINE_END.sub("\n", source))
    open_tags: list[bool] = []  # whether each stands on a line of its own
    alone = False
    for place in range(1, len(parts), 2):
        before, tag, after = parts[place - 1 : place + 2]
        name = tag.split()[1]
        alone = after.startswith("\n") and (before.endswith("\n") or (alone and not before))
        if name in _PAIRED:
            open_tags.append(alone)
        elif name.removeprefix("end") in _PAIRED:
            alone = open_tags.pop() and alone
        elif name in _BETWEEN:
            alone = open_tags[-1] and alone
        elif not _SETS.search(tag):
            alone = False
        if alone:
            parts[place + 1] = after[1:]
    return "".join(parts).replace("\n>", ">").replace("\n", " ")
