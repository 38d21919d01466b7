"""THIRD_PARTY.md names all that is passed on, as requirements.lock has it."""

import re

from django.conf import settings

from config.locked_packages import plain
from docs.third_party import _licence, document, passed_on

WRITTEN = (settings.BASE_DIR / "THIRD_PARTY.md").read_text(encoding="utf-8")


def test_the_file_is_what_the_command_writes():
    assert document() == WRITTEN, "run `make third-party` and commit THIRD_PARTY.md"


def test_every_package_has_its_row_and_no_tool_of_development_has_one():
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.+) \| <(https?://\S+)> \|$", WRITTEN, re.MULTILINE)
    packages = {name: version for name, version, _licence, _address in rows if version[0].isdigit()}
    assert packages == {package.name: package.version for package in passed_on()}
    assert {"django", "krippendorff", "psycopg", "pi-heif", "crowd-kit", "rapidocr"} <= packages.keys()
    assert not {"pytest", "ruff", "mypy", "uv"} & {plain(name) for name in packages}


def test_the_readme_says_what_the_gpl_among_them_means():
    readme = (settings.BASE_DIR / "README.md").read_text(encoding="utf-8")
    assert all(word in readme for word in ("`krippendorff`", "GPL-3", "`psycopg`", "`pi_heif`", "THIRD_PARTY.md"))
    strong = re.findall(r"^\| (\S+) \| \S+ \| A?GPL", WRITTEN, re.MULTILINE)
    assert strong == ["krippendorff"]
    assert "| AGPL" not in WRITTEN


class Said:
    """An installed package that says this about itself."""

    def __init__(self, **fields):
        self.metadata = About(fields)
        self.files = ()


class About(dict):
    def get_all(self, name):
        return self.get(name)


def test_licences_in_words_become_identifiers_and_what_nobody_understands_stays_empty():
    trove = "License :: OSI Approved :: Apache Software License"
    assert _licence(Said(**{"License-Expression": "MIT AND ISC", "License": "BSD"})) == "MIT AND ISC"
    assert _licence(Said(License="The BSD 2-Clause License")) == "BSD-2-Clause"
    assert _licence(Said(License="Copyright (c) 2018", Classifier=[trove])) == "Apache-2.0"
    assert _licence(Said(License="MIT OR Apache-2.0", Classifier=[trove])) == "MIT OR Apache-2.0"
    assert _licence(Said(License="BSD")) == _licence(Said(License="mine")) == _licence(Said()) == ""
