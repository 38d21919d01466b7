"""`python -m config.queue_tmp` prints the folder that a worker has as its TMPDIR; `make worker` asks for it.

A queue of files moves its messages through that folder: it must lie on the disk of the queue.
"""

from django.conf import settings

from config import start

if __name__ == "__main__":
    start.read_settings()
    settings.QUEUE_TMP.mkdir(parents=True, exist_ok=True)
    print(settings.QUEUE_TMP)
