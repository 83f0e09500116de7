# Initializers with seeds, called by hand and by get_variable.
import numpy as np
import tensorflow as tf

tf.set_random_seed(5)
inits = [
    ('zeros', tf.zeros_initializer()), ('ones', tf.ones_initializer()), ('const', tf.constant_initializer(2.5)),
    ('consts', tf.constant_initializer([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
    ('normal', tf.random_normal_initializer(0.0, 2.0, seed=1)), ('uniform', tf.random_uniform_initializer(-1.0, 1.0, seed=2)),
    ('truncated', tf.truncated_normal_initializer(stddev=0.5, seed=3)), ('glorot_u', tf.glorot_uniform_initializer(seed=4)),
    ('glorot_n', tf.glorot_normal_initializer(seed=5)), ('scaling', tf.variance_scaling_initializer(seed=6)),
    ('he', tf.initializers.he_normal(seed=7)), ('he_u', tf.initializers.he_uniform(seed=8)),
    ('lecun', tf.initializers.lecun_normal(seed=9)), ('lecun_u', tf.initializers.lecun_uniform(seed=10)),
    ('unit', tf.uniform_unit_scaling_initializer(seed=11)),
    ('fan_out', tf.variance_scaling_initializer(2.0, 'fan_out', 'uniform', seed=12)),
]
variables = [tf.get_variable(name, [2, 3], initializer=init) for name, init in inits]
unseeded = tf.get_variable('unseeded', [3])
square = tf.get_variable('identity', [3, 3], initializer=tf.initializers.identity(gain=2.0))
numbers = tf.get_variable('numbers', initializer=np.array([1.5, 2.5]))
called = tf.get_variable('called', [2], initializer=lambda shape, dtype, partition_info=None: tf.fill(shape, 7.0))
default_int = tf.get_variable('whole', [2], dtype=tf.int32)
direct = tf.glorot_uniform_initializer(seed=4)([2, 3])
late = tf.Variable(lambda: tf.constant([3.0]), dtype=tf.float32, name='late')
dependent = tf.Variable(late.initialized_value() * 2.0, name='dependent')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for (name, _), v in zip(inits, variables):
        print(name, np.round(sess.run(v), 5).tolist())
    print(sess.run(square))
    print(np.round(sess.run(unseeded), 5), sess.run(numbers), numbers.dtype, sess.run(called), sess.run(default_int))
    print(np.array_equal(sess.run(direct), sess.run(variables[7])), sess.run(dependent))
try:
    tf.get_variable('bad', [2, 3], initializer=tf.initializers.identity())
    tf.get_variable('bad2', [2], initializer=tf.initializers.identity())
except ValueError as e:
    print(type(e).__name__)
