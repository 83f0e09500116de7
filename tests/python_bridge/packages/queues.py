# needs pandas
# Threads feed a queue from a table while the main thread trains.
import threading
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from multiprocessing.pool import ThreadPool
from queue import Queue
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

table = pd.DataFrame({'x': np.arange(40.), 'y': np.arange(40.) * 2 + 1})
raw_x = tf.placeholder(tf.float32, [])
raw_y = tf.placeholder(tf.float32, [])
queue = tf.FIFOQueue(capacity=8, dtypes=[tf.float32, tf.float32], shapes=[[], []])
enqueue = queue.enqueue([raw_x, raw_y])
close = queue.close(cancel_pending_enqueues=True)
x, y = queue.dequeue_many(4)
w, b = tf.Variable(0.), tf.Variable(0.)
loss = tf.reduce_mean(tf.square(w * x / 40. + b - y))
train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
count = tf.Variable(0, trainable=False)
counted = tf.assign_add(count, tf.shape(x)[0])


class Feeder(threading.Thread):
    daemon = True

    def __init__(self, sess, coord, rows, done):
        super(Feeder, self).__init__(name='feeder')
        self.sess, self.coord, self.rows, self.done = sess, coord, rows, done

    def run(self):
        with self.coord.stop_on_exception():
            for row in self.rows.itertuples(index=False):
                if self.coord.should_stop():
                    break
                self.sess.run(enqueue, feed_dict={raw_x: row.x, raw_y: row.y})
            self.done.put(len(self.rows))


with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    done = Queue()
    threads = [Feeder(sess, coord, part, done) for part in (table[::2], table[1::2])]
    for t in threads:
        t.start()
    losses = [sess.run([train, counted, loss])[2] for _ in range(10)]
    coord.request_stop()
    coord.join(threads)
    print(sess.run(count), len(losses), done.get() + done.get(), all(np.isfinite(losses)), [t.name for t in threads])
    sess.run(close)
    try:
        sess.run(x)
    except tf.errors.OutOfRangeError as error:
        print(type(error).__name__, 'closed' in error.message)
    square = tf.square(raw_x)
    with ThreadPoolExecutor(max_workers=3) as pool:
        futures = {pool.submit(sess.run, square, {raw_x: v}): v for v in table.x[:6]}
        print(sorted((futures[f], float(f.result())) for f in as_completed(futures)))
        bad = pool.submit(sess.run, square)
        print(type(bad.exception()).__name__, bad.done())
    pool = ThreadPool(2)
    print(pool.map(lambda v: float(sess.run(square, feed_dict={raw_x: v})), [1, 2, 3]))
    pool.close()
    pool.join()
    lock, total = threading.Lock(), {'n': 0}

    def work(n):
        for _ in range(n):
            value = sess.run(square, {raw_x: 2.})
            with lock:
                total['n'] += int(value)
    workers = [threading.Thread(target=work, args=(5,)) for _ in range(3)]
    [t.start() for t in workers], [t.join() for t in workers]
    print(total, threading.current_thread().name, threading.active_count() >= 1)
    stop = threading.Event()
    timer = threading.Timer(0.01, stop.set)
    timer.start()
    print(stop.wait(5))

    @tf.custom_gradient
    def double(t):
        return t * 2, lambda dy: dy * 100
    print(*sess.run(tf.gradients(double(square), raw_x), {raw_x: 3.}))
