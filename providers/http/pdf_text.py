"""The text of a PDF file, read in a separate process: a malicious file cannot harm any other.

`python -m providers.http.pdf_text` reads the file from its input and writes JSON: {"text"} or {"fault"}.
"""

import io
import json
import resource
import subprocess
import sys
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PyPdfError

SECONDS, MEMORY, PAGES = 30, 2**30, 1000


class BadPdf(ValueError):
    """The file cannot be read; the message says why in one sentence."""


def pdf_text(content: bytes, most: int) -> str:
    """Return at most `most` characters of the file's text, pages separated by blank lines.

    Raises BadPdf if it cannot be read.
    """
    try:
        done = subprocess.run(
            [sys.executable, "-m", "providers.http.pdf_text", str(most)],
            input=content,
            capture_output=True,
            timeout=SECONDS + 5,
            check=False,
            cwd=Path(__file__).resolve().parents[2],
        )
        answer = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        raise BadPdf("The PDF could not be read within its limits of time and memory.") from None
    if "fault" in answer:
        raise BadPdf(answer["fault"])
    return str(answer["text"])


def _read(content: bytes, most: int) -> dict[str, str]:
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return {"fault": "The PDF is locked by a password."}
        pieces: list[str] = []
        for page in reader.pages[:PAGES]:
            pieces.append(page.extract_text())
            if sum(map(len, pieces)) > most:
                break
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError, RecursionError):
        return {"fault": "The file is no PDF that can be read."}
    return {"text": "\n\n".join(pieces)[:most].encode("utf-8", "replace").decode("utf-8")}


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    json.dump(_read(sys.stdin.buffer.read(), int(sys.argv[1])), sys.stdout)
