# Connectionist temporal classification: the loss, its gradient, decoding.
import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
logits = tf.constant(np.sin(np.arange(36.) * 1.7).reshape(6, 2, 3) * 3, tf.float32)
labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 1], [2, 2])
loss = tf.nn.ctc_loss(labels, logits, [6, 4])
batch_major = tf.nn.ctc_loss(labels=labels, inputs=tf.transpose(logits, [1, 0, 2]), sequence_length=[6, 4], time_major=False,
                             ctc_merge_repeated=False)
(decoded,), score = tf.nn.ctc_greedy_decoder(logits, [6, 4])
(kept,), _ = tf.nn.ctc_greedy_decoder(logits, [6, 4], merge_repeated=False)
paths, scores = tf.nn.ctc_beam_search_decoder(logits, [6, 4], beam_width=20, top_paths=2)
with tf.Session() as sess:
    print(loss.name, loss.shape, sess.run(loss), sess.run(batch_major))
    print(sess.run(tf.gradients(loss, logits)[0]).reshape(-1)[:12])
    print(sess.run(tf.sparse_tensor_to_dense(decoded, default_value=-1)), sess.run(score))
    print(sess.run(tf.sparse_tensor_to_dense(kept, default_value=-1)))
    for path in paths:
        print(sess.run(tf.sparse_tensor_to_dense(path, default_value=-1)))
    print(sess.run(scores))
    try:
        sess.run(tf.nn.ctc_loss(labels, logits[:1], [1, 1]))
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError', 'Not enough time' in str(e))
for op in tf.get_default_graph().get_operations():
    if 'CTC' in op.type:
        print(op.name, op.type, [i.name for i in op.inputs])
try:
    tf.nn.ctc_loss([1], logits, [6, 4])
except TypeError as e:
    print('TypeError')
