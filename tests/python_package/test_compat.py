"""tensh.compat.v1: the API of TensorFlow 1.x as proxies of the shell's values."""
import gc
import os
import pydoc
import signal
import subprocess
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import tensh.compat.v1 as tf


def test_a_session_runs_and_its_errors_are_classes():
    x = tf.placeholder(tf.float32, [2], name='x')
    y = np.array([1, 1], 'f') + x * np.array([2., 3.], 'f')
    assert isinstance(y, tf.Tensor) and y.shape.as_list() == [2] and y.dtype == tf.float32
    with tf.Session() as sess:
        assert sess.run({'a': y, 'b': [x]}, feed_dict={x: [1, 2]})['a'].tolist() == [3, 7]
        assert y.eval({x: np.array([0, 1])}).tolist() == [1, 4]
        with pytest.raises(tf.errors.InvalidArgumentError, match='feed'):
            sess.run(y)
        with pytest.raises(ValueError, match='rank'):
            tf.matmul(x, x)
        with pytest.raises(tf.errors.UnknownError, match='^KeyError'):
            sess.run(tf.py_func(lambda v: {}[1], [x], tf.float32), {x: [1, 2]})
    with pytest.raises(AttributeError, match='nothing'):
        tf.nothing
    assert tf.nn.relu.__doc__ and tf.train.AdamOptimizer.__doc__ and 'features' in pydoc.render_doc(tf.nn.relu)
    assert 'Session' in dir(tf) and tf.train.Optimizer.__name__ == 'Optimizer'


def test_python_derives_from_classes_of_the_shell():
    class Twice(tf.train.GradientDescentOptimizer):
        def __init__(self, rate):
            super().__init__(rate)
            self.calls = 0

        def _apply_dense(self, grad, var):
            self.calls += 1
            return super()._apply_dense(grad * 2., var)

    class Cell(tf.nn.rnn_cell.RNNCell):
        @property
        def state_size(self):
            return 2

        @property
        def output_size(self):
            return 2

        def call(self, inputs, state):
            new = tf.tanh(inputs + state)
            return new, new

    w = tf.Variable([1., 2.])
    optimizer = Twice(0.1)
    train = optimizer.minimize(tf.reduce_sum(tf.square(w)))
    out, _ = tf.nn.dynamic_rnn(Cell(), tf.ones([1, 3, 2]), dtype=tf.float32)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert optimizer.calls == 1 and isinstance(optimizer, tf.train.Optimizer)
        assert sess.run(w).tolist() == pytest.approx([0.6, 1.2])
        assert sess.run(out)[0, 1, 0] == pytest.approx(np.tanh(1 + np.tanh(1)), rel=1e-6)


def test_functions_and_generators_of_python():
    data = tf.data.Dataset.from_generator(lambda: ((i, [i] * 2) for i in range(3)), (tf.int32, tf.float32))
    item = data.map(lambda a, b: (a * 2, b)).make_one_shot_iterator().get_next()
    loop = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    doubled = tf.py_func(lambda v: v * 2, [tf.constant([1., 2.])], tf.float32)
    with tf.Session() as sess:
        got = []
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                got.append(sess.run(item))
        assert [(int(a), b.tolist()) for a, b in got] == [(0, [0, 0]), (2, [1, 1]), (4, [2, 2])]
        assert sess.run(loop) == 12 and sess.run(doubled).tolist() == [2, 4]


def test_references_are_counted():
    x = tf.placeholder(tf.float32, [2])
    value = np.ones(2, 'f')
    with tf.Session() as sess:
        y = tf.identity(x)
        for _ in range(10):
            sess.run(y, {x: value})
        before, tensors, blocks = sys.getrefcount(value), sys.getrefcount(y), sys.getallocatedblocks()
        for _ in range(5000):
            sess.run(y, {x: value})
        assert (sys.getrefcount(value), sys.getrefcount(y)) == (before, tensors)
        assert sys.getallocatedblocks() - blocks < 500


def test_threads_have_their_own_default_graph():
    results = []

    def work(n):
        with tf.Graph().as_default(), tf.Session() as sess:
            results.append(int(sess.run(tf.constant(n) * 2)))
    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [0, 2, 4, 6]


def test_a_script_imports_it_as_tensorflow(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('''import sys
import numpy as np
import tensorflow as tf
import tensorflow.compat.v1 as tf1
from tensorflow.python.framework import ops
import tensorflow.contrib.slim as slim
print(tf is tf1, sys.argv[1:], __name__)
with tf.Session() as sess:
    print(sess.run(tf.constant([1.]) + np.ones(1, 'f')))
''')
    done = subprocess.run([sys.executable, '-m', 'tensh', str(script), 'a'], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True)
    assert (done.stdout, done.stderr, done.returncode) == ("True ['a'] __main__\n[2.]\n", '', 0)


def test_ctrl_c_ends_a_step(tmp_path):
    script = tmp_path / 'script.py'
    script.write_text('''import tensorflow as tf
loop = tf.while_loop(lambda i: i > -1, lambda i: (i + 1) % 7, [tf.constant(0)])
with tf.Session() as sess:
    print('ready', flush=True)
    try:
        sess.run(loop)
    except KeyboardInterrupt:
        print('interrupted', sess.run(tf.constant(1)))
''')
    process = subprocess.Popen([sys.executable, '-m', 'tensh', str(script)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               universal_newlines=True)
    try:
        assert process.stdout.readline() == 'ready\n'
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == 'interrupted 1\n' and process.wait(30) == 0
    finally:
        process.kill()


def test_packages_of_python_in_the_program(tmp_path):
    code = 'import ipaddress\nprint(ipaddress.ip_address(1), np.ones(2))\nimport os\nprint(os.path.exists("/"))'
    done = subprocess.run([sys.executable, '-m', 'tensh', '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, cwd=str(tmp_path), env=dict(os.environ, TENSH_PYTHON='none'))
    assert (done.stdout, done.stderr, done.returncode) == ('0.0.0.1 [1. 1.]\nTrue\n', '', 0)


def test_cycles_through_both_heaps_are_collected():
    class Mine(tf.train.GradientDescentOptimizer):
        def __init__(self, rate):
            super().__init__(rate)
            self.owner = Owner()
            self.owner.call = lambda: self

    class Owner:
        pass

    def seen():
        return weakref.ref(Mine(0.1).owner)

    kept = Mine(0.2)
    found = seen()
    gc.collect()
    assert found() is None
    assert kept.owner.call() is kept


def python(text):
    return subprocess.run([sys.executable, '-c', text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=60)


def test_what_cannot_be_converted():
    cyclic = []
    cyclic.append(cyclic)
    with pytest.raises(RecursionError):
        tf.constant(cyclic)

    class Fails:
        def __array__(self, *args, **named):
            raise LookupError('no array')

    with pytest.raises(LookupError, match='no array'):
        tf.constant(Fails())

    def again(v):
        with tf.Session() as sess:
            return sess.run(tf.py_func(again, [tf.constant(1.)], tf.float32))

    with tf.Graph().as_default(), pytest.raises((tf.errors.OpError, RecursionError)):
        again(1.)
    with tf.Session() as sess:
        with pytest.raises(SystemExit):
            sess.run(tf.py_func(lambda: sys.exit(3), [], tf.float32))
        assert sess.run(tf.constant(2.)) == 2


def test_a_forked_process_is_refused():
    done = python('''
import os
import tensh.compat.v1 as tf
a = tf.constant(1.)
if os.fork() == 0:
    try:
        tf.constant(2.)
    except RuntimeError as e:
        print('spawn' in str(e), flush=True)
    os._exit(0)
os.wait()
print(tf.Session().run(a))
''')
    assert (done.stdout, done.returncode) == ('True\n1.0\n', 0), done.stderr


def test_the_end_of_a_process_with_threads_in_steps():
    done = python('''
import atexit, threading
import tensh.compat.v1 as tf
item = tf.py_func(lambda: 1, [], tf.int64)
sess = tf.Session()
def run():
    while True:
        sess.run(item)
for _ in range(3):
    threading.Thread(target=run, daemon=True).start()
atexit.register(lambda: print('last', sess.run(tf.constant(3))))
print(sess.run(item))
''')
    assert (done.stdout, done.stderr, done.returncode) == ('1\nlast 3\n', '', 0)
