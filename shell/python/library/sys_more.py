"""sys: names that few programs use."""
import io
import os


class _Modules(dict):
    """The modules imported so far. Assignments keep a value, but do not change what import finds."""
    def _fill(self):
        from _library import modules
        for name, module in modules().items():
            dict.setdefault(self, name, module)
        return self

    def __getitem__(self, name):
        self._fill()
        return dict.__getitem__(self, name)

    def __contains__(self, name):
        return dict.__contains__(self._fill(), name)

    def get(self, name, default=None):
        return dict.get(self._fill(), name, default)

    def keys(self):
        return dict.keys(self._fill())

    def values(self):
        return dict.values(self._fill())

    def items(self):
        return dict.items(self._fill())

    def __iter__(self):
        return dict.__iter__(self._fill())

    def __len__(self):
        return dict.__len__(self._fill())


modules = _Modules()


class _Input(object):
    """Standard input as a text file."""
    name, mode, encoding, closed = '<stdin>', 'r', 'utf-8', False

    def readline(self, size=-1):
        try:
            return input() + '\n'
        except EOFError:
            return ''

    def __iter__(self):
        return iter(self.readline, '')

    def readlines(self):
        return list(self)

    def read(self, size=-1):
        return ''.join(self)

    def isatty(self):
        return os.isatty(0)

    def fileno(self):
        return 0

    def close(self):
        pass


stdin = __stdin__ = _Input()
executable, prefix, exec_prefix, hexversion = '', '', '', 0x030b02f0
api_version, copyright, dont_write_bytecode = 1013, '', True
maxunicode = 0x10ffff


class _FloatInfo(object):
    max, min, epsilon, dig, mant_dig = 1.7976931348623157e308, 2.2250738585072014e-308, 2.220446049250313e-16, 15, 53
    max_exp, min_exp, max_10_exp, min_10_exp, radix, rounds = 1024, -1021, 308, -307, 2, 1


class _Flags(object):
    """The options of an interpreter, none of which is set."""

    def __getattr__(self, name):
        if name[:1] == '_':
            raise AttributeError(name)
        return 0


float_info, flags = _FloatInfo(), _Flags()


def getdefaultencoding():
    return 'utf-8'


getfilesystemencoding = getdefaultencoding


def setdefaultencoding(name):
    pass


def intern(string):
    return string


def getrefcount(object):
    return 2


def setcheckinterval(n):
    pass


setswitchinterval = setcheckinterval
