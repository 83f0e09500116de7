"""urllib.request: local files by path or file: address. Other addresses are refused."""
import io
import os
import shutil

from _library.urllib_error import URLError
from _library.urllib_parse import unquote, urlparse


def url2pathname(pathname):
    return unquote(pathname)


def pathname2url(pathname):
    return pathname


def _path(url, save_as=None):
    url = getattr(url, 'full_url', url)
    parts = urlparse(url)
    if parts.scheme in ('', 'file'):
        return unquote(parts.path)
    name = save_as or os.path.basename(parts.path) or 'FILE'
    raise URLError('tensh does not read from the network. Download the file in a terminal: curl -L -o %s %s'
                   % (name, url))


class Request(object):
    def __init__(self, url, data=None, headers=None, method=None):
        self.full_url, self.data, self.headers = url, data, dict(headers or {})

    def add_header(self, key, value):
        self.headers[key] = value


class _Response(io.BytesIO):
    status = code = 200

    def getcode(self):
        return 200

    def info(self):
        return {}


def urlopen(url, data=None, timeout=None, **kwargs):
    with open(_path(url), 'rb') as f:
        return _Response(f.read())


def urlretrieve(url, filename=None, reporthook=None, data=None):
    path = _path(url, filename)
    if filename is None:
        return path, {}
    shutil.copyfile(path, filename)
    if reporthook:
        size = os.path.getsize(filename)
        reporthook(0, 8192, size)
        reporthook(-(-size // 8192), 8192, size)
    return filename, {}


def urlcleanup():
    pass


def build_opener(*handlers):
    return OpenerDirector()


def install_opener(opener):
    pass


class OpenerDirector(object):
    def __init__(self):
        self.addheaders = []

    def open(self, url, data=None, timeout=None):
        return urlopen(url)


class ProxyHandler(object):
    def __init__(self, proxies=None):
        pass
