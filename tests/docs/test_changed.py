"""Which tests a change reaches (`make changed`)."""

import pytest

import changed


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        # A rule reaches the tests of the page that shows it, by the view that imports it.
        ("moderation/domain/hatexscore/tgi.py", ["tests/moderation/hatexscore/test_score_pages.py"]),
        # A page: the tests in its folder, the walk through all addresses.
        (
            "annotation/wellbeing/views.py",
            ["tests/annotation/wellbeing/test_wellbeing_pages.py", "tests/whole_site/test_who_may_open_what.py"],
        ),
        ("config/management/commands/alive.py", ["tests/config/test_settings.py"]),  # by the name of the command
        ("templates/components/pagination.html", ["tests/annotation/items/test_search.py"]),
        ("tests/support/memes.py", ["tests/browser/test_browser_picture_words.py"]),
        ("tests/docs/test_both_ends.py", ["tests/docs/test_both_ends.py"]),
    ],
)
def test_a_change_reaches_the_tests_that_could_notice_it(file, tests):
    reached, unknown = changed.reached([file])
    assert set(tests) <= set(reached) and unknown == []
    assert len(reached) < len(changed.test_files()) / 2


def test_a_module_that_is_loaded_by_its_name_reaches_whoever_asks_the_registry():
    reached, unknown = changed.reached(["annotation/domain/questions/kinds/text.py"])
    assert "tests/annotation/labelling/test_further_questions.py" in reached and unknown == []


def test_what_nothing_imports_is_named_and_a_test_that_is_gone_is_not():
    assert changed.reached(["pyproject.toml", "tests/docs/test_gone.py"]) == ([], ["pyproject.toml"])
