"""timeit: measuring the time of a function."""
import time

default_timer = time.perf_counter
default_number, default_repeat = 1000000, 5


class Timer(object):
    def __init__(self, stmt='pass', setup='pass', timer=default_timer, globals=None):
        for part in (stmt, setup):
            if not callable(part) and part != 'pass':
                raise NotImplementedError('timeit of text is not part of tensh: give a function (lambda: …)')
        self._stmt, self._setup, self._timer = stmt, setup, timer

    def timeit(self, number=default_number):
        if callable(self._setup):
            self._setup()
        stmt = self._stmt if callable(self._stmt) else lambda: None
        start = self._timer()
        for _ in range(number):
            stmt()
        return self._timer() - start

    def repeat(self, repeat=default_repeat, number=default_number):
        return [self.timeit(number) for _ in range(repeat)]


def timeit(stmt='pass', setup='pass', timer=default_timer, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).timeit(number)


def repeat(stmt='pass', setup='pass', timer=default_timer, repeat=default_repeat, number=default_number, globals=None):
    return Timer(stmt, setup, timer, globals).repeat(repeat, number)
