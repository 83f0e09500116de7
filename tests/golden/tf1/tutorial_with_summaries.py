# not under: reference, which records no times
"""mnist_with_summaries: variable_summaries, nn_layer, merged, run metadata, FileWriter; events read back."""
import glob, os, shutil
import tensorflow as tf
import numpy as np

log_dir = './logs_demo'
if tf.gfile.Exists(log_dir):
    tf.gfile.DeleteRecursively(log_dir)
tf.gfile.MakeDirs(log_dir)

def weight_variable(shape):
    """Create a weight variable with appropriate initialization."""
    initial = tf.truncated_normal(shape, stddev=0.1, seed=2)
    return tf.Variable(initial)

def variable_summaries(var):
    with tf.name_scope('summaries'):
      mean = tf.reduce_mean(var)
      tf.summary.scalar('mean', mean)
      with tf.name_scope('stddev'):
        stddev = tf.sqrt(tf.reduce_mean(tf.square(var - mean)))
      tf.summary.scalar('stddev', stddev)
      tf.summary.scalar('max', tf.reduce_max(var))
      tf.summary.scalar('min', tf.reduce_min(var))
      tf.summary.histogram('histogram', var)

def nn_layer(input_tensor, input_dim, output_dim, layer_name, act=tf.nn.relu):
    with tf.name_scope(layer_name):
      with tf.name_scope('weights'):
        weights = weight_variable([input_dim, output_dim])
        variable_summaries(weights)
      with tf.name_scope('biases'):
        biases = tf.Variable(tf.constant(0.1, shape=[output_dim]))
        variable_summaries(biases)
      with tf.name_scope('Wx_plus_b'):
        preactivate = tf.matmul(input_tensor, weights) + biases
        tf.summary.histogram('pre_activations', preactivate)
      activations = act(preactivate, name='activation')
      tf.summary.histogram('activations', activations)
      return activations

sess = tf.InteractiveSession()
with tf.name_scope('input'):
    x = tf.placeholder(tf.float32, [None, 16], name='x-input')
    y_ = tf.placeholder(tf.int64, [None], name='y-input')
with tf.name_scope('input_reshape'):
    image_shaped_input = tf.reshape(x, [-1, 4, 4, 1])
    tf.summary.image('input', image_shaped_input, 2)
hidden1 = nn_layer(x, 16, 8, 'layer1')
with tf.name_scope('dropout'):
    keep_prob = tf.placeholder(tf.float32)
    tf.summary.scalar('dropout_keep_probability', keep_prob)
    dropped = tf.nn.dropout(hidden1, keep_prob)
y = nn_layer(dropped, 8, 3, 'layer2', act=tf.identity)
with tf.name_scope('cross_entropy'):
    with tf.name_scope('total'):
      cross_entropy = tf.losses.sparse_softmax_cross_entropy(labels=y_, logits=y)
tf.summary.scalar('cross_entropy', cross_entropy)
with tf.name_scope('train'):
    train_step = tf.train.AdamOptimizer(0.01).minimize(cross_entropy)
with tf.name_scope('accuracy'):
    with tf.name_scope('correct_prediction'):
      correct_prediction = tf.equal(tf.argmax(y, 1), y_)
    with tf.name_scope('accuracy'):
      accuracy = tf.reduce_mean(tf.cast(correct_prediction, tf.float32))
tf.summary.scalar('accuracy', accuracy)
merged = tf.summary.merge_all()
print(merged, len(tf.get_collection(tf.GraphKeys.SUMMARIES)))
for s in tf.get_collection(tf.GraphKeys.SUMMARIES):
    print(s.name)
train_writer = tf.summary.FileWriter(log_dir + '/train', sess.graph)
test_writer = tf.summary.FileWriter(log_dir + '/test')
tf.global_variables_initializer().run()
rng = np.random.RandomState(8)
X = rng.rand(60, 16).astype('f'); Y = (X.sum(1) * 3 / 16).astype(np.int64)
for i in range(20):
    if i % 10 == 0:
        summary, acc = sess.run([merged, accuracy], feed_dict={x: X, y_: Y, keep_prob: 1.0})
        test_writer.add_summary(summary, i)
        print('Accuracy at step %s: %s' % (i, 0 <= acc <= 1))
    elif i % 10 == 9:
        run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        run_metadata = tf.RunMetadata()
        summary, _ = sess.run([merged, train_step], feed_dict={x: X, y_: Y, keep_prob: 1.0}, options=run_options, run_metadata=run_metadata)
        train_writer.add_run_metadata(run_metadata, 'step%03d' % i)
        train_writer.add_summary(summary, i)
        print('Adding run metadata for', i, len(run_metadata.step_stats.dev_stats) > 0)
    else:
        summary, _ = sess.run([merged, train_step], feed_dict={x: X, y_: Y, keep_prob: 1.0})
        train_writer.add_summary(summary, i)
s = tf.Summary(value=[tf.Summary.Value(tag='by hand', simple_value=2.5)])
s.value.add(tag='two', simple_value=1)
test_writer.add_summary(s, global_step=99)
print(s)
train_writer.close()
test_writer.close()
for sub in ('train', 'test'):
    path = glob.glob(os.path.join(log_dir, sub, 'events*'))[0]
    tags, steps = set(), []
    for e in tf.train.summary_iterator(path):
        steps.append(e.step)
        for v in e.summary.value:
            tags.add(v.tag)
            if v.tag == 'by hand': print(v.simple_value)
    print(sub, len(tags), sorted(tags)[:4], sorted(set(steps))[:4])
hist = tf.Summary(); hist.ParseFromString(sess.run(tf.summary.histogram('h', [1., 2., 2., 3.])))
h = hist.value[0].histo
print(h.min, h.max, h.num, h.sum, h.sum_squares, sum(h.bucket))
img = tf.Summary.FromString(sess.run(tf.summary.image('im', np.zeros((1, 4, 4, 1), np.uint8))))
print(img.value[0].tag, img.value[0].image.height, img.value[0].image.colorspace, img.value[0].image.encoded_image_string[:4])
shutil.rmtree(log_dir)
