# What breaks when a GPU is short of memory, shared, or used for long: tensh stress.py CASE.
import os
import sys
import threading
import numpy as np
import tensorflow as tf


def total_bytes():
    return [d.memory_limit_bytes for d in tf.Session().list_devices() if d.device_type == 'GPU'][0]


def memory():
    """Fills most of the memory with blocks of one size, frees them, and then asks for other sizes."""
    total = min(total_bytes(), 200 << 30)
    s = tf.Session()
    n = tf.placeholder(tf.int64, [])
    y = tf.reduce_sum(tf.ones(tf.reshape(n, [1])) + 1.)
    for part in (0.3, 0.11, 0.35, 0.02, 0.4):
        size = int(total * part / 2 / 4)
        print(part, s.run(y, {n: size}) > size)
    try:
        s.run(y, {n: total})
        print('no error')
    except tf.errors.ResourceExhaustedError:
        print('exhausted')
    print(s.run(y, {n: 10}))


def fraction():
    total = total_bytes()  # before the limit, which the devices of later sessions have as well
    s = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.01)))
    try:
        s.run(tf.ones([total // 4 // 50]) + 1.)
        print('no error')
    except tf.errors.ResourceExhaustedError:
        print('exhausted')
    print(s.run(tf.ones([2]) + 1.))


def sessions():
    """Two sessions train at once, and get the same values as one after the other."""
    def train(out):
        with tf.Graph().as_default():
            x = tf.constant(np.arange(64 * 32, dtype=np.float32).reshape(64, 32) / 2048)
            w = tf.Variable(tf.ones([32, 8]))
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.))
            step = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
            with tf.Session() as s:
                s.run(tf.global_variables_initializer())
                for _ in range(300):
                    s.run(step)
                out.append(s.run(loss))
    alone, together = [], []
    train(alone)
    threads = [threading.Thread(target=train, args=(together,)) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    print([bool(np.isclose(x, alone[0], 1e-4)) for x in together])


def steps(n=100000):
    x = tf.placeholder(tf.float32, [8])
    w = tf.Variable(tf.zeros([8]))
    train = w.assign_add(x * 2. - x)
    s = tf.Session()
    s.run(w.initializer)
    for _ in range(n):
        s.run(train.op, {x: np.ones(8, np.float32)})
    print(s.run(w)[0] == n)


def index():
    """As on TensorFlow's GPUs, an index out of range gives zeros."""
    print(tf.Session().run(tf.gather(tf.ones([3]), tf.constant([1, 7], tf.int64))))


def adjoint():
    a = np.random.RandomState(3).uniform(-1, 1, [4, 64, 32]).astype(np.float32)
    for dtype in (tf.float32, tf.float16, tf.bfloat16):
        x = tf.cast(a, dtype)
        y = tf.cast(tf.matmul(x, x, adjoint_a=True), tf.float32)
        print(dtype.name, np.allclose(tf.Session().run(y), np.matmul(a.transpose(0, 2, 1), a), atol=0.2))


def forever():
    """A long kernel after the other, to be interrupted."""
    n = 128 if os.environ.get('TENSH_SMALL') else 4096
    x = tf.ones([n, n])
    y = x
    for _ in range(200):
        y = tf.matmul(y, x) * 1e-4
    s = tf.Session()
    while True:
        s.run(y.op)


{'memory': memory, 'fraction': fraction, 'sessions': sessions, 'steps': steps, 'index': index, 'adjoint': adjoint,
 'forever': forever}[sys.argv[1]]()
