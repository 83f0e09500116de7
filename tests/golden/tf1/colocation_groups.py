"""Groups of nodes that share a device, and attributes that are lists."""
import tensorflow as tf

x = tf.ones([1, 3, 3, 1], name='x')
with tf.colocate_with(x):
    y = tf.identity(x, name='y')
with tf.colocate_with(y):
    z = tf.identity(y, name='z')
for op in (x.op, y.op, z.op):
    print(op.name, op.colocation_groups())
conv = tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), strides=[1, 2, 2, 1], padding='SAME')
print(conv.op.get_attr('strides'), conv.op.get_attr('padding'), conv.op.get_attr('use_cudnn_on_gpu'))
print(z.op.get_attr('_class'))
