#!/usr/bin/env python3
"""Records graphs with functions, and TensorFlow's values for them.

    python tests/functions/record.py [NAME ...]     with a Python that has TensorFlow 2.x

Each case becomes graphs/NAME.pb, a GraphDef, and graphs/NAME.json with initializers (inits), feeds, fetches, and the
values of each run. functions_test.py replays them in tensh.
"""
import json
import os
import sys

os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', TF_ENABLE_ONEDNN_OPTS='0')
import numpy as np
import tensorflow as tf2

tf = tf2.compat.v1
tf.disable_eager_execution()
tf.enable_control_flow_v2()
tf.enable_resource_variables()
HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'graphs')
CASES = []


def case(build, runs=1):
    CASES.append((build.__name__, build, runs))
    return build


def rerun(runs):
    return lambda build: case(build, runs)


def values(outs):
    return [np.asarray(o).tolist() for o in outs]


def record(name, build, runs):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(1)
        fetches, feeds, inits = build()
        results = []
        with tf.Session() as sess:
            for op in inits:
                sess.run(op)
            for _ in range(runs):
                try:
                    results.append(values(sess.run(fetches, feed_dict=feeds)))
                except tf.errors.OpError as e:
                    results.append(type(e).__name__)
    with open(os.path.join(HERE, name + '.pb'), 'wb') as f:
        f.write(graph.as_graph_def().SerializeToString(deterministic=True))
    with open(os.path.join(HERE, name + '.json'), 'w') as f:
        json.dump({'inits': [op.name for op in inits], 'fetches': [t.name for t in fetches],
                   'feeds': {t.name: np.asarray(v).tolist() for t, v in feeds.items()},
                   'runs': results}, f, indent=1)
        f.write('\n')
    print(name, results)


def floats(*shape):
    return tf.placeholder(tf.float32, shape)


@case
def cond():
    x, p = floats(2), tf.placeholder(tf.bool, [])
    return [tf.cond(p, lambda: x * 2., lambda: x - 1.)], {x: [1., 2.], p: True}, []


@case
def cond_gradient():
    x, p = floats(2), tf.placeholder(tf.bool, [])
    y = tf.cond(p, lambda: tf.sin(x) * x, lambda: tf.exp(x - 1.))
    return [y] + tf.gradients(y, x), {x: [1., 2.], p: False}, []


@case
def case_gradient():
    x, i = floats(), tf.placeholder(tf.int32, [])
    y = tf.switch_case(i, [lambda: x + 1., lambda: x * 5., lambda: tf.sin(x)])
    return [y] + tf.gradients(y, x), {x: 2., i: 1}, []


@case
def loop():
    x = floats()
    i, y = tf.while_loop(lambda i, y: i < 10, lambda i, y: (i + 1, y * x), [0, 1.])
    return [i, y], {x: 1.5}, []


@case
def loop_gradient():
    x = floats()
    i, y = tf.while_loop(lambda i, y: i < 10, lambda i, y: (i + 1, y * x + tf.sin(y)), [0, 1.])
    return [i, y] + tf.gradients(y, x), {x: 1.5}, []


@case
def loop_second_gradient():
    x = floats()
    i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    dy = tf.gradients(y, x)[0]
    return [y, dy, tf.gradients(dy, x)[0]], {x: 1.5}, []


@case
def nested():
    x = floats()

    def body(i, a):
        a = tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + x)
        _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b + 0.5 * x), [0, a])
        return i + 1, b
    i, y = tf.while_loop(lambda i, a: i < 5, body, [0, 1.])
    return [y] + tf.gradients(y, x), {x: 1.1}, []


@case
def map_fn():
    x = floats(None, 2)
    y = tf.map_fn(lambda r: tf.reduce_sum(r * r) + r, x)
    return [y] + tf.gradients(y, x), {x: [[1., 2.], [3., 4.], [5., 6.]]}, []


@case
def scan():
    x = floats(4)
    y = tf.scan(lambda a, e: a * e + 1., x)
    return [y] + tf.gradients(y, x), {x: [1., 2., 3., 4.]}, []


@case
def tensor_array():
    x = floats(3, 2)
    ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=None).unstack(x)
    ta = ta.write(3, [7., 8.])
    y, c, g = ta.stack(), ta.concat(), ta.gather([0, 3])
    d = tf.gradients(tf.reduce_sum(y * y) + tf.reduce_sum(c * c * c), x)
    return [y, c, g, ta.size(), ta.read(1)] + d, {x: [[1., 2.], [3., 4.], [5., 6.]]}, []


@case
def tensor_array_split():
    x = floats(5, 2)
    ta = tf.TensorArray(tf.float32, size=3, infer_shape=False).split(x, [2, 1, 2])
    y = ta.concat()
    return [y, ta.read(0)] + tf.gradients(y * y, x), {x: np.arange(10).reshape(5, 2)}, []


@case
def function():
    @tf2.function
    def f(a, b):
        return a * b, a + b

    @tf2.function
    def g(a):
        u, v = f(a, a + 1.)
        return tf.reduce_sum(u * v)
    x = floats(3)
    y = g(x)
    return [y] + tf.gradients(y, x), {x: [1., 2., 3.]}, []


@rerun(2)
def variables():
    v, w = tf.Variable([1., 2.]), tf.Variable(3.)

    @tf2.function
    def f(a):
        v.assign_add(a)
        return v * w
    x = floats(2)
    return [f(x)], {x: [10., 20.]}, [v.initializer, w.initializer]


@case
def variables_in_a_loop():
    w = tf.Variable(1.3)
    i, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * w), [0, 2.])
    return [y] + tf.gradients(y, w), {}, [w.initializer]


def data():
    return tf.data.Dataset


@rerun(4)
def data_one_shot():
    d = data().range(10).map(lambda x: x * 2).filter(lambda x: tf.not_equal(x % 3, 0)).batch(3)
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


@rerun(3)
def data_initializable():
    n = tf.constant(2, tf.int64)
    a = data().from_tensor_slices((np.arange(6.).reshape(3, 2), ['a', 'b', 'c']))
    d = data().zip((a, data().range(7).skip(1).take(4).repeat(n))).prefetch(1)
    it = tf.data.make_initializable_iterator(d)
    (x, s), i = it.get_next()
    return [x, tf.strings.length(s), i], {}, [it.initializer]


@rerun(3)
def data_flat_map():
    d = data().range(1, 4).flat_map(lambda n: data().range(n).concatenate(data().from_tensors(n)))
    return [tf.data.make_one_shot_iterator(d.batch(4, drop_remainder=True)).get_next()], {}, []


@rerun(5)
def data_shuffle():
    d = data().range(8).shuffle(4, seed=7).batch(4)
    return [tf.data.make_one_shot_iterator(d.repeat(2)).get_next()], {}, []


@rerun(9)
def data_interleave():
    d = data().range(1, 6).interleave(lambda n: data().from_tensors(n).repeat(n), cycle_length=3, block_length=2)
    return [tf.data.make_one_shot_iterator(d.batch(2)).get_next()], {}, []


@rerun(9)
def data_interleave_in_parallel():
    d = data().range(1, 6).interleave(lambda n: data().from_tensors(n).repeat(n), cycle_length=2, num_parallel_calls=2)
    return [tf.data.make_one_shot_iterator(d.batch(2)).get_next()], {}, []


@rerun(4)
def data_interleave_long_cycle():
    d = data().range(4).interleave(lambda n: data().range(n), cycle_length=100, block_length=1)
    return [tf.data.make_one_shot_iterator(d.batch(3)).get_next()], {}, []


@rerun(6)
def data_windows():
    d = data().range(7).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3))
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


@rerun(4)
def data_windows_far_apart():
    d = data().range(9).window(2, shift=4, drop_remainder=True).flat_map(lambda w: w.batch(2))
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


@rerun(4)
def data_padded_batch():
    d = data().range(1, 6).map(lambda n: (tf.fill([n], n), n)).padded_batch(2, ([None], []), (np.int64(-1), np.int64(0)))
    return list(tf.data.make_one_shot_iterator(d).get_next()), {}, []


@rerun(5)
def data_shard_and_cache():
    d = data().range(9).shard(2, 1).map(lambda x: x * x).cache().repeat(2)
    return [tf.data.make_one_shot_iterator(d.batch(2)).get_next()], {}, []


@rerun(4)
def data_unbatch():
    d = data().from_tensor_slices(np.arange(4).reshape(2, 2)).unbatch()
    return [tf.data.make_one_shot_iterator(d.batch(2)).get_next()], {}, []


@rerun(4)
def data_take_while_and_scan():
    d = data().range(9).take_while(lambda x: x < 6).scan(np.int64(1), lambda s, x: (s + x, (s * x, x)))
    return list(tf.data.make_one_shot_iterator(d.batch(2)).get_next()), {}, []


@rerun(6)
def data_group_by_window():
    d = data().range(14).group_by_window(lambda x: x % 3, lambda k, w: w.map(lambda x: x * 10 + k).batch(4), window_size_func=lambda k: k + 2)
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


@rerun(4)
def data_group_by_reducer():
    reducer = tf.data.experimental.Reducer(lambda k: (k, np.float32(0)), lambda s, x: (s[0] + x, s[1] + tf.cast(x, tf.float32) / 2),
                                           lambda n, f: (f, n))
    d = data().range(10).apply(tf.data.experimental.group_by_reducer(lambda x: -(x % 3), reducer))
    return list(tf.data.make_one_shot_iterator(d).get_next()), {}, []


@rerun(4)
def data_map_and_batch():
    d = data().range(5).apply(tf.data.experimental.map_and_batch(lambda x: (x * x, tf.cast(x, tf.float32)), 2))
    return list(tf.data.make_one_shot_iterator(d).get_next()), {}, []


@rerun(6)
def data_map_and_batch_exact():
    d = data().range(5).apply(tf.data.experimental.map_and_batch(lambda x: tf.fill([x // 3], x), 2, drop_remainder=True))
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


@rerun(5)
def data_without_errors():
    d = data().range(5).map(lambda x: 12 // (x - 2)).apply(tf.data.experimental.ignore_errors())
    return [tf.data.make_one_shot_iterator(d).get_next()], {}, []


def parallel(dataset, predicate):
    """A filter as TensorFlow's optimizer of datasets rewrites it."""
    given = dataset.filter(predicate)
    made = tf2.raw_ops.ParallelFilterDataset(
        input_dataset=dataset._variant_tensor, other_arguments=[], num_parallel_calls=tf2.constant(2, tf2.int64),
        predicate=given._dataset._predicate.function, output_types=[tf.int64], output_shapes=[[]])
    return tf2.data.experimental.from_variant(made, tf2.TensorSpec([], tf.int64))


@case
def data_filter_in_parallel():
    dataset = parallel(tf.data.Dataset.range(9), lambda x: tf.equal(x % 3, 2))
    return [tf.data.experimental.get_single_element(dataset.batch(9))], {}, []


@case
def batch_function():
    w = tf.constant([[1., 2.], [3., 4.]])

    @tf2.nondifferentiable_batch_function(2, 8, 10)
    def layer(x):
        return tf.matmul(x, w), tf.reduce_sum(x, 1)
    x = tf.placeholder(tf.float32, [None, 2])
    return list(layer(x)), {x: [[1., 2.], [3., -4.], [0., 1.]]}, []


@case
def data_reduce():
    d = data().range(5).map(lambda x: x + 1)
    return [d.reduce(np.int64(1), lambda s, x: s * x)], {}, []


if __name__ == '__main__':
    os.makedirs(HERE, exist_ok=True)
    for each in CASES:
        if not sys.argv[1:] or each[0] in sys.argv[1:]:
            record(*each)
