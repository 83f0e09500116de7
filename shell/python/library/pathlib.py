"""pathlib: paths as objects."""
import fnmatch
import glob
import os
import shutil


class PurePath(object):
    def __init__(self, *parts):
        text = os.path.join(*[os.fspath(p) for p in parts]) if parts else '.'
        kept = [p for p in text.split('/') if p not in ('', '.')]
        self._text = ('/' if text.startswith('/') else '') + '/'.join(kept) or '.'

    def __fspath__(self):
        return self._text

    __str__ = as_posix = __fspath__

    def __repr__(self):
        return "PosixPath('%s')" % self._text

    def __truediv__(self, other):
        return type(self)(self, other)

    def __rtruediv__(self, other):
        return type(self)(other, self)

    def __eq__(self, other):
        return isinstance(other, PurePath) and self._text == other._text

    def __lt__(self, other):
        return self.parts < other.parts

    def __hash__(self):
        return hash(self._text)

    def joinpath(self, *others):
        return type(self)(self, *others)

    @property
    def parts(self):
        kept = tuple(p for p in self._text.split('/') if p not in ('', '.'))
        return ('/',) + kept if self._text.startswith('/') else kept

    @property
    def name(self):
        return '' if self._text in ('.', '/') else self._text.rsplit('/', 1)[-1]

    @property
    def suffix(self):
        return os.path.splitext(self.name)[1]

    @property
    def suffixes(self):
        return ['.' + part for part in self.name.lstrip('.').split('.')[1:]]

    @property
    def stem(self):
        return os.path.splitext(self.name)[0]

    @property
    def parent(self):
        return self if self._text in ('.', '/') else type(self)(os.path.dirname(self._text) or '.')

    @property
    def parents(self):
        made, path = [], self
        while path.parent != path:
            path = path.parent
            made.append(path)
        return made

    @property
    def anchor(self):
        return '/' if self._text.startswith('/') else ''

    def is_absolute(self):
        return self._text.startswith('/')

    def with_name(self, name):
        return self.parent / name

    def with_suffix(self, suffix):
        return self.parent / (self.stem + suffix)

    def with_stem(self, stem):
        return self.parent / (stem + self.suffix)

    def relative_to(self, *other):
        base = type(self)(*other).parts
        if self.parts[:len(base)] != base:
            raise ValueError('%r is not in the subpath of %r' % (self._text, '/'.join(base)))
        return type(self)(*self.parts[len(base):])

    def match(self, pattern):
        return fnmatch.fnmatch(self._text if '/' in pattern else self.name, pattern)


class Path(PurePath):
    @classmethod
    def cwd(cls):
        return cls(os.getcwd())

    @classmethod
    def home(cls):
        return cls(os.path.expanduser('~'))

    def exists(self):
        return os.path.exists(self._text)

    def is_file(self):
        return os.path.isfile(self._text)

    def is_dir(self):
        return os.path.isdir(self._text)

    def expanduser(self):
        return Path(os.path.expanduser(self._text))

    def resolve(self, strict=False):
        return Path(os.path.realpath(self._text))

    def absolute(self):
        return Path(os.path.abspath(self._text))

    def iterdir(self):
        return iter([self / name for name in os.listdir(self._text)])

    def glob(self, pattern):
        return iter([Path(p) for p in glob.glob(os.path.join(self._text, pattern), recursive=True)])

    def rglob(self, pattern):
        return self.glob('**/' + pattern)

    def mkdir(self, mode=0o777, parents=False, exist_ok=False):
        if exist_ok and self.is_dir():
            return
        (os.makedirs if parents else os.mkdir)(self._text)

    def rmdir(self):
        os.rmdir(self._text)

    def unlink(self, missing_ok=False):
        if not missing_ok or self.exists():
            os.remove(self._text)

    def rename(self, target):
        os.rename(self._text, os.fspath(target))
        return Path(target)

    def replace(self, target):
        shutil.move(self._text, os.fspath(target))
        return Path(target)

    def touch(self, mode=0o666, exist_ok=True):
        open(self._text, 'a').close()

    def stat(self):
        return os.stat(self._text)

    def open(self, mode='r', *args, **kwargs):
        return open(self._text, mode, *args, **kwargs)

    def read_text(self, encoding=None, errors=None):
        with open(self._text, encoding=encoding or 'utf-8') as f:
            return f.read()

    def read_bytes(self):
        with open(self._text, 'rb') as f:
            return f.read()

    def write_text(self, data, encoding=None, errors=None):
        with open(self._text, 'w', encoding=encoding or 'utf-8') as f:
            return f.write(data)

    def write_bytes(self, data):
        with open(self._text, 'wb') as f:
            return f.write(data)


PosixPath, PurePosixPath = Path, PurePath
