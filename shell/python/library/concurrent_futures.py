"""concurrent.futures: asynchronous calls in a pool of threads."""
import queue
import threading
import time

FIRST_COMPLETED = 'FIRST_COMPLETED'
FIRST_EXCEPTION = 'FIRST_EXCEPTION'
ALL_COMPLETED = 'ALL_COMPLETED'


class _Error(Exception):
    pass


class CancelledError(_Error):
    pass


class Future(object):
    def __init__(self):
        self._condition = threading.Condition()
        self._state = 'PENDING'
        self._result = self._exception = None
        self._callbacks = []

    def cancel(self):
        with self._condition:
            if self._state in ('RUNNING', 'FINISHED'):
                return False
            self._state = 'CANCELLED'
            self._condition.notify_all()
        self._call_back()
        return True

    def cancelled(self):
        return self._state == 'CANCELLED'

    def running(self):
        return self._state == 'RUNNING'

    def done(self):
        return self._state in ('CANCELLED', 'FINISHED')

    def _wait(self, timeout):
        with self._condition:
            if not self._condition.wait_for(self.done, timeout):
                raise TimeoutError()
        if self._state == 'CANCELLED':
            raise CancelledError()

    def result(self, timeout=None):
        self._wait(timeout)
        if self._exception is not None:
            raise self._exception
        return self._result

    def exception(self, timeout=None):
        self._wait(timeout)
        return self._exception

    def add_done_callback(self, fn):
        if self.done():
            fn(self)
        else:
            self._callbacks.append(fn)

    def _call_back(self):
        for fn in self._callbacks:
            fn(self)

    def set_running_or_notify_cancel(self):
        if self._state == 'CANCELLED':
            return False
        self._state = 'RUNNING'
        return True

    def _finish(self, result, exception):
        with self._condition:
            self._result, self._exception, self._state = result, exception, 'FINISHED'
            self._condition.notify_all()
        self._call_back()

    def set_result(self, result):
        self._finish(result, None)

    def set_exception(self, exception):
        self._finish(None, exception)


class ThreadPoolExecutor(object):
    _made = [0]

    def __init__(self, max_workers=None, thread_name_prefix='', initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._max_workers = 8 if max_workers is None else max_workers
        self._prefix = thread_name_prefix or 'ThreadPoolExecutor-%d' % self._made[0]
        self._made[0] += 1
        self._initializer, self._initargs = initializer, initargs
        self._work = queue.Queue()
        self._threads = []
        self._idle = 0
        self._shut = False

    def _loop(self):
        if self._initializer is not None:
            self._initializer(*self._initargs)
        while True:
            self._idle += 1
            task = self._work.get()
            self._idle -= 1
            if task is None:
                return
            future, fn, args, kwargs = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = fn(*args, **kwargs)
            except BaseException as e:
                future.set_exception(e)
            else:
                future.set_result(result)
            del task, future, fn, args, kwargs

    def submit(self, fn, *args, **kwargs):
        if self._shut:
            raise RuntimeError('cannot schedule new futures after shutdown')
        future = Future()
        self._work.put((future, fn, args, kwargs))
        if self._idle < self._work.qsize() and len(self._threads) < self._max_workers:
            thread = threading.Thread(target=self._loop, name='%s_%d' % (self._prefix, len(self._threads)), daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def map(self, fn, *iterables, timeout=None, chunksize=1):
        end = None if timeout is None else time.monotonic() + timeout
        futures = [self.submit(fn, *args) for args in zip(*iterables)]
        return self._results(futures, end)

    def _results(self, futures, end):
        for future in futures:
            yield future.result(None if end is None else end - time.monotonic())

    def shutdown(self, wait=True, cancel_futures=False):
        if not self._shut:
            self._shut = True
            for _ in self._threads:
                self._work.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.shutdown(wait=True)
        return False


def _signal(futures):
    event = threading.Event()
    for future in futures:
        future.add_done_callback(lambda done: event.set())
    return event


def as_completed(fs, timeout=None):
    end = None if timeout is None else time.monotonic() + timeout
    left = list(dict.fromkeys(fs))
    total = len(left)
    event = _signal(left)
    while left:
        event.clear()
        done = [f for f in left if f.done()]
        left = [f for f in left if f not in done]
        for future in done:
            yield future
        if left and not done and not event.wait(None if end is None else max(end - time.monotonic(), 0)):
            raise TimeoutError('%d (of %d) futures unfinished' % (len(left), total))


class DoneAndNotDoneFutures(tuple):
    def __new__(cls, done, not_done):
        return tuple.__new__(cls, (done, not_done))

    done = property(lambda self: self[0])
    not_done = property(lambda self: self[1])


def wait(fs, timeout=None, return_when=ALL_COMPLETED):
    end = None if timeout is None else time.monotonic() + timeout
    fs = set(fs)
    event = _signal(fs)
    while True:
        event.clear()
        done = set(f for f in fs if f.done())
        failed = any(not f.cancelled() and f.exception() is not None for f in done)
        enough = len(done) == len(fs) or (done and return_when == FIRST_COMPLETED) or (failed and return_when == FIRST_EXCEPTION)
        if enough or not event.wait(None if end is None else max(end - time.monotonic(), 0)):
            return DoneAndNotDoneFutures(done, fs - done)
