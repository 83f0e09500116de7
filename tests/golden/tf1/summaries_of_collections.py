"""tf.contrib.layers.summarize_*, and counts of filters that are floats, as n / 2 is in Python 3."""
import tensorflow as tf

layers = tf.contrib.layers
x = tf.placeholder(tf.float32, [2, 4, 4, 1])
units = 9
conv = tf.layers.conv2d(x, (units - 1) / 2, 3, activation=tf.nn.relu6, name='conv')
print(conv.shape, [v.shape.as_list() for v in tf.trainable_variables()])
tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, conv)
step = tf.Variable(3, name='step', trainable=False)
print([s.op.name for s in layers.summarize_collection(tf.GraphKeys.TRAINABLE_VARIABLES)])
print([s.op.name for s in layers.summarize_tensors([step, conv])], layers.summarize_tensor(step, 'tag/of/it').op.name,
      layers.summarize_activation(tf.nn.relu(conv, name='again')).op.name)
print([s.op.name for s in layers.summarize_collection('variables', 'conv.*k')], [s.op.name for s in layers.summarize_activations()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    merged = tf.Summary.FromString(sess.run(tf.summary.merge_all(), {x: [[[[1.]] * 4] * 4] * 2}))
    print([(v.tag, v.WhichOneof('value')) for v in merged.value])
