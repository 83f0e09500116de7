# Drawing classes by logits and as negative examples; losses over a sample of the classes.
import numpy as np
import tensorflow as tf

tf.set_random_seed(7)
logits = tf.constant([[0.0, 1.0, 2.0, -1.0], [3.0, 0.0, 0.0, 0.0]])
with tf.Session() as sess:
    draw = tf.multinomial(logits, 6, seed=5)
    print(draw.name, draw.dtype, sess.run(draw).tolist(), sess.run(draw).tolist())
    print(sess.run(tf.multinomial(tf.log([[0.5, 0.25, 0.25]]), 8, seed=1)).tolist())
    for sampler in [tf.nn.log_uniform_candidate_sampler, tf.nn.uniform_candidate_sampler]:
        for unique in [True, False]:
            ids, true_count, count = sampler([[0, 3]], 2, 5, unique, 20, seed=3)
            print(ids.op.name, sess.run(ids).tolist(), np.round(sess.run(true_count), 4).shape, ids.shape)
            a, b, c = sess.run([ids, true_count, count])
            print(a.tolist(), ['%.4f' % v for v in b.ravel()], ['%.4f' % v for v in c])
    weights = tf.constant(np.sin(np.arange(60, dtype=np.float32)).reshape(20, 3))
    biases = tf.constant(np.cos(np.arange(20, dtype=np.float32)))
    inputs = tf.constant([[0.1, 0.2, 0.3], [0.3, -0.1, 0.5]])
    labels = tf.constant([[2], [7]], dtype=tf.int64)
    negatives = (tf.constant([1, 4, 9], dtype=tf.int64), tf.constant([[0.5], [0.25]]), tf.constant([0.5, 0.2, 0.1]))
    for loss in [tf.nn.nce_loss, tf.nn.sampled_softmax_loss]:
        t = loss(weights, biases, labels, inputs, 3, 20, sampled_values=negatives)
        print(t.shape, ['%.4f' % v for v in sess.run(t)])
        print([['%.4f' % v for v in row] for row in sess.run(tf.gradients(t, inputs)[0])])
