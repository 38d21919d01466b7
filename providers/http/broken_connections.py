"""Why there was no connection, in a sentence for whoever typed the address."""

import errno
import ssl

_TRY_AGAIN = -3  # what the library of C calls EAI_AGAIN
_NO_ROUTE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL}
_BROKEN = {errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED}


def why_unreachable(fault: BaseException, address: str) -> str:
    """Return why nothing came from the address (scheme, host and port), by the first cause that says something."""
    link: BaseException | None = fault
    while link is not None:
        if sentence := _sentence(link, address):
            return sentence
        link = link.__cause__ or link.__context__
    other = ", as one that wants https:// does" if address.startswith("http://") else ""
    return f"{address} ended it without a whole answer{other} ({type(fault).__name__})"


def _sentence(fault: BaseException, address: str) -> str:
    """Return what one exception tells; empty if it only wraps another.

    That of the name server is known by its name: its module opens connections, which this one has no need of.
    """
    if type(fault).__name__ == "gaierror":
        if isinstance(fault, OSError) and fault.errno == _TRY_AGAIN:
            return f"the name server did not answer for {address}"
        return f"there is no server of the name in {address}"
    if isinstance(fault, ssl.SSLCertVerificationError):
        reason = getattr(fault, "verify_message", "") or "it is not trusted"
        return (
            f"the certificate of {address} is refused ({reason}). Name the file of its authority in SSL_CERT_FILE, "
            "or correct the host name"
        )
    if isinstance(fault, ssl.SSLError):
        reason = getattr(fault, "reason", None) or type(fault).__name__
        if reason in ("WRONG_VERSION_NUMBER", "UNKNOWN_PROTOCOL", "HTTP_REQUEST", "RECORD_LAYER_FAILURE"):
            return f"{address} does not speak TLS there: its address may begin with http://, or its port is another"
        return f"{address} agreed on no TLS with this site ({reason})"
    return _by_number(fault, address) if isinstance(fault, OSError) else ""


def _by_number(fault: OSError, address: str) -> str:
    if isinstance(fault, ConnectionRefusedError):
        return f"{address} refused it: no server listens on that port, or a firewall forbids it"
    if fault.errno in _NO_ROUTE:
        return f"there is no way from this machine to {address}"
    return f"{address} broke it off before the answer was whole" if fault.errno in _BROKEN else ""
