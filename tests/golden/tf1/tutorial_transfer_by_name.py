"""Transfer learning: a frozen graph with a new head, variables restored by name, init_from_checkpoint."""
import os, tempfile
import numpy as np
import tensorflow as tf
graph_util = tf.graph_util
from tensorflow.python.platform import gfile
d = tempfile.mkdtemp()
np.random.seed(2)
X = np.random.rand(16, 4).astype(np.float32)
Y = (X.sum(1) > 2).astype(np.int64)
def base(x, trainable=True):
    with tf.variable_scope('base'):
        h = tf.layers.dense(x, 6, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.3), trainable=trainable, name='fc1')
        return tf.layers.dense(h, 5, tf.nn.relu, kernel_initializer=tf.constant_initializer(0.1), trainable=trainable, name='bottleneck')
g1 = tf.Graph()
with g1.as_default():
    x = tf.placeholder(tf.float32, [None, 4], name='input')
    feat = tf.identity(base(x), name='features')
    logits = tf.layers.dense(feat, 2, kernel_initializer=tf.constant_initializer(.2), name='head')
    loss = tf.losses.sparse_softmax_cross_entropy(Y, logits)
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run(train, {x: X})
        path = saver.save(sess, os.path.join(d, 'pre.ckpt'))
        frozen = graph_util.convert_variables_to_constants(sess, g1.as_graph_def(), ['features'])
        with gfile.FastGFile(os.path.join(d, 'frozen.pb'), 'wb') as f:
            f.write(frozen.SerializeToString())
        want = sess.run(feat, {x: X})
print(len(frozen.node), sorted(set(n.op for n in frozen.node)))
reader = tf.train.NewCheckpointReader(path)
for name, shape in sorted(reader.get_variable_to_shape_map().items()):
    print(name, shape)
print(tf.train.list_variables(path)[:2])
with tf.Graph().as_default() as g2:
    with gfile.FastGFile(os.path.join(d, 'frozen.pb'), 'rb') as f:
        graph_def = tf.GraphDef()
        graph_def.ParseFromString(f.read())
        bottleneck, inp = tf.import_graph_def(graph_def, name='', return_elements=['features:0', 'input:0'])
    print(bottleneck, inp, [op.name for op in g2.get_operations()][:4])
    bottleneck_input = tf.placeholder_with_default(bottleneck, shape=[None, 5], name='BottleneckInputPlaceholder')
    gt = tf.placeholder(tf.int64, [None], name='GroundTruthInput')
    with tf.name_scope('final_training_ops'):
        w = tf.Variable(tf.truncated_normal([5, 2], stddev=0.001, seed=1), name='final_weights')
        b = tf.Variable(tf.zeros([2]), name='final_biases')
        final = tf.nn.softmax(tf.matmul(bottleneck_input, w) + b, name='final_result')
    xe = tf.losses.sparse_softmax_cross_entropy(labels=gt, logits=tf.log(final))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(xe)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = sess.run(bottleneck, {inp: X})
        print(np.allclose(values, want), values.shape)
        for i in range(3):
            _, c = sess.run([step, xe], {bottleneck_input: values, gt: Y})
            print('%.4f' % c)
        print('%.4f' % sess.run(xe, {inp: X, gt: Y}))
with tf.Graph().as_default():
    x = tf.placeholder(tf.float32, [None, 4])
    feat = base(x, trainable=False)
    out = tf.layers.dense(feat, 3, name='new_head')
    variables_to_restore = [v for v in tf.global_variables() if v.name.split('/')[0] == 'base']
    restorer = tf.train.Saver(var_list={v.op.name: v for v in variables_to_restore})
    print([v.name for v in tf.trainable_variables()], [v.name for v in variables_to_restore])
    tf.train.init_from_checkpoint(path, {'base/fc1/': 'base/fc1/'})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(np.allclose(sess.run(variables_to_restore[0]), reader.get_tensor('base/fc1/kernel')), np.allclose(sess.run(variables_to_restore[2]), reader.get_tensor('base/bottleneck/kernel')))
        restorer.restore(sess, path)
        print(np.allclose(sess.run(feat, {x: X}), want))
        print(sess.run(tf.report_uninitialized_variables()))
    try:
        with tf.Session() as sess:
            tf.train.Saver().restore(sess, path)
    except tf.errors.NotFoundError as e:
        print(type(e).__name__, 'new_head' in str(e))
