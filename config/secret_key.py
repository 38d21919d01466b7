"""The key that signs sessions: from the environment, or created once for this machine."""

import os
import secrets
from pathlib import Path


def load_or_create_key(path: Path) -> str:
    """Return the key in the file at `path`, creating it first if there is none; only its owner may read the file.

    Two processes that start together get the same key: the first to link its file wins.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64), encoding="ascii")
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
