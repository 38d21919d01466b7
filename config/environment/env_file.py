"""The file that gives all processes of a site one environment: web, worker, beat, and each command typed or timed.

Its syntax is that of systemd's EnvironmentFile, so that a unit and a shell read one file alike. Ours and not
python-dotenv: that one ends a value at ` #`, replaces `$NAME` and knows other escapes, so a password could be one thing
for the service and another one for the nightly backup.
"""

import os
import re
import stat
import sys
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

VARIABLE = "INTERPLAY_ENV"
DEFAULT = Path("/etc/interplay.env")
loaded: set[str] = set()
"""The variables of this process that come from the file."""

_GAP = re.compile(r"[ \t]*")
_COMMENT = re.compile(r"[#;][^\n]*")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_PLAIN = re.compile(r"((?:[^\n\\]|\\.|\\\Z)*)", re.DOTALL)
_SIGN = re.compile(r"\\.|[^\\]|\\\Z", re.DOTALL)
_IN_DOUBLE = re.compile(r'\\([\n"\\`$])')


def read(environ: MutableMapping[str, str] = os.environ, default: Path = DEFAULT) -> None:
    """Add the variables of the file that INTERPLAY_ENV names; those that are set already stay.

    Without that variable it is `default`, if it is there and may be read. An empty one is no file. Raises
    ImproperlyConfigured if the named file cannot be read, and for a line that is no assignment.
    """
    path = Path(environ[VARIABLE].strip()) if VARIABLE in environ else default
    if environ.get(VARIABLE, "named").strip() == "" or (VARIABLE not in environ and not _may_read(path, environ)):
        return
    try:
        text = path.read_text(encoding="utf-8")
        mode = path.stat().st_mode
    except (OSError, UnicodeDecodeError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not UTF-8"
        raise ImproperlyConfigured(f"{VARIABLE} names {path}, which cannot be read: {reason}.") from None
    variables = parse(text, str(path))
    new = {name: value for name, value in variables.items() if not _is_set(name, environ)}
    if new and mode & stat.S_IROTH:
        _warn(f"Everybody on this machine can read {path}, which may hold passwords: chmod o-r {path}")
    environ.update(new)
    loaded.update(new)


def _is_set(name: str, environ: MutableMapping[str, str]) -> bool:
    """Return whether the process has this variable; NAME and NAME_FILE are two ways to set one."""
    return not {name, f"{name}_FILE", name.removesuffix("_FILE")}.isdisjoint(environ)


def _may_read(path: Path, environ: MutableMapping[str, str]) -> bool:
    """Return whether the usual file is there and this account may read it; say so where that may be a mistake."""
    if os.access(path, os.R_OK):
        return path.is_file()
    with suppress(OSError):
        if path.exists() and not _is_set("DATABASE_URL", environ):
            _warn(f"This account may not read {path}: the site's settings are not known here. Use the site's account.")
    return False


def _warn(sentence: str) -> None:
    print(f"Warning: {sentence}", file=sys.stderr, flush=True)


def parse(text: str, place: str) -> dict[str, str]:
    """Return the variables that a file with this text sets.

    Raises ImproperlyConfigured, with `place` and the number of the line, for what is no NAME=value. No sentence repeats
    a value, which may be a password.
    """
    variables, at = {}, 0
    while (at := _gap(text, at)) < len(text):
        if text[at] == "\n":
            at += 1
        elif comment := _COMMENT.match(text, at):
            at = comment.end()
        else:
            name, at = _read_name(text, at, place)
            variables[name], at = _read_value(text, at, place)
    return variables


def _gap(text: str, at: int) -> int:
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _read_name(text: str, at: int, place: str) -> tuple[str, int]:
    name = _NAME.match(text, at)
    end = _gap(text, name.end()) if name else at
    if name is None or text[end : end + 1] != "=":
        raise ImproperlyConfigured(f"{place}, line {_line(text, at)}: write NAME=value, without export before it.")
    return name[0], end + 1


def _read_value(text: str, at: int, place: str) -> tuple[str, int]:
    """Return a value and where it ends: quoted parts, then what stands without quotes up to the end of the line."""
    value = ""
    while (at := _gap(text, at)) < len(text) and text[at] in "'\"":
        quoted = (_SINGLE if text[at] == "'" else _DOUBLE).match(text, at)
        if quoted is None:
            raise ImproperlyConfigured(f"{place}, line {_line(text, at)}: this quotation mark is never closed.")
        value += quoted[1] if text[at] == "'" else _IN_DOUBLE.sub(lambda sign: sign[1].strip("\n"), quoted[1])
        at = quoted.end()
    plain = _PLAIN.match(text, at)
    signs = _SIGN.findall(plain[1]) if plain else []
    while signs and signs[-1] in " \t":
        signs.pop()
    value += "".join(sign[1:].strip("\n") if sign.startswith("\\") else sign for sign in signs)
    return value, plain.end() if plain else at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
