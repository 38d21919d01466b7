"""Labels of stored words in the reader's language.

The database, the API and the files hold the words themselves (`kind_undecided`). Each enum knows its English labels
(`vocabulary.display_names`); this module translates them.
"""

from django.utils.translation import pgettext

from vocabulary.display_names import label_of


def name_of(word: str) -> str:
    """Return the label of a stored word in the reader's language.

    A word without a label is returned with spaces for underscores.
    """
    label = label_of(word)
    return word.replace("_", " ") if label is None else pgettext("stored word", label)
