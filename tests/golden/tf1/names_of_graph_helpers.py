# What builds and describes graphs beside the ops themselves.
import numpy as np
import tensorflow as tf

print(isinstance(tf.GIT_VERSION, str), isinstance(tf.COMPILER_VERSION, str))
tf.disable_eager_execution()
tf.disable_v2_tensorshape()
tf.disable_resource_variables()

config = tf.ConfigProto(
    gpu_options=tf.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.5),
    graph_options=tf.GraphOptions(optimizer_options=tf.OptimizerOptions(do_constant_folding=True)))
print(config.gpu_options.allow_growth, config.gpu_options.per_process_gpu_memory_fraction)
print(config.graph_options.optimizer_options.do_constant_folding)
print(config)
print(tf.ConfigProto(device_count={'CPU': 1}, log_device_placement=True, inter_op_parallelism_threads=3))

tf.NotDifferentiable('NobodysOp')
tf.NoGradient('NobodysOtherOp')

print('--- values that are known before a run')
print(tf.get_static_value(tf.constant([1, 2])), tf.get_static_value(tf.placeholder(tf.float32)))
print(tf.get_static_value(tf.shape(tf.zeros([2, 3]))))

print('--- scopes under their first names')
with tf.Graph().as_default() as g:
    a = tf.constant(1.0)
    with tf.op_scope([a], 'layer'):
        print((a + 1).name)
    with tf.variable_op_scope([a], 'vars', 'Default') as scope:
        print(scope.name, tf.get_variable('w', [2]).name)
    with tf.variable_op_scope([a], None, 'Default'):
        print(tf.get_variable('w', [2]).name)

print('--- initializers')
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(1)
    w = tf.get_variable('w', [3, 2], initializer=tf.orthogonal_initializer(gain=2.0, seed=4))
    i = tf.get_variable('i', [2, 2], initializer=tf.initializers.identity(gain=3.0))
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [7]), -1)
    sess.run([tf.global_variables_initializer(), tf.initialize_all_tables()])
    made = sess.run(w)
    print(np.round(made.T.dot(made), 3) + 0.0)
    print(sess.run(i))
    print(sess.run(table.lookup(tf.constant(['a', 'b']))))

print('--- messages of operators')
with tf.Graph().as_default():
    t = tf.constant(True)
    try:
        if t:
            pass
    except TypeError as e:
        print('TypeError')
error = tf.errors.UnknownError(None, None, 'nobody knows')
print(error.error_code == tf.errors.UNKNOWN, error.message, isinstance(error, tf.errors.OpError))

print('--- readers')
with tf.Graph().as_default() as g:
    for reader in (tf.WholeFileReader(name='whole'), tf.IdentityReader(name='id'),
                   tf.FixedLengthRecordReader(8, header_bytes=2, name='fixed'), tf.TextLineReader(name='lines')):
        print(type(reader).__name__, reader.reader_ref.op.type, reader.supports_serialize)
    queue = tf.FIFOQueue(3, tf.string, shapes=[()])
    identity = tf.IdentityReader()
    key, value = identity.read(queue)
    done = identity.num_work_units_completed()
    with tf.Session() as sess:
        sess.run(queue.enqueue_many([['first', 'second']]))
        print(sess.run([key, value]), sess.run([key, value]), sess.run(done))
    print(issubclass(tf.ConditionalAccumulator, tf.ConditionalAccumulatorBase))
