"""Saving and restoring, transfer learning: import_meta_graph, get_tensor_by_name, fine-tuning, partial restore."""
import os, shutil
import numpy as np
import tensorflow as tf

d = './transfer_demo'
os.makedirs(d, exist_ok=True)
tf.reset_default_graph()
w1 = tf.placeholder("float", name="w1")
w2 = tf.placeholder("float", name="w2")
b1 = tf.Variable(2.0, name="bias")
w3 = tf.add(w1, w2)
w4 = tf.multiply(w3, b1, name="op_to_restore")
with tf.variable_scope('layer1'):
    W = tf.get_variable('W', initializer=np.arange(6, dtype=np.float32).reshape(2, 3))
saver = tf.train.Saver(max_to_keep=2, keep_checkpoint_every_n_hours=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(w4, feed_dict={w1: 4, w2: 8}))
    for step in (1, 2, 3):
        print(saver.save(sess, os.path.join(d, 'my_test_model'), global_step=step))
print(sorted(os.listdir(d)))
print(open(os.path.join(d, 'checkpoint')).read())
print(saver.last_checkpoints)
tf.reset_default_graph()
sess = tf.Session()
saver = tf.train.import_meta_graph(os.path.join(d, 'my_test_model-3.meta'))
saver.restore(sess, tf.train.latest_checkpoint(d))
print(sess.run('bias:0'))
graph = tf.get_default_graph()
w1 = graph.get_tensor_by_name("w1:0")
w2 = graph.get_tensor_by_name("w2:0")
feed_dict = {w1: 13.0, w2: 17.0}
op_to_restore = graph.get_tensor_by_name("op_to_restore:0")
print(sess.run(op_to_restore, feed_dict))
add_on_op = tf.multiply(op_to_restore, 2)
print(sess.run(add_on_op, feed_dict), add_on_op)
fc = tf.stop_gradient(graph.get_tensor_by_name('layer1/W:0'))
new_outputs = 2
weights = tf.Variable(tf.truncated_normal([3, new_outputs], stddev=0.05, seed=1))
biases = tf.Variable(tf.constant(0.05, shape=[new_outputs]))
output = tf.matmul(fc, weights) + biases
pred = tf.nn.softmax(output)
print(pred)
for op in graph.get_operations():
    if op.type in ('VariableV2', 'Placeholder', 'RestoreV2'):
        print(op.name, op.type)
try:
    sess.run(pred)
except tf.errors.FailedPreconditionError as e:
    print(type(e).__name__)
for bad in ('nothere:0', 'w1', 'w1:1'):
    try:
        graph.get_tensor_by_name(bad)
    except (KeyError, ValueError) as e:
        print(type(e).__name__, e)
try:
    graph.get_operation_by_name('w1:0')
except (KeyError, ValueError) as e:
    print(type(e).__name__, e)
sess.close()
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(d))
for k, v in sorted(reader.get_variable_to_shape_map().items()):
    print(k, v, reader.get_tensor(k))
with tf.Graph().as_default():
    v = tf.get_variable('renamed', shape=[])
    with tf.variable_scope('other'):
        u = tf.get_variable('W', [2, 3])
    s = tf.train.Saver({'bias': v, 'layer1/W': u})
    with tf.Session() as sess:
        s.restore(sess, os.path.join(d, 'my_test_model-2'))
        print(v.eval(), u.eval())
        missing = tf.get_variable('missing', shape=[1])
        try:
            tf.train.Saver([missing]).restore(sess, os.path.join(d, 'my_test_model-2'))
        except tf.errors.NotFoundError as e:
            print('NotFoundError', 'missing' in str(e))
        try:
            tf.train.Saver().restore(sess, os.path.join(d, 'nope'))
        except Exception as e:
            print(type(e).__name__)
st = tf.train.get_checkpoint_state(d)
print(st.model_checkpoint_path, len(st.all_model_checkpoint_paths))
if st and st.model_checkpoint_path:
    print(int(st.model_checkpoint_path.split('/')[-1].split('-')[-1]))
print(tf.train.checkpoint_exists(os.path.join(d, 'my_test_model-1')), tf.train.latest_checkpoint('nowhere'))
shutil.rmtree(d)
