"""threading: threads of the program. _thread implements the locks and the waiting."""
import _thread

TIMEOUT_MAX = _thread.TIMEOUT_MAX
ThreadError = RuntimeError
Lock = _thread.allocate_lock
RLock = _thread.RLock
get_ident = _thread.get_ident
get_native_id = _thread.get_native_id

_alive = {}
_numbers = {}


def _new_number(what):
    _numbers[what] = _numbers.get(what, 0) + 1
    return _numbers[what]


class Thread(object):
    def __init__(self, group=None, target=None, name=None, args=(), kwargs=None, *, daemon=None):
        assert group is None, "group argument must be None for now"
        self._target = target
        if name is None:
            name = "Thread-%d" % _new_number("thread")
            if target is not None and hasattr(target, '__name__'):
                name = "%s (%s)" % (name, target.__name__)
        self._name = str(name)
        self._args = args
        self._kwargs = {} if kwargs is None else kwargs
        self._daemonic = current_thread().daemon if daemon is None else bool(daemon)
        self._ident = None
        self._began = self._running = self._ended = False
        self._ready = True

    def start(self):
        if not getattr(self, '_ready', False):
            raise RuntimeError("thread.__init__() not called")
        if self._began:
            raise RuntimeError("threads can only be started once")
        self._began = True
        try:
            _thread.start_new_thread(self._bootstrap)
        except RuntimeError:
            self._began = False
            raise
        _thread.wait(lambda: self._running)

    def run(self):
        try:
            if self._target is not None:
                self._target(*self._args, **self._kwargs)
        finally:
            del self._target, self._args, self._kwargs

    def _bootstrap(self):
        self._ident = _thread.get_ident()
        _alive[self._ident] = self
        self._running = True
        _thread.notify()
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException as e:
            _thread.failed(e, self._name)
        finally:
            self._ended = True
            _alive.pop(self._ident, None)
            _thread.notify()

    def join(self, timeout=None):
        if not getattr(self, '_ready', False):
            raise RuntimeError("Thread.__init__() not called")
        if not self._began:
            raise RuntimeError("cannot join thread before it is started")
        if self is current_thread():
            raise RuntimeError("cannot join current thread")
        _thread.wait(lambda: self._ended, None if timeout is None else max(timeout, 0))

    def is_alive(self):
        return self._began and not self._ended

    isAlive = is_alive

    @property
    def name(self):
        return self._name

    @name.setter
    def name(self, name):
        self._name = str(name)

    @property
    def ident(self):
        return self._ident

    native_id = ident

    @property
    def daemon(self):
        return self._daemonic

    @daemon.setter
    def daemon(self, daemonic):
        if self._began:
            raise RuntimeError("cannot set daemon status of active thread")
        self._daemonic = bool(daemonic)

    def getName(self):
        return self._name

    def setName(self, name):
        self.name = name

    def isDaemon(self):
        return self._daemonic

    def setDaemon(self, daemonic):
        self.daemon = daemonic

    def __repr__(self):
        status = 'initial'
        if self._began:
            status = 'stopped' if self._ended else 'started'
        if self._daemonic:
            status += ' daemon'
        if self._ident is not None:
            status += ' %s' % self._ident
        return "<%s(%s, %s)>" % (self.__class__.__name__, self._name, status)


class _MainThread(Thread):
    def __init__(self):
        self._name, self._daemonic, self._ident = 'MainThread', False, _thread.get_ident()
        self._began, self._ended, self._ready = True, False, True


class _DummyThread(Thread):
    def __init__(self):
        self._name = 'Dummy-%d' % _new_number("thread")
        self._daemonic, self._ident = True, _thread.get_ident()
        self._began, self._ended, self._ready = True, False, True


_main = _MainThread()
_alive[_main._ident] = _main


def current_thread():
    ident = _thread.get_ident()
    return _alive[ident] if ident in _alive else _DummyThread()


currentThread = current_thread


def main_thread():
    return _main


def enumerate():
    return list(_alive.values())


def active_count():
    return len(_alive)


activeCount = active_count


def _shutdown():
    for thread in list(_alive.values()):
        if thread is not _main and not thread.daemon:
            thread.join()
    return any(thread is not _main and not thread.daemon for thread in _alive.values())


class Condition(object):
    def __init__(self, lock=None):
        self._lock = RLock() if lock is None else lock
        self.acquire = self._lock.acquire
        self.release = self._lock.release
        self._waiters = []

    def __enter__(self):
        return self._lock.__enter__()

    def __exit__(self, *args):
        return self._lock.__exit__(*args)

    def __repr__(self):
        return "<Condition(%s, %d)>" % (self._lock, len(self._waiters))

    def _check(self, what):
        if isinstance(self._lock, RLock):
            owned = self._lock._is_owned()
        else:
            owned = self._lock.locked()
        if not owned:
            raise RuntimeError("cannot %s on un-acquired lock" % what)

    def wait(self, timeout=None):
        self._check('wait')
        waiter = [False]
        self._waiters.append(waiter)
        recursive = isinstance(self._lock, RLock)
        count = self._lock._take_all() if recursive else self._lock.release()
        try:
            woken = _thread.wait(lambda: waiter[0], timeout)
        finally:
            if recursive:
                self._lock._restore(count)
            else:
                self._lock.acquire()
            if not waiter[0]:
                self._waiters.remove(waiter)
        return woken

    def wait_for(self, predicate, timeout=None):
        import time
        end = None if timeout is None else time.monotonic() + timeout
        result = predicate()
        while not result:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                break
            self.wait(left)
            result = predicate()
        return result

    def notify(self, n=1):
        self._check('notify')
        while n > 0 and self._waiters:
            self._waiters.pop(0)[0] = True
            n -= 1
        _thread.notify()

    def notify_all(self):
        self.notify(len(self._waiters))

    notifyAll = notify_all


class Semaphore(object):
    def __init__(self, value=1):
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self._value = value

    def acquire(self, blocking=True, timeout=None):
        if not blocking and timeout is not None:
            raise ValueError("can't specify timeout for non-blocking acquire")
        if not _thread.wait(lambda: self._value > 0, timeout if blocking else 0):
            return False
        self._value -= 1
        return True

    def __enter__(self):
        return self.acquire()

    def release(self, n=1):
        if n < 1:
            raise ValueError('n must be one or more')
        self._value += n
        _thread.notify()

    def __exit__(self, *args):
        self.release()


class BoundedSemaphore(Semaphore):
    def __init__(self, value=1):
        Semaphore.__init__(self, value)
        self._initial_value = value

    def release(self, n=1):
        if n < 1:
            raise ValueError('n must be one or more')
        if self._value + n > self._initial_value:
            raise ValueError("Semaphore released too many times")
        self._value += n
        _thread.notify()


class Event(object):
    def __init__(self):
        self._flag = False

    def is_set(self):
        return self._flag

    isSet = is_set

    def set(self):
        self._flag = True
        _thread.notify()

    def clear(self):
        self._flag = False

    def wait(self, timeout=None):
        return _thread.wait(lambda: self._flag, timeout)

    def __repr__(self):
        return "<threading.Event at %s: %s>" % (hex(id(self)), 'set' if self._flag else 'unset')


class BrokenBarrierError(RuntimeError):
    pass


class Barrier(object):
    def __init__(self, parties, action=None, timeout=None):
        self.parties = parties
        self._action = action
        self._timeout = timeout
        self._round = 0
        self.n_waiting = 0
        self.broken = False

    def wait(self, timeout=None):
        if self.broken:
            raise BrokenBarrierError
        index, turn = self.n_waiting, self._round
        self.n_waiting += 1
        if self.n_waiting == self.parties:
            try:
                if self._action:
                    self._action()
            except BaseException:
                self.abort()
                raise
            self.n_waiting = 0
            self._round += 1
            _thread.notify()
            return index
        timeout = self._timeout if timeout is None else timeout
        if not _thread.wait(lambda: self.broken or self._round != turn, timeout) or self._round == turn:
            self.abort()
            raise BrokenBarrierError
        return index

    def reset(self):
        self.broken = self.n_waiting > 0
        self.n_waiting = 0
        _thread.notify()
        self.broken = False

    def abort(self):
        self.broken = True
        _thread.notify()


class Timer(Thread):
    def __init__(self, interval, function, args=None, kwargs=None):
        Thread.__init__(self)
        self.interval = interval
        self.function = function
        self.args = [] if args is None else args
        self.kwargs = {} if kwargs is None else kwargs
        self.finished = Event()

    def cancel(self):
        self.finished.set()

    def run(self):
        self.finished.wait(self.interval)
        if not self.finished.is_set():
            self.function(*self.args, **self.kwargs)
        self.finished.set()


class local(object):
    def __init__(self):
        object.__setattr__(self, '_kept', {})

    def _own(self):
        return object.__getattribute__(self, '_kept').setdefault(_thread.get_ident(), {})

    def __getattr__(self, name):
        own = self._own()
        if name not in own:
            raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))
        return own[name]

    def __setattr__(self, name, value):
        self._own()[name] = value

    def __delattr__(self, name):
        if name not in self._own():
            raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))
        del self._own()[name]
