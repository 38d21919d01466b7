"""Print a part of requirements.lock, with its hashes: for an image, or for one package more.

    python config/locked_packages.py site evidence zh > part.lock && pip install --require-hashes -r part.lock

Each name is `site` (what every installation needs), an extra of pyproject.toml, or a package of the lock file. Pip
takes no hashes from a file of constraints, so a part has to name all that its packages need. It knows that from the
lines `# via` that uv writes. The Dockerfile runs this file alone, before anything is installed.
"""

import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r"^(?P<name>[A-Za-z0-9][\w.-]*)==(?P<version>[^\s;\\]+)(?P<rest>.*\n(?:[ #].*\n)*)", re.MULTILINE)
_VIA = re.compile(r"^ +# +(?:via +)?([\w.-]+)(?:\[[\w,-]+\])?(?: \(pyproject.toml\))?$", re.MULTILINE)
_NAME = re.compile(r"^[\w.-]+")


@dataclass(frozen=True)
class Locked:
    """A package of the lock file. `lines` are its own, `needed_by` the packages that need it."""

    name: str
    version: str
    lines: str
    needed_by: frozenset[str]


def read_lock(text: str) -> dict[str, Locked]:
    """Return the packages of a lock file by their names."""
    found = (
        Locked(match["name"], match["version"], match.group(), frozenset(map(plain, _VIA.findall(match["rest"]))))
        for match in _BLOCK.finditer(text)
    )
    return {plain(package.name): package for package in found}


def with_needs(wanted: Iterable[str], locked: Mapping[str, Locked]) -> list[Locked]:
    """Return the packages of these names and all that they need, in the order of the lock file.

    Raises KeyError for a name that the lock file lacks.
    """
    names = {plain(name) for name in wanted}
    if missing := sorted(names - locked.keys()):
        raise KeyError(missing[0])
    before: set[str] = set()
    while names != before:
        before = set(names)
        names |= {name for name, package in locked.items() if package.needed_by & names}
    return [package for name, package in locked.items() if name in names]


def declared(pyproject: str) -> dict[str, list[str]]:
    """Return the names of the packages of `site` and of each extra."""
    project = tomllib.loads(pyproject)["project"]
    groups = {"site": project["dependencies"], **project["optional-dependencies"]}
    return {group: [match.group() for line in lines if (match := _NAME.match(line))] for group, lines in groups.items()}


def plain(name: str) -> str:
    """Return a name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(names: list[str], folder: Path = ROOT) -> str:
    """Return the lines of the lock file for these names. Raises SystemExit for a name that is none."""
    groups = declared((folder / "pyproject.toml").read_text(encoding="utf-8"))
    locked = read_lock((folder / "requirements.lock").read_text(encoding="utf-8"))
    wanted = [package for name in names for package in groups.get(name, [name])]
    if not wanted:
        raise SystemExit(f"Name what you want: a package of requirements.lock, or one of {', '.join(groups)}.")
    try:
        return "".join(package.lines for package in with_needs(wanted, locked))
    except KeyError as missing:
        raise SystemExit(f"{missing} is no package of requirements.lock, and none of {', '.join(groups)}.") from None


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:], Path.cwd()))
