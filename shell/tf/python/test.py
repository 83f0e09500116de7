"""tf.test: test cases, as far as scripts use them outside of a test runner."""
import os
import sys
import time


class _Raises(object):
    def __init__(self, expected, text=None):
        self.expected, self.text, self.exception = expected, text, None

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        if kind is None:
            raise AssertionError('%s not raised' % self.expected.__name__)
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if self.text is not None and self.text not in str(error):
            raise AssertionError('"%s" does not match "%s"' % (self.text, error))
        return True


class TestCase(object):
    """Methods that begin with test are run by tf.test.main(); setUp before each, tearDown after it."""

    def __init__(self, methodName='runTest'):
        self._name = methodName

    def setUp(self):
        tf.reset_default_graph()

    def tearDown(self):
        pass

    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        return tf.Session(graph=graph, config=config)

    test_session = cached_session = session

    def get_temp_dir(self):
        return get_temp_dir()

    def evaluate(self, tensors):
        return tf.get_default_session().run(tensors)

    def fail(self, msg=None):
        raise AssertionError(msg)

    def _check(self, holds, standard, msg):
        if not holds:
            raise AssertionError(standard if msg is None else '%s : %s' % (standard, msg))

    def assertTrue(self, expr, msg=None):
        self._check(expr, '%r is not true' % (expr,), msg)

    def assertFalse(self, expr, msg=None):
        self._check(not expr, '%r is not false' % (expr,), msg)

    def assertEqual(self, first, second, msg=None):
        self._check(first == second, '%r != %r' % (first, second), msg)

    assertEquals = assertEqual

    def assertNotEqual(self, first, second, msg=None):
        self._check(first != second, '%r == %r' % (first, second), msg)

    def assertIs(self, first, second, msg=None):
        self._check(first is second, '%r is not %r' % (first, second), msg)

    def assertIsNone(self, value, msg=None):
        self._check(value is None, '%r is not None' % (value,), msg)

    def assertIsNotNone(self, value, msg=None):
        self._check(value is not None, 'unexpectedly None', msg)

    def assertIn(self, member, container, msg=None):
        self._check(member in container, '%r not found in %r' % (member, container), msg)

    def assertNotIn(self, member, container, msg=None):
        self._check(member not in container, '%r unexpectedly found in %r' % (member, container), msg)

    def assertIsInstance(self, value, cls, msg=None):
        self._check(isinstance(value, cls), '%r is not an instance of %r' % (value, cls), msg)

    def assertGreater(self, a, b, msg=None):
        self._check(a > b, '%r not greater than %r' % (a, b), msg)

    def assertGreaterEqual(self, a, b, msg=None):
        self._check(a >= b, '%r not greater than or equal to %r' % (a, b), msg)

    def assertLess(self, a, b, msg=None):
        self._check(a < b, '%r not less than %r' % (a, b), msg)

    def assertLessEqual(self, a, b, msg=None):
        self._check(a <= b, '%r not less than or equal to %r' % (a, b), msg)

    def assertAlmostEqual(self, first, second, places=7, msg=None, delta=None):
        close = abs(first - second) <= delta if delta is not None else round(abs(first - second), places) == 0
        self._check(close, '%r != %r within %s places' % (first, second, places), msg)

    def assertListEqual(self, first, second, msg=None):
        self._check(list(first) == list(second), 'Lists differ: %r != %r' % (first, second), msg)

    assertItemsEqual = assertCountEqual = lambda self, a, b, msg=None: self._check(
        sorted(a) == sorted(b), 'Element counts were not equal: %r, %r' % (a, b), msg)

    def _arrays(self, a, b, msg):
        a, b = np.array(a), np.array(b)
        self._check(a.shape == b.shape, 'Shape mismatch: expected %s, got %s.' % (a.shape, b.shape), msg)
        return a, b

    def assertAllEqual(self, a, b, msg=None):
        a, b = self._arrays(a, b, msg)
        self._check(bool(np.all(a == b)), 'Arrays are not equal: %r, %r' % (a, b), msg)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        if isinstance(a, dict):
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        a, b = self._arrays(a, b, msg)
        self._check(np.allclose(a, b, rtol=rtol, atol=atol), 'Arrays are not close: %r, %r' % (a, b), msg)

    def assertNear(self, f1, f2, err, msg=None):
        self._check(f1 == f2 or abs(f1 - f2) <= err, '%f != %f +/- %f' % (f1, f2, err), msg)

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        self._check(list(np_array.shape) == tf_tensor.get_shape().as_list(), 'shapes differ', msg)

    def assertRaises(self, expected, function=None, *args, **kwargs):
        if function is None:
            return _Raises(expected)
        with _Raises(expected):
            function(*args, **kwargs)

    def assertRaisesRegexp(self, expected, text, function=None, *args, **kwargs):
        if function is None:
            return _Raises(expected, text)
        with _Raises(expected, text):
            function(*args, **kwargs)

    assertRaisesRegex = assertRaisesWithPredicateMatch = assertRaisesOpError = assertRaisesRegexp


def _run_one(cls, name):
    case = cls(name)
    case.setUp()
    try:
        getattr(case, name)()
    finally:
        case.tearDown()


def main(argv=None):
    """Runs the tests of the program and ends it; what happened goes to standard error."""
    cases = [c for c in _program_globals().values() if isinstance(c, type) and issubclass(c, TestCase)]
    failed, count, start = [], 0, time.time()
    for cls in cases:
        for name in sorted(dir(cls)):
            if not name.startswith('test') or name == 'test_session':
                continue
            count += 1
            try:
                _run_one(cls, name)
            except Exception as e:
                failed.append('FAIL: %s (%s)\n%s: %s\n' % (name, cls.__name__, type(e).__name__, e))
    for text in failed:
        sys.stderr.write(text)
    sys.stderr.write('Ran %d tests in %.3fs\n\n%s\n' % (count, time.time() - start,
                                                        'FAILED (failures=%d)' % len(failed) if failed else 'OK'))
    sys.exit(1 if failed else 0)


def _program_globals():
    return globals()


def get_temp_dir():
    """A folder for files of tests."""
    path = os.path.join('.', 'tmp_test')
    os.makedirs(path, exist_ok=True)
    return path
