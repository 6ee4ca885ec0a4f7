"""A server on loopback whose certificate nobody trusts: enough to have one be verified."""

from __future__ import annotations

import datetime as dt
import ssl
from contextlib import contextmanager
from http.server import HTTPServer, SimpleHTTPRequestHandler
from threading import Thread
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NAME = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])


@contextmanager
def secure_server(directory: Path) -> Iterator[str]:
    """Serve for the length of the block; gives the address. The key lies in ``directory``."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(_write_certificate(directory))
    with HTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def _write_certificate(directory: Path) -> Path:
    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder(_NAME, _NAME, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = directory / "server.pem"
    file.write_bytes(secret + certificate.public_bytes(Encoding.PEM))
    return file
