# Runs one kind of kernel a few times, for a profiler: tensh kernels.py CASE. With $TENSH_SMALL, sizes are a sixteenth.
import os
import sys
import numpy as np
import tensorflow as tf

rng = np.random.RandomState(1)
part = 16 if os.environ.get('TENSH_SMALL') else 1


def numbers(*shape):
    shape = [n if n < 16 else n // part for n in shape]
    return tf.Variable(rng.uniform(-1, 1, shape).astype(np.float32))


def conv():
    x, f = numbers(32, 32, 32, 64), numbers(3, 3, 64, 64)
    y = tf.nn.conv2d(x, f, [1, 1, 1, 1], 'SAME')
    return [y] + tf.gradients(tf.reduce_sum(y * y), [x, f])


def chain():
    x = numbers(4096, 4096)
    y = x
    for i in range(10):
        y = tf.tanh(y * 0.5 + 1.) if i % 2 else y + x
    return [y]


def mlp():
    x, labels = numbers(128, 784), tf.constant(rng.randint(0, 10, 128 // part))
    h = tf.nn.relu(tf.matmul(x, numbers(784, 128)) + numbers(128))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=tf.matmul(h, numbers(128, 10)) + numbers(10)))
    return [loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)]


CASES = {
    'chain': chain,
    'conv': conv,
    'mlp': mlp,
    'reduce_row': lambda: [tf.reduce_sum(numbers(4096, 16384), 1)],
    'reduce_column': lambda: [tf.reduce_sum(numbers(1024, 50257), 0)],
    'softmax': lambda: [tf.nn.softmax(numbers(1000000, 10))],
    'transpose': lambda: [tf.transpose(numbers(4096, 4096))],
}
fetches = CASES[sys.argv[1]]()
s = tf.Session()
s.run(tf.global_variables_initializer())
for i in range(5):
    s.run([y.op if hasattr(y, 'op') else y for y in fetches])
print(sys.argv[1], 'ran')
