"""The reader of what the environment says of the bucket of the site's files. The others: `env`."""

import re
from importlib.util import find_spec
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.environment.env import needs, together
from providers.servers import is_web_address


def bucket(
    name: str, *, endpoint: str, region: str, access_key: str, secret_key: str, prefix: str = ""
) -> dict[str, object]:
    """Return the bucket of the site's files as an entry of Django's STORAGES.

    Without keys boto3 finds those of the machine it runs on. Nothing in the bucket is public, and no address of it is
    given to anybody: the site sends every file itself, after it has asked whether this person may have it.
    """
    if endpoint and (not is_web_address(endpoint) or urlsplit(endpoint).path.strip("/") or "?" in endpoint):
        raise ImproperlyConfigured(
            "MEDIA_ENDPOINT must look like https://minio.example.org, without a path or password."
        )
    if name and not re.fullmatch(r"(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", name):
        raise ImproperlyConfigured(
            f"MEDIA_BUCKET must have 3 to 63 of a-z, 0-9, hyphens and points, such as interplay-files, not {name!r}."
        )
    if not re.fullmatch(r"[A-Za-z0-9-]+", region):
        raise ImproperlyConfigured(f"MEDIA_REGION must look like us-east-1, not {region!r}.")
    if ".." in prefix.split("/") or not re.fullmatch(r"[A-Za-z0-9!_.*'()/-]*", prefix):
        raise ImproperlyConfigured(f"MEDIA_PREFIX must be the name of a folder, such as sites/lab, not {prefix!r}.")
    together(MEDIA_ACCESS_KEY=access_key, MEDIA_SECRET_KEY=secret_key)
    for setting, value in (("MEDIA_ENDPOINT", endpoint), ("MEDIA_PREFIX", prefix), ("MEDIA_ACCESS_KEY", access_key)):
        needs(name or not value, setting, "MEDIA_BUCKET")
    needs(not name or find_spec("storages"), "MEDIA_BUCKET", "the extra s3 to be installed (docs/operators.md)")
    return {
        "BACKEND": "config.media_bucket.MediaBucket",
        "OPTIONS": {
            "bucket_name": name,
            "endpoint_url": endpoint or None,
            "region_name": region,
            "access_key": access_key or None,
            "secret_key": secret_key or None,
            "location": prefix.strip("/"),
            "default_acl": None,
            "file_overwrite": True,  # names are random: asking first whether one is free would double the requests
            "max_memory_size": 4 * 2**20,  # larger files are read by way of the disk
        },
    }
