"""The certificates that are trusted are read once, and others where the environment names them."""

from pathlib import Path

import pytest

from providers.http.transport import BoundedTransport, trusted_certificates
from wire.certificates import certified


def test_certificates_are_read_once_and_others_where_the_environment_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    ours = trusted_certificates()
    for _client in range(3):
        BoundedTransport().close()
    assert trusted_certificates() is ours
    certified(tmp_path, "models.example.org")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "c.pem"))
    (trusted,) = trusted_certificates().get_ca_certs()
    assert trusted["subject"] == ((("commonName", "models.example.org"),),)
