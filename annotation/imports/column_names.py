"""The names of columns, or keys of a JSON line, that an import reads, and what stands there (`docs/importing.md`)."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.domain.columns.items import told

COLUMN_NAMES: tuple[tuple[tuple[str, ...], str | Promise], ...] = tuple(
    (names, gettext_lazy(words)) for words, names in told().items()
)
