"""Paths of releases on the disk."""

from pathlib import Path

from django.conf import settings

from annotation.models import Release


def releases_root() -> Path:
    """Return the folder of all releases, in the site's media."""
    return Path(settings.MEDIA_ROOT) / "releases"


def folder_of(made: Release) -> Path:
    """Return the folder with the files of a release."""
    return releases_root() / made.folder


def archive_of(made: Release) -> Path:
    """Return the path of the ZIP of a published release, beside its folder."""
    return releases_root() / f"{made.folder}.zip"
