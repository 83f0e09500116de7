# Functions that sessions make.
import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)

a = tf.placeholder(tf.float32, [], name='a')
b = tf.placeholder(tf.float32, [], name='b')
r = tf.add(a, b, name='r')
sess = tf.Session()
f = sess.make_callable(r, [a, b])
print(f(1, 2), f(1, 2, 3), f(1, 2, options=None))
attempt(lambda: f(1))
attempt(lambda: f(1, 2, what=1))
attempt(lambda: sess.make_callable(r, a))
f = sess.make_callable(r)
attempt(f)
attempt(lambda: f(1))
f = sess.make_callable([tf.constant(1.), {'k': tf.constant(2)}])
print(f())
attempt(lambda: f(options=None))
f = sess.make_callable(tf.constant(1.), accept_options=True)
print(f(options=None, run_metadata=None))
print(f(options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=tf.RunMetadata()))
print(sess.make_callable(tf.no_op())())
attempt(lambda: sess.make_callable(3))

options = config_pb2.CallableOptions()
options.feed.extend(['a:0', 'b:0'])
options.fetch.append('r:0')
f = sess._make_callable_from_options(options)
print(f(np.float32(1), np.array(2, 'f')))
attempt(lambda: f(1., 2.))
attempt(lambda: f(np.float32(1)))
attempt(lambda: f('x', np.float32(1)))
options = config_pb2.CallableOptions()
options.fetch.append('nothing:0')
attempt(lambda: sess._make_callable_from_options(options))
v = tf.Variable(1.0)
inc = tf.assign_add(v, 2.0, name='inc')
sess.run(v.initializer)
options = config_pb2.CallableOptions()
options.target.append('inc')
print(sess._make_callable_from_options(options)(), sess.run(v))
sess.close()
