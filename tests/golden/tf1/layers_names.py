# The nodes that tf.layers makes, by name and type.
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name='x')
with tf.variable_scope('net'):
    h = tf.layers.dense(x, 4, activation=tf.nn.relu, kernel_regularizer=lambda w: tf.nn.l2_loss(w))
    h = tf.layers.dropout(h, 0.5)
    h = tf.layers.dense(h, 2, name='logits')
layer = tf.layers.Dense(2)
layer(h)
layer(h)
tf.layers.flatten(tf.placeholder(tf.float32, [None, 2, 2], name='image'))
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type, [i.name for i in op.inputs])
