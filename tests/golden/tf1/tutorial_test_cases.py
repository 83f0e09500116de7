# Things checked with tf.test.TestCase and by hand; templates; debugging helpers. (not under: fake-gpu, which has a GPU)
import numpy as np
import tensorflow as tf

class SquareTest(tf.test.TestCase):
    def test_square(self):
        with self.test_session():
            x = tf.square([2, 3])
            self.assertAllEqual(x.eval(), [4, 9])
            self.assertAllClose(tf.sqrt([4.0, 2.0]).eval(), [2.0, 1.41421356], atol=1e-4)

    def test_errors(self):
        with self.assertRaises(ValueError):
            tf.reshape([1, 2, 3], [2, 2])
        self.assertTrue(True)
        self.assertEqual(tf.constant(1).shape, ())

case = SquareTest('test_square')
case.setUp()
case.test_square()
case.test_errors()
print('passed', tf.test.is_gpu_available(), tf.test.is_built_with_cuda(), repr(tf.test.gpu_device_name()))

def scale_by_y(x, y):
    return tf.multiply(x, tf.get_variable('y', [], initializer=tf.constant_initializer(y)), name='scaled')
with tf.Graph().as_default():
    scale = tf.make_template('scale', scale_by_y, y=3.0)
    a, b = scale(x=tf.constant(1.0)), scale(x=tf.constant(5.0))
    print(a.name, b.name, [v.name for v in tf.global_variables()])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([a, b]))
        for check in (tf.assert_equal([1, 2], [1, 2]), tf.assert_positive([1.0]), tf.assert_less([1], [2]), tf.assert_rank([1], 1),
                      tf.assert_non_negative([0, 1]), tf.assert_greater_equal([2], [2])):
            sess.run(check)
        p = tf.placeholder(tf.float32, [None])
        with tf.control_dependencies([tf.assert_less(p, 10.0, message='too big')]):
            q = p * 2.0
        print(sess.run(q, {p: [1.0]}))
        try:
            sess.run(q, {p: [11.0]})
        except tf.errors.InvalidArgumentError as e:
            print('too big' in e.message)
    for wrong in (lambda: tf.assert_rank(tf.zeros([2]), 2), lambda: tf.assert_type(tf.constant(1), tf.float32),
                  lambda: tf.assert_equal(tf.constant(1), tf.constant(2))):
        try:
            wrong()
            print('no error')
        except Exception as e:
            print(type(e).__name__)
