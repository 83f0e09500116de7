"""tempfile: folders and names for a while; below the working directory where nothing else is allowed."""
import os
import random as _random
import shutil

_own = _random.Random()


def gettempdir():
    return os.environ.get('TMPDIR') or '/tmp'


def _name():
    return ''.join(_own.choice('abcdefghijklmnopqrstuvwxyz0123456789_') for _ in range(8))


def mkdtemp(suffix=None, prefix=None, dir=None):
    for folder in ([dir] if dir else [gettempdir(), os.getcwd()]):
        path = os.path.join(folder, (prefix or 'tmp') + _name() + (suffix or ''))
        try:
            os.mkdir(path)
            return path
        except PermissionError:
            if dir:
                raise
    raise FileNotFoundError('No usable temporary directory found')


class TemporaryDirectory(object):
    def __init__(self, suffix=None, prefix=None, dir=None):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, *exc):
        self.cleanup()

    def cleanup(self):
        shutil.rmtree(self.name, ignore_errors=True)
