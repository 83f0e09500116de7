"""A client of the soak test. Runs in tensh and in Python with TensorFlow.

    client.py TARGET KINDS SEED SECONDS

KINDS names the kinds of rounds to choose from, with commas between them. Each round opens its own session, and checks
its values against those that it computes itself. The output has one line for each event; soak.py explains them.
"""
import random
import sys
import threading
import time

TARGET, KINDS, SEED, SECONDS = sys.argv[1], sys.argv[2].split(','), int(sys.argv[3]), float(sys.argv[4])
END = time.time() + SECONDS  # TensorFlow may take long to import

import numpy as np  # noqa: E402
import tensorflow as tf2  # noqa: E402

tf = tf2.compat.v1
tf.disable_v2_behavior()

rng = random.Random(SEED)
LOST = (tf.errors.UnavailableError, tf.errors.AbortedError, tf.errors.FailedPreconditionError)


def say(*words):
    print(*words, flush=True)


def check(kind, got, wanted):
    if not np.array_equal(got, wanted):
        say('wrong', kind, 'seed', SEED, 'got', str(got)[:80], 'wanted', str(wanted)[:80])


def expect(kind, errors, run):
    """Runs a step that must fail with one of these errors."""
    try:
        got = run()
    except errors as e:
        return say('expected', type(e).__name__, kind)
    say('wrong', kind, 'seed', SEED, 'a step succeeded that must fail:', str(got)[:80])


def session(**config):
    """State that is not shared is freed with the session."""
    return tf.Session(TARGET, config=tf.ConfigProto(isolate_session_state=True, **config))


def pause():
    time.sleep(rng.uniform(0, 0.1))


def steps():
    start = rng.randint(-99, 99)
    v = tf.Variable(start, name='v')
    up = v.assign_add(3)
    with session() as s:
        s.run(v.initializer)
        for i in range(1, 10):
            check('steps', s.run(up), start + 3 * i)
            pause()


def shared():
    """Adds to a counter that all clients share. soak.py compares its last value with the number of additions."""
    v = tf.Variable(0, name='shared_counter')
    up = v.assign_add(1)
    with tf.Session(TARGET) as s:
        before = 0
        for _ in range(5):
            now = s.run(up)
            say('added')
            if now <= before:
                say('wrong shared counter:', now, 'after', before)
            before = now
            pause()


def sessions():
    for _ in range(4):
        parts = [np.full(rng.randint(1, 20000), rng.randint(0, 9), np.float32) for _ in range(3)]
        with tf.Graph().as_default():
            total = tf.add_n([tf.reduce_sum(tf.constant(p)) for p in parts])
            with session() as s:
                check('sessions', s.run(total), np.float32(sum(float(p.sum()) for p in parts)))


def extend():
    value = rng.randint(1, 9)
    y, wanted = tf.constant(value), value
    with session() as s:
        for _ in range(8):
            add = rng.randint(-9, 9)
            y, wanted = y + add, wanted + add
            if rng.random() < 0.5:
                y, wanted = tf.where(tf.greater(y, 0), y * 2, -y), (wanted * 2 if wanted > 0 else -wanted)
            check('extend', s.run(y), wanted)
            pause()


def queue():
    q = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
    x = tf.placeholder(tf.int32, [])
    put, get, close, size = q.enqueue(x), q.dequeue(), q.close(), q.size()
    numbers = [rng.randint(0, 1000) for _ in range(20)]
    with session() as s:
        check('queue', s.run(size), 0)

        def fill():
            for n in numbers:
                s.run(put, {x: n})
            s.run(close)
        filler = threading.Thread(target=fill)
        filler.start()
        check('queue', [int(s.run(get)) for _ in numbers], numbers)
        filler.join()
        expect('queue', tf.errors.OutOfRangeError, lambda: s.run(get))


def cancel():
    """Closes a session while one of its steps waits."""
    q = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
    get = q.dequeue()
    s = session()
    s.run(q.size())

    def wait():
        expect('cancel', tf.errors.CancelledError, lambda: s.run(get))
    waiter = threading.Thread(target=wait)
    waiter.start()
    time.sleep(rng.uniform(0.05, 0.3))
    s.close()
    waiter.join()


def loop():
    n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float64, [])
    y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 0.5 + x), (0, x))[1]
    g = tf.gradients(y, x)[0]
    with session() as s:
        for _ in range(3):
            times, value = rng.randint(0, 200), rng.randint(-8, 8) / 4
            wanted, slope = value, 1.
            for _ in range(times):
                wanted, slope = wanted * 0.5 + value, slope * 0.5 + 1
            got = s.run([y, g], {n: times, x: value})
            check('loop', np.allclose(got, [wanted, slope]), True)
            pause()


def big():
    x = tf.placeholder(tf.float32, [None])
    y, total = x * 2. + 1., tf.reduce_sum(tf.cast(x, tf.float64))
    with session() as s:
        for _ in range(2):
            value = np.arange(rng.randint(1, 1000000)) % 1000
            value = value.astype(np.float32)
            got = s.run([y, total], {x: value})
            check('big', got[0], value * 2 + 1)
            check('big', got[1], value.astype(np.float64).sum())
            pause()


def deadline():
    q = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
    endless = tf.while_loop(lambda i: i >= 0, lambda i: tf.maximum(i, 0) + 0, [0])
    with session() as s:
        for fetch in (q.dequeue(), endless):
            options = tf.RunOptions(timeout_in_ms=rng.randint(1, 200))
            expect('deadline', tf.errors.DeadlineExceededError, lambda: s.run(fetch, options=options))
        check('deadline', s.run(q.size()), 0)


def refused():
    v = tf.Variable(1., name='v')
    a, b, n = tf.placeholder(tf.float32), tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    product, much = tf.matmul(a, b), tf.fill([n, n], 1.)
    with session() as s:
        expect('refused', tf.errors.FailedPreconditionError, lambda: s.run(v))
        expect('refused', tf.errors.InvalidArgumentError, lambda: s.run(product, {a: np.ones([2, 3]), b: np.ones([2, 3])}))
        expect('refused', tf.errors.ResourceExhaustedError, lambda: s.run(much, {n: 1 << 15}))
        expect('refused', tf.errors.PermissionDeniedError, lambda: s.run(tf.read_file('/etc/hostname')))


def victim():
    """Waits until it is killed."""
    q = tf.FIFOQueue(4, [tf.int32], shapes=[[]])
    endless = tf.while_loop(lambda i: i >= 0, lambda i: tf.maximum(i, 0) + 0, [0])
    with session() as s:
        s.run(q.size())
        say('waiting')
        try:
            s.run(rng.choice([q.dequeue(), q.dequeue(), endless]), options=tf.RunOptions(timeout_in_ms=20000))
        except tf.errors.DeadlineExceededError:
            pass


def probe():
    """Measures trivial steps."""
    a = tf.placeholder(tf.float32, [])
    b = a + 1.
    with session() as s:
        while time.time() < END:
            times = []
            for i in range(20):
                begin = time.perf_counter()
                got = s.run(b, {a: float(i)})
                times.append('%.3f' % ((time.perf_counter() - begin) * 1e3))
                check('probe', got, i + 1.)
                time.sleep(0.02)
            say('took', *times)


def cluster():
    """Runs over the tasks of a cluster. A task may be lost at any time; its variables are then lost, too."""
    one, two = '/job:worker/task:1', '/job:worker/task:2'
    try:
        with tf.device(one):
            v = tf.Variable(np.arange(1000.), name='v')
        with tf.device(two):
            w = tf.Variable(1., dtype=tf.float64, name='w')
            total = tf.reduce_sum(v) * w
            up = w.assign_add(1.)
        s = session(operation_timeout_in_ms=30000)
        s.run([v.initializer, w.initializer])
        for i in range(1, 6):
            check('cluster', s.run(total), 499500. * i)
            s.run(up)
            pause()
        s.close()
    except LOST as e:
        if 'failed to connect' in str(e) and 'CreateSession' in str(e):  # to the master, which is never killed
            raise
        say('lost', type(e).__name__, str(e).split('\n')[0][:160])
        time.sleep(0.5)


ROUNDS = {f.__name__: f for f in (steps, shared, sessions, extend, queue, cancel, loop, big, deadline, refused, victim, probe, cluster)}
while time.time() < END:
    kind = rng.choice(KINDS)
    try:
        with tf.Graph().as_default():
            ROUNDS[kind]()
        say('round', kind)
    except tf.errors.OpError as e:
        if isinstance(e, tf.errors.UnavailableError) and 'failed to connect' in str(e):
            say('slow', str(e).split('\n')[0][-60:])
            continue
        say('unexpected', type(e).__name__, kind, 'seed', SEED, str(e).split('\n')[0][:200])
    pause()
say('end')
