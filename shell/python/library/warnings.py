"""warnings: messages on standard error, unless filtered."""
import sys

_ignored = []


def warn(message, category=UserWarning, stacklevel=1, source=None):
    kind = type(message) if isinstance(message, Warning) else category
    if not any(issubclass(kind, c) for c in _ignored):
        sys.stderr.write('%s: %s\n' % (kind.__name__, message))


def filterwarnings(action, message='', category=Warning, module='', lineno=0, append=False):
    simplefilter(action, category)


def simplefilter(action, category=Warning, lineno=0, append=False):
    if action == 'ignore':
        _ignored.append(category)
    elif category in _ignored:
        _ignored.remove(category)


def resetwarnings():
    del _ignored[:]


class catch_warnings(object):
    def __init__(self, record=False, module=None):
        self._saved = None

    def __enter__(self):
        self._saved = list(_ignored)
        return None

    def __exit__(self, *unused):
        _ignored[:] = self._saved
