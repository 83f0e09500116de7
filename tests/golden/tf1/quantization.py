# What rounding to few bits does to floats, and the gradients that pretend it does nothing.
import numpy as np
import tensorflow as tf

np.set_printoptions(precision=4, suppress=True)
x = tf.constant([[-7., -.3, .04, 2.], [.1, .5, 3.3, 9.]])
low, high = tf.constant(-1.), tf.constant(3.)
q = tf.quantization
made = [
    q.fake_quant_with_min_max_args(x), q.fake_quant_with_min_max_args(x, min=-1, max=2, num_bits=4, narrow_range=True),
    q.fake_quant_with_min_max_vars(x, low, high, num_bits=3), tf.fake_quant_with_min_max_vars_per_channel(x, [-1., 0., 0., -2.], [1., 1., 4., 2.]),
    q.quantize_and_dequantize(x, -2., 2., range_given=True, num_bits=4), q.quantize_and_dequantize(x, 0., 0., num_bits=3, signed_input=False),
]
made += tf.gradients(made[0], x) + tf.gradients(made[2], [x, low, high]) + tf.gradients(made[4] * x, x)
with tf.Session() as sess:
    for t in made:
        print(t.name, t.shape, sess.run(t))
    try:
        sess.run(q.fake_quant_with_min_max_args(x, num_bits=1))
    except (ValueError, tf.errors.InvalidArgumentError) as e:
        print('refused')
