# Two of the first tutorials: the Mandelbrot set, and raindrops on a pond.
import tensorflow as tf
import numpy as np

sess = tf.InteractiveSession()
Y, X = np.mgrid[-1.3:1.3:0.4, -2:1:0.5]
Z = X + 1j * Y
xs = tf.constant(Z.astype(np.complex64))
zs = tf.Variable(xs)
ns = tf.Variable(tf.zeros_like(xs, tf.float32))
tf.global_variables_initializer().run()
zs_ = zs * zs + xs
not_diverged = tf.abs(zs_) < 4
step = tf.group(
    zs.assign(zs_),
    ns.assign_add(tf.cast(not_diverged, tf.float32)))
for i in range(12): step.run()
print(ns.eval().astype(int))

def DisplayArray(a, rng=[0, 1]):
    a = (a - rng[0]) / float(rng[1] - rng[0]) * 255
    a = np.uint8(np.clip(a, 0, 255))
    print(a.shape, a.sum() > 0, a.dtype)

def make_kernel(a):
    """Transform a 2D array into a convolution kernel"""
    a = np.asarray(a)
    a = a.reshape(list(a.shape) + [1, 1])
    return tf.constant(a, dtype=1)

def simple_conv(x, k):
    """A simplified 2D convolution operation"""
    x = tf.expand_dims(tf.expand_dims(x, 0), -1)
    y = tf.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], padding='SAME')
    return y[0, :, :, 0]

def laplace(x):
    """Compute the 2D laplacian of an array"""
    laplace_k = make_kernel([[0.5, 1.0, 0.5], [1.0, -6., 1.0], [0.5, 1.0, 0.5]])
    return simple_conv(x, laplace_k)

N = 9
u_init = np.zeros([N, N], dtype=np.float32)
ut_init = np.zeros([N, N], dtype=np.float32)
rng = np.random.RandomState(2)
for n in range(4):
    a, b = rng.randint(0, N, 2)
    u_init[a, b] = np.round(rng.uniform(), 2)
DisplayArray(u_init, rng=[-0.1, 0.1])
eps = tf.placeholder(tf.float32, shape=())
damping = tf.placeholder(tf.float32, shape=())
U = tf.Variable(u_init)
Ut = tf.Variable(ut_init)
U_ = U + eps * Ut
Ut_ = Ut + eps * (laplace(U) - damping * Ut)
step = tf.group(U.assign(U_), Ut.assign(Ut_))
tf.global_variables_initializer().run()
for i in range(20):
    step.run({eps: 0.03, damping: 0.04})
np.set_printoptions(precision=2, suppress=True)
print(U.eval()[:3] + 0.)
sess.close()
