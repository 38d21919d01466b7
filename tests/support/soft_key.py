"""A security key made of software: it registers and signs as a browser with a key does, at any origin."""

import json
import os
import struct
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2 import cbor
from fido2.cose import ES256
from fido2.utils import websafe_encode


class SoftKey:
    """A key that was made for one host."""

    def __init__(self, origin: str, host: str = "") -> None:
        self.origin = origin
        self._host = host or origin.partition("://")[2].partition(":")[0]
        self._id, self._secret = os.urandom(32), ec.generate_private_key(ec.SECP256R1())

    def register(self, options: Mapping[str, Any]) -> str:
        """Return the credential for the options of a page, as JSON."""
        public = cbor.encode(ES256.from_cryptography_key(self._secret.public_key()))
        made = self._data(0x45) + bytes(16) + struct.pack(">H", len(self._id)) + self._id + public
        attestation = cbor.encode({"fmt": "none", "attStmt": {}, "authData": made})
        said = self._said("webauthn.create", options)
        return self._credential(clientDataJSON=said, attestationObject=attestation)

    def sign(self, options: Mapping[str, Any]) -> str:
        """Return the proof for the options of a page, as JSON."""
        said, data = self._said("webauthn.get", options), self._data(0x05)
        signature = self._secret.sign(data + sha256(said).digest(), ec.ECDSA(SHA256()))
        return self._credential(clientDataJSON=said, authenticatorData=data, signature=signature)

    def _data(self, flags: int) -> bytes:
        return sha256(self._host.encode()).digest() + struct.pack(">BI", flags, 0)

    def _said(self, kind: str, options: Mapping[str, Any]) -> bytes:
        challenge = options["publicKey"]["challenge"]
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _credential(self, **parts: bytes) -> str:
        name = websafe_encode(self._id)
        response = {part: websafe_encode(value) for part, value in parts.items()}
        return json.dumps(
            {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}
        )
