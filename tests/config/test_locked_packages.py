"""What requirements.lock promises: every package has hashes, and a part of it holds all that its packages need."""

import re
from importlib.metadata import distributions

import pytest
from django.conf import settings
from packaging.requirements import Requirement

from config.locked_packages import declared, main, plain, read_lock, with_needs

LOCK = (settings.BASE_DIR / "requirements.lock").read_text(encoding="utf-8")
PYPROJECT = (settings.BASE_DIR / "pyproject.toml").read_text(encoding="utf-8")
IMAGE = ("site", "evidence", "zh", "ko", "ocr", "s3", "tracing")
EXAMPLE = """\
# made by a command
a==1 \\
    --hash=sha256:aa
    # via interplay (pyproject.toml)
b-x==2 ; sys_platform == 'win32' \\
    --hash=sha256:bb \\
    --hash=sha256:cc
    # via
    #   A
    #   c
c==3 \\
    --hash=sha256:dd
d==4 \\
    --hash=sha256:ee
    # via b.x[more]
"""


def test_a_part_holds_what_its_packages_need_and_no_more():
    locked = read_lock(EXAMPLE)
    assert [package.name for package in with_needs(["A"], locked)] == ["a", "b-x", "d"]
    assert [package.name for package in with_needs(["c"], locked)] == ["b-x", "c", "d"]
    assert locked["b-x"].version == "2"
    assert "".join(package.lines for package in locked.values()) == EXAMPLE.partition("\n")[2]
    with pytest.raises(KeyError, match="e"):
        with_needs(["e"], locked)


def test_names_that_are_none_are_refused_with_those_that_there_are():
    with pytest.raises(SystemExit, match="'nonsense' is no package .* none of site, zh"):
        main(["nonsense"])
    with pytest.raises(SystemExit, match="Name what you want"):
        main([])


@pytest.mark.parametrize("file", ["requirements.lock", "requirements-train.lock"])
def test_every_locked_package_has_hashes_and_no_address(file):
    text = (settings.BASE_DIR / file).read_text(encoding="utf-8")
    packages = re.split(r"\n(?=[a-z0-9])", text.replace(" \\\n", " "))[1:]
    without = [package.split()[0] for package in packages if "--hash=sha256:" not in package]
    assert without == (["torch==2.13.0"] if "train" in file else [])
    assert "://" not in text and "--index" not in text


def test_the_lock_file_has_all_that_is_declared():
    locked = read_lock(LOCK)
    unlocked = {"detoxify", "bertscore", "train"}  # gigabytes of torch; installed by who wants them
    names = {plain(name) for group, names in declared(PYPROJECT).items() if group not in unlocked for name in names}
    assert names - locked.keys() == set()


def test_what_the_image_installs_is_complete():
    """As the packages themselves say, for this machine."""
    part = {plain(name) for name in read_lock(main(list(IMAGE)))}
    needs = {
        (plain(owner.name), plain(need.name))
        for owner in distributions()
        if plain(owner.name) in part
        for need in map(Requirement, owner.requires or ())
        if need.marker is None or need.marker.evaluate({"extra": ""})
    }
    assert {pair for pair in needs if pair[1] not in part} == set()
    assert not part & {"pytest", "ruff", "mypy", "playwright", "uv"}


def test_the_image_installs_this_part_with_its_hashes():
    dockerfile = (settings.BASE_DIR / "Dockerfile").read_text(encoding="utf-8")
    assert f"locked_packages.py {' '.join(IMAGE)} > part.lock" in dockerfile
    assert "install --require-hashes -r part.lock" in dockerfile
