"""An S3 server of a test's own, with one bucket for the files of a site."""

import logging
from typing import Any

import boto3

from config.environment import env_bucket
from worker_processes import free_port

BUCKET = "interplay-files"


class S3Server:
    """A server on a free port. It keeps its files in memory, also while it is stopped."""

    def __init__(self) -> None:
        self.port = free_port()
        self._server: Any = None
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request otherwise
        self.start()
        self.client.create_bucket(Bucket=BUCKET)
        self.empty()  # servers of one process share what they keep

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self) -> Any:
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="an-access-key",
            aws_secret_access_key="a-secret-key",
        )

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a site that keeps its files here."""
        return {
            "MEDIA_BUCKET": BUCKET,
            "MEDIA_ENDPOINT": self.endpoint,
            "MEDIA_ACCESS_KEY": "an-access-key",
            "MEDIA_SECRET_KEY": "a-secret-key",
        }

    @property
    def storage(self) -> dict[str, object]:
        """The entry of Django's STORAGES for this bucket."""
        return env_bucket.bucket(
            BUCKET,
            endpoint=self.endpoint,
            region="us-east-1",
            access_key="an-access-key",
            secret_key="a-secret-key",
        )

    def keys(self, prefix: str = "") -> set[str]:
        """Return the names of all files in the bucket."""
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return {entry["Key"] for page in pages for entry in page.get("Contents", ())}

    def empty(self) -> None:
        """Remove all files."""
        for key in self.keys():
            self.client.delete_object(Bucket=BUCKET, Key=key)

    def start(self) -> None:
        from moto.server import ThreadedMotoServer  # noqa: PLC0415 (takes a second)

        self._server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self._server.start()

    def stop(self) -> None:
        self._server.stop()
