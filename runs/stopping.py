"""Being told to stop: runs under way are handed back instead of holding the process."""

from concurrent.futures import Future

_told: Future[None] = Future()


def tell() -> None:
    """Tell every run of this process to save what arrives within the grace and go back to the queue."""
    if not _told.done():
        _told.set_result(None)


def told() -> bool:
    """Whether this process is to end."""
    return _told.done()


def future() -> Future[None]:
    """Done as soon as the process is told to stop: to be waited for beside the calls."""
    return _told
