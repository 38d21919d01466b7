"""Filters of the documents of a release, which are Markdown."""

from django import template

from annotation.domain.markdown import table_cell

register = template.Library()
register.filter("cell", table_cell)
