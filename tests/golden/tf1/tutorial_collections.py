# Collections, graph keys, local variables, local initializers.
import tensorflow as tf

g = tf.get_default_graph()
tf.add_to_collection('mine', 1)
tf.add_to_collection('mine', 'two')
print(tf.get_collection('mine'), g.get_collection('other'))
ref = tf.get_collection_ref('mine')
ref.append(3.0)
print(tf.get_collection('mine'), g.get_collection_ref('mine') is ref)
copy = tf.get_collection('mine')
copy.append('not there')
print(len(tf.get_collection('mine')))
tf.add_to_collections(['a', 'b'], 5)
g.add_to_collections('c', 6)
print(sorted(g.get_all_collection_keys()))
g.clear_collection('a')
del tf.get_collection_ref('mine')[:]
print(tf.get_collection('mine'))
print(tf.get_collection('a'), tf.get_collection('b'), tf.get_collection('c'))
v = tf.Variable(1.0, name='v')
n = tf.Variable(2.0, name='n', trainable=False)
c = tf.Variable(3.0, name='c', collections=['special', tf.GraphKeys.GLOBAL_VARIABLES])
l = tf.get_local_variable('l', [2], initializer=tf.zeros_initializer())
k = tf.Variable(4.0, name='k', collections=[tf.GraphKeys.LOCAL_VARIABLES])
with tf.variable_scope('s'):
    inside = tf.get_variable('inside', [1])
print([x.name for x in tf.global_variables()], [x.name for x in tf.trainable_variables()])
print([x.name for x in tf.local_variables()], [x.name for x in tf.get_collection('special')])
print([x.name for x in tf.get_collection(tf.GraphKeys.GLOBAL_VARIABLES, scope='s')])
print([x.name for x in tf.global_variables(scope='s/')], [x.name for x in tf.trainable_variables('v')])
for key in ('GLOBAL_VARIABLES', 'LOCAL_VARIABLES', 'TRAINABLE_VARIABLES', 'MODEL_VARIABLES', 'METRIC_VARIABLES',
            'MOVING_AVERAGE_VARIABLES', 'REGULARIZATION_LOSSES', 'LOSSES', 'UPDATE_OPS', 'SUMMARIES', 'QUEUE_RUNNERS',
            'TABLE_INITIALIZERS', 'GLOBAL_STEP', 'TRAIN_OP', 'WEIGHTS', 'BIASES', 'ACTIVATIONS', 'SAVERS', 'INIT_OP',
            'LOCAL_INIT_OP', 'READY_OP', 'SUMMARY_OP', 'ASSET_FILEPATHS', 'EVAL_STEP', 'COND_CONTEXT', 'WHILE_CONTEXT'):
    print(key, getattr(tf.GraphKeys, key))
with tf.Session() as sess:
    print(len(sess.run(tf.report_uninitialized_variables())))
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    print(sess.run(tf.report_uninitialized_variables()))
    print(sess.run([v, n, c, l, k]), sess.run(tf.is_variable_initialized(v)))
    sess.run(tf.variables_initializer([v, n]))
