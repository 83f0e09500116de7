# Every loss of tf.losses, with weights and reductions.
import tensorflow as tf

labels = tf.constant([[1.0, 2.0], [3.0, 4.0]])
guess = tf.constant([[1.5, 2.0], [2.0, 6.0]])
logits = tf.constant([[2.0, -1.0], [0.5, 0.5]])
hot = tf.constant([[1.0, 0.0], [0.0, 1.0]])
R = tf.losses.Reduction
losses = [
    tf.losses.mean_squared_error(labels, guess),
    tf.losses.mean_squared_error(labels, guess, weights=2.0),
    tf.losses.mean_squared_error(labels, guess, weights=[[1.0], [0.0]]),
    tf.losses.mean_squared_error(labels, guess, weights=[[1.0, 0.0], [0.5, 0.0]]),
    tf.losses.mean_squared_error(labels, guess, reduction=R.SUM),
    tf.losses.mean_squared_error(labels, guess, weights=[[1.0], [0.0]], reduction=R.MEAN),
    tf.losses.mean_squared_error(labels, guess, weights=[[1.0], [0.0]], reduction=R.SUM_OVER_BATCH_SIZE),
    tf.losses.absolute_difference(labels, guess, scope='distance'),
    tf.losses.huber_loss(labels, guess, delta=1.0),
    tf.losses.log_loss(hot, tf.constant([[0.9, 0.2], [0.3, 0.6]])),
    tf.losses.hinge_loss(hot, logits),
    tf.losses.cosine_distance(tf.constant([[0.6, 0.8]]), tf.constant([[1.0, 0.0]]), axis=1),
    tf.losses.softmax_cross_entropy(hot, logits),
    tf.losses.softmax_cross_entropy(hot, logits, label_smoothing=0.1),
    tf.losses.sigmoid_cross_entropy(hot, logits),
    tf.losses.sigmoid_cross_entropy(hot, logits, label_smoothing=0.2),
    tf.losses.sparse_softmax_cross_entropy([0, 1], logits),
    tf.losses.sparse_softmax_cross_entropy([[0], [1]], logits, weights=0.5),
    tf.losses.mean_pairwise_squared_error(labels, guess),
    tf.losses.compute_weighted_loss(tf.constant([1.0, 2.0, 3.0]), weights=[1.0, 0.0, 1.0]),
]
print([l.name.split('/')[0] for l in losses])
print(losses[0].shape, len(tf.losses.get_losses()), len(tf.get_collection(tf.GraphKeys.LOSSES)))
total = tf.losses.get_total_loss()
none = tf.losses.mean_squared_error(labels, guess, reduction=R.NONE)
tf.losses.add_loss(tf.constant(1.0))
print(len(tf.losses.get_losses()), tf.losses.get_losses(scope='distance'))
with tf.Session() as sess:
    print(['%.5f' % v for v in sess.run(losses)])
    print(none.shape, sess.run(none))
    print('%.3f' % sess.run(total))
for wrong in (lambda: tf.losses.mean_squared_error(labels, tf.zeros([3])), lambda: tf.losses.mean_squared_error(None, guess),
              lambda: tf.losses.mean_squared_error(labels, guess, reduction='other'),
              lambda: tf.losses.mean_squared_error(labels, guess, weights=[1.0, 2.0, 3.0])):
    try:
        wrong()
    except ValueError as e:
        print(type(e).__name__)
