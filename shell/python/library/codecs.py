"""codecs: text files and their encodings."""
_open = open
BOM_UTF8, BOM_UTF16_LE, BOM_UTF16_BE = b'\xef\xbb\xbf', b'\xff\xfe', b'\xfe\xff'
BOM = BOM_UTF16 = BOM_UTF16_LE


def open(filename, mode='r', encoding=None, errors='strict', buffering=-1):
    if encoding is None or 'b' in mode:
        return _open(filename, mode)
    return _open(filename, mode, encoding=encoding)


def encode(obj, encoding='utf-8', errors='strict'):
    return obj.encode(encoding, errors)


def decode(obj, encoding='utf-8', errors='strict'):
    return obj.decode(encoding, errors)
