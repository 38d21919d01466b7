"""The condition that a row names a category, alone or among several."""

from django.db.models import Func, Q, TextField, Value
from django.db.models.functions import Cast, Replace
from django.db.models.lookups import Contains


def names_category(row: str, code: int) -> Q:
    """Return the condition that a row with categories names one, as its only category or as one of several.

    `row` leads to the row: "" is the model's own.
    """
    listed: Func = Cast(f"{row}categories", TextField())
    for sign, place in (("[", ","), ("]", ","), (" ", "")):
        listed = Replace(listed, Value(sign), Value(place), output_field=TextField())
    several = ~Q(**{f"{row}categories": []})  # asked first: most rows have one category, and the texts take long
    return Q(**{f"{row}category__code": code}) | (several & Q(Contains(listed, Value(f",{code},"))))
