# needs attr
"""Functions of Python all over a graph: loops, conditions, maps, scans."""
import contextlib
import enum
import functools
import operator
import attr
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


@attr.s
class HParams(object):
    units = attr.ib(default=2, converter=int)
    names = attr.ib(factory=list)
    rate = attr.ib(default=0.1, validator=attr.validators.instance_of(float))


class Mode(enum.Enum):
    TRAIN = 'train'
    EVAL = 'eval'


def define_scope(function):
    attribute = '_cache_' + function.__name__

    @property
    @functools.wraps(function)
    def decorator(self):
        if not hasattr(self, attribute):
            with tf.variable_scope(function.__name__):
                setattr(self, attribute, function(self))
        return getattr(self, attribute)
    return decorator


class Model:
    def __init__(self, data, hp, mode):
        self.data, self.hp, self.mode = data, hp, mode
        self.prediction
        self.error

    @define_scope
    def prediction(self):
        w = tf.get_variable('w', [2, self.hp.units], initializer=tf.ones_initializer())
        return tf.matmul(self.data, w)

    @define_scope
    def error(self):
        return tf.reduce_mean(self.prediction) if self.mode is Mode.EVAL else tf.reduce_max(self.prediction)


@contextlib.contextmanager
def scopes(*names):
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(tf.name_scope(name))
        yield stack


hp = HParams('3', ['a'])
print(hp, hp == HParams(3, ['a']), attr.asdict(attr.evolve(hp, rate=0.5)))
try:
    HParams(rate=1)
except TypeError as e:
    print('TypeError:', e.args[0][:25])
model = Model(tf.constant([[1., 2.], [3., 4.]]), hp, Mode.EVAL)
with scopes('outer', 'inner'):
    total = functools.reduce(operator.add, [tf.constant(float(i)) for i in range(4)])
factor = 3
state = collatz = tf.while_loop(lambda n, c: tf.not_equal(n, 1),
                                lambda n, c: (tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: factor * n + 1), c + 1), [27, 0])
squares = tf.map_fn(lambda t: (t[0] * t[1], t[0]), (tf.range(3), tf.range(3) + 1), dtype=(tf.int32, tf.int32))
fib = tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.range(8), initializer=(0, 1))
folded = tf.foldl(operator.mul, tf.constant([1., 2., 3., 4.]))
case = tf.case([(tf.less(total, 1), lambda: tf.constant(1)), (tf.greater(total, 5), lambda: tf.constant(2))], default=lambda: tf.constant(3))
printed = tf.Print(total, [total], 'total: ') if False else total
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(total.name, *sess.run([total, collatz[1], folded, case]))
    print([v.tolist() for v in sess.run(squares)], sess.run(fib[0]), sess.run(model.error), model.error.op.name)
    ticks = iter(range(100))
    tick = tf.py_func(lambda: np.int64(next(ticks)), [], tf.int64)
    sess.run(tick)
    sums = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.concat([s, [tf.cast(i, tf.float32) * len(hp.names)]], 0)),
                         [0, tf.constant([1.])], shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    print(*sess.run(sums), sess.run(tick))
    calls = sess.make_callable([total, tf.placeholder_with_default(2., [], name='p') * total])
    print(*calls(), sess.partial_run is not None)
    try:
        tf.while_loop(lambda i: i < 3, lambda i: [i + 1, i], [0])
    except ValueError as e:
        print('ValueError', len(str(e)) > 10)
    try:
        tf.cond(tf.constant(True), lambda: 1 // 0, lambda: 1)
    except ZeroDivisionError as e:
        print(type(e).__name__, e)
