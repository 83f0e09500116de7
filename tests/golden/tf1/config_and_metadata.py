# ConfigProto, RunOptions and RunMetadata.  (not under: reference, which records no times)
import tensorflow as tf

config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False, inter_op_parallelism_threads=1,
                        intra_op_parallelism_threads=1, device_count={'CPU': 1})
print(config.allow_soft_placement, config.inter_op_parallelism_threads, config.device_count['CPU'])
config.gpu_options.allow_growth = True
config.operation_timeout_in_ms = 10000
x = tf.constant([1.0, 2.0], name='x')
y = tf.reduce_sum(x * x, name='y')
with tf.Session(config=config) as sess:
    print(sess.run(y))
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    print(sess.run(y, options=options, run_metadata=metadata))
    stats = metadata.step_stats
    names = sorted({n.node_name for d in stats.dev_stats for n in d.node_stats})
    print(len(stats.dev_stats) > 0, 'y' in names)
    print(sess.run(y, options=tf.RunOptions(timeout_in_ms=5000)))
with tf.Session('', config=tf.ConfigProto()) as sess:
    print(sess.run(y), sess.graph is tf.get_default_graph())
