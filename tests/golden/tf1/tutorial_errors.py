# What goes wrong in scripts, and how it is caught.
import tensorflow as tf

def attempt(f, *kinds):
    try:
        print('no error', f())
    except kinds as e:
        print(type(e).__name__, isinstance(e, tf.errors.OpError))

x = tf.placeholder(tf.float32, [2], name='x')
v = tf.Variable(1.0, name='v')
sess = tf.Session()
E = tf.errors
attempt(lambda: sess.run(x), E.InvalidArgumentError)
attempt(lambda: sess.run(v), E.FailedPreconditionError)
attempt(lambda: sess.run(x, {x: [1.0, 2.0, 3.0]}), ValueError)
attempt(lambda: sess.run(x, {x: 'abc'}), ValueError)
attempt(lambda: sess.run(tf.reshape(x, [tf.constant(3)]), {x: [1.0, 2.0]}), E.InvalidArgumentError, ValueError)
attempt(lambda: sess.run(None), TypeError)
attempt(lambda: sess.run('nothing:0'), ValueError)
attempt(lambda: sess.run(tf.gather([1, 2], 5)), E.InvalidArgumentError)
attempt(lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])), ValueError)
attempt(lambda: tf.ones([2]) + tf.ones([3]), ValueError)
attempt(lambda: tf.constant(1) + tf.constant(1.0), TypeError)
attempt(lambda: tf.constant([1, 2], shape=[3, 3, 3], verify_shape=True), TypeError)
attempt(lambda: tf.constant('a', tf.float32), TypeError)
attempt(lambda: tf.get_variable('w'), ValueError)
attempt(lambda: bool(x), TypeError)
attempt(lambda: [i for i in x], TypeError)
attempt(lambda: tf.get_default_graph().get_tensor_by_name('missing:0'), KeyError)
attempt(lambda: sess.run(tf.Print(x, [x])), E.InvalidArgumentError)
attempt(lambda: x.eval(), ValueError)
attempt(lambda: tf.no_such_name, AttributeError)
attempt(lambda: sess.run(tf.Assert(tf.constant(False), ['stop'])), E.InvalidArgumentError)
with tf.control_dependencies([tf.assert_equal(tf.reduce_sum(x), 3.0, message='sum')]):
    y = tf.identity(x)
print(sess.run(y, {x: [1.0, 2.0]}))
attempt(lambda: sess.run(y, {x: [1.0, 1.0]}), E.InvalidArgumentError)
attempt(lambda: sess.run(tf.div(1, tf.constant(0))), E.InvalidArgumentError)
sess.close()
attempt(lambda: sess.run(v), RuntimeError)
for name in ('OK', 'CANCELLED', 'INVALID_ARGUMENT', 'NOT_FOUND', 'OUT_OF_RANGE', 'UNIMPLEMENTED', 'DATA_LOSS'):
    print(name, getattr(tf.errors, name))
try:
    raise tf.errors.OutOfRangeError(None, None, 'the end')
except tf.errors.OutOfRangeError as e:
    print(e.message, e.error_code, e.op, isinstance(e, Exception))
