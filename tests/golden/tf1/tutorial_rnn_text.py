# A net that learns to say "hihello": cells, static_rnn, one-hot characters, a loss over the sequence.
import numpy as np
import tensorflow as tf

tf.set_random_seed(777)
sample = 'hihello'
idx2char = sorted(set(sample))
char2idx = {c: i for i, c in enumerate(idx2char)}
x_data = [char2idx[c] for c in sample[:-1]]
y_data = [[char2idx[c] for c in sample[1:]]]
num_classes = len(char2idx)
X = tf.placeholder(tf.int32, [None, len(x_data)])
Y = tf.placeholder(tf.int32, [None, len(x_data)])
x_one_hot = tf.one_hot(X, num_classes)
print(idx2char, x_one_hot)
cell = tf.nn.rnn_cell.BasicLSTMCell(num_units=8, state_is_tuple=True)
outputs, _states = tf.nn.static_rnn(cell, tf.unstack(x_one_hot, axis=1), dtype=tf.float32)
flat = tf.reshape(tf.stack(outputs, axis=1), [-1, 8])
logits = tf.layers.dense(flat, num_classes)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(Y, [-1]), logits=logits))
train = tf.train.AdamOptimizer(learning_rate=0.1).minimize(loss)
prediction = tf.reshape(tf.argmax(logits, axis=1), tf.shape(X))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print('%.4f' % sess.run(loss, {X: [x_data], Y: y_data}))
    for i in range(60):
        sess.run(train, feed_dict={X: [x_data], Y: y_data})
    result = sess.run(prediction, feed_dict={X: [x_data]})
    print(''.join(idx2char[c] for c in np.squeeze(result)))
print([v.name for v in tf.trainable_variables()])
