# tf.device: the requested device of a node, nesting, functions, None; and a run with two CPUs. (not under: fake-gpu)
import tensorflow as tf

a = tf.constant(1.0, name='a')
with tf.device('/cpu:0'):
    b = tf.constant(2.0, name='b')
    with tf.device('/cpu:1'):
        c = tf.add(a, b, name='c')
    with tf.device(None):
        d = tf.constant(4.0, name='d')
    e = tf.multiply(b, 2.0, name='e')
with tf.device('/job:localhost/task:0'):
    with tf.device('/device:CPU:1'):
        f = tf.identity(c, name='f')
with tf.device('/device:CPU:0'):
    v = tf.Variable(5.0, name='v')
for t in [a, b, c, d, e, f]:
    print(t.op.name, repr(t.device), repr(t.op.device))
print(repr(v.device), repr(v.initializer.device))
config = tf.ConfigProto(device_count={'CPU': 2})
with tf.Session(config=config) as sess:
    sess.run(v.initializer)
    print(sess.run([a, b, c, d, e, f]), sess.run(v + c))
    print(len(sess.list_devices()) >= 2, sess.list_devices()[0].device_type)
with tf.device('/gpu:0'):
    g = tf.constant([1.0, 2.0]) * 3.0
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
    print(g.device, sess.run(g))
with tf.Session() as sess:
    try:
        sess.run(g)
    except tf.errors.InvalidArgumentError as err:
        print('InvalidArgumentError', 'Cannot assign a device' in err.message)
def pick(op):
    return '/device:CPU:0' if op.type == 'MatMul' else ''
with tf.device(pick):
    m = tf.matmul([[1.0]], [[2.0]])
    s = tf.add(1, 2)
print(repr(m.device), repr(s.device))
try:
    with tf.device('/nonsense:what'):
        tf.constant(1)
    print('accepted?')
except ValueError as err:
    print('ValueError')
