"""Chains of elementwise operations on 16M floats with one thread. Prints the median of nine steps in milliseconds.

    python3 tests/bench/elementwise.py        in TensorFlow
    build/tensh tests/bench/elementwise.py    in tensh
"""
import time
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

n = 16 * 1024 * 1024
a, b, c = [tf.Variable(tf.fill([n], x)) for x in (0.5, 0.25, 0.125)]
sums = a
for _ in range(10):
    sums = sums * 1.01 + 0.5
# Only one element is returned, so that copying the result does not count.
steps = {'tanh(exp(a * b + c))': tf.tanh(tf.exp(a * b + c))[0], '10 times * 1.01 + 0.5': sums[0]}
session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
session.run(tf.global_variables_initializer())
for name, step in steps.items():
    run = session.make_callable(step)
    times = []
    for _ in range(9):
        start = time.time()
        run()
        times.append(time.time() - start)
    print('%-24s %.1f' % (name, sorted(times)[4] * 1e3))
