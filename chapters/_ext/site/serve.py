"""Serve the built book on this machine, and nowhere else, until Ctrl+C: `make serve`."""

from __future__ import annotations

import argparse
import contextlib
import functools
import http.server
import sys

from _ext.site.contents import SITE, missing


def main() -> int:
    """Serve the book on the port that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int, nargs="?", default=8000, help="(default: 8000)")
    port = parser.parse_args().port
    if lacking := missing():
        print(f"The book is not built ({lacking[0]} is missing): run `make book` first.")
        return 1
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(SITE))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:  # taken, not allowed, or beyond 65535
        print(f"Port {port} can't be used ({error}); PORT=8001 would name another.")
        return 1
    print(f"The book is at http://localhost:{port}/ until you press Ctrl+C.", flush=True)
    with server, contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main())
