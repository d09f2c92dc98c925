"""Pages and data of the static site, packed: the browser unpacks them while it reads.

A game's page of 150 kB says most things many times; packed it takes 20 kB. ``static/unpack.js``
unpacks it in milliseconds, from disk as well, where pages can load scripts but no other files.
"""

from __future__ import annotations

import base64
import gzip
import re
import zlib

LEVEL = 9
"""Of compression: a site is written once, and kept and sent often."""

_BODY = re.compile(r"<body\b[^>]*>")
PAGE = """{head}
<noscript><p>This page is compressed, and your browser runs no scripts that could decompress it.
<code>commonground site --plain</code> writes pages that need none.</p></noscript>
<script type="text/plain" id="packed">{packed}</script>
<script src="{script}"></script>
</body>
</html>
"""


def pack_page(page: str, script: str) -> str:
    """Packs what a page shows; its head stays as it is.

    Args:
        script: address of ``unpack.js`` from there.
    """
    # Words of data are escaped, so the first that looks like the tag is the tag.
    opened = _BODY.search(page)
    body, closed, _ = page[opened.end() if opened else 0 :].rpartition("</body>")
    if not (opened and closed):
        raise ValueError("a page needs one body")
    return PAGE.format(head=page[: opened.end()], packed=pack(body), script=script)


def pack_script(name: str, value: bytes) -> str:
    """Writes a script that gives a value of JSON to the search, packed."""
    return f'commonground("{name}",JSON.parse(unpack("{pack(value)}")));'


def pack(text: str | bytes) -> str:
    """Compresses a text into letters and digits; what is no Unicode becomes a question mark."""
    data = text.encode("utf-8", "replace") if isinstance(text, str) else text
    # Negative: raw DEFLATE, without the head and checksum of zlib, which `unpack.js` does not read.
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL + 1)
    return base64.b64encode(packer.compress(data) + packer.flush()).decode()


def pack_file(data: bytes) -> bytes:
    """Compresses what is read by programs; the same bytes for the same data."""
    return gzip.compress(data, LEVEL, mtime=0)
