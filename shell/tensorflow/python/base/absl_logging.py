"""absl.logging: the messages of tf.logging."""
from tensorflow.logging import *

DEBUG, INFO, WARN, WARNING, ERROR, FATAL = 1, 0, -1, -1, -2, -3
_names = {'debug': DEBUG, 'info': INFO, 'warn': WARN, 'warning': WARN, 'error': ERROR, 'fatal': FATAL}
_counts = {}


def _number(level):
    """Returns the number that tf.logging has for a level of absl."""
    return 20 - 10 * max(-3, min(1, _names[level.lower()] if isinstance(level, str) else level))


def set_verbosity(v):
    """Sets the level from which messages are shown."""
    tf.logging.set_verbosity(_number(v))


def get_verbosity():
    """Returns the level from which messages are shown."""
    return (20 - tf.logging.get_verbosity()) // 10


def log(level, msg, *args, **kwargs):
    """Writes a message of this level to standard error."""
    tf.logging.log(_number(level), msg, *args)


def exception(msg, *args, **kwargs):
    """Writes an error message."""
    error(msg, *args)


def vlog(level, msg, *args, **kwargs):
    """Writes a message of a level below INFO."""
    log(level, msg, *args)


def log_if(level, msg, condition, *args):
    """Writes a message if the condition holds."""
    if condition:
        log(level, msg, *args)


def _count(msg):
    _counts[msg] = _counts.get(msg, 0) + 1
    return _counts[msg]


def log_first_n(level, msg, n, *args):
    """Writes a message the first n times."""
    log_if(level, msg, _count(msg) <= n, *args)


def log_every_n(level, msg, n, *args):
    """Writes a message once in n calls."""
    log_if(level, msg, _count(msg) % n == 1 % n, *args)


def set_stderrthreshold(s):
    """Has no effect: all messages go to standard error."""


def use_absl_handler():
    """Has no effect."""
