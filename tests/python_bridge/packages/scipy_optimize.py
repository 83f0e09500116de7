# needs scipy
# scipy minimizes a function whose value and gradient a session computes.
import numpy as np
import tensorflow.compat.v1 as tf
from scipy import stats
from scipy.optimize import minimize
from scipy.spatial.distance import cdist

tf.disable_v2_behavior()

point = tf.placeholder(tf.float64, [2])
value = (1. - point[0]) ** 2 + 100. * (point[1] - point[0] ** 2) ** 2
gradient = tf.gradients(value, point)[0]
calls = []
with tf.Session() as sess:
    def f(p):
        calls.append(p.copy())
        v, g = sess.run([value, gradient], feed_dict={point: p})
        return float(v), g.astype(np.float64)

    found = minimize(f, np.array([-1.2, 1.]), jac=True, method='L-BFGS-B')
    print(found.success, found.x.round(3), len(calls) > 10, calls[0])
    noise = sess.run(tf.linspace(-2., 2., 9))
    print(stats.norm.cdf(noise).round(3), stats.ttest_1samp(noise, 0.)[1])
    print(cdist(np.zeros((1, 2)), sess.run(tf.constant([[3., 4.], [6., 8.]]))))
    try:
        minimize(lambda p: sess.run(value, {point: [1., 2., 3.]}), np.zeros(2))
    except ValueError as error:
        print('ValueError', 'shape' in str(error).lower())
