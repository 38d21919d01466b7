"""Files of an S3-compatible bucket, read with the operator's keys; nothing is listed and nothing is written."""

from contextlib import closing
from dataclasses import dataclass
from typing import Any, BinaryIO

from providers.http.safe_urls import FetchFault

try:
    import boto3
    import botocore.config
    import botocore.exceptions
except ImportError:  # the extra is not installed: asking says so in one sentence
    boto3 = None

MISSING = "boto3 is not installed here: install the extra `s3`."
_PIECE = 2**20
_SENTENCES = {
    "NoSuchKey": "There is no such file in the bucket.",
    "NoSuchBucket": "There is no such bucket.",
    "404": "There is no such file in the bucket.",
    "AccessDenied": "The keys of this site may not read this file.",
    "403": "The keys of this site may not read this file.",
    "InvalidAccessKeyId": "The server does not know the access key of this site.",
    "SignatureDoesNotMatch": "The server does not accept the secret key of this site.",
}


@dataclass(frozen=True)
class BucketAccess:
    """Where buckets are, and the keys. An empty endpoint is Amazon's own."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str


def bucket_faults() -> tuple[type[Exception], ...]:
    """Return all that a bucket's server, or the way to it, may raise."""
    return botocore.exceptions.ClientError, botocore.exceptions.BotoCoreError, boto3.exceptions.Boto3Error


def client_config(endpoint: str | None) -> Any:
    """Return how a server is spoken to; servers that are not Amazon's get addresses and checksums that all know."""
    return botocore.config.Config(
        connect_timeout=10,
        read_timeout=60,
        retries={"max_attempts": 3},
        proxies={},
        max_pool_connections=64,
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
        s3={"addressing_style": "path" if endpoint else "auto"},
    )


def copy_from_bucket(access: BucketAccess, bucket: str, key: str, target: BinaryIO, limit: int) -> None:
    """Write the file of a bucket to `target`.

    Raises FetchFault with a code and one sentence; also if the file has more than `limit` bytes.
    """
    if boto3 is None:
        raise FetchFault("not_set_up", MISSING)
    # The keys are named here, so that boto3 looks neither into files nor at a cloud's metadata service for others.
    client = boto3.session.Session().client(
        "s3",
        endpoint_url=access.endpoint or None,
        region_name=access.region,
        aws_access_key_id=access.access_key,
        aws_secret_access_key=access.secret_key,
        config=client_config(access.endpoint),
    )
    try:
        answer = client.get_object(Bucket=bucket, Key=key)
        if answer["ContentLength"] > limit:
            raise FetchFault("too_large", f"It has more than {limit:,} bytes.")
        with closing(answer["Body"]) as body:
            for piece in body.iter_chunks(_PIECE):
                target.write(piece)
    except botocore.exceptions.ClientError as fault:
        code = str(fault.response.get("Error", {}).get("Code", ""))
        raise FetchFault(
            "bucket", _SENTENCES.get(code, f"The bucket's server refused the request ({code[:60]}).")
        ) from None
    except (botocore.exceptions.BotoCoreError, ValueError) as fault:
        reason = f"The bucket could not be read ({type(fault).__name__}). Check the address and S3_ENDPOINT."
        raise FetchFault("unreachable", reason) from None
