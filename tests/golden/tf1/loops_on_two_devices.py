# Loops and branches whose nodes ask for different devices.
import tensorflow as tf

config = tf.ConfigProto(device_count={'CPU': 3})
sess = tf.Session(config=config)

def body(i, x):
    with tf.device('/cpu:1'):
        y = x * 2.
    return i + 1, y
print(sess.run(tf.while_loop(lambda i, x: i < 5, body, [0, 1.])))

# The condition elsewhere.
def cond(i, x):
    with tf.device('/cpu:2'):
        return tf.logical_and(i < 10, x < 100.)
print(sess.run(tf.while_loop(cond, body, [0, 1.])))

# Loop constants and branches.
k = tf.constant(3.)
def branching(i, x):
    def yes():
        with tf.device('/cpu:1'):
            return x + k
    def no():
        with tf.device('/cpu:2'):
            return x * k
    return i + 1, tf.cond(tf.equal(i % 2, 0), yes, no)
i, x = tf.while_loop(lambda i, x: i < 7, branching, [0, 1.])
print(sess.run([i, x]))

# A loop in a loop, the inner one elsewhere, and a loop in a branch.
def outer(i, x):
    with tf.device('/cpu:1'):
        j, y = tf.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y + tf.cast(j, tf.float32)), [0, x])
    return i + 1, y
print(sess.run(tf.while_loop(lambda i, x: i < 6, outer, [0, 1.])))
p = tf.placeholder(tf.bool, [])
def looped():
    return tf.while_loop(lambda i, x: i < 5, body, [0, 1.])[1]
z = tf.cond(p, looped, lambda: tf.constant(-1.))
print(sess.run(z, {p: True}), sess.run(z, {p: False}))

# Gradients, and a loop around the branch.
w = tf.Variable([1., 2.])
def scaled(i, x):
    with tf.device('/cpu:1'):
        y = x * w
    with tf.device('/cpu:2'):
        y = tf.tanh(y)
    return i + 1, y
_, out = tf.while_loop(lambda i, x: i < 4, scaled, [0, tf.constant([0.5, 0.25])])
sess.run(tf.global_variables_initializer())
print(sess.run(tf.round(tf.gradients(out, [w])[0] * 1e4)))

# Arrays and many iterations: a sender is not far ahead.
ta = tf.TensorArray(tf.float32, 50)
def write(i, ta):
    with tf.device('/cpu:1'):
        value = tf.cast(i, tf.float32) * 2.
    return i + 1, ta.write(i, value)
_, ta = tf.while_loop(lambda i, ta: i < 50, write, [0, ta])
print(sess.run(tf.reduce_sum(ta.stack())))
count = tf.Variable(0)
def counting(i):
    with tf.device('/cpu:1'):
        add = tf.assign_add(count, 1)
    with tf.control_dependencies([add]):
        return i + 1
sess.run(count.initializer)
print(sess.run(tf.while_loop(lambda i: i < 1000, counting, [0])), sess.run(count))
sess.close()
