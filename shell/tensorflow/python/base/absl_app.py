"""absl.app: the start of a program."""
from _library.flags import Error

run = tf.app.run


class UsageError(Error):
    """Raised by a program whose command line is wrong."""

    def __init__(self, message, exitcode=1):
        super(UsageError, self).__init__(message)
        self.exitcode = exitcode
