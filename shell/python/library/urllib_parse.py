"""urllib.parse: the parts of an address."""
import collections
import re

ParseResult = collections.namedtuple('ParseResult', ['scheme', 'netloc', 'path', 'params', 'query', 'fragment'])
SplitResult = collections.namedtuple('SplitResult', ['scheme', 'netloc', 'path', 'query', 'fragment'])
_SAFE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~'
_PARTS = re.compile(r'^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$')


def urlsplit(url, scheme='', allow_fragments=True):
    found = [part or '' for part in _PARTS.match(url).groups()]
    return SplitResult(found[0].lower() or scheme, *found[1:])


def urlparse(url, scheme='', allow_fragments=True):
    parts = urlsplit(url, scheme)
    path, _, params = parts.path.partition(';')
    return ParseResult(parts.scheme, parts.netloc, path, params, parts.query, parts.fragment)


def urlunparse(parts):
    scheme, netloc, path, params, query, fragment = parts
    if params:
        path += ';' + params
    if netloc:
        path = '//' + netloc + ('' if path[:1] in ('/', '') else '/') + path
    return (scheme + ':' if scheme else '') + path + ('?' + query if query else '') + ('#' + fragment if fragment else '')


def urljoin(base, url, allow_fragments=True):
    parts = urlparse(url)
    if parts.scheme or not base:
        return url
    at = urlparse(base)
    if parts.netloc:
        return at.scheme + ':' + url
    path = parts.path
    if not path:
        return urlunparse((at.scheme, at.netloc, at.path, parts.params, parts.query or at.query, parts.fragment))
    if path[0] != '/':
        path = at.path.rpartition('/')[0] + '/' + path
    kept = []
    for piece in path.split('/'):
        if piece == '..':
            if len(kept) > 1:
                kept.pop()
        elif piece != '.':
            kept.append(piece)
    if path.endswith(('/.', '/..')):
        kept.append('')
    return urlunparse((at.scheme, at.netloc, '/'.join(kept), parts.params, parts.query, parts.fragment))


def quote(string, safe='/', encoding=None, errors=None):
    data = string if isinstance(string, bytes) else str(string).encode(encoding or 'utf-8')
    return ''.join([chr(b) if chr(b) in _SAFE + safe else '%%%02X' % b for b in data])


def quote_plus(string, safe='', encoding=None, errors=None):
    return quote(string, safe + ' ', encoding).replace(' ', '+')


def unquote(string, encoding='utf-8', errors='replace'):
    pieces = string.split('%')
    out = pieces[0].encode(encoding)
    for piece in pieces[1:]:
        try:
            out += bytes([int(piece[:2], 16)]) + piece[2:].encode(encoding)
        except ValueError:
            out += b'%' + piece.encode(encoding)
    return out.decode(encoding, errors)


def unquote_plus(string, encoding='utf-8', errors='replace'):
    return unquote(string.replace('+', ' '), encoding, errors)


def urlencode(query, doseq=False, safe=''):
    pairs = query.items() if hasattr(query, 'items') else query
    out = []
    for key, value in pairs:
        values = value if doseq and isinstance(value, (list, tuple)) else [value]
        out += [quote_plus(key, safe) + '=' + quote_plus(v, safe) for v in values]
    return '&'.join(out)


def parse_qsl(qs, keep_blank_values=False):
    found = []
    for pair in qs.split('&'):
        key, equals, value = pair.partition('=')
        if value or (keep_blank_values and pair):
            found.append((unquote_plus(key), unquote_plus(value)))
    return found


def parse_qs(qs, keep_blank_values=False):
    found = {}
    for key, value in parse_qsl(qs, keep_blank_values):
        found.setdefault(key, []).append(value)
    return found
