"""multiprocessing: pools and processes that are threads of this process."""
import threading
from _library.concurrent_futures import ThreadPoolExecutor
from queue import Queue

TimeoutError = TimeoutError
Lock, RLock, Event, Condition, Semaphore = (threading.Lock, threading.RLock, threading.Event, threading.Condition,
                                            threading.Semaphore)
Process = threading.Thread
SimpleQueue = JoinableQueue = Queue
current_process = threading.current_thread


def cpu_count():
    return 2


def freeze_support():
    pass


def set_start_method(method, force=False):
    pass


def active_children():
    return []


class AsyncResult(object):
    def __init__(self, future):
        self._future = future

    def get(self, timeout=None):
        return self._future.result(timeout)

    def wait(self, timeout=None):
        self._future.exception(timeout)

    def ready(self):
        return self._future.done()

    def successful(self):
        return self._future.done() and self._future.exception() is None


class Pool(object):
    def __init__(self, processes=None, initializer=None, initargs=(), maxtasksperchild=None):
        self._pool = ThreadPoolExecutor(processes or cpu_count())
        if initializer:
            initializer(*initargs)

    def apply(self, func, args=(), kwds={}):
        return self.apply_async(func, args, kwds).get()

    def apply_async(self, func, args=(), kwds={}, callback=None, error_callback=None):
        future = self._pool.submit(func, *args, **kwds)
        if callback:
            future.add_done_callback(lambda f: f.exception() is None and callback(f.result()))
        return AsyncResult(future)

    def map(self, func, iterable, chunksize=None):
        return list(self._pool.map(func, iterable))

    def imap(self, func, iterable, chunksize=1):
        return iter(self.map(func, iterable))

    imap_unordered = imap

    def map_async(self, func, iterable, chunksize=None, callback=None):
        return AsyncResult(self._pool.submit(lambda: [func(x) for x in iterable]))

    def starmap(self, func, iterable, chunksize=None):
        return self.map(lambda args: func(*args), iterable)

    def close(self):
        pass

    def join(self):
        self._pool.shutdown(True)

    def terminate(self):
        self._pool.shutdown(False)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.terminate()


ThreadPool = Pool


class Value(object):
    def __init__(self, typecode, value=0, lock=True):
        self.value, self._lock = value, RLock()

    def get_lock(self):
        return self._lock


def Array(typecode, size_or_initializer, lock=True):
    return [0] * size_or_initializer if isinstance(size_or_initializer, int) else list(size_or_initializer)


class _Manager(object):
    list, dict, Queue, Lock, Value = list, dict, Queue, Lock, Value

    def __enter__(self):
        return self

    def __exit__(self, *args):
        pass

    def shutdown(self):
        pass


def Manager():
    return _Manager()
