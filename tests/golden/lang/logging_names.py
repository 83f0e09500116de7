"""logging, to a stream of the program's own; and names of other modules that have no better place."""
import abc
import concurrent.futures
import glob
import io
import inspect
import logging
import math
import tempfile
import threading

out = io.StringIO()
log = logging.getLogger('train')
log.setLevel(logging.DEBUG)
log.propagate = False
handler = logging.StreamHandler(out)
handler.setFormatter(logging.Formatter('%(levelname)s %(name)s: %(message)s'))
log.addHandler(handler)
log.debug('step %d', 1)
log.info('loss %.3f', 0.5)
log.warning('careful')
log.error('bad %s', 'thing')
log.critical('worse')
try:
    1 / 0
except ZeroDivisionError:
    log.exception('caught')
log.log(logging.WARN, 'by level')
print(out.getvalue().split('Traceback')[0])
print(logging.FATAL, logging.NOTSET, logging.getLevelName(20), isinstance(handler, logging.Handler), isinstance(log, logging.Logger), isinstance(logging.root, logging.Logger))
quiet = logging.getLogger('quiet')
quiet.addHandler(logging.NullHandler())
quiet.propagate = False
quiet.warning('nobody sees this')
folder = tempfile.mkdtemp()
file = logging.FileHandler(folder + '/log.txt')
file.setFormatter(logging.Formatter('%(message)s'))
log.addHandler(file)
log.warn('to the file')
file.close()
with open(folder + '/log.txt') as f:
    print(f.read())
logging.disable(logging.CRITICAL)
for name in ('debug', 'info', 'warn', 'warning', 'error', 'critical', 'fatal', 'exception'):
    getattr(logging, name)('not shown')
logging.log(logging.ERROR, 'not shown')
print('%.6f' % math.sin(1))
print(callable(abc.abstractclassmethod), callable(abc.abstractstaticmethod))
print(threading.activeCount(), threading.currentThread().name)
