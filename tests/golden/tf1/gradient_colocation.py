"""With colocate_gradients_with_ops, the gradient of an op belongs to the group of nodes of this op."""
import tensorflow as tf

w = tf.get_variable('w', [1, 2], initializer=tf.ones_initializer())
y = tf.matmul(w, tf.ones([2, 2]), name='product')
z = tf.tanh(tf.multiply(y, y, name='square'), name='z')
with tf.colocate_with(y.op):
    u = tf.exp(z, name='u')
dw, = tf.gradients(u, [w], colocate_gradients_with_ops=True)
for op in tf.get_default_graph().get_operations():
    if op.type in ('MatMul', 'TanhGrad', 'Mul', 'AddN'):
        print(op.name, op.type, op.colocation_groups())
tf.gradients(z, [w], name='plain')
print([op.colocation_groups() for op in tf.get_default_graph().get_operations() if op.name.startswith('plain') and op.type == 'TanhGrad'])
train = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_sum(z), colocate_gradients_with_ops=True, name='train')
print([op.colocation_groups() for op in tf.get_default_graph().get_operations() if op.name.startswith('gradients_1/') and op.type == 'TanhGrad'])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([round(float(v), 4) for v in sess.run(dw)[0]])
