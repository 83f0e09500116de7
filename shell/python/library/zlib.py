"""zlib: compression by deflate, and checksums."""
from _zlib import adler32, crc32, deflate as _deflate, inflate as _inflate

MAX_WBITS = 15
DEF_MEM_LEVEL = 8
Z_DEFAULT_COMPRESSION, Z_NO_COMPRESSION, Z_BEST_SPEED, Z_BEST_COMPRESSION = -1, 0, 1, 9


class error(Exception):
    pass


def decompress(data, /, wbits=MAX_WBITS, bufsize=16384):
    try:
        return _inflate(data, wbits)[0]
    except (ValueError, EOFError) as e:
        raise error(*e.args) from None


def compress(data, /, level=-1, wbits=MAX_WBITS):
    try:
        return _deflate(data, level, wbits)
    except ValueError as e:
        raise error(*e.args) from None
