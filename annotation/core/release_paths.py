"""Where releases are: names in the site's storage, and the folder of this machine in which they are built."""

from pathlib import Path
from uuid import UUID

from django.conf import settings

from annotation.models import Release

FOLDER = "releases"


def releases_of(project_key: UUID) -> str:
    """Return the name of the folder with all releases of a project."""
    return f"{FOLDER}/{project_key}"


def release_name(release: Release) -> str:
    """Return the name of the folder with the files of a release."""
    return f"{FOLDER}/{release.folder}"


def archive_name(release: Release) -> str:
    """Return the name of the ZIP of a published release, beside its folder."""
    return f"{FOLDER}/{release.folder}.zip"


def releases_root() -> Path:
    """Return the folder of this machine in which releases are built, and stay if the storage is a folder."""
    return Path(settings.MEDIA_ROOT) / FOLDER


def folder_of(release: Release) -> Path:
    """Return the folder with the files of a release, if the storage is a folder."""
    return releases_root() / release.folder


def building_home(project_key: UUID) -> Path:
    """Return the folder of this machine in which a project's releases are built; it is made if there is none."""
    home = releases_root() / str(project_key)
    home.mkdir(parents=True, exist_ok=True)
    return home
