"""tf.test: test cases, as far as scripts use them without a test runner."""
import os
import unittest


class TestCase(unittest.TestCase):
    """The base class of test cases. tf.test.main() runs the methods that begin with test, with setUp before and
    tearDown after each."""

    def setUp(self):
        tf.reset_default_graph()

    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        return tf.Session(graph=graph, config=config)

    test_session = cached_session = session

    def get_temp_dir(self):
        return get_temp_dir()

    def evaluate(self, tensors):
        return tf.get_default_session().run(tensors)

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

    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        return unittest._Raises(exception_type, expected_err_re_or_predicate)

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return unittest._Raises(tf.errors.OpError, expected_err_re_or_predicate)


def main(argv=None):
    """Runs the tests of the program and exits. The results go to standard error."""
    unittest.main()


def get_temp_dir():
    """Returns a folder for temporary files of tests."""
    path = os.path.join('.', 'tmp_test')
    os.makedirs(path, exist_ok=True)
    return path
