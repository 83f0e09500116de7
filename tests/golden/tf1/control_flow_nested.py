# Loops in branches in loops, with gradients; what stops them.
import tensorflow as tf

def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__)

sess = tf.Session()
x = tf.constant(2.0)

def nested(back_prop=True):
    def body(i, y):
        def yes():
            return tf.while_loop(lambda j, z: j < 3, lambda j, z: (j + 1, z * x), [0, y], back_prop=back_prop)[1]
        return i + 1, tf.cond(tf.equal(i % 2, 0), yes, lambda: y + x)
    return tf.while_loop(lambda i, y: i < 4, body, [0, x], back_prop=back_prop)[1]
y = nested()
print(sess.run([y, tf.gradients(y, x)[0]]))
z = nested(back_prop=False)
print(sess.run(z), tf.gradients(z, x))
print(sess.run(tf.gradients(z * x, x)[0]))

# The inner loop runs as often as the branch is taken.
v = tf.Variable([0.3, -0.6])
def twice(i, a):
    def inner():
        return tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, tf.tanh(b * v)), [0, a])[1]
    return i + 1, tf.cond(tf.reduce_sum(a) < 1.0, inner, lambda: a * a)
sess.run(v.initializer)
_, out = tf.while_loop(lambda i, a: i < 4, twice, [0, v + 1.0])
print(sess.run([tf.round(out * 1e4), tf.round(tf.gradients(out, v)[0] * 1e4)]))

def many(n):
    s = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, 1.])[1]
    return sess.run(tf.gradients(s, x)[0])
print(many(0), many(1), many(5))
print(sess.run(tf.gradients(tf.while_loop(lambda a: a < 100., lambda a: tf.cond(a < 10., lambda: a * x, lambda: a * a),
                                          [x]), x)[0]))
print(sess.run(tf.while_loop(lambda i, a: i < 10, lambda i, a: (i + 1, a * 2.), (0, 1.), maximum_iterations=3)))
for k in range(-1, 4):
    print(sess.run(tf.switch_case(tf.constant(k), [lambda: 10, lambda: 20, lambda: 30])))
print(sess.run(tf.switch_case(tf.constant(7), {1: lambda: 10, 0: lambda: 20}, default=lambda: -1)))
sess.close()
