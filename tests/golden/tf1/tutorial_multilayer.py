# A net of two hidden layers with weights in dictionaries, and a function that builds it.
import numpy as np
import tensorflow as tf

n_input, n_hidden_1, n_hidden_2, n_classes = 2, 8, 6, 3
learning_rate = 0.01
x = tf.placeholder(tf.float32, [None, n_input], name='InputData')
y = tf.placeholder(tf.float32, [None, n_classes], name='LabelData')
tf.set_random_seed(42)
weights = {
    'h1': tf.Variable(tf.random_normal([n_input, n_hidden_1], seed=1)),
    'h2': tf.Variable(tf.random_normal([n_hidden_1, n_hidden_2], seed=2)),
    'out': tf.Variable(tf.random_normal([n_hidden_2, n_classes], seed=3)),
}
biases = {
    'b1': tf.Variable(tf.random_normal([n_hidden_1])),
    'b2': tf.Variable(tf.random_normal([n_hidden_2])),
    'out': tf.Variable(tf.random_normal([n_classes]))
}

def multilayer_perceptron(x, weights, biases):
    layer_1 = tf.nn.relu(tf.add(tf.matmul(x, weights['h1']), biases['b1']))
    layer_2 = tf.nn.relu(tf.add(tf.matmul(layer_1, weights['h2']), biases['b2']))
    return tf.matmul(layer_2, weights['out']) + biases['out']

with tf.name_scope('Model'):
    logits = multilayer_perceptron(x, weights, biases)
    pred = tf.nn.softmax(logits)
with tf.name_scope('Loss'):
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=y))
with tf.name_scope('Adam'):
    optimizer = tf.train.AdamOptimizer(learning_rate=learning_rate)
    grads = tf.gradients(loss, tf.trainable_variables())
    grads = list(zip(grads, tf.trainable_variables()))
    apply_grads = optimizer.apply_gradients(grads_and_vars=grads)
with tf.name_scope('Accuracy'):
    acc = tf.equal(tf.argmax(pred, 1), tf.argmax(y, 1))
    acc = tf.reduce_mean(tf.cast(acc, tf.float32))
print([v.name for v in tf.global_variables()][:6])
print(pred, acc)
rng = np.random.RandomState(5)
data = rng.uniform(-1, 1, size=(120, 2))
kinds = (data[:, 0] > 0).astype(int) + (data[:, 1] > data[:, 0]).astype(int)
labels = np.zeros((120, n_classes))
labels[np.arange(120), kinds] = 1
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    first = sess.run(loss, {x: data, y: labels})
    for epoch in range(60):
        total_batch = int(len(data) / 40)
        avg_cost = 0.
        for i in range(total_batch):
            batch = slice(i * 40, (i + 1) * 40)
            _, c = sess.run([apply_grads, loss], feed_dict={x: data[batch], y: labels[batch]})
            avg_cost += c / total_batch
        if epoch % 20 == 19:
            print("Epoch: %d" % (epoch + 1), avg_cost < first)
    print("Accuracy good:", acc.eval({x: data, y: labels}) > 0.75)
    print(np.round(biases['b2'].eval(), 2).shape, sorted(weights))
