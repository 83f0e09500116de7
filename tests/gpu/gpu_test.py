#!/usr/bin/env python3
"""Tests the shell with the fake GPU, or with one of this machine, and without a GPU.

    gpu_test.py --tensh build/tensh_modes [--mode gpu]
"""
import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lessons'))
import student  # noqa: E402  (the texts of the lessons)

TENSH = None
MODE = 'fake-gpu'


def run(script, fake=True, **variables):
    """Runs a script with the GPU of the mode or, if `fake` is False, without a GPU."""
    env = dict(os.environ, TENSH_MODE=MODE if fake else 'cpu', **variables)
    done = subprocess.run([TENSH, '-'], input=script, capture_output=True, text=True, env=env, timeout=120)
    return done.stdout + done.stderr


class GpuTest(unittest.TestCase):
    def test_devices(self):
        self.assertIn('device:GPU:0', run('devices\n'))
        why = run('devices --verbose\n', fake=False)
        self.assertIn('no GPU: libtensh_cuda.so is not installed: apt install tensh-cuda', why)

    def test_another_build_is_refused(self):
        """A plug-in that was built from other headers is not loaded."""
        if MODE != 'fake-gpu':
            self.skipTest('changes the double')
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(TENSH, os.path.join(folder, 'tensh'))
            with open(os.path.join(os.path.dirname(os.path.realpath(TENSH)), 'libtensh_cuda_fake.so'), 'rb') as f:
                plugin = f.read()
            abi = re.search(rb'tensh-cuda-abi [^\0]*, [0-9a-f]{16}', plugin)
            self.assertTrue(abi)
            other = abi.group()[:-1] + (b'0' if abi.group()[-1:] != b'0' else b'1')
            with open(os.path.join(folder, 'libtensh_cuda_fake.so'), 'wb') as f:
                f.write(plugin.replace(abi.group(), other))
            done = subprocess.run([os.path.join(folder, 'tensh'), '-c', 'devices --verbose'], capture_output=True, text=True,
                                  env=dict(os.environ, TENSH_MODE='fake-gpu', COLUMNS='1000'))
            self.assertIn('libtensh_cuda_fake.so was built from other sources than this tensh: type ./dev build, or install the '
                          'tensh-cuda of version', done.stdout + done.stderr)

    def test_a_library_that_is_missing(self):
        """The ops of a library that is not installed run on the CPU, and why says what to install."""
        if MODE != 'fake-gpu':
            self.skipTest('changes the double')
        script = ('with tf.device("%s"):\n    f = tf.fft([1.+0j, 2.+0j], name="f")\n'
                  'd = tf.matrix_determinant([[2.]], name="d")\nrun f, d\nwhy f\nwhy d\ndevices --verbose\n')
        without = dict(TENSH_FAKE_GPU_WITHOUT='cufft', COLUMNS='1000')
        out = run(script % '', **without)
        self.assertIn('f (FFT, c64[2]) is on cpu:0: it is the only device with a kernel for this op and type (GPUs have a kernel '
                      'for it, but cuFFT is not installed: pip install nvidia-cufft, or apt install libcufft-13-0)', out)
        self.assertIn('d (MatrixDeterminant, f32[]) is on gpu:0', out)
        self.assertIn('Fourier transforms run on the CPU, because cuFFT is not installed', out)
        self.assertNotIn('cuSOLVER', out)
        self.assertIn('no kernel of FFT runs on /device:GPU:0. GPUs have a kernel for it, but cuFFT is not installed: pip install '
                      'nvidia-cufft', run(script % '/gpu:0', **without))
        self.assertIn('f (FFT, c64[2]) is on gpu:0', run(script % ''))

    def test_a_gpu_that_a_test_needs(self):
        if not os.path.exists('/dev/nvidiactl'):
            env = dict(os.environ, TENSH_MODE='gpu')
            done = subprocess.run([TENSH, '-c', 'eval tf.ones([2])'], capture_output=True, text=True, env=env)
            self.assertIn('this test needs a GPU', done.stderr)
            self.assertNotEqual(done.returncode, 0)

    def test_default_is_the_gpu(self):
        text = run('y = tf.matmul([[1., 2.]], [[3.], [4.]])\nprint(tf.Session().run(y))\nexplain y\n')
        self.assertIn('[[11.]]', text)
        self.assertIn('gpu:0', text)

    def test_lessons(self):
        """The lessons work with a GPU as well, where nodes without a request run on it."""
        servers = os.path.exists(os.path.join(os.path.dirname(TENSH), 'libtensh_dist.so'))
        for lesson in map(student.Lesson, student.LESSONS):
            if servers or not lesson.servers:
                self.assertIn('1 lesson: every check holds', run('learn test %s\n' % lesson.name), lesson.name)

    def test_asked(self):
        text = run('with tf.device("/gpu:0"):\n    y = tf.add([1., 2.], 3.)\n'
                   'with tf.device("/cpu:0"):\n    z = y * 2.\nprint(tf.Session().run(z))\nexplain z\n')
        self.assertIn('[ 8. 10.]', text)
        self.assertIn('Send', text)

    def test_no_kernel(self):
        script = 'with tf.device("/gpu:0"):\n    y = tf.string_join(["a", "b"])\n'
        self.assertIn('no kernel of StringJoin runs on', run(script + 'tf.Session().run(y)\n'))
        soft = script + 's = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))\nprint(s.run(y))\n'
        self.assertIn("b'ab'", run(soft))

    def test_no_such_device(self):
        script = 'with tf.device("/gpu:0"):\n    y = tf.add(1., 2.)\nprint(tf.Session().run(y))\n'
        self.assertIn('available devices are', run(script, fake=False))

    def test_options(self):
        none = 's = tf.Session(config=tf.ConfigProto(device_count={"GPU": 0}))\nprint(s.list_devices())\n'
        self.assertNotIn('GPU', run(none))
        bad = 's = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(visible_device_list="7")))\n'
        self.assertIn('visible_device_list', run(bad))

    def test_out_of_memory_and_on(self):
        text = run('''
s = tf.Session(config=tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.01)))
try:
    s.run(tf.ones([100, 1000, 1000]) + 1.)
except tf.errors.ResourceExhaustedError as e:
    print('no room')
print(s.run(tf.ones([2]) + 1.))
''')
        self.assertIn('no room', text)
        self.assertIn('[2. 2.]', text)

    def test_training(self):
        script = '''
x = tf.constant([[0., 0.], [0., 1.], [1., 0.], [1., 1.]])
labels = tf.constant([0, 1, 1, 0])
w1 = tf.Variable(tf.random_normal([2, 8], seed=1))
b1 = tf.Variable(tf.zeros([8]))
w2 = tf.Variable(tf.random_normal([8, 2], seed=2), use_resource=True)
h = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w1), b1))
logits = tf.matmul(h, w2)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
train = tf.train.AdamOptimizer(0.05).minimize(loss)
s = tf.Session()
s.run(tf.global_variables_initializer())
for i in range(100): s.run(train)
print(round(float(s.run(loss)), 3), s.run(tf.argmax(logits, 1)))
'''
        self.assertEqual(run(script), run(script, fake=False))

    def test_a_step_is_recorded_and_replayed(self):
        script = '''
x = tf.placeholder(tf.float32, [None, 3])
w = tf.get_variable('w', [3, 1], initializer=tf.ones_initializer(), use_resource=RESOURCE)
loss = tf.reduce_mean(tf.square(tf.matmul(tf.nn.dropout(x, keep_prob=0.5, seed=3), w) - 1.))
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
s = tf.Session()
s.run(tf.global_variables_initializer())
for i in range(30):
    rows = 2 if i % 10 == 9 else 4
    value, _, seen = s.run([loss, train, w], {x: np.arange(3. * rows).reshape(rows, 3) / 10 + i % 3})
    print('%.4f' % value, ['%.4f' % v for v in seen[:, 0]])
'''
        for resource in ['False', 'True']:
            text = script.replace('RESOURCE', resource)
            self.assertEqual(run(text), run(text, fake=False))
        text = run(script.replace('RESOURCE', 'True') + 'explain train feed x=[[1., 2., 3.]]\n')
        self.assertRegex(text, r'gpu:0 records \d+ nodes')
        text = run('a = tf.ones([2, 2])\nexplain a @ (a @ (a @ (a @ a))) --json\n')
        self.assertEqual(json.loads(text)['partitions'][0]['recorded'], 4, text)

    def test_a_chain_is_one_kernel(self):
        text = run('explain tf.tanh(tf.exp(tf.ones([2, 3]) * 2.) + [1., 2., 3.])\n')
        self.assertIn('gpu:0 makes mul, Exp, add and Tanh in one pass over their elements', text)

    def test_sizes_at_which_threads_share_work(self):
        with open(os.path.join(os.path.dirname(__file__), 'large.py')) as script:
            self.assertEqual(run(script.read(), TENSH_FAKE_GPU_CHECKS='1'), '161 cases, 0 wrong\n')

    def test_loops_and_branches(self):
        script = '''
i = tf.while_loop(lambda i, a: i < 10, lambda i, a: (i + 1, a * 2. + 1.), [0, tf.constant([1., 2.])])
c = tf.cond(i[0] > 5, lambda: i[1] + 1., lambda: i[1] - 1.)
print(tf.Session().run([i, c]))
'''
        self.assertEqual(run(script), run(script, fake=False))

    def test_channels_first(self):
        """TensorFlow's CPU, the oracle, does not support these. They are compared with the same ops with channels
        last."""
        script = '''
import numpy as np
rng = np.random.RandomState(0)
image, volume = rng.rand(2, 4, 5, 7), rng.rand(2, 3, 4, 5, 3)
f, grouped, deep, solid = rng.rand(3, 2, 4, 6), rng.rand(3, 2, 2, 6), rng.rand(3, 2, 4, 2), rng.rand(2, 3, 2, 3, 4)
def in_groups(x, f, s, d):
    if d == 'NCHW':
        return tf.nn.conv2d(x, f, s, 'VALID', data_format=d)
    pairs = zip(tf.split(x, 2, -1), tf.split(f, 2, -1))
    return tf.concat([tf.nn.conv2d(a, b, s, 'VALID') for a, b in pairs], -1)
CASES = [
    ('conv2d', image, f, lambda x, f, s, d: tf.nn.conv2d(x, f, s, 'SAME', data_format=d)),
    ('conv2d in groups', image, grouped, in_groups),
    ('depthwise', image, deep, lambda x, f, s, d: tf.nn.depthwise_conv2d(x, f, s, 'SAME', data_format=d)),
    ('max_pool', image, f, lambda x, f, s, d: tf.nn.max_pool(x, s, s, 'SAME', data_format=d)),
    ('avg_pool', image, f, lambda x, f, s, d: tf.nn.avg_pool(x, s, s, 'SAME', data_format=d)),
    ('conv3d', volume, solid, lambda x, f, s, d: tf.nn.conv3d(x, f, s, 'SAME', data_format=d)),
    ('max_pool3d', volume, solid, lambda x, f, s, d: tf.nn.max_pool3d(x, s, s, 'SAME', data_format=d)),
    ('avg_pool3d', volume, solid, lambda x, f, s, d: tf.nn.avg_pool3d(x, s, s, 'VALID', data_format=d))]
for name, x, f, op in CASES:
    dims = x.ndim - 2
    to_last, to_first = [0] + list(range(2, x.ndim)) + [1], [0, x.ndim - 1] + list(range(1, x.ndim - 1))
    results = []
    for device, first in (('/gpu:0', True), ('/cpu:0', False)):
        with tf.device(device):
            a = tf.constant(x if first else x.transpose(to_last), tf.float32)
            b = tf.constant(f, tf.float32)
            strides = [1, 1] + [2] * dims if first else [1] + [2] * dims + [1]
            y = op(a, b, strides, 'NC' + 'DHW'[3 - dims:] if first else 'N' + 'DHW'[3 - dims:] + 'C')
            loss = tf.reduce_sum(y * y)
            da, db = tf.gradients(loss, [a, b])
            if not first:
                y, da = tf.transpose(y, to_first), tf.transpose(da, to_first)
            results.append([y, da] + ([] if db is None else [db]))
    with tf.Session() as s:
        got, want = s.run(results)
    print(name, [bool(np.allclose(g, w, rtol=1e-4)) for g, w in zip(got, want)])
'''
        want = '''\
conv2d [True, True, True]
conv2d in groups [True, True, True]
depthwise [True, True, True]
max_pool [True, True]
avg_pool [True, True]
conv3d [True, True, True]
max_pool3d [True, True]
avg_pool3d [True, True]
'''
        # By our kernels, and as with cuDNN.
        for variables in ({}, {'TENSH_FAKE_GPU_CUDNN': '1'}):
            self.assertEqual(run(script, **variables), want)

        for op in ('conv2d(x, tf.ones([1, 1, 2, 1]), [1, 1, 1, 1]', 'max_pool(x, [1, 1, 2, 2], [1, 1, 1, 1]',
                   'avg_pool(x, [1, 1, 2, 2], [1, 1, 1, 1]'):
            script = 'x = tf.ones([1, 2, 3, 3])\ntf.Session().run(tf.nn.%s, "VALID", data_format="NCHW"))\n' % op
            self.assertIn('data_format NCHW is not supported on the CPU', run(script, fake=False))

    def test_a_worker_with_a_gpu(self):
        """A client places nodes on the GPU of another task."""
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            port = free.getsockname()[1]
        server = subprocess.Popen([TENSH, 'serve', '--cluster', 'worker=127.0.0.1:%d' % port, '--job', 'worker'],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  env=dict(os.environ, TENSH_MODE=MODE))
        try:
            line = server.stdout.readline()
            if 'grpc://' not in line:
                self.skipTest('built without the wire: ' + line)
            script = '''
s = tf.Session(%r)
with tf.device(%r):
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.Variable([[1., 2.], [3., 4.]])
    loss = tf.reduce_sum(tf.square(tf.matmul(x, w)))
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
s.run(tf.global_variables_initializer())
for i in range(6):
    print('%%.4f' %% s.run([loss, train], {x: [[1., i], [0., 1.]]})[0])
with tf.device('/cpu:0'):
    y = w * 2.
print(s.run(y))
'''
            there = run(script % (line.split()[-1], '/job:worker/task:0/device:GPU:0'), fake=False)
            self.assertEqual(there, run(script % ('', '/cpu:0'), fake=False))
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()

    def test_a_variable_moves(self):
        script = '''
v = tf.Variable([1., 2.])
s = tf.Session()
s.run(v.initializer)
s.run(v.assign_add([1., 1.]))
print(s.run(tf.strings.as_string(v)))
print(s.run(tf.scatter_mul(v, [0], [5.])))
print(s.run(v.assign_add([1., 1.])), s.run(v))
'''
        self.assertEqual(run(script), run(script, fake=False))

    def test_the_benchmark_computes_what_the_cpu_computes(self):
        bench = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'bench', 'gpu_bench.py')
        with tempfile.TemporaryDirectory() as folder:
            results = os.path.join(folder, 'results.json')
            done = subprocess.run([sys.executable, bench, '--tensh', TENSH, '--small', '--steps', '5', '--json', results],
                                  capture_output=True, text=True, env=dict(os.environ, TENSH_MODE='fake-gpu'), timeout=300)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            with open(results) as f:
                found = json.load(f)['sides']['tensh']
        self.assertGreater(len(found), 15)
        for name, result in found.items():
            self.assertLess(result['error_of_value'] or 0, 1e-2 if 'bfloat16' in name else 1e-5, name)


def main():
    global TENSH, MODE
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--mode', choices=['fake-gpu', 'gpu'], default='fake-gpu')
    options, rest = parser.parse_known_args()
    TENSH, MODE = options.tensh, options.mode
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == '__main__':
    main()
