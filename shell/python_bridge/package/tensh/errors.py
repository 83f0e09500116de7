"""The errors of steps and graphs, by TensorFlow's codes.

Every class derives from OpError. An error has the attributes code, message, hint (what to do next, or '') and
node (the name of the node that failed, or ''). Some classes also derive from one of Python's, so that code that
catches Python's errors works: InvalidArgumentError is a ValueError, and NotFoundError a LookupError like KeyError.
"""


class OpError(Exception):
    """A failed call of the runtime."""

    code = 2

    def __init__(self, message, hint='', node=''):
        super().__init__(message)
        self.message, self.hint, self.node = message, hint, node

    def __str__(self):
        return self.message + ('\n' + self.hint if self.hint else '')


class CancelledError(OpError):
    """The step was cancelled."""
    code = 1


class UnknownError(OpError):
    """An error of unknown kind."""


class InvalidArgumentError(OpError, ValueError):
    """A value, a shape or a type is wrong."""
    code = 3


class DeadlineExceededError(OpError, TimeoutError):
    """The step took longer than its limit."""
    code = 4


class NotFoundError(OpError, LookupError):
    """A node, an op or a file does not exist."""
    code = 5


class AlreadyExistsError(OpError):
    """Something with this name exists."""
    code = 6


class PermissionDeniedError(OpError):
    """The file or the call is not allowed."""
    code = 7


class ResourceExhaustedError(OpError, MemoryError):
    """The memory is exhausted."""
    code = 8


class FailedPreconditionError(OpError):
    """The state is wrong: a variable without a value, a closed session."""
    code = 9


class AbortedError(OpError):
    """The call was aborted by another one."""
    code = 10


class OutOfRangeError(OpError):
    """The end of a sequence or of a closed queue."""
    code = 11


class UnimplementedError(OpError, NotImplementedError):
    """This op or option is not implemented."""
    code = 12


class InternalError(OpError):
    """A bug in tensh."""
    code = 13


class UnavailableError(OpError, ConnectionError):
    """The server cannot be reached."""
    code = 14


class DataLossError(OpError):
    """A file is damaged."""
    code = 15


class UnauthenticatedError(OpError):
    """The server does not accept the certificate."""
    code = 16


class ShellError(Exception):
    """A cell of the shell failed. `name` is the class of its error there, such as 'ValueError'."""

    def __init__(self, name, message, text):
        super().__init__(text.rstrip('\n'))
        self.name, self.message = name, message

    def _render_traceback_(self):
        """Make IPython show the text alone, which has the place in the cell."""
        return [str(self)]


_CLASSES = {c.code: c for c in OpError.__subclasses__()}


def _make(code, message, hint, node):
    # The hints of the runtime are lines of the shell; this one has a form in Python.
    if hint.startswith('feed ') and hint.endswith('=…'):
        hint = "feed_dict={'%s:0': …}" % hint[5:-2]
    return _CLASSES.get(code, UnknownError)(message, hint, node)
