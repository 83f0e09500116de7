# Each optimiser takes a few steps on the same bowl.
import tensorflow as tf


def bowl(x, y):
    return tf.square(x - 1.0) + 2.0 * tf.square(y + 0.5)


makers = [
    ('sgd', lambda: tf.train.GradientDescentOptimizer(0.1)),
    ('momentum', lambda: tf.train.MomentumOptimizer(0.05, 0.9)),
    ('nesterov', lambda: tf.train.MomentumOptimizer(0.05, 0.9, use_nesterov=True)),
    ('adam', lambda: tf.train.AdamOptimizer(0.1)),
    ('adam2', lambda: tf.train.AdamOptimizer(learning_rate=0.2, beta1=0.8, beta2=0.9, epsilon=1e-4)),
    ('adagrad', lambda: tf.train.AdagradOptimizer(0.5)),
]
for name, make in makers:
    with tf.Graph().as_default():
        x = tf.Variable(4.0, name='x')
        y = tf.Variable([2.0], name='y')
        loss = tf.reduce_sum(bowl(x, y))
        train = make().minimize(loss)
        print(name, train.name, train.type, [v.name for v in tf.global_variables()])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(5):
                sess.run(train)
                print('  %d x %.4f y %.4f loss %.4f' % (step, sess.run(x), sess.run(y)[0], sess.run(loss)))
