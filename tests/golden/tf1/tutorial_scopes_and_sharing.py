# Variables shared between branches by variable scopes: reuse, AUTO_REUSE, default names, nesting.
import tensorflow as tf

def dense(x, size, scope):
    with tf.variable_scope(scope):
        w = tf.get_variable('w', shape=[x.get_shape()[1], size], initializer=tf.ones_initializer())
        b = tf.get_variable('b', shape=[size], initializer=tf.constant_initializer(0.5))
        return tf.matmul(x, w) + b

x1 = tf.constant([[1.0, 2.0]])
x2 = tf.constant([[3.0, 4.0]])
with tf.variable_scope('siamese') as scope:
    y1 = dense(x1, 2, 'fc')
    scope.reuse_variables()
    y2 = dense(x2, 2, 'fc')
with tf.variable_scope('siamese', reuse=True):
    y3 = dense(x1 * 2.0, 2, 'fc')
    print(tf.get_variable_scope().name, tf.get_variable_scope().reuse)
for i in range(2):
    with tf.variable_scope('auto', reuse=tf.AUTO_REUSE):
        y4 = dense(x1, 1, 'fc')
with tf.variable_scope(None, default_name='block') as s1:
    a = tf.get_variable('a', [1])
with tf.variable_scope(None, default_name='block') as s2:
    b = tf.get_variable('a', [1])
print(s1.name, s2.name, a.name, b.name, s1.original_name_scope, s2.original_name_scope)
with tf.variable_scope('outer'):
    with tf.variable_scope('inner', initializer=tf.constant_initializer(7.0), dtype=tf.float64) as inner:
        v = tf.get_variable('v', [2])
        t = v + 1.0
    with tf.name_scope('names'):
        w = tf.get_variable('w', initializer=tf.constant([1, 2, 3]))
        u = w + 1
    with tf.variable_scope(inner):
        z = tf.get_variable('z', [])
        more = z * 2.0
print(v.name, v.dtype, t.name, w.name, u.name, z.name, more.name)
with tf.variable_scope('reg', regularizer=lambda t: tf.reduce_sum(t) * 0.1):
    r = tf.get_variable('r', [3], initializer=tf.ones_initializer)
    r2 = tf.get_variable('r2', [3], initializer=tf.zeros_initializer(), regularizer=tf.no_regularizer)
print(len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
def double(getter, name, *args, **kwargs):
    return getter(name, *args, **kwargs) * 2.0
with tf.variable_scope('custom', custom_getter=double):
    d = tf.get_variable('d', [2], initializer=tf.ones_initializer())
print(d.name.split('_')[0].split(':')[0], [v.name for v in tf.global_variables('custom')])
for wrong in (lambda: tf.get_variable('siamese/fc/w', [2, 2]),
              lambda: dense(x1, 3, 'siamese/fc')):
    try:
        wrong()
    except ValueError as e:
        print(str(e).split('.')[0])
try:
    with tf.variable_scope('siamese', reuse=True):
        tf.get_variable('missing', [1])
except ValueError as e:
    print(str(e).split(',')[0])
try:
    with tf.variable_scope('siamese/fc', reuse=True):
        tf.get_variable('w', [3, 3])
except ValueError as e:
    print(e)
print([v.op.name for v in tf.trainable_variables()])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(sess.run([y1, y2, y3, y4]))
    print(sess.run([v, w, z, r, d]))
