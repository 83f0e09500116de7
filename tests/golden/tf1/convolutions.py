# tf.nn's convolutions and pools: shapes, values, node names, gradients, errors.
import numpy as np
import tensorflow as tf

image = tf.constant(np.arange(50, dtype=np.float32).reshape(1, 5, 5, 2) / 10, name='image')
kernel = tf.constant(np.sin(np.arange(16, dtype=np.float32)).reshape(2, 2, 2, 2), name='kernel')
line = tf.constant(np.arange(12, dtype=np.float32).reshape(1, 6, 2))


def count():
    return len(tf.get_default_graph().get_operations())


with tf.Session() as sess:
    def show(t):
        print(t.name, t.shape, ['%.3f' % v for v in sess.run(t).ravel()[:8]])
    for strides, padding in [([1, 1, 1, 1], 'VALID'), ([1, 2, 2, 1], 'SAME'), (2, 'VALID')]:
        show(tf.nn.conv2d(image, kernel, strides, padding))
    show(tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding=[[0, 0], [1, 0], [0, 1], [0, 0]]))
    show(tf.nn.conv2d(image, kernel, 1, 'VALID', dilations=[1, 2, 2, 1], name='dilated'))
    show(tf.nn.conv2d_transpose(image, kernel, [1, 10, 10, 2], [1, 2, 2, 1]))
    show(tf.nn.conv1d(line, tf.ones([3, 2, 1]), 1, 'SAME'))
    show(tf.nn.depthwise_conv2d(image, kernel, [1, 1, 1, 1], 'VALID'))
    show(tf.nn.separable_conv2d(image, kernel, tf.ones([1, 1, 4, 3]), [1, 1, 1, 1], 'SAME'))
    show(tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'))
    show(tf.nn.max_pool(image, ksize=3, strides=2, padding='VALID', name='pool'))
    show(tf.nn.avg_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'))
    show(tf.nn.lrn(image, depth_radius=1, bias=1.0, alpha=0.5, beta=0.5))
    show(tf.nn.local_response_normalization(image))
    before = count()
    y, mean, variance = tf.nn.fused_batch_norm(image, [1.0, 2.0], [0.0, 1.0])
    print(count() - before, y.op.type)
    show(y)
    show(mean)
    show(variance)
    before = count()
    values, indices = tf.nn.top_k([[1.0, 5.0, 3.0], [9.0, 2.0, 9.0]], 2)
    print(count() - before, values.op.type, values.shape)
    print(sess.run([values, indices]))
    print(sess.run(tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1)))
    for f in [tf.nn.elu, tf.nn.selu, tf.nn.softplus, tf.nn.softsign, tf.nn.leaky_relu, tf.nn.relu6, tf.nn.crelu]:
        show(f(tf.constant([-2.0, -0.5, 0.0, 0.5, 9.0])))
    h = tf.nn.relu(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], 'SAME'))
    loss = tf.reduce_sum(tf.square(tf.nn.max_pool(h, [1, 2, 2, 1], [1, 2, 2, 1], 'SAME')))
    for g in tf.gradients(loss, [image, kernel]):
        show(g)
    for bad in [lambda: tf.nn.conv2d(image, tf.ones([2, 2, 3, 1]), 1, 'SAME'),
                lambda: tf.nn.conv2d(image, kernel, [1, 2], 'EXPLICIT'),
                lambda: tf.nn.max_pool(image, [1, 9, 9, 1], 1, 'VALID'),
                lambda: tf.nn.top_k([1.0, 2.0], 3)]:
        try:
            sess.run(bad())
            print('accepted')
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print(type(e).__name__)
