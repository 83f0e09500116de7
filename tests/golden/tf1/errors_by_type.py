# The errors a beginner meets, caught by type.
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2], name='x')
q = tf.placeholder(tf.float32)
v = tf.Variable(1.0, name='v')
y = x * 2.0 + v
sess = tf.Session()


def attempt(what, action):
    try:
        print(what, 'gave', action())
    except tf.errors.OpError as e:
        print(what, '->', type(e).__name__, e.error_code)
    except Exception as e:
        print(what, '->', type(e).__name__)


attempt('not fed', lambda: sess.run(x))
attempt('not initialised', lambda: sess.run(v))
sess.run(v.initializer)
attempt('wrong feed shape', lambda: sess.run(y, {x: [[1, 2, 3]]}))
attempt('wrong feed rank', lambda: sess.run(y, {x: 1.0}))
attempt('feed of strings', lambda: sess.run(y, {x: [['a', 'b']]}))
attempt('good feed', lambda: sess.run(y, {x: [[1, 2]]}).tolist())
attempt('unknown tensor', lambda: sess.run('nothing:0'))
attempt('bad output number', lambda: sess.run('v:3'))
attempt('fetch a number', lambda: sess.run(3.5))
attempt('fetch None', lambda: sess.run(None))
attempt('other graph', lambda: sess.run(make_elsewhere()))
attempt('shapes do not fit', lambda: tf.add(tf.zeros([2]), tf.zeros([3])))
attempt('dtypes do not fit', lambda: tf.add(tf.zeros([2]), tf.zeros([2], tf.int32)))
attempt('iterate', lambda: [t for t in x])
attempt('truth', lambda: not x)
attempt('len', lambda: len(x))
attempt('no such name', lambda: tf.no_such_function)
attempt('float of a tensor', lambda: float(tf.constant(1.0)))
attempt('by name', lambda: tf.get_default_graph().get_tensor_by_name('zzz:0'))
attempt('op name as tensor', lambda: tf.get_default_graph().get_tensor_by_name('x'))
attempt('tensor name as op', lambda: tf.get_default_graph().get_operation_by_name('x:0'))
attempt('int division by zero', lambda: sess.run(tf.constant(1) // tf.constant(0)))
attempt('unfed default', lambda: sess.run(tf.placeholder_with_default(4, [])))
attempt('bad axis', lambda: tf.reduce_sum(tf.zeros([2]), 3))
attempt('reshape at run time', lambda: sess.run(tf.reshape(q, [3]), {q: [1.0, 2.0]}))
sess.close()
attempt('closed', lambda: sess.run(v))


def make_elsewhere():
    with tf.Graph().as_default():
        return tf.constant(1)


attempt('other graph, late', lambda: tf.Session().run(make_elsewhere()))
for code, cls in [(3, tf.errors.InvalidArgumentError), (5, tf.errors.NotFoundError), (9, tf.errors.FailedPreconditionError),
                  (11, tf.errors.OutOfRangeError), (12, tf.errors.UnimplementedError), (1, tf.errors.CancelledError)]:
    print(cls.__name__, issubclass(cls, tf.errors.OpError), issubclass(cls, Exception), code)
print(tf.errors.INVALID_ARGUMENT, tf.errors.NOT_FOUND, tf.errors.FAILED_PRECONDITION)
