"""logging: messages with levels, written to standard error."""
import sys
import traceback

CRITICAL = FATAL = 50
ERROR = 40
WARNING = WARN = 30
INFO = 20
DEBUG = 10
NOTSET = 0
_NAMES = {50: 'CRITICAL', 40: 'ERROR', 30: 'WARNING', 20: 'INFO', 10: 'DEBUG', 0: 'NOTSET'}


def getLevelName(level):
    if isinstance(level, str):
        return {name: n for n, name in _NAMES.items()}.get(level, 'Level ' + level)
    return _NAMES.get(level, 'Level %d' % level)


class Formatter(object):
    def __init__(self, fmt=None, datefmt=None, style='%'):
        self._fmt, self._datefmt = fmt or '%(message)s', datefmt

    def format(self, record):
        import time
        fields = dict(record, asctime=time.strftime(self._datefmt or '%Y-%m-%d %H:%M:%S'))
        return self._fmt % fields + ('\n' + record['exc_text'] if 'exc_text' in record else '')


class Handler(object):
    def __init__(self, level=NOTSET):
        self.level, self.formatter = level, None

    def setLevel(self, level):
        self.level = _level(level)

    def setFormatter(self, fmt):
        self.formatter = fmt

    def flush(self):
        pass

    close = flush


class StreamHandler(Handler):
    def __init__(self, stream=None):
        super().__init__()
        self.stream = stream or sys.stderr

    def handle(self, record):
        self.stream.write((self.formatter or _plain).format(record) + '\n')


class FileHandler(Handler):
    def __init__(self, filename, mode='a', encoding=None, delay=False):
        super().__init__()
        self.filename, self.mode = filename, mode

    def handle(self, record):
        with open(self.filename, self.mode) as f:
            f.write((self.formatter or _plain).format(record) + '\n')
        self.mode = 'a'


class NullHandler(Handler):
    def handle(self, record):
        pass


_plain = Formatter()


def _level(level):
    if isinstance(level, int):
        return level
    number = getLevelName(level)
    if isinstance(number, str):
        raise ValueError('Unknown level: %r' % level)
    return number


class Logger(object):
    def __init__(self, name, level=NOTSET, parent=None):
        self.name, self.level, self.parent = name, level, parent
        self.handlers, self.propagate, self.disabled = [], True, False

    def setLevel(self, level):
        self.level = _level(level)

    def getEffectiveLevel(self):
        logger = self
        while logger:
            if logger.level:
                return logger.level
            logger = logger.parent
        return NOTSET

    def isEnabledFor(self, level):
        return not self.disabled and level >= self.getEffectiveLevel()

    def addHandler(self, handler):
        self.handlers.append(handler)

    def removeHandler(self, handler):
        if handler in self.handlers:
            self.handlers.remove(handler)

    def hasHandlers(self):
        return bool(self.handlers) or bool(self.parent and self.propagate and self.parent.hasHandlers())

    def log(self, level, msg, *args, **kwargs):
        if not self.isEnabledFor(level):
            return
        if len(args) == 1 and isinstance(args[0], dict) and args[0]:
            args = args[0]
        record = {'name': self.name, 'levelname': getLevelName(level), 'levelno': level,
                  'message': str(msg) % args if args else str(msg)}
        if kwargs.get('exc_info') and sys.exc_info()[1] is not None:
            record['exc_text'] = traceback.format_exc().rstrip('\n')
        logger, found = self, False
        while logger:
            for handler in logger.handlers:
                found = True
                if level >= handler.level:
                    handler.handle(record)
            logger = logger.parent if logger.propagate else None
        if not found and level >= WARNING:
            sys.stderr.write(record['message'] + '\n')

    def debug(self, msg, *args, **kwargs):
        self.log(DEBUG, msg, *args, **kwargs)

    def info(self, msg, *args, **kwargs):
        self.log(INFO, msg, *args, **kwargs)

    def warning(self, msg, *args, **kwargs):
        self.log(WARNING, msg, *args, **kwargs)

    warn = warning

    def error(self, msg, *args, **kwargs):
        self.log(ERROR, msg, *args, **kwargs)

    def exception(self, msg, *args, exc_info=True, **kwargs):
        self.log(ERROR, msg, *args, exc_info=exc_info)

    def critical(self, msg, *args, **kwargs):
        self.log(CRITICAL, msg, *args, **kwargs)

    fatal = critical

    def __repr__(self):
        return '<Logger %s (%s)>' % (self.name, getLevelName(self.getEffectiveLevel()))


root = Logger('root', WARNING)
_loggers = {}


def getLogger(name=None):
    if not name or name == 'root':
        return root
    if name not in _loggers:
        parent = name.rpartition('.')[0]
        _loggers[name] = Logger(name, NOTSET, getLogger(parent) if parent else root)
    return _loggers[name]


def basicConfig(filename=None, filemode='a', format=None, datefmt=None, style='%', level=None, stream=None,
                handlers=None, force=False):
    if force:
        root.handlers = []
    if not root.handlers:
        if handlers is None:
            handlers = [FileHandler(filename, filemode) if filename else StreamHandler(stream)]
        for handler in handlers:
            if handler.formatter is None:
                handler.setFormatter(Formatter(format or '%(levelname)s:%(name)s:%(message)s', datefmt))
            root.addHandler(handler)
        if level is not None:
            root.setLevel(level)


def _of_root(method):
    def log(msg, *args, **kwargs):
        basicConfig()
        method(msg, *args, **kwargs)
    return log


debug, info, warning = _of_root(root.debug), _of_root(root.info), _of_root(root.warning)
warn, error, exception = warning, _of_root(root.error), _of_root(root.exception)
critical = fatal = _of_root(root.critical)


def log(level, msg, *args, **kwargs):
    basicConfig()
    root.log(level, msg, *args, **kwargs)


def disable(level=CRITICAL):
    root.disabled = True
