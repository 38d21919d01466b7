"""Messages for refused files, rows and answers in the reader's language, by stable code.

The rules of `annotation/domain` refuse with a code and an English sentence that names values and limits. Pages in other
languages show the message for the code; where details help, they add the English sentence.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, override
from django.utils.translation import gettext_lazy as _

from annotation.domain.refusal import Refusal
from annotation.domain.text_rules import BadText
from annotation.models.people import NAME_SENTENCES

SENTENCES: Mapping[str, Promise] = {
    "account_closed": _("The account is closed; a site admin can open it."),
    "answer_needed": _("This question needs an answer."),
    "aspect": _("One side of the picture is too long for the other."),
    "bad_archive": _("The ZIP archive is damaged or cut off."),
    "bad_challenges": _("The challenges have the wrong form."),
    "bad_choice": _("Choose from the options of the question."),
    "bad_column_name": _("A kept column needs a name of at most 100 characters that can be seen."),
    "bad_csv": _("The row cannot be read."),
    "bad_email": _("This is no e-mail address; leave it out if there is none."),
    "bad_flag": _("Only true or false (or 1 or 0) fits here."),
    "bad_gold_source": _("The source of the gold category is unknown."),
    "bad_id": _("The id holds a control character, shows nothing, or has more than 128 characters."),
    "bad_kind": _("The kind is term, symbol or meme."),
    "bad_labels": _("The labels have the wrong form."),
    "bad_language": _("Write languages by their two letters, as en, de, ko or zh; at most five."),
    "bad_variant": _("Each other spelling has two letters or more and at most 120 characters; at most twenty of them."),
    "bad_way": _("What may be switched off is a list of ways in which a term may stand in a text."),
    "bad_mark": _("A column of one category, or of one option, holds 1 or 0, or nothing."),
    "bad_moment": _("Write moments like 2026-01-01T00:00:00Z."),
    "bad_point": _("Choose a point of the scale."),
    "bad_priority": _("The priority is a whole number from -100 to 100."),
    "bad_quote": _(
        "Something follows a closing quotation mark: double the quotation marks inside a quoted field, or choose the "
        "format in which they are letters as others."
    ),
    "bad_seconds": _("Seconds are a number from 0 up."),
    "bad_severity": _("Severity is 0, 1, 2 or 3."),
    "bad_span": _("Mark parts of the text, at most 200."),
    "bad_term": _("The term is too short or has too many words to be found in posts."),
    "bad_tokens": _("The words of the post have to be a list."),
    "bad_username": _("A user name has 1 to 150 letters, digits and @ . + - _ characters."),
    "binary_label": _(
        "The label says only hateful or not, and the project has several such categories: import it as intended."
    ),
    "blank_text": _("Write at least one visible character."),
    "bad_picture_words": _("The words of a picture cannot be read from the file beside it."),
    "category_columns": _(
        "Columns hold 0 and 1, as in a table with a column for each category: name, keep or leave them out."
    ),
    "changed_meanwhile": _("The project changed while the file was read: check the file again."),
    "column_count": _("The row has another number of columns than the header."),
    "compressed": _("The file is compressed: unpack it first, or use a ZIP with the table and its pictures."),
    "kept_twice": _("Two columns are kept under one name: rename one, or leave it out."),
    "too_many_kept": _("A post keeps at most 40 columns that the site does not know: leave some out."),
    "too_much_kept": _("A post keeps at most 4,096 bytes of columns that the site does not know: leave some out."),
    "content_left_out": _(
        "The row comes from a release that left out its text and its picture: import a release with texts and "
        "pictures, or leave the row out."
    ),
    "contradiction": _("The values contradict each other."),
    "corrupt_image": _("The picture is damaged and cannot be decoded."),
    "cr_only": _("Lines end with CR alone: save the file with LF or CR LF line ends."),
    "crowd_workbook": _("The workbook holds results of a crowd platform: save the sheet as CSV."),
    "cut_line": _("The last line is not whole: was the file cut off?"),
    "double_challenge": _("A prior can be challenged once in an answer."),
    "duplicate_annotator": _("The same annotator labels this item twice: say which label counts, or remove one."),
    "duplicate_column": _("A column stands twice in the header."),
    "duplicate_id": _("The id stands twice in the file."),
    "duplicate_key": _("A key stands twice in the JSON."),
    "duplicate_member": _("A file name stands twice in the archive."),
    "duplicate_term": _("The term stands twice in the file."),
    "empty_file": _("The file is empty."),
    "empty_picture": _("The picture file is empty."),
    "bad_workbook": _("The workbook is damaged or was cut off: save it again, or as CSV."),
    "no_sheet": _("The workbook has no such sheet."),
    "cell_without_value": _("A cell holds an error, or a formula whose result is not stored."),
    "rounded_id": _("The id is a long number that the spreadsheet has rounded."),
    "old_workbook": _(
        "The file is an old Excel workbook, or one with a password: save it as .xlsx without a password."
    ),
    "too_many_cells": _("The sheet reaches over too many cells: delete what is filled far away, or save it as CSV."),
    "not_a_table": _("The file holds no table: export its rows as CSV or JSON lines."),
    "refused_work": _(
        "A column says whose work counts, and all labels would count: take the other rows out, or keep the column."
    ),
    "web_page": _("This is a web page, not a table."),
    "opendocument": _("The file is an OpenDocument table: save it as .xlsx or CSV."),
    "file_not_fetched": _("The file could not be fetched from its address."),
    "encoding": _("The file is not UTF-8: save it as UTF-8 and try again."),
    "encrypted": _("The archive is encrypted: pack it without a password."),
    "entry_too_long": _("An entry of the file is too long."),
    "field_too_long": _("The field is too long."),
    "categories_without_gold": _("The row has categories but no gold."),
    "gold_contradicts_categories": _("Gold is not among the categories of the row."),
    "gold_contradicts_labels": _("The gold category is not what the labels agree on."),
    "gold_with_open_seats": _("The row has a gold category but only some of its labels: give all of them or none."),
    "hidden_character": _("The text has a character that cannot be seen: remove it, or type it anew."),
    "id_exists": _("The project has an item with this id already; it is never overwritten."),
    "image_processing": _("The picture could not be processed."),
    "image_type": _("The file is no picture of a kind that is taken."),
    "intent_contradiction": _("The intended category and intended hateful or not contradict each other."),
    "invalid_json": _("The JSON is not valid."),
    "invalid_unicode": _("The text holds half a character."),
    "header_as_row": _("This line looks like the header: say that the header stands there, or remove the line."),
    "json_array": _("The file or line is a JSON array: write one object per line, without brackets around them."),
    "known_answered": _("Somebody has answered this post by now, so it stays one with a known answer."),
    "known_with_labels": _("A row with a known answer has neither labels nor gold."),
    "known_without_category": _("A known answer needs its category."),
    "labels_named_twice": _(
        "Name a label column, or columns of one annotator each, or columns of one category each: not two of these."
    ),
    "label_shape": _("A label has either a category or not sure; only a label without a category can be replaced."),
    "line_break": _("The text has a line break: write it on one line."),
    "line_too_long": _("A line of the file is too long: is there one row per line?"),
    "member_too_large": _("A file in the archive is too large."),
    "missing_annotator": _("A label needs its annotator."),
    "missing_column": _("A column that is needed is missing."),
    "missing_id": _("The row has no id."),
    "missing_picture": _("The picture of the row is not in the archive."),
    "missing_rationale": _("A category that a reviewer decided needs its rationale."),
    "nested_archive": _("There is an archive inside the archive: unpack it first."),
    "mixed_categories": _("A hateful category and one that is not hateful cannot be chosen together."),
    "one_category": _("This project takes one category for a post, not several."),
    "no_answer": _("Choose a category, “not sure” or “low quality”."),
    "no_category": _(
        "None of the columns of one category each holds a 1 in this row: say what such a row is, below the columns."
    ),
    "no_content": _("The row has neither a text nor a picture."),
    "no_correction": _("Say what the prior should be: a category, or hateful or not."),
    "no_prior": _("There is no prior that could be challenged."),
    "no_rows": _("The file holds no rows."),
    "no_table": _("The archive holds no table."),
    "not_an_object": _("The line is no JSON object."),
    "not_asked": _("This question is not asked beside the chosen category."),
    "not_finite": _("A number is too large, or none that JSON knows."),
    "not_markable": _("Only items that nobody was asked about yet (imported or ready) can get a known answer."),
    "not_quoted": _("The quoted words do not stand in the text."),
    "not_text": _("The field has to be a text."),
    "not_yes_or_no": _("Write yes or no."),
    "nul_character": _("The text holds a NUL character, which cannot be stored: remove it."),
    "number_too_long": _("A number has too many digits."),
    "outside_text": _("A marked part lies outside the text."),
    "overlapping_members": _("Files of the archive overlap: pack it again."),
    "bad_parquet": _("The file is damaged or was cut off."),
    "retired_question": _("This question is no longer asked."),
    "scattered_members": _("The files of one item are not next to each other in the archive: pack it again."),
    "picture_damaged": _("A picture has changed on the disk: it has to be restored before a release."),
    "picture_missing": _("A picture is not on the disk: it has to be restored before a release."),
    "picture_too_large": _("The picture file is too large."),
    "picture_too_small": _("The picture is too small."),
    "picture_url": _(
        "This picture is not fetched from its address: put the file into a ZIP with the table and give its path."
    ),
    "pseudonym_gives_away": _("This looks like the person's name or address; choose another."),
    "pseudonym_taken": _("Somebody in this project has this pseudonym already."),
    "ratio": _("A file of the archive unpacks to too much."),
    "several_tables": _("The archive holds several tables: name the one to read."),
    "size_lies": _("A file of the archive is larger than the archive says."),
    "too_many_addresses": _("Too many pictures are named by address: put them into a ZIP with the table."),
    "addresses_too_slow": _("Fetching the pictures took too long: put them into a ZIP with the table."),
    "fetch_bad_url": _("The picture's address is no URL that can be fetched."),
    "fetch_bad_scheme": _("Only http and https addresses are fetched."),
    "fetch_blocked_port": _("Only the ports 80 and 443 are fetched from."),
    "fetch_blocked_address": _("The picture's address is not on the public Internet."),
    "fetch_too_many_redirects": _("The picture's address redirects too often."),
    "fetch_unreachable": _("The picture's address could not be reached."),
    "fetch_timeout": _("The picture's address did not answer in time."),
    "fetch_too_large": _("The picture behind the address is too large."),
    "fetch_bad_type": _("What is behind the address is no picture that is read here."),
    "fetch_robots": _("The site asks programs not to fetch this picture (robots.txt)."),
    "fetch_status": _("The picture's address answered with an error."),
    # Why a page of the web was not read as evidence (providers/http).
    "page_no_text": _("The page holds no text to read."),
    "page_too_large": _("The page is longer than what is read of one, and its beginning holds no text."),
    "page_garbled": _(
        "The page cannot be read: too many of its characters have no meaning in any encoding that was tried."
    ),
    "page_bad_type": _("The page is no text, whatever its type says."),
    "page_too_costly": _("The page could not be read within its limits of time and memory."),
    "page_scanned": _("The PDF holds pictures of pages and no text; it would have to be read by OCR first."),
    "page_bad_pdf": _("The PDF cannot be read."),
    "page_script_built": _("The page is built by scripts in a browser; without them it holds no text."),
    "page_bot_check": _("The page asks whether its reader is a person, or refuses programs, and shows nothing else."),
    "page_consent_wall": _("The page asks for consent to cookies and shows nothing else."),
    "page_login_wall": _("The page asks its reader to sign in and shows nothing else."),
    "page_paywall": _("The page shows its text to subscribers only."),
    "page_not_found": _("The page says that what stood here does not exist."),
    "page_unavailable": _("The page says that it is closed: for repairs, to readers from here, or for sale."),
    "page_moved": _("The page holds nothing but the way to another address."),
    "page_broken": _("The page came packed, and cannot be unpacked."),
    "page_bad_url": _("The address of the page cannot be used."),
    "page_bad_scheme": _("Only http and https addresses are fetched."),
    "page_blocked_port": _("Only the ports 80 and 443 are fetched from."),
    "page_blocked_address": _("The address of the page is not on the public Internet, or denied on this site."),
    "page_too_many_redirects": _("The address of the page redirects too often."),
    "page_unreachable": _("The server of the page could not be reached."),
    "page_timeout": _("The page did not come in time."),
    "page_robots": _("The server asks programs not to read this page (robots.txt)."),
    "page_status": _("The server answered with an error."),
    "text_too_long": _("The text is too long."),
    "too_deep": _("The JSON is nested too deep."),
    "too_large": _("The archive unpacks to too much."),
    "old_feather": _("The file is Feather of version 1. Write it anew as version 2, or as Parquet."),
    "window_too_large": _("The file is packed with a window of more than 128 MB. Unpack it first."),
    "unpacks_too_large": _("The file unpacks to far more than its size."),
    "bad_value": _("A value of the row cannot be read or stored."),
    "bad_answers": _("The answers to further questions have the wrong form."),
    "answers_without_label": _("The row has answers to further questions and no label."),
    "masked_places": _("The text is masked on import, so marked places no longer fit."),
    "too_costly": _("The file cannot be read within the memory and time allowed."),
    "too_many_columns": _("The header has too many columns: at most 2,000 are read."),
    "too_many_rows": _("The file has too many rows: at most 1,000,000 are read."),
    "too_many_row_groups": _("The Parquet file has too many row groups."),
    "too_many_entries": _("A glossary holds at most 20,000 entries."),
    "too_many_labels": _("The row has more labels than the item has seats."),
    "too_many_members": _("The archive holds too many files."),
    "too_many_pixels_together": _("The pictures of the file have too many pixels together: split the file."),
    "too_many_pixels": _("The picture has too many pixels."),
    "unknown_category": _("The project has no such category."),
    "unknown_format": _("The format of the file is not known: write one JSON object per line."),
    "unknown_id": _("The project has no item with this id: import it first."),
    "unknown_question": _("The project asks no such question."),
    "unknown_version": _("The question has no such version."),
    "unused_labels": _("A column looks like labels and would be passed over: use it as the label, or leave it out."),
    "unknown_label": _("The label is no category of this project."),
    "two_pictures": _("The item has two pictures; it can have one."),
    "unsafe_member": _("A name in the archive points outside it, or is not a plain file."),
    "unsafe_path": _("A picture's path stays inside its folder: write it without '..'."),
    "username_taken": _("This name is taken; choose another."),
    "unterminated_quote": _("A quotation mark is opened and never closed."),
    **NAME_SENTENCES,
}


def reads_english() -> bool:
    """Return whether the page is in English, the language of the rules' own sentences."""
    return (get_language() or "en").startswith("en")


def says_it_all(code: str, english: str) -> bool:
    """Return whether the rules' own sentence adds nothing (no value, no limit) to the message for its code."""
    with override("en"):
        return str(SENTENCES.get(code)) == english


def sentence_for(code: str, english: str) -> str:
    """Return the message in the language of the page; the rules' own sentence in English and for unknown codes."""
    return english if reads_english() or code not in SENTENCES else str(SENTENCES[code])


def refusal_sentence(refusal: Refusal) -> str:
    """Return the sentence of a refusal in the language of the page, with what it names."""
    if reads_english():
        return refusal.sentence
    values = {
        name: sentence_for(value.code, value.sentence) if isinstance(value, BadText) else value
        for name, value in refusal.values.items()
    }
    return gettext(refusal.pattern) % values if values else gettext(refusal.pattern)
