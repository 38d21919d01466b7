"""Why a file, a row or an answer is refused, in the reader's language: a sentence for each stable code.

The rules of `annotation/domain` refuse with a code and an English sentence that names values and limits. Pages in
other languages say what stands here for the code; where a detail helps, the English sentence follows it.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

SENTENCES: Mapping[str, Promise] = {
    "account_closed": _("The account is closed; a site admin can open it."),
    "aspect": _("One side of the picture is too long for the other."),
    "bad_archive": _("The ZIP archive is damaged or cut off."),
    "bad_challenges": _("The challenges have the wrong form."),
    "bad_csv": _("The row cannot be read."),
    "bad_email": _("This is no e-mail address; leave it out if there is none."),
    "bad_flag": _("Only true or false (or 1 or 0) fits here."),
    "bad_gold_source": _("The source of the gold category is unknown."),
    "bad_id": _("The id holds characters that are not allowed, or is too long."),
    "bad_kind": _("The kind is term, symbol or meme."),
    "bad_labels": _("The labels have the wrong form."),
    "bad_language": _("Write languages by their two letters, as en, de, ko or zh; at most five."),
    "bad_moment": _("Write moments like 2026-01-01T00:00:00Z."),
    "bad_provenance": _("The provenance has to be a JSON object."),
    "bad_quote": _("Something follows a closing quotation mark: double the quotation marks inside a quoted field."),
    "bad_seconds": _("Seconds are a number from 0 up."),
    "bad_severity": _("Severity is 0, 1, 2 or 3."),
    "bad_term": _("The term is too short or has too many words to be found in posts."),
    "bad_tokens": _("The words of the post have to be a list."),
    "bad_username": _("A user name has 1 to 150 letters, digits and @ . + - _ characters."),
    "binary_label": _(
        "The label says only hateful or not, and the project has several such categories: import it as intended."
    ),
    "blank_text": _("Write at least one visible character."),
    "changed_meanwhile": _("The project changed while the file was read: check the file again."),
    "column_count": _("The row has another number of columns than the header."),
    "compressed": _("The file is compressed: unpack it first, or use a ZIP with the table and its pictures."),
    "contradiction": _("The values contradict each other."),
    "corrupt_image": _("The picture is damaged and cannot be decoded."),
    "cr_only": _("Lines end with CR alone: save the file with LF or CR LF line ends."),
    "cut_line": _("The last line is not whole: was the file cut off?"),
    "double_challenge": _("A prior can be challenged once in an answer."),
    "duplicate_annotator": _("The same annotator labels this item twice."),
    "duplicate_column": _("A column stands twice in the header."),
    "duplicate_id": _("The id stands twice in the file."),
    "duplicate_key": _("A key stands twice in the JSON."),
    "duplicate_member": _("A file name stands twice in the archive."),
    "duplicate_term": _("The term stands twice in the file."),
    "empty_file": _("The file is empty."),
    "empty_picture": _("The picture file is empty."),
    "encoding": _("The file is not UTF-8: save it as UTF-8 and try again."),
    "encrypted": _("The archive is encrypted: pack it without a password."),
    "entry_too_long": _("An entry of the file is too long."),
    "field_too_long": _("The field is too long."),
    "gold_contradicts_labels": _("The gold category is not what the labels agree on."),
    "gold_with_open_seats": _("The row has a gold category but only some of its labels: give all of them or none."),
    "id_exists": _("The project has an item with this id already; it is never overwritten."),
    "image_processing": _("The picture could not be processed."),
    "image_type": _("The file is no picture of a kind that is taken."),
    "intent_contradiction": _("The intended category and intended hateful or not contradict each other."),
    "invalid_json": _("The JSON is not valid."),
    "invalid_unicode": _("The text holds half a character."),
    "json_array": _("The file or line is a JSON array: write one object a line, without brackets around them."),
    "known_answered": _("Somebody has answered this post by now, so it stays one with a known answer."),
    "known_with_labels": _("A row with a known answer has neither labels nor gold."),
    "known_without_category": _("A known answer needs its category."),
    "label_shape": _("A label has either a category or not sure; only a label without a category can be replaced."),
    "line_too_long": _("A line of the file is too long: is this one row a line?"),
    "member_too_large": _("A file in the archive is too large."),
    "missing_annotator": _("A label needs its annotator."),
    "missing_column": _("A column that is needed is missing."),
    "missing_id": _("The row has no id."),
    "missing_picture": _("The picture of the row is not in the archive."),
    "missing_rationale": _("A category that a reviewer decided needs its rationale."),
    "nested_archive": _("There is an archive inside the archive: unpack it first."),
    "no_answer": _("Choose a category, “not sure” or “low quality”."),
    "no_content": _("The row has neither a text nor a picture."),
    "no_correction": _("Say what the prior should be: a category, or hateful or not."),
    "no_prior": _("There is no prior that could be challenged."),
    "no_rows": _("The file holds no rows."),
    "no_table": _("The archive holds no table."),
    "not_an_object": _("The line is no JSON object."),
    "not_finite": _("A number is too large, or none that JSON knows."),
    "not_markable": _("Only items that nobody was asked about yet (imported or ready) can get a known answer."),
    "not_text": _("The field has to be a text."),
    "nul_character": _("The text holds a NUL character, which cannot be stored: remove it."),
    "number_too_long": _("A number has too many digits."),
    "overlapping_members": _("Files of the archive overlap: pack it anew."),
    "bad_parquet": _("The Parquet file is damaged or was cut off."),
    "scattered_members": _("The files of one item do not stand together in the archive: pack it anew."),
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
    "text_too_long": _("The text is too long."),
    "too_deep": _("The JSON is nested too deep."),
    "too_large": _("The archive unpacks to too much."),
    "too_many_entries": _("A glossary holds at most 20,000 entries."),
    "too_many_labels": _("The row has more labels than the item has seats."),
    "too_many_members": _("The archive holds too many files."),
    "too_many_pixels": _("The picture has too many pixels."),
    "unknown_category": _("The project has no such category."),
    "unknown_format": _("The format of the file is not known: write one JSON object a line."),
    "unknown_id": _("The project has no item with this id: import it first."),
    "unknown_label": _("The label is no category of this project."),
    "unsafe_member": _("A name in the archive leads out of it, or is no plain file."),
    "unsafe_path": _("A picture's path is relative, with / between folders and without '..'."),
    "username_taken": _("This name is taken; choose another."),
    "unterminated_quote": _("A quotation mark is opened and never closed."),
}


def reads_english() -> bool:
    """Whether the page is in English, the language of the rules' own sentences."""
    return (get_language() or "en").startswith("en")


def sentence_for(code: str, english: str) -> str:
    """The refusal in the language of the page; the rules' own sentence in English and for unknown codes."""
    return english if reads_english() or code not in SENTENCES else str(SENTENCES[code])
