"""HTTP with bounds: how many bytes an answer may have, and until when it may go on arriving.

Time-outs of HTTP clients bound one read; an endpoint that sends a byte now and then never meets
them. So every chunk is held against a deadline for the whole answer, and against a limit of size.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

LARGEST = 4 << 20


class TooLarge(Exception):
    """The answer has more bytes than it may."""


class TooLate(Exception):
    """The answer was not complete at the deadline."""


class _Bounded(httpx2.SyncByteStream):
    def __init__(self, inner: httpx2.SyncByteStream, most: int, deadline: float) -> None:
        self._inner = inner
        self._most = most
        self._deadline = deadline

    def __iter__(self) -> Iterator[bytes]:
        seen = 0
        for chunk in self._inner:
            seen += len(chunk)
            if seen > self._most:
                raise TooLarge(f"more than {self._most} bytes")
            if time.monotonic() > self._deadline:
                raise TooLate("not complete at the deadline")
            yield chunk

    def close(self) -> None:
        self._inner.close()


class BoundedTransport(httpx2.BaseTransport):
    """See the module. `deadline` (of `time.monotonic`) is set before each call."""

    def __init__(self, most: int = LARGEST) -> None:
        self._inner = httpx2.HTTPTransport()
        self._most = most
        self.deadline = 0.0

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request; compressed answers are not asked for, as they grow when read."""
        request.headers["Accept-Encoding"] = "identity"
        response = self._inner.handle_request(request)
        stream = response.stream
        assert isinstance(stream, httpx2.SyncByteStream)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(stream, self._most, self.deadline),
            extensions=response.extensions,
        )

    def close(self) -> None:
        """Close the connections."""
        self._inner.close()
