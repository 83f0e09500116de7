# What TensorFlow's own tests ask of a server and ordinary programs do not: variants in messages, temporary variables,
# the costs of a graph, and sessions that bring their own cluster. Under TensorFlow:
#     python their_suite.py grpc://127.0.0.1:PORT grpc://127.0.0.1:PORT
import sys

import tensorflow.compat.v1 as tf
from tensorflow.core.framework import tensor_pb2

tf.disable_v2_behavior()
R = tf.raw_ops
ONE, TWO = sys.argv[1:3]


def say(name, fn):
    with tf.Graph().as_default():
        try:
            print(name, fn(), flush=True)
        except tf.errors.OpError as e:
            print(name, type(e).__name__, flush=True)


def run(fetches, **config):
    with tf.Session(ONE, config=tf.ConfigProto(operation_timeout_in_ms=20000, isolate_session_state=True, **config)) as s:
        return s.run(fetches)


def variant(*values):
    return tf.constant(tensor_pb2.TensorProto(dtype=tf.variant.as_datatype_enum, tensor_shape=tf.TensorShape([]).as_proto(),
                                              variant_val=values))


def value(type_name, metadata, *tensors):
    return tensor_pb2.VariantTensorDataProto(type_name=type_name, metadata=metadata, tensors=[tf.make_tensor_proto(t) for t in tensors])


def number():
    one = variant(value(b'int', b'\1\0\0\0'))
    with tf.control_dependencies([tf.print(one, tf.zeros_like(one))]):
        return run(tf.shape(one)).tolist()


def a_list():
    # element 1 of 3 is not set; float, no maximum size, unknown shape
    given = variant(value(b'tensorflow::TensorList', b'\1\1\1' + b'\xff' * 9 + b'\1\x18\1', [1., 2.], [3., 4.]))
    stacked = R.TensorListStack(input_handle=given, element_shape=tf.constant([2]), element_dtype=tf.float32)
    more = R.TensorListPushBack(input_handle=given, tensor=[5., 6.])
    return [v.tolist() for v in run([R.TensorListLength(input_handle=more), stacked])]


def damaged_lists():
    said = []
    for metadata, tensors in ((b'', []), (b'\5', []), (b'\1\7\1\1', [1.]), (b'\0\3\1', [1.]), (b'\0\x63\1', []),
                              (b'\0\1' + b'\xff' * 9 + b'\1\x12\2\x08\3', [[1.]])):
        with tf.Graph().as_default():
            try:
                run(R.TensorListLength(input_handle=variant(value(b'tensorflow::TensorList', metadata, *tensors))))
                said.append('read')
            except tf.errors.InvalidArgumentError:
                said.append('refused')
    return said


def an_optional():
    given = variant(value(b'tensorflow::data::Optional', b'\1', 7, b'x'))
    number, text = run(R.OptionalGetValue(optional=given, output_types=[tf.int32, tf.string], output_shapes=[[], []]))
    return int(number), text


def temporary(second):
    v = [tf.assign(R.TemporaryVariable(shape=[1], dtype=tf.float32, var_name=name), [x])
         for name, x in (('t', 1.), (second, 2.))]
    return run(v[0] + v[1])


def temporary_in_a_loop():
    def body(i, total):
        t = tf.assign(R.TemporaryVariable(shape=[], dtype=tf.int32, var_name='t'), i)
        return i + 1, total + R.DestroyTemporaryVariable(ref=t, var_name='t')
    return int(run(tf.while_loop(lambda i, _: i < 5, body, [0, 0])[1]))


def costs():
    a = tf.placeholder(tf.float32, [], name='a')
    b = tf.multiply(a, a, name='b')
    options = tf.ConfigProto(graph_options=tf.GraphOptions(build_cost_model=3))
    seen = []
    with tf.Session(ONE, config=options) as s:
        for _ in range(6):
            metadata = tf.RunMetadata()
            s.run(b, {a: 1.}, options=tf.RunOptions(), run_metadata=metadata)
            seen.append(metadata.HasField('cost_graph'))
    nodes = {n.name: n for n in metadata.cost_graph.node}
    return seen, nodes['b'].compute_cost > 0, [o.size for o in nodes['b'].output_info], metadata.HasField('step_stats')


def traced_callable():
    with tf.Session(ONE) as s:
        metadata = tf.RunMetadata()
        s.make_callable(tf.constant(1.) + 1., accept_options=True)(options=tf.RunOptions(trace_level=3), run_metadata=metadata)
        return len(metadata.step_stats.dev_stats) > 0


def cluster(**jobs):
    return tf.train.ClusterSpec({k: [t[7:] for t in v] for k, v in jobs.items()}).as_cluster_def()


def brought(**jobs):
    return tf.Session(ONE, config=tf.ConfigProto(cluster_def=cluster(**jobs), operation_timeout_in_ms=20000))


def cluster_of_one():
    with brought(worker=[ONE]) as s:
        return [d.name for d in s.list_devices()], int(s.run(tf.constant(17)))


def cluster_of_two():
    with tf.device('/job:worker/task:1'):
        v = tf.Variable(3., name='v_of_two')
        items = R.TensorListFromTensor(tensor=[1., 2.], element_shape=tf.constant([], tf.int32))
    with tf.device('/job:worker/task:0'):
        doubled = v * 2.
        stacked = R.TensorListStack(input_handle=items, element_shape=tf.constant([], tf.int32), element_dtype=tf.float32)
    with brought(worker=[ONE, TWO]) as s:
        s.run(v.initializer)
        out = [d.name for d in s.list_devices()], float(s.run(doubled)), s.run(stacked).tolist()
    with tf.Graph().as_default():  # the variable is that of the task, whatever the session calls it
        same = tf.Variable(0., name='v_of_two')
        with tf.Session(TWO) as s:
            return out + (float(s.run(same)),)


def partial_run():
    with tf.device('/job:worker/task:1'):
        a = tf.placeholder(tf.float32, [])
        b = a + 1.
    with tf.device('/job:worker/task:0'):
        c = tf.placeholder(tf.float32, [])
        d = b * c
    with brought(worker=[ONE, TWO]) as s:
        h = s.partial_run_setup([b, d], [a, c])
        return float(s.partial_run(h, b, {a: 1.})), float(s.partial_run(h, d, {c: 5.}))


def cluster_without_the_target():
    with brought(worker=[TWO]) as s:
        return s.run(tf.constant(1))


def cluster_elsewhere():
    with brought(worker=[ONE, 'grpc://192.0.2.1:2222']) as s:
        return s.run(tf.constant(1))


for each in (number, a_list, damaged_lists, an_optional, temporary_in_a_loop, costs, traced_callable, cluster_of_one,
             cluster_of_two, partial_run, cluster_without_the_target, cluster_elsewhere):
    say(each.__name__, each)
say('temporary', lambda: temporary('u'))
say('temporary twice', lambda: temporary('t'))
