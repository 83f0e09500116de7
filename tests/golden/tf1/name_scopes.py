# Names: scopes, uniqueness, reuse, operators against functions.
import tensorflow as tf

with tf.name_scope('layer'):
    a = tf.constant(1.0)
    b = tf.constant(2.0, name='b')
    c = a + b
    with tf.name_scope('inner') as scope:
        d = tf.multiply(c, 2.0)
        e = tf.multiply(c, 2.0, name='product')
        print(scope)
with tf.name_scope('layer'):
    f = tf.constant(3.0)
    g = f * f - f / f
for t in [a, b, c, d, e, f, g]:
    print(t.name)
print([op.name for op in tf.get_default_graph().get_operations()])
x = tf.placeholder(tf.float32)
y = tf.placeholder(tf.float32)
z = tf.placeholder(tf.float32, name='x')
w = tf.placeholder(tf.float32, name='X')
print(x.name, y.name, z.name, w.name)
with tf.name_scope('a/b/'):
    print(tf.constant(0, name='exact').name)
with tf.name_scope(''):
    print(tf.constant(0, name='top').name)
with tf.name_scope('fn', values=[x]) as scope:
    out = tf.identity(x, name=scope)
    print(scope, out.name)
v = tf.Variable(1.0, name='layer/v')
print(v.name, v.initializer.name, v.op.name, (v + 1.0).name)
for bad in ['has space', '_under', 'a:b']:
    try:
        tf.constant(1, name=bad)
        print('accepted?')
    except ValueError as e:
        print('ValueError:', 'is not a valid' in str(e))
print(tf.constant(1, name='a.b-c_d').name, tf.get_default_graph().unique_name('layer'))
print([t.name for t in [x + 1, 1 + x, x - 1, x * 2, x / 2, x // 2, x % 2, -x, abs(x), x ** 2, x < 1, x > 1, x <= 1, x >= 1]])
