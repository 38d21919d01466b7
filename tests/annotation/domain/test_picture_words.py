"""The words of a picture: reading order, what is left out, the language by the script."""

import pytest

from annotation.domain.pictures.words import MOST_CHARS, Line, language_of, words_of


def line(text: str, left: float, top: float, right: float, bottom: float, confidence: float = 0.9) -> Line:
    return Line(text, (left, top, right, bottom), confidence)


def test_lines_are_read_from_the_top_and_from_the_left_within_a_row():
    found = [line("below", 0.1, 0.8, 0.9, 0.9), line("right", 0.5, 0.1, 0.9, 0.2), line("left", 0.1, 0.12, 0.48, 0.22)]
    assert words_of(found).text == "left right\nbelow"


def test_lines_above_each_other_stay_apart_where_their_boxes_touch():
    assert words_of([line("one", 0.1, 0.1, 0.9, 0.3), line("two", 0.1, 0.2, 0.9, 0.4)]).text == "one\ntwo"


def test_scripts_without_spaces_are_joined_without_one():
    assert words_of([line("花园", 0.1, 0.1, 0.4, 0.2), line("杂草", 0.5, 0.1, 0.9, 0.2)]).text == "花园杂草"


def test_unsure_and_blank_lines_are_left_out_and_the_confidence_is_weighted_by_length():
    found = [line("abc", 0, 0, 1, 0.1, 1.0), line("x", 0, 0.2, 1, 0.3, 0.7), line("q", 0, 0.4, 1, 0.5, 0.6)]
    words = words_of([*found, Line("  ")])
    assert (words.text, len(words.lines)) == ("abc\nx", 2)
    assert words.confidence == pytest.approx((3 * 1.0 + 1 * 0.7) / 4)


def test_signs_without_letters_are_no_words_and_unsure_letters_are_said_to_be_there():
    dots = line("●", 0, 0, 1, 0.1, 0.99)
    assert (words_of([dots]).text, words_of([dots]).is_unsure) == ("", False)
    unsure = words_of([dots, line("列叫", 0, 0.2, 1, 0.3, 0.57)])
    assert (unsure.text, unsure.is_unsure) == ("", True)
    assert not words_of([line("列叫", 0, 0.2, 1, 0.3, 0.57), line("sure", 0, 0.4, 1, 0.5, 0.9)]).is_unsure


def test_lines_without_places_keep_their_order_and_lose_what_no_database_takes():
    words = words_of([Line("b\x00e  \ud800here"), Line("a")])
    assert (words.text, words.confidence) == ("be here\na", None)


def test_a_picture_full_of_words_is_cut():
    assert len(words_of([Line("word " * 5000)]).text) == MOST_CHARS


@pytest.mark.parametrize(
    ("text", "language"),
    [("weeds 12", ""), ("花园里的杂草 OK", "zh"), ("ゆっくり寝る", "ja"), ("정원의 잡초", "ko"), ("4:30 !", "")],
)
def test_the_language_is_told_by_the_script(text, language):
    assert language_of(text) == language


def test_one_letter_that_a_machine_is_sure_of_in_a_whole_picture_is_no_word():
    assert (words_of([Line("O", None, 0.9)]).text, words_of([Line("O", None, 0.9)]).is_unsure) == ("", True)
    assert words_of([Line("O", None, 0.9), Line("列叫", None, 0.5)]).is_unsure
    assert words_of([Line("O")]).text == "O"
    assert words_of([Line("O", None, 0.9), Line("K", None, 0.9)]).text == "O\nK"


@pytest.mark.parametrize("seen", ["用用", "列", "居然", ""])
def test_a_box_of_which_nothing_is_sure_is_unsure_unless_it_is_the_whole_picture(seen):
    assert words_of([line(seen, 0.1, 0.1, 0.9, 0.3, 0.5)]).is_unsure
    assert words_of([line(seen, 0, 0, 1, 0.98, 0.5)]) == words_of([])


def test_one_or_two_large_signs_alone_are_shapes_and_more_of_them_are_letters():
    box = (0.1, 0.5, 0.3, 0.75)
    stove, head = Line("", box, 0, 1.1), Line("D", box, 0.99, 1.7)
    assert words_of([stove, head]) == words_of([])
    assert words_of([stove, head, stove]).is_unsure
    assert words_of([stove, Line("", box, 0, 3.0)]).is_unsure  # a turned line
    assert words_of([stove, Line("", (0.1, 0.5, 0.15, 0.55), 0, 1.0)]).is_unsure  # a small sign


def test_a_few_letters_beside_much_that_is_unread_are_a_mistake_and_a_watermark_is_not():
    unread = [line("", 0.1, 0.1, 0.9, 0.3, 0), line("", 0.1, 0.7, 0.9, 0.9, 0)]
    assert words_of([*unread, line("0ヨヨ", 0.4, 0.5, 0.5, 0.55)]).is_unsure
    assert words_of([*unread, line("weeds.example", 0.4, 0.5, 0.5, 0.55)]).text == "weeds.example"


def test_columns_of_chinese_are_read_from_the_right():
    words = words_of([line("又长出来了", 0.2, 0.1, 0.3, 0.7), line("花园里的杂草", 0.6, 0.1, 0.7, 0.8)])
    assert words.text == "花园里的杂草\n又长出来了"


def test_letters_below_each_other_are_a_word_and_letters_along_a_curve_are_unsure():
    below = [line(letter, 0.1, 0.1 + at * 0.1, 0.2, 0.19 + at * 0.1) for at, letter in enumerate("WEEDS")]
    beside = [line(letter, 0.6, 0.1 + at * 0.1, 0.7, 0.19 + at * 0.1) for at, letter in enumerate("ROSES")]
    assert words_of([*beside, *below]).text == "WEEDS\nROSES"
    curve = [line(letter, 0.1 + at * 0.15, (at - 2) ** 2 / 10, 0.2 + at * 0.15, 0.1 + (at - 2) ** 2 / 10)
             for at, letter in enumerate("WEEDS")]  # fmt: skip
    assert (words_of(curve).text, words_of(curve).is_unsure) == ("", True)
