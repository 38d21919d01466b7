"""The bucket in which the site keeps pictures, uploads and releases where several machines serve it (MEDIA_BUCKET)."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Lock
from typing import IO, Any

from django.core.files import File
from storages.backends.s3 import S3Storage

from annotation.core.stored_files import StoreAway
from providers.http.buckets import bucket_faults, client_config

_PIECE = 2**18


class MediaBucket(S3Storage):
    """django-storages' bucket, whose faults are OSErrors as those of a folder are, and whose files are read at once."""

    def __init__(self, **options: Any) -> None:
        super().__init__(client_config=client_config(options.get("endpoint_url")), **options)
        self._shared, self._connecting = None, Lock()

    @property
    def connection(self) -> Any:
        """One for all threads: a client serves many at once, and one for each thread of a worker takes much memory."""
        with self._connecting:
            if self._shared is None:
                self._shared = super().connection
            return self._shared

    def _open(self, name: str, mode: str = "rb") -> "File[Any]":
        with _faults_as_os_errors():
            file: File[Any] = super()._open(name, mode)
            if "r" in mode:
                file.file  # noqa: B018 (reads it: a fault shows here, where the caller expects it)
            return file

    def _save(self, name: str, content: "File[Any]") -> str:
        return str(self._tried(super()._save, name, content))

    def delete(self, name: str) -> None:
        self._tried(super().delete, name)

    def exists(self, name: str) -> bool:
        return bool(self._tried(super().exists, name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        folders, files = self._tried(super().listdir, path)
        return folders, files

    def size(self, name: str) -> int:
        return int(self._tried(super().size, name))

    def get_modified_time(self, name: str) -> Any:
        return self._tried(super().get_modified_time, name)

    def read_part(self, name: str, first: int, last: int) -> Iterator[bytes]:
        """Yield the bytes from `first` to `last`, both included; nothing else is sent by the server."""
        with _faults_as_os_errors():
            asked = self.bucket.Object(self._normalize_name(name)).get(Range=f"bytes={first}-{last}")
            body: IO[bytes] = asked["Body"]
            with closing(body):
                while piece := body.read(_PIECE):
                    yield piece

    @staticmethod
    def _tried(verb: Callable[..., Any], *values: Any) -> Any:
        with _faults_as_os_errors():
            return verb(*values)


@contextmanager
def _faults_as_os_errors() -> Iterator[None]:
    """Raise StoreAway for the faults of the bucket's server, but FileNotFoundError for a missing file."""
    try:
        yield
    except bucket_faults() as fault:
        answer = getattr(fault, "response", {})
        if answer.get("ResponseMetadata", {}).get("HTTPStatusCode") == 404 and _code(answer) != "NoSuchBucket":
            raise FileNotFoundError(str(fault)) from fault
        raise StoreAway(f"The bucket did not do it: {type(fault).__name__} {_code(answer)}".rstrip()) from fault


def _code(answer: dict[str, Any]) -> str:
    return str(answer.get("Error", {}).get("Code", ""))[:60]
