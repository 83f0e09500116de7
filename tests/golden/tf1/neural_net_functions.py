# relu, softmax, cross entropies, bias_add and l2_loss on small numbers.
import numpy as np
import tensorflow as tf

x = tf.constant([[1.0, 2.0, 3.0], [0.0, -1.0, 1.0]])
with tf.Session() as sess:
    def show(*tensors):
        for t in tensors:
            print(t.op.type, t.shape, np.round(sess.run(t), 4).tolist())
    show(tf.nn.relu(x), tf.nn.bias_add(x, [10.0, 20.0, 30.0]))
    for t in [tf.nn.softmax(x), tf.nn.log_softmax(x), tf.nn.sigmoid(x), tf.nn.tanh(x)]:
        print(t.op.type, [['%.4f' % v for v in row] for row in sess.run(t)])
    print('%.4f' % sess.run(tf.nn.l2_loss(x)))
    labels = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    for t in [tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x),
              tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=x),
              tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x), 1)]:
        print(t.shape, ['%.4f' % v for v in sess.run(t)])
    print(['%.4f' % v for v in sess.run(tf.nn.softmax([1000.0, 1000.0, -1000.0]))])
    print(['%.2f' % v for v in sess.run(tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1.0, 0.0]], logits=[[-100.0, 100.0]]))])
    for bad in [lambda: tf.nn.bias_add(x, [1.0]), lambda: tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1.0]], logits=x),
                lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1, 2]], logits=x)]:
        try:
            sess.run(bad())
            print('accepted?')
        except (ValueError, tf.errors.InvalidArgumentError) as e:
            print('refused')
