"""tempfile: temporary files and folders. A script may write to those it creates."""
import os
import shutil

tempdir = None


def gettempdir():
    for name in ('TMPDIR', 'TEMP', 'TMP'):
        if os.environ.get(name):
            return os.environ[name]
    return '/tmp'


def mkdtemp(suffix=None, prefix=None, dir=None):
    return os._mkdtemp(os.path.join(dir or gettempdir(), (prefix or 'tmp')), suffix or '')


def mktemp(suffix='', prefix='tmp', dir=None):
    return os.path.join(mkdtemp(dir=dir), prefix + suffix)


def mkstemp(suffix=None, prefix=None, dir=None, text=False):
    raise NotImplementedError('there are no file descriptors here: use tempfile.NamedTemporaryFile or mkdtemp')


class TemporaryDirectory(object):
    def __init__(self, suffix=None, prefix=None, dir=None):
        self.name = mkdtemp(suffix, prefix, dir)

    def __enter__(self):
        return self.name

    def __exit__(self, kind, error, traceback):
        self.cleanup()

    def cleanup(self):
        shutil.rmtree(self.name, ignore_errors=True)

    def __repr__(self):
        return '<TemporaryDirectory %r>' % self.name


class _File(object):
    def __init__(self, mode, suffix, prefix, dir, delete):
        self._folder = mkdtemp(dir=dir)
        self.name = os.path.join(self._folder, (prefix or 'tmp') + (suffix or ''))
        self.delete = delete
        self._file = open(self.name, mode.replace('+', ''))

    def __getattr__(self, name):
        return getattr(self._file, name)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()

    def __iter__(self):
        return iter(self._file)

    def close(self):
        self._file.close()
        if self.delete:
            shutil.rmtree(self._folder, ignore_errors=True)


def NamedTemporaryFile(mode='w+b', buffering=-1, encoding=None, newline=None, suffix=None, prefix=None, dir=None,
                       delete=True):
    return _File(mode, suffix, prefix, dir, delete)


TemporaryFile = NamedTemporaryFile
