"""unittest: test cases; tf.test.TestCase is one of them."""
import sys
import time
import traceback as _traceback


class SkipTest(Exception):
    """Raised by a test that should be skipped."""


def skip(reason=''):
    def mark(item):
        item.__unittest_skip__, item.__unittest_skip_why__ = True, reason
        return item
    return mark


def skipIf(condition, reason):
    return skip(reason) if condition else lambda item: item


def skipUnless(condition, reason):
    return skipIf(not condition, reason)


def expectedFailure(item):
    item.__unittest_expecting_failure__ = True
    return item


class _Raises(object):
    def __init__(self, expected, pattern=None, function=None):
        self.expected, self.pattern, self.exception = expected, pattern, None
        self.by = '' if function is None else ' by ' + getattr(function, '__name__', str(function))

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        names = self.expected if isinstance(self.expected, tuple) else (self.expected,)
        if kind is None:
            raise AssertionError('%s not raised%s' % (', '.join(n.__name__ for n in names), self.by))
        if not issubclass(kind, self.expected):
            return False
        self.exception = error
        if callable(self.pattern):
            if not self.pattern(error):
                raise AssertionError('Exception of type %s: %s' % (type(error), error))
        elif self.pattern is not None and not _search(self.pattern, str(error)):
            raise AssertionError('"%s" does not match "%s"' % (self.pattern, error))
        return True


def _search(pattern, text):
    import re
    return re.search(pattern, text)


class TestCase(object):
    """main() runs the methods whose names begin with test, and calls setUp before and tearDown after each."""
    failureException = AssertionError
    maxDiff = 640
    longMessage = True

    def __init__(self, methodName='runTest'):
        self._testMethodName = methodName
        self._cleanups = []

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        pass

    def tearDown(self):
        pass

    def addCleanup(self, function, /, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def id(self):
        return '__main__.%s.%s' % (type(self).__name__, self._testMethodName)

    def __str__(self):
        return '%s (__main__.%s.%s)' % (self._testMethodName, type(self).__name__, self._testMethodName)

    def shortDescription(self):
        doc = getattr(self, self._testMethodName).__doc__
        return doc.strip().split('\n')[0].strip() if doc else None

    def skipTest(self, reason):
        raise SkipTest(reason)

    def subTest(self, msg=None, **params):
        return _SubTest()

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

    def assertNotEqual(self, first, second, msg=None):
        self._check(first != second, '%r == %r' % (first, second), msg)

    def assertIs(self, first, second, msg=None):
        self._check(first is second, '%r is not %r' % (first, second), msg)

    def assertIsNot(self, first, second, msg=None):
        self._check(first is not second, 'unexpectedly identical: %r' % (first,), msg)

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

    def assertNotIsInstance(self, value, cls, msg=None):
        self._check(not isinstance(value, cls), '%r is an instance of %r' % (value, cls), msg)

    def assertGreater(self, a, b, msg=None):
        self._check(a > b, '%r not greater than %r' % (a, b), msg)

    def assertGreaterEqual(self, a, b, msg=None):
        self._check(a >= b, '%r not greater than or equal to %r' % (a, b), msg)

    def assertLess(self, a, b, msg=None):
        self._check(a < b, '%r not less than %r' % (a, b), msg)

    def assertLessEqual(self, a, b, msg=None):
        self._check(a <= b, '%r not less than or equal to %r' % (a, b), msg)

    def _near(self, first, second, places, delta):
        if first == second:
            return True
        return abs(first - second) <= delta if delta is not None else round(abs(first - second), places) == 0

    def assertAlmostEqual(self, first, second, places=7, msg=None, delta=None):
        near = self._near(first, second, places, delta)
        within = '%s places' % places if delta is None else '%r delta' % delta
        self._check(near, near or '%r != %r within %s (%r difference)' % (first, second, within, abs(first - second)),
                    msg)

    def assertNotAlmostEqual(self, first, second, places=7, msg=None, delta=None):
        within = '%s places' % places if delta is None else '%r delta' % delta
        self._check(not self._near(first, second, places, delta), '%r == %r within %s' % (first, second, within), msg)

    def assertSequenceEqual(self, first, second, msg=None, seq_type=None):
        self._check(list(first) == list(second), 'Sequences differ: %r != %r' % (first, second), msg)

    def assertListEqual(self, first, second, msg=None):
        self._check(list(first) == list(second), 'Lists differ: %r != %r' % (first, second), msg)

    def assertTupleEqual(self, first, second, msg=None):
        self._check(tuple(first) == tuple(second), 'Tuples differ: %r != %r' % (first, second), msg)

    def assertDictEqual(self, first, second, msg=None):
        self._check(first == second, '%r != %r' % (first, second), msg)

    def assertSetEqual(self, first, second, msg=None):
        self._check(first == second, 'Sets differ: %r != %r' % (first, second), msg)

    def assertMultiLineEqual(self, first, second, msg=None):
        self._check(first == second, '%r != %r' % (first, second), msg)

    def assertCountEqual(self, first, second, msg=None):
        rest = list(second)
        same = len(list(first)) == len(rest)
        for item in first:
            if item in rest:
                rest.remove(item)
        self._check(same and not rest, 'Element counts were not equal: %r, %r' % (first, second), msg)

    def assertRegex(self, text, expected_regex, msg=None):
        self._check(_search(expected_regex, text), "Regex didn't match: %r not found in %r" % (expected_regex, text), msg)

    def assertNotRegex(self, text, unexpected_regex, msg=None):
        self._check(not _search(unexpected_regex, text), 'Regex matched: %r in %r' % (unexpected_regex, text), msg)

    def assertRaises(self, expected, function=None, *args, **kwargs):
        if function is None:
            return _Raises(expected)
        with _Raises(expected, None, function):
            function(*args, **kwargs)

    def assertRaisesRegex(self, expected, expected_regex, function=None, *args, **kwargs):
        if function is None:
            return _Raises(expected, expected_regex)
        with _Raises(expected, expected_regex, function):
            function(*args, **kwargs)

    assertEquals, assertNotEquals, assertAlmostEquals = assertEqual, assertNotEqual, assertAlmostEqual
    assert_, assertRaisesRegexp, assertItemsEqual = assertTrue, assertRaisesRegex, assertCountEqual
    assertRegexpMatches = assertRegex


class _SubTest(object):
    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        return False


class TestLoader(object):
    def getTestCaseNames(self, testCaseClass):
        return [n for n in sorted(dir(testCaseClass)) if n.startswith('test') and n != 'test_session']

    def loadTestsFromTestCase(self, testCaseClass):
        return TestSuite([testCaseClass(n) for n in self.getTestCaseNames(testCaseClass)])


class TestSuite(object):
    def __init__(self, tests=()):
        self._tests = list(tests)

    def addTest(self, test):
        self._tests.append(test)

    def addTests(self, tests):
        self._tests.extend(tests)

    def __iter__(self):
        return iter(self._tests)

    def countTestCases(self):
        return sum(t.countTestCases() if isinstance(t, TestSuite) else 1 for t in self._tests)

    def _all(self):
        for test in self._tests:
            if isinstance(test, TestSuite):
                yield from test._all()
            else:
                yield test


class TestResult(object):
    def __init__(self):
        self.testsRun, self.failures, self.errors, self.skipped = 0, [], [], []

    def wasSuccessful(self):
        return not self.failures and not self.errors


def _run_case(case, result):
    """Runs a test and returns one letter for its result."""
    result.testsRun += 1
    method = getattr(case, case._testMethodName)
    for item in (type(case), method):
        if getattr(item, '__unittest_skip__', False):
            result.skipped.append((case, item.__unittest_skip_why__))
            return 's'
    try:
        case.setUp()
        try:
            method()
        finally:
            case.tearDown()
            for function, args, kwargs in case._cleanups[::-1]:
                function(*args, **kwargs)
    except SkipTest as e:
        result.skipped.append((case, str(e)))
        return 's'
    except AssertionError:
        result.failures.append((case, _traceback.format_exc()))
        return 'F'
    except Exception:
        result.errors.append((case, _traceback.format_exc()))
        return 'E'
    return '.'


class TextTestRunner(object):
    """Runs tests and reports the results to standard error."""

    def __init__(self, stream=None, descriptions=True, verbosity=1, **unused):
        self.stream, self.verbosity = stream or sys.stderr, verbosity

    def run(self, test):
        result, start, write, last = TestResult(), time.time(), self.stream.write, None
        for case in test._all() if isinstance(test, TestSuite) else [test]:
            if type(case) is not last:
                if last is not None:
                    last.tearDownClass()
                last = type(case)
                last.setUpClass()
            letter = _run_case(case, result)
            words = {'.': 'ok', 's': 'skipped', 'F': 'FAIL', 'E': 'ERROR'}
            write('%s ... %s\n' % (case, words[letter]) if self.verbosity > 1 else letter)
        if last is not None:
            last.tearDownClass()
        if self.verbosity <= 1:
            write('\n')
        for kind, found in (('ERROR', result.errors), ('FAIL', result.failures)):
            for case, text in found:
                write('=' * 70 + '\n%s: %s\n' % (kind, case) + '-' * 70 + '\n' + text + '\n')
        write('-' * 70 + '\nRan %d test%s in %.3fs\n\n' % (
            result.testsRun, '' if result.testsRun == 1 else 's', time.time() - start))
        counts = [('failures', result.failures), ('errors', result.errors), ('skipped', result.skipped)]
        told = ', '.join('%s=%d' % (name, len(found)) for name, found in counts if found)
        write(('OK' if result.wasSuccessful() else 'FAILED') + (' (%s)' % told if told else '') + '\n')
        return result


def main(module='__main__', argv=None, verbosity=1, exit=True, **unused):
    """Runs the tests of the program, then exits."""
    suite = TestSuite()
    for cls in list(_program_globals().values()):
        if isinstance(cls, type) and issubclass(cls, TestCase) and cls.__module__ == '__main__':
            suite.addTest(TestLoader().loadTestsFromTestCase(cls))
    result = TextTestRunner(verbosity=verbosity).run(suite)
    if exit:
        sys.exit(0 if result.wasSuccessful() else 1)
    return result


def _program_globals():
    return globals()
