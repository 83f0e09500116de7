"""base64: encoding of bytes as text in an alphabet of 64 (or 32, or 16) characters."""
import binascii

_STANDARD = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'


def _bytes(s):
    if isinstance(s, str):
        return s.encode('ascii')
    return s if isinstance(s, bytes) else bytes(s)


def b64encode(s, altchars=None):
    if not isinstance(s, bytes):
        raise TypeError("a bytes-like object is required, not '%s'" % type(s).__name__)
    out = binascii.b2a_base64(s, newline=False)
    return out if altchars is None else out.replace(b'+', altchars[:1]).replace(b'/', altchars[1:])


def b64decode(s, altchars=None, validate=False):
    s = _bytes(s)
    if altchars is not None:
        altchars = _bytes(altchars)
        s = s.replace(altchars[:1], b'+').replace(altchars[1:], b'/')
    if validate and any(c not in _STANDARD + b'=' for c in s):
        raise binascii.Error('Only base64 data is allowed')
    return binascii.a2b_base64(s)


standard_b64encode, standard_b64decode = b64encode, b64decode


def urlsafe_b64encode(s):
    return b64encode(s, b'-_')


def urlsafe_b64decode(s):
    return b64decode(s, b'-_')


def b16encode(s):
    return s.hex().upper().encode('ascii')


def b16decode(s, casefold=False):
    text = _bytes(s).decode('ascii')
    if not casefold and text != text.upper():
        raise binascii.Error('Non-base16 digit found')
    return bytes.fromhex(text)


def encodebytes(s):
    return b''.join(binascii.b2a_base64(s[i:i + 57]) for i in range(0, len(s), 57))


decodebytes = b64decode
