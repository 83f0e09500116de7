"""unittest: cases run by a runner of the program's own; what it writes goes to standard output."""
import io
import sys
import unittest

ran = []


class Arithmetic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ran.append('class')

    def setUp(self):
        self.numbers = [1, 2, 3]
        ran.append('set up')

    def tearDown(self):
        ran.append('tear down')

    def test_sum(self):
        """Sums are sums."""
        self.assertEqual(sum(self.numbers), 6)
        self.assertAlmostEqual(0.1 + 0.2, 0.3)
        self.assertIn(2, self.numbers)
        self.assertCountEqual([3, 1, 2], self.numbers)
        self.assertListEqual(self.numbers, [1, 2, 3])
        self.assertDictEqual({'a': 1}, {'a': 1})
        self.assertIsInstance(self.numbers, list)
        self.assertRegex('step 12', r'step \d+')
        with self.assertRaises(ZeroDivisionError) as caught:
            1 / 0
        self.assertEqual(str(caught.exception), 'division by zero')
        self.assertRaises(ValueError, int, 'x')
        with self.assertRaisesRegex(ValueError, 'invalid literal'):
            int('x')

    def test_wrong(self):
        self.assertEqual(1 + 1, 3)

    def test_error(self):
        [][1]

    @unittest.skip('not today')
    def test_skipped(self):
        self.fail()

    @unittest.skipIf(False, 'never')
    def test_kept(self):
        for i in range(3):
            with self.subTest(i=i):
                self.assertLess(i, 3)

    def test_skips_itself(self):
        self.skipTest('why not')


suite = unittest.TestLoader().loadTestsFromTestCase(Arithmetic)
out = io.StringIO()
result = unittest.TextTestRunner(stream=out, verbosity=0).run(suite)
print(suite.countTestCases(), result.testsRun, len(result.failures), len(result.errors), len(result.skipped), result.wasSuccessful())
print(ran.count('class'), ran.count('set up'), ran.count('tear down'))
print(result.failures[0][0].id(), result.failures[0][1].split('\n')[-2])
print(result.errors[0][0], result.errors[0][1].split('\n')[-2])
print(sorted(reason for _, reason in result.skipped), Arithmetic('test_sum').shortDescription())
case = Arithmetic('test_sum')
for check in (lambda: case.assertEqual(1, 2), lambda: case.assertEqual(1, 2, 'why'), lambda: case.assertTrue(0), lambda: case.assertIn(4, [1]),
              lambda: case.assertAlmostEqual(1.0, 1.1), lambda: case.assertIsNone(3), lambda: case.assertGreater(1, 2), lambda: case.assertNotEqual(1, 1),
              lambda: case.assertIsNot(None, None), lambda: case.assertAlmostEqual(1, 2, delta=0.5), lambda: case.assertRaises(KeyError, dict)):
    try:
        check()
    except AssertionError as e:
        print(e)
