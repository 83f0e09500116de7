"""Sorting, checks, conversions and descriptions of devices, the names of tf.dtypes and other homes, old imports."""
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import array_ops, math_ops, nn_ops, rnn_cell_impl, state_ops, variable_scope as vs
from tensorflow.python.platform import gfile, tf_logging
from tensorflow.python.training import moving_averages

sess = tf.Session()


def show(*tensors):
    print(*[np.asarray(sess.run(t)).tolist() for t in tensors])


def error(f):
    try:
        f()
        print('no error')
    except (TypeError, ValueError, RuntimeError, tf.errors.InvalidArgumentError) as e:
        print(type(e).__name__)


x = tf.constant([[3, 1, 2], [9, 7, 8]])
show(tf.sort(x), tf.sort(x, direction='DESCENDING'), tf.sort(x, axis=0), tf.argsort(x), tf.argsort(x, axis=0, direction='DESCENDING'))
show(tf.sort(tf.constant([3, 250, 0], tf.uint8)), tf.sort([2.5, -1., float('inf')]), tf.sort(tf.constant([-128, 127, 0], tf.int8)),
     tf.sort(tf.constant([[[2, 1], [4, 3]]]), axis=1))
print(tf.sort(x), tf.argsort(x).dtype)
show(tf.searchsorted([1, 3, 5], [0, 3, 6]), tf.searchsorted([1, 3, 5], [0, 3, 6], side='right'), tf.searchsorted([[1., 2.], [3., 4.]], [[1.5], [5.]]))
show(tf.repeat([1, 2], [2, 1]), tf.repeat([[1, 2], [3, 4]], 2), tf.repeat(x, [1, 2], axis=0), tf.repeat(x, 2, axis=-1), tf.repeat([], 3))
show(tf.batch_gather(x, [[2, 0], [1, 1]]), tf.broadcast_dynamic_shape([2, 1], [3]), tf.lbeta([1., 1.]))
sess.run(tf.assert_near([1., 2.], [1., 2.0000001]))
error(lambda: sess.run(tf.assert_near([1., 2.], [1., 2.1])))
sess.run(tf.assert_near([1., 2.], [1., 2.1], atol=.2))
for f in (lambda: tf.assert_integer(tf.constant(1.)), lambda: tf.assert_proper_iterable(x), lambda: tf.assert_proper_iterable(3), lambda: tf.assert_proper_iterable([1]),
          lambda: sess.run(tf.verify_tensor_all_finite(tf.constant([1., np.nan]), 'not finite')), lambda: tf.sort(x, direction='UP'), lambda: tf.searchsorted([1], [1], side='up')):
    error(f)
show(tf.verify_tensor_all_finite(tf.constant([1.]), 'fine'))
with tf.Graph().as_default() as g:
    a = tf.constant(0.) / tf.placeholder_with_default(0., [])
    check = tf.add_check_numerics_ops()
    with tf.Session() as s:
        error(lambda: s.run(check))
sparse = tf.SparseTensor([[0]], [1.], [2])
print(tf.convert_to_tensor_or_indexed_slices([1.]), tf.convert_to_tensor_or_sparse_tensor(sparse) is sparse,
      tf.convert_to_tensor_or_sparse_tensor(tf.SparseTensorValue([[0]], [1.], [2])).dtype)
error(lambda: tf.convert_to_tensor_or_sparse_tensor(sparse, dtype=tf.int32))
show(tf.numpy_function(lambda v: v + 1, [x], tf.int32))
print(tf.dimension_value(tf.Dimension(3)), tf.dimension_value(4), tf.dimension_at_index(tf.TensorShape([2, None]), 0), tf.dimension_at_index(tf.TensorShape(None), 1))
print(tf.AggregationMethod.ADD_N, tf.AggregationMethod.DEFAULT, tf.AggregationMethod.EXPERIMENTAL_TREE, tf.VariableSynchronization.ON_READ, tf.VariableAggregation.MEAN.name)
spec = tf.DeviceSpec(job='ps', task=1, device_type='CPU', device_index=0)
print(spec.to_string(), tf.DeviceSpec.from_string('/job:w/replica:0/device:GPU:2').device_index, spec == tf.DeviceSpec.from_string('/job:ps/task:1/cpu:0'))
error(lambda: tf.DeviceSpec.from_string('/what:1'))
print(tf.get_logger().name, tf.executing_eagerly_outside_functions(), tf.resource_variables_enabled() if hasattr(tf, 'nothing') else False)
print(tf.dtypes.cast([1.5], tf.dtypes.int32), tf.dtypes.as_dtype('half'), tf.dtypes.DType is tf.DType, [getattr(tf.dtypes, n).name for n in
      'bfloat16 bool complex128 complex64 double float16 float32 float64 half int16 int64 int8 resource string uint16 uint32 uint64 uint8 variant'.split()])
show(tf.dtypes.saturate_cast([300, -1], tf.uint8), tf.dtypes.complex(1., 2.), tf.dtypes.as_string([1, 2]), tf.strings.lower('AbC'), tf.strings.upper('AbC'), tf.strings.join(['a', 'b'], '-'), tf.strings.as_string(1.5))
print([q.__name__ for q in (tf.queue.FIFOQueue, tf.queue.PaddingFIFOQueue, tf.queue.PriorityQueue, tf.queue.RandomShuffleQueue, tf.io.PaddingFIFOQueue, tf.io.PriorityQueue, tf.io.RandomShuffleQueue)])
show(tf.manip.reshape(x, [3, 2]), tf.manip.reverse(x, [1]), tf.manip.roll(x, 1, 1), tf.manip.tile([1], [3]), tf.manip.gather_nd(x, [[0, 1]]), tf.manip.scatter_nd([[1]], [5], [3]),
     tf.manip.space_to_batch_nd(tf.reshape(x, [1, 2, 3, 1])[:, :, :2], [2, 2], [[0, 0], [0, 0]]), tf.manip.batch_to_space_nd(tf.ones([4, 1, 1, 1]), [2, 2], [[0, 0], [0, 0]]))
show(tf.linalg.l2_normalize([3., 4.]), tf.linalg.tensor_diag([1, 2]), tf.linalg.tensor_diag_part(tf.eye(2)), tf.linalg.tensordot([1, 2], [3, 4], 1), tf.linalg.matrix_transpose(x))
show(tf.math.confusion_matrix([0, 1], [1, 1]), tf.math.in_top_k([[.1, .9]], [1], 1), tf.math.invert_permutation([1, 0]), tf.math.lbeta([1., 1.]), tf.math.top_k([1, 3, 2], 2)[0])
show(tf.sparse.segment_sum(x, [0, 1], [0, 0]), tf.sparse.segment_mean(tf.to_float(x), [0, 1], [0, 0]), tf.round(tf.sparse.segment_sqrt_n(tf.to_float(x), [0, 1], [0, 0])))
tf.io.write_graph(tf.Graph().as_graph_def(), '.', 'homes.pbtxt')
print(tf.io.gfile.exists('homes.pbtxt'), tf.io.gfile.glob('homes.pb*'), tf.io.gfile.isdir('.'), 'homes.pbtxt' in tf.io.gfile.listdir('.'), tf.io.match_filenames_once('homes.*').name)
tf.io.gfile.makedirs('homes_a/b')
tf.io.gfile.mkdir('homes_a/c')
tf.io.gfile.copy('homes.pbtxt', 'homes_a/b/x')
tf.io.gfile.rename('homes_a/b/x', 'homes_a/b/y')
print(sorted(d for d, _, _ in tf.io.gfile.walk('homes_a')), tf.io.gfile.stat('homes_a/b/y').length >= 0)
tf.io.gfile.rmtree('homes_a')
tf.io.gfile.remove('homes.pbtxt')
print(gfile.Exists('homes.pbtxt'), callable(tf_logging.info))
with vs.variable_scope('v'):
    v = vs.get_variable('average', [], initializer=tf.zeros_initializer(), trainable=False)
    w = vs.get_variable('plain', [], initializer=tf.zeros_initializer(), trainable=False)
    value = array_ops.placeholder(tf.float32, [])
    debiased = moving_averages.assign_moving_average(v, value, .9)
    plain = moving_averages.assign_moving_average(w, value, .9, zero_debias=False)
print(math_ops.add(x, x), nn_ops.relu(v), state_ops.assign(v, 1.), rnn_cell_impl.BasicLSTMCell is tf.nn.rnn_cell.BasicLSTMCell)
print([u.name for u in tf.global_variables()])
sess.run(tf.global_variables_initializer())
for n in (1., 2., 4.):
    print(np.round(sess.run([debiased, plain], {value: n}), 5))
c = tf.random.log_uniform_candidate_sampler(tf.constant([[1]], tf.int64), 1, 2, True, 5, seed=1)
print(c.sampled_candidates.shape, tf.random.uniform_candidate_sampler(tf.constant([[1]], tf.int64), 1, 2, True, 5, seed=1)[0].dtype, tf.random.get_seed(3))
flags = tf.flags
flags.DEFINE_multi_integer('steps', [1, 2], 'steps')
flags.DEFINE_multi_string('names', 'one', 'names')
flags.DEFINE_multi_float('rates', None, 'rates')
flags.DEFINE_spaceseplist('words', 'a b', 'words')
print(flags.FLAGS(['prog', '--steps=5', '--steps', '6', '--rates=.5', 'left']))
print(flags.FLAGS.steps, flags.FLAGS.names, flags.FLAGS.rates, flags.FLAGS.words)
