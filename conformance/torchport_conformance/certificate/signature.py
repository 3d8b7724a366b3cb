"""Ed25519 signatures over canonical JSON, and the keys that make and check them.

A signed file is ``{"payload": {...}, "signature": {"algorithm", "key", "value"}}``. What is signed is
:data:`CONTEXT`, a zero byte, and the payload with sorted keys and without spaces, in UTF-8. ``key`` is the
SHA-256 of the raw public key; the public key itself is not in the file: whoever checks it must have got the
key from the vendor by another way.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from torchport.errors import TorchportError

CONTEXT = b"torchport-certificate-1"
"""Precedes what is signed, so that a signature of something else is never one of a certificate."""

ALGORITHM = "Ed25519"


class CertificateError(TorchportError):
    """A certificate cannot be issued, read or trusted, or a challenge shows that it does not hold."""

    stage = "certificate"


def canonical(payload: Mapping[str, Any]) -> bytes:
    """The bytes of a payload that are signed, context included."""
    text = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return CONTEXT + b"\0" + text.encode()


def new_private_key(path: Path) -> Ed25519PrivateKey:
    """Makes a private key and writes it as PEM that only its owner can read.

    Raises:
        FileExistsError: there is a file already.
    """
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.touch(mode=0o600, exist_ok=False)
    path.write_bytes(pem)
    return key


def public_pem(key: Ed25519PrivateKey | Ed25519PublicKey) -> bytes:
    """The public key as PEM: what a vendor hands to customers."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def key_id(key: Ed25519PrivateKey | Ed25519PublicKey) -> str:
    """The SHA-256 of the raw public key, in hex."""
    public = key.public_key() if isinstance(key, Ed25519PrivateKey) else key
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return hashlib.sha256(raw).hexdigest()


def private_key(path: Path) -> Ed25519PrivateKey:
    """The private key in a PEM file.

    Raises:
        CertificateError: there is none, or it is not an Ed25519 private key.
    """
    read = partial(serialization.load_pem_private_key, password=None)
    found = _key(path, read, "signing key", "make one with: torchport certificate-key FILE")
    if not isinstance(found, Ed25519PrivateKey):
        raise CertificateError("the signing key is not an Ed25519 key", got=type(found).__name__)
    return found


def public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a PEM file.

    Raises:
        CertificateError: there is none, or it is not an Ed25519 public key.
    """
    read = serialization.load_pem_public_key
    found = _key(path, read, "vendor's public key", "ask the vendor for its PEM")
    if not isinstance(found, Ed25519PublicKey):
        raise CertificateError("the vendor's key is not an Ed25519 public key", got=type(found).__name__)
    return found


def _key(path: Path, read: Callable[[bytes], object], what: str, hint: str) -> object:
    try:
        return read(path.read_bytes())
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise CertificateError(f"the {what} cannot be read", got=f"{path}: {error}", hint=hint) from error


def signed(payload: Mapping[str, Any], key: Ed25519PrivateKey) -> dict[str, Any]:
    """The document of a payload under a key."""
    value = base64.b64encode(key.sign(canonical(payload))).decode()
    return {
        "payload": dict(payload),
        "signature": {"algorithm": ALGORITHM, "key": key_id(key), "value": value},
    }


def check_signature(document: Mapping[str, Any], trusted: Iterable[Ed25519PublicKey]) -> str:
    """The id of the trusted key that signed a document.

    Raises:
        CertificateError: no trusted key signed it, or it was changed afterwards.
    """
    signature = document["signature"]
    keys = {key_id(key): key for key in trusted}
    key = keys.get(signature["key"])
    if key is None:
        raise CertificateError(
            "the certificate is signed by a key that is not trusted here",
            got=f"key {signature['key'][:16]}…; trusted: {', '.join(k[:16] + '…' for k in keys) or 'none'}",
            hint="get the vendor's public key from the vendor itself and name it with --key",
        )
    try:
        value = base64.b64decode(signature["value"], validate=True)
        key.verify(value, canonical(document["payload"]))
    except (InvalidSignature, binascii.Error, ValueError) as error:
        raise CertificateError(
            "the certificate was changed after it was signed, or was never signed by this key",
            hint="do not rely on it; ask the vendor for the original file",
        ) from error
    return str(signature["key"])


def parse(text: str) -> dict[str, Any]:
    """The document in a text, in which no key stands twice and every number is finite.

    Raises:
        CertificateError: the text is not such JSON.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a key stands twice in one object")
        return found

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is not a number of JSON")

    try:
        document = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise CertificateError("the certificate is not JSON", got=str(error)[:200]) from error
    if not isinstance(document, dict):
        raise CertificateError("the certificate is not a JSON object", got=type(document).__name__)
    return document
