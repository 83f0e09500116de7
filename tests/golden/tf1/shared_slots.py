# Slots of optimizers in variable scopes that share their variables.
import tensorflow as tf


def names():
    return [v.name for v in tf.global_variables()]


def model(optimizer):
    w = tf.get_variable('w', [2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(tf.square(w))
    with tf.variable_scope('train'):
        return optimizer.minimize(loss)


for make in (tf.train.AdamOptimizer, lambda: tf.train.MomentumOptimizer(.1, .9), lambda: tf.train.FtrlOptimizer(.1),
             lambda: tf.train.RMSPropOptimizer(.1), lambda: tf.train.AdagradOptimizer(.1)):
    with tf.Graph().as_default():
        with tf.variable_scope('net') as scope:
            first = model(make())
            scope.reuse_variables()
            second = model(make())
        print(names())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(first)
            sess.run(second)
            print([v.round(4).tolist() for v in sess.run(tf.global_variables())])

with tf.Graph().as_default():
    for _ in range(2):
        with tf.variable_scope('auto', reuse=tf.AUTO_REUSE):
            model(tf.train.AdamOptimizer())
    print(names())

with tf.Graph().as_default():
    with tf.variable_scope('net'):
        w = tf.get_variable('w', [2])
        for _ in range(2):
            tf.train.AdamOptimizer().minimize(tf.reduce_sum(w))
    print(names())
    for reuse in (None, True):
        try:
            with tf.variable_scope('net', reuse=reuse):
                tf.train.MomentumOptimizer(.1, .9).minimize(tf.reduce_sum(w))
            with tf.variable_scope('net', reuse=reuse):
                tf.train.MomentumOptimizer(.1, .9).minimize(tf.reduce_sum(w))
        except ValueError as e:
            print(str(e)[:70])
