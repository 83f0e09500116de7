# One step in several calls, each with its feeds and fetches.
import tensorflow as tf

def attempt(f):
    try:
        print(f())
    except (tf.errors.OpError, ValueError, TypeError, RuntimeError) as e:
        text = e.message if isinstance(e, tf.errors.OpError) else str(e)
        print(type(e).__name__, text.strip().split('\n')[-1] if isinstance(e, tf.errors.OpError) else '')

a = tf.placeholder(tf.float32, [], name='a')
b = tf.placeholder(tf.float32, [], name='b')
c = tf.placeholder(tf.float32, [], name='c')
r1 = tf.add(a, b, name='r1')
r2 = tf.multiply(r1, c, name='r2')
sess = tf.Session()

h = sess.partial_run_setup([r1, r2], [a, b, c])
print(h.split(';')[0])
print(sess.partial_run(h, r1, feed_dict={a: 1, b: 2}))
attempt(lambda: sess.partial_run(h, r1))
attempt(lambda: sess.partial_run(h, r2, feed_dict={a: 1}))
attempt(lambda: sess.partial_run(h, r2))
print(sess.partial_run(h, r2, feed_dict={c: 17}))
attempt(lambda: sess.partial_run(h, r2, feed_dict={c: 17}))
attempt(lambda: sess.partial_run('no such handle', r2, feed_dict={c: 17}))
print(sess.partial_run(None, r1, feed_dict={a: 17, b: 1}))

h = sess.partial_run_setup([r1], [a, b])
attempt(lambda: sess.partial_run(h, r2, feed_dict={a: 1, b: 2}))
attempt(lambda: sess.partial_run(h, r1, feed_dict={a: 1, b: 2, c: 3}))
print(sess.partial_run(h, [r1], feed_dict={a: 1, b: 2}))

# Feeds without fetches, a dictionary, a tuple, values fed in the middle.
h = sess.partial_run_setup([r1, r2], [a, b, c])
print(sess.partial_run(h, [], feed_dict={a: 1}))
print(sess.partial_run(h, {'x': r1}, feed_dict={b: 1}))
attempt(lambda: sess.partial_run(h, r2, feed_dict={c: [1, 2]}))
print(sess.partial_run(h, (r2,), feed_dict={c: 2}))
h = sess.partial_run_setup([r2], [r1, c])
print(sess.partial_run(h, r2, feed_dict={r1: 5, c: 2}))
h = sess.partial_run_setup([r2, r1], [a, b, c])
print(sess.partial_run(h, [r2, r1], feed_dict={a: 1, b: 2, c: 3}))
h = sess.partial_run_setup([r1, r1], [a, b])
print(sess.partial_run(h, [r1, r1], feed_dict={a: 1, b: 2}))

# What is not possible.
attempt(lambda: sess.partial_run_setup([], [a]))
attempt(lambda: sess.partial_run_setup([3], [a]))
h = sess.partial_run_setup([r1], [a, b])
attempt(lambda: sess.partial_run(h, [r1.op], feed_dict={a: 2, b: 3}))
print(sess.partial_run(h, r1, feed_dict={a: 2, b: 3}))
empty = tf.Session(graph=tf.Graph())
attempt(lambda: empty.partial_run_setup([], []))

# State is updated once; every node of the setup runs, whether it is fetched late or early.
v = tf.Variable(1.0, name='v')
sess.run(tf.global_variables_initializer())
inc = tf.assign_add(v, a, name='inc')
double = inc * c
h = sess.partial_run_setup([inc, double], [a, c])
print(sess.partial_run(h, inc, feed_dict={a: 2}))
print(sess.run(v))
print(sess.partial_run(h, double, feed_dict={c: 10}))
print(sess.run(v))

# Branches and loops.
z = tf.cond(a > 0, lambda: b + 1, lambda: b + 2)
i, x = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * c), [0, z])
h = sess.partial_run_setup([z, x], [a, b, c])
print(sess.partial_run(h, z, feed_dict={a: 1, b: 2}))
print(sess.partial_run(h, x, feed_dict={c: 2}))

h1 = sess.partial_run_setup([r1, r2], [a, b, c])
h2 = sess.partial_run_setup([r1, r2], [a, b, c])
print(sess.partial_run(h1, r1, feed_dict={a: 1, b: 2}))
print(sess.partial_run(h2, r1, feed_dict={a: 10, b: 20}))
print(sess.partial_run(h2, r2, feed_dict={c: 2}))
print(sess.partial_run(h1, r2, feed_dict={c: 2}))
h = sess.partial_run_setup([r1], [a, b])
sess.close()
attempt(lambda: sess.partial_run(h, r1, feed_dict={a: 1, b: 2}))
