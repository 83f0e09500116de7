# A small convolutional net on bars drawn here: tf.nn and tf.layers ways.
import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
rng = np.random.RandomState(1)
images = np.zeros((40, 8, 8, 1), np.float32)
labels = np.arange(40) % 2
for i, kind in enumerate(labels):
    at = rng.randint(1, 7)
    if kind:
        images[i, at, :, 0] = 1.0
    else:
        images[i, :, at, 0] = 1.0
x = tf.placeholder(tf.float32, [None, 8, 8, 1])
y = tf.placeholder(tf.int32, [None])

def conv2d(x, W, b, strides=1):
    x = tf.nn.conv2d(x, W, strides=[1, strides, strides, 1], padding='SAME')
    x = tf.nn.bias_add(x, b)
    return tf.nn.relu(x)

def maxpool2d(x, k=2):
    return tf.nn.max_pool(x, ksize=[1, k, k, 1], strides=[1, k, k, 1], padding='SAME')

W = tf.Variable(tf.truncated_normal([3, 3, 1, 4], stddev=0.1, seed=3))
b = tf.Variable(tf.constant(0.1, shape=[4]))
h = maxpool2d(conv2d(x, W, b))
print(h)
flat = tf.reshape(h, [-1, 4 * 4 * 4])
logits = tf.layers.dense(flat, 2)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y), tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(loss, {x: images, y: labels})
    for i in range(60):
        sess.run(train, {x: images, y: labels})
    print(sess.run(loss, {x: images, y: labels}) < first, sess.run(accuracy, {x: images, y: labels}))

tf.reset_default_graph()
x = tf.placeholder(tf.float32, [None, 8, 8, 1], name='x')
c1 = tf.layers.conv2d(inputs=x, filters=2, kernel_size=[3, 3], padding="same", activation=tf.nn.relu,
                      kernel_initializer=tf.constant_initializer(0.5))
p1 = tf.layers.max_pooling2d(inputs=c1, pool_size=[2, 2], strides=2)
c2 = tf.layers.conv2d(p1, 3, 3, strides=(2, 2), name='second', kernel_initializer=tf.ones_initializer())
p2 = tf.layers.average_pooling2d(p1, 2, 2, padding='same')
up = tf.layers.conv2d_transpose(p2, 1, 2, strides=2, kernel_initializer=tf.ones_initializer())
flat = tf.layers.flatten(c2)
for t in (c1, p1, c2, p2, up, flat):
    print(t)
for v in tf.global_variables():
    print(v.name, v.shape)
for op in tf.get_default_graph().get_operations():
    if op.type in ('Conv2D', 'BiasAdd', 'Relu', 'MaxPool', 'AvgPool', 'Conv2DBackpropInput'):
        print(op.name, op.type)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run(flat, {x: images[:2]}).round(3).tolist())
    print(sess.run(p2, {x: images[:1]}).round(3)[0, :, :, 0])
    print(sess.run(up, {x: images[:1]}).shape, sess.run(up, {x: images[:1]}).sum().round(2))
for wrong in (lambda: tf.layers.conv2d(tf.zeros([2, 3]), 1, 2), lambda: tf.layers.conv2d(x, 1, 2, padding='other')):
    try:
        wrong()
    except ValueError as e:
        print(str(e)[:40])
