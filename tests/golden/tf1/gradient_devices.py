# Gradients are computed on the devices that the blocks of tf.device request.
try:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf


def devices(scope):
    return sorted({op.device for op in tf.get_default_graph().get_operations() if op.name.startswith(scope + '/')})


w = tf.Variable(1., name='w')
losses = []
for i in range(2):
    with tf.device('/cpu:%d' % i):
        losses.append(tf.reduce_mean(tf.square(w - [1., 2.])))
        g = tf.gradients(losses[i], w, name='tower%d' % i)[0]
        print(g.device, devices('tower%d' % i))
with tf.device('/cpu:0'):
    with tf.device(None):
        tf.gradients(losses[0], w, name='none')
    with tf.device('/job:worker'):
        tf.gradients(losses[1], w, name='merged')
tf.gradients(losses[0], w, name='outside')
print(devices('none'), devices('merged'), devices('outside'))
with tf.device(lambda op: '/cpu:1' if op.type == 'Mul' else '/cpu:0'):
    tf.gradients(losses[0], w, name='chosen')
print(sorted({(op.type == 'Mul', op.device) for op in tf.get_default_graph().get_operations() if op.name.startswith('chosen/')}))
with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device='/job:worker/task:1')):
    v = tf.Variable(1., name='v')
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(v))
print(devices('gradients'), v.device)
