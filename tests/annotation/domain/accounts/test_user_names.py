"""User names: which read alike, which read like a path, which mix scripts."""

import pytest

from annotation.domain.accounts.user_names import check_user_name, name_keys
from annotation.domain.text_rules import BadText

ALIKE = [
    ("beta-admin", "b\u0435ta-admin"),  # a Cyrillic letter
    ("beta", "ВЕТА"),  # all Cyrillic, alike in capitals alone
    ("beta", "BETA"),
    ("paul", "pauI"),
    ("paul", "pau1"),
    ("bob", "b0b"),
    ("modern", "rnodern"),
    ("anna", "αnnα"),
    ("scope", "ѕсоре"),
    ("iris", "ıris"),
    ("straße", "STRASSE"),
]
APART = [
    ("anna", "hanna"),
    ("annotator-1", "annotator-2"),
    ("annotator-1", "annotator-11"),
    ("김민수", "김민주"),
    ("王伟", "王维"),
    ("иван", "игорь"),
    ("محمد", "محمود"),
    ("иван", "ivan"),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_read_alike_have_a_key_in_common(one, other):
    assert set(name_keys(one)) & set(name_keys(other))


@pytest.mark.parametrize(("one", "other"), APART)
def test_names_that_read_apart_have_none(one, other):
    assert not set(name_keys(one)) & set(name_keys(other))


@pytest.mark.parametrize(
    "name",
    [".", "..", "...", ".hidden", "anna.", "~anna", "-rf", "--json", "a/b", "a\\b", "con", "NUL.txt", "com1", "lpt9"],
)
def test_a_name_that_reads_like_a_path_or_an_option_is_refused(name):
    with pytest.raises(BadText) as refused:
        check_user_name(name)
    assert refused.value.code == "name_like_path"


@pytest.mark.parametrize("name", ["b\u0435ta", "adminа", "αdam", "한국ру", "مруx", "ивanov", "中ру"])
def test_a_name_that_mixes_scripts_is_refused(name):
    with pytest.raises(BadText) as refused:
        check_user_name(name)
    assert refused.value.code == "mixed_scripts"


@pytest.mark.parametrize(
    "name",
    [
        "anna", "anna.b", "anna@lab.example", "김민수", "kim민수", "王伟2", "山田たろう", "山田タロー", "иван", "Ἀλέξ",
        "محمد", "ali_محمد", "Zoë", "console", "_x",
    ],
)  # fmt: skip
def test_a_name_of_one_writing_system_is_taken(name):
    assert check_user_name(name) == name
