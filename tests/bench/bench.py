#!/usr/bin/env python3
"""./dev bench [NAME …] [--json] [--write] [--no-tensorflow] [--slow] [--rounds N]

Measures tensh and, if a Python with TensorFlow is found ($TENSH_TF_PYTHON, otherwise .venv/bin/python), TensorFlow in
the same run, alternately. NAME selects the rows whose names contain it. --write updates the table in
docs/performance.md. The best median of all rounds is shown, because other load on a shared machine only adds time.
"""
import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get('TENSH_BUILD', os.path.join(ROOT, 'build'))
TENSH = os.path.join(BUILD, 'tensh')
CLASSIC = '''import tensorflow as tf
a = tf.constant([1.0, 2.0], name="a")
b = tf.constant([2.0, 3.0], name="b")
result = a + b
sess = tf.Session()
with sess.as_default():
    print(result.eval())
    print(sess.run(result))
print(result.eval(session=sess))
sess.close()
'''
TF_PREFIX = ('import os; os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")\n'
             'import tensorflow.compat.v1 as tf; tf.disable_v2_behavior()\n')


VERSION = '''import importlib.metadata as m
for name in ('tensorflow', 'tensorflow-cpu'):
    try:
        print(m.version(name))
        break
    except m.PackageNotFoundError:
        pass
'''


class Row:
    """One row: name, description, unit, target (in the same unit), and 'c' for the C++ programs or a function of this
    file."""

    def __init__(self, name, what, unit, target, measure='c'):
        self.name, self.what, self.unit, self.target, self.measure = name, what, unit, target, measure


def spawn(argv, stdin=None):
    """Returns (seconds, peak resident MB) of a whole process. Raises an exception if it fails."""
    start = time.perf_counter()
    process = subprocess.Popen(argv, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if process.returncode != 0:
        raise RuntimeError('%s: exit %d: %s' % (argv[0], process.returncode, errors.decode()[-400:]))
    return seconds, usage.ru_maxrss / 1024


def best(runs, argv):
    times = sorted(spawn(argv) for _ in range(runs))
    return times[len(times) // 2]


def script(text):
    path = os.path.join(tempfile.gettempdir(), 'tensh_bench_%d.py' % os.getpid())
    with open(path, 'w') as f:
        f.write(text)
    return path


def startup(tf):
    if tf:
        return best(1, [tf, '-c', TF_PREFIX + 'print(tf.Session().run(tf.constant(1) + 1))'])[0] * 1e3
    return best(21, [TENSH, '-c', 'eval 1+1'])[0] * 1e3


def resident(tf):
    if tf:
        return best(1, [tf, '-c', TF_PREFIX + 'print(tf.Session().run(tf.constant(1) + 1))'])[1]
    return best(5, [TENSH, '-c', 'eval 1+1'])[1]


def classic(tf):
    if tf:
        return best(1, [tf, script(TF_PREFIX + CLASSIC.split('\n', 1)[1])])[0] * 1e3
    return best(21, [TENSH, script(CLASSIC)])[0] * 1e3


def statements(tf):
    """The time per statement: that of the whole process minus that of a process with an empty script."""
    lines = 3000 if tf else 100000
    body = 'a = tf.constant(1.0)\n' + 'a = a + 1.0\n' * (lines - 1)
    head = TF_PREFIX if tf else 'import tensorflow as tf\n'
    run = [tf or TENSH]
    empty = best(1 if tf else 3, run + [script(head)])[0]
    return (best(1 if tf else 3, run + [script(head + body)])[0] - empty) / lines * 1e6


def last_number(argv):
    """Returns the last line that a script prints."""
    run = subprocess.run(argv, capture_output=True, check=True)
    return float(run.stdout.split()[-1])


LOOPS = {
    'loop': '''n = tf.placeholder(tf.int32, [])
out = tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])
''',
    'loop_nested': '''n = tf.placeholder(tf.int32, [])
inner = lambda j, s: tf.while_loop(lambda j, s: j < 100, lambda j, s: (j + 1, s + 1.0), [j, s])
out = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 100, inner(tf.constant(0), s)[1]), [0, 0.0])[1]
''',
    'loop_gradient': '''n = tf.placeholder(tf.int32, [])
x = tf.constant(1.0)
y = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s * x), [0, x])[1]
out = tf.gradients(y, x)[0]
''',
    'loop_functional': '''graph = tf.GraphDef()
with open('%s', 'rb') as f:
    graph.ParseFromString(f.read())
n, out = tf.import_graph_def(graph, return_elements=['n:0', 'out:0'], name='')
''' % os.path.join(HERE, 'graphs', 'while.pb')}
TIME_LOOP = '''import time
config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=%d)
with tf.Session(config=config) as sess:
    sess.run(out, {n: 1000})
    times = []
    for _ in range(5):
        start = time.time()
        sess.run(out, {n: %d})
        times.append(time.time() - start)
print(min(times))
'''


def loop_row(name, tf_threads=-1):
    """The cost of an iteration in ns. TensorFlow runs in the caller's thread if possible, which is its fastest
    configuration here."""
    def measure(tf):
        count = 20000 if tf else 500000
        head = TF_PREFIX + 'tf.disable_control_flow_v2()\n' if tf else 'import tensorflow as tf\n'
        path = script(head + LOOPS[name] + TIME_LOOP % (tf_threads if tf else 1, count))
        return last_number([tf, path] if tf else [TENSH, path]) / count * 1e9
    return measure


ITERATIONS = '''import time
def work(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            total += i
        else:
            total -= 1
    return total
times = []
for _ in range(3):
    start = time.time()
    work(1000000)
    times.append(time.time() - start)
print(min(times) * 1e3)
'''


def iterations(tf):
    """Runs the same text in the CPython that also runs TensorFlow."""
    return last_number([tf or TENSH, script(ITERATIONS)])


FEED_LOOP = '''import time
import numpy as np
x = tf.placeholder(tf.float32, [None, 4])
y = tf.placeholder(tf.float32, [None, 1])
hidden = tf.nn.relu(tf.matmul(x, tf.Variable(tf.random_normal([4, 8], seed=1))))
loss = tf.reduce_mean(tf.square(tf.matmul(hidden, tf.Variable(tf.random_normal([8, 1], seed=2))) - y))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
xs, ys = np.ones([8, 4], np.float32), np.ones([8, 1], np.float32)
with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=%d)) as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(train, feed_dict={x: xs, y: ys})
    times = []
    for _ in range(5):
        start = time.time()
        for i in range(%d):
            sess.run(train, feed_dict={x: xs, y: ys})
        times.append(time.time() - start)
    print(min(times) / %d * 1e6)
'''


def feed_loop(tf):
    count = 2000 if tf else 10000
    head = TF_PREFIX if tf else 'import tensorflow as tf\n'
    return last_number([tf or TENSH, script(head + FEED_LOOP % (-1 if tf else 1, count, count))])


# A step of 100 kernels of about 20 µs each, alternately with and without a trace: `trace on`, or
# FULL_TRACE in TensorFlow.
KERNELS = '''import time
x = tf.constant([0.5] * 15000)
for _ in range(100):
    x = tf.sin(x)

small = tf.reduce_sum(x)
sess = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=%d))
def median(*args):
    times = []
    for i in range(60):
        start = time.time()
        sess.run(small, *args)
        times.append(time.time() - start)
    return sorted(times)[30]

median()
plain, recorded = [], []
'''
TURN = '''trace off
plain.append(median())
trace on
recorded.append(median())
'''
TF_TURN = '''plain.append(median())
recorded.append(median(None, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()))
'''


def recorded(tf):
    """In percent of the step's time."""
    text = TF_PREFIX + KERNELS % -1 + TF_TURN * 5 if tf else KERNELS % 1 + TURN * 5
    return last_number([tf or TENSH, script(text + 'print((min(recorded) / min(plain) - 1) * 100)\n')])


EXPLAIN = '''a = tf.constant(1.)
for i in range(50000):
    with tf.device("/cpu:%d" % (i % 2)):
        a = tf.add(a, 1.)
eval a
import time
start = time.time()
explain a
print((time.time() - start) * 1e3)
'''


def explain(tf):
    return None if tf else last_number([TENSH, script(EXPLAIN)])


ROWS = [
    Row('step', 'one step, 1 add, feed + fetch', 'µs', .3),
    Row('step_callable', 'the same through a held callable', 'µs', .3),
    Row('chain_1000', 'per node in a 1,000-add chain', 'ns', 12),
    Row('assign_add', 'assign_add step', 'µs', .2),
    Row('extend_10', 'add one node and run it, 10 nodes', 'µs', 50),
    Row('extend_1k', 'add one node and run it, 1,000 nodes', 'µs', 50),
    Row('extend_100k', 'add one node and run it, 100,000 nodes', 'µs', 50),
    Row('extend_1M', 'add one node and run it, 1,000,000 nodes', 'µs', 50),
    Row('signature_100k', 'a new signature at 100,000 nodes', 'µs', 50),
    Row('memory', 'memory for each node, session included', 'B', 200),
    Row('startup', "tensh -c 'eval 1+1', whole process", 'ms', 5, startup),
    Row('resident', 'the same, peak memory', 'MB', 20, resident),
    Row('classic', 'the classic [3. 5.] script, whole process', 'ms', 6, classic),
    Row('statements', '100,000 straight-line statements, each', 'µs', 5, statements),
    Row('loop', 'an iteration of a loop that counts', 'ns', 60, loop_row('loop')),
    Row('loop_nested', 'an iteration of a loop in a loop', 'ns', 100, loop_row('loop_nested')),
    Row('loop_gradient', 'an iteration of a loop and of its gradient', 'ns', 400, loop_row('loop_gradient', 1)),
    Row('loop_functional', 'an iteration of a While with functions', 'ns', 400, loop_row('loop_functional')),
    Row('iterations', 'a loop of 10^6 iterations in Python, beside CPython', 'ms', 50, iterations),
    Row('feed_loop', 'a pass of: for …: sess.run(train, feed_dict=…)', 'µs', 10, feed_loop),
    Row('recorded', 'what recording adds to a step of 100 kernels', '%', 3, recorded),
    Row('explain', 'explain of 100,000 nodes on two devices', 'ms', 1000, explain),
    Row('mlp_32', 'MLP 784-128-10 step, batch 32, one thread', 'µs', 62),
    Row('mlp_128', 'MLP 784-128-10 step, batch 128, one thread', 'µs', 235),
    Row('logistic_32', 'logistic 784-10 step, batch 32', 'µs', 14),
]
# takes minutes and 6 GB in TensorFlow, so it runs once and only with --slow
SLOW_TF = ('extend_1M',)


def tf_python():
    for path in (os.environ.get('TENSH_TF_PYTHON'), os.path.join(ROOT, '.venv', 'bin', 'python')):
        if path and os.path.exists(path):
            return path
    return None


def build_tensorflow(python):
    """Compiles tf_bench.cc against the wheel and writes the graphs that it loads. Returns (program, graph folder)."""
    folder = os.path.join(BUILD, 'bench')
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, 'tf_bench')
    sources = [os.path.join(HERE, f) for f in ('tf_bench.cc', 'measure.h')]
    if not os.path.exists(program) or any(os.path.getmtime(s) > os.path.getmtime(program) for s in sources):
        where = subprocess.run([python, '-c', 'import importlib.util as u; print(u.find_spec("tensorflow").origin)'],
                               capture_output=True, text=True, check=True).stdout.strip()
        package = os.path.dirname(where)
        subprocess.run(['g++', '-O2', '-std=c++17', '-I', os.path.join(package, 'include'), '-I', ROOT, sources[0], '-o', program,
                        os.path.join(package, 'libtensorflow_cc.so.2'), os.path.join(package, 'libtensorflow_framework.so.2'),
                        '-Wl,-rpath,' + package], check=True)
    if not os.path.exists(os.path.join(folder, 'mlp.pb')):
        subprocess.run([python, os.path.join(HERE, 'record_graphs.py'), '--pb', folder], check=True, stderr=subprocess.DEVNULL)
    return program, folder


def run_program(argv):
    """Runs cases of a C++ program. Returns {case: median}."""
    env = dict(os.environ, OMP_NUM_THREADS='1', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
    done = subprocess.run(argv, capture_output=True, text=True, env=env)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-400:])
    return {r['case']: r['median'] for r in map(json.loads, done.stdout.splitlines())}


def measure(row, python, tensorflow, rounds, slow):
    """Returns {'tensh': …, 'tensorflow': …} with the best of the rounds. The sides alternate."""
    got = {'tensh': [], 'tensorflow': []}
    failed = {} if slow or row.name not in SLOW_TF else {'tensorflow': 'slow'}
    for k in range(rounds):
        for side in ('tensh', 'tensorflow'):
            on_tf = side == 'tensorflow'
            if side in failed or (on_tf and (not tensorflow or (k and (row.name in SLOW_TF or row.measure != 'c')))):
                continue
            try:
                if row.measure != 'c':
                    value = row.measure(python if on_tf else None)
                    got[side] += [] if value is None else [value]
                    continue
                argv = list(tensorflow) if on_tf else [os.path.join(BUILD, 'tests', 'bench', 'tensh_bench')]
                value = run_program(argv + [row.name.replace('_callable', '') if on_tf else row.name])
                got[side] += value.values()
            except (RuntimeError, OSError, subprocess.SubprocessError, IndexError) as e:
                failed[side] = str(e)
                print('bench: %s, %s: %s' % (row.name, side, e), file=sys.stderr)
    return {side: min(values) if values else None for side, values in got.items()}


def figure(x):
    if x is None:
        return '–'
    return '%.0f' % x if x >= 100 else '%.1f' % x if x >= 10 else '%.2f' % x


def result(row, got):
    ours, theirs = got['tensh'], got['tensorflow']
    return {'case': row.name, 'what': row.what, 'unit': row.unit, 'tensh': ours, 'tensorflow': theirs,
            'ratio': theirs / ours if ours and theirs else None, 'target': row.target,
            'met': None if ours is None else ours <= row.target}


def table(results):
    head = ['what', 'tensh', 'TensorFlow', 'ratio', 'target', 'met']
    rows = [[r['what'], '%s %s' % (figure(r['tensh']), r['unit']), '%s %s' % (figure(r['tensorflow']), r['unit']),
             figure(r['ratio']) + ('x' if r['ratio'] else ''), '≤ %g %s' % (r['target'], r['unit']),
             {True: 'yes', False: 'no', None: '–'}[r['met']]] for r in results]
    widths = [max(len(row[i]) for row in [head] + rows) for i in range(len(head))]
    lines = ['| ' + ' | '.join(c.ljust(w) for c, w in zip(row, widths)) + ' |' for row in [head] + rows]
    lines.insert(1, '|' + '|'.join('-' * (w + 2) for w in widths) + '|')
    return '\n'.join(lines)


def machine():
    model = 'unknown processor'
    with open('/proc/cpuinfo') as f:
        for line in f:
            if line.startswith('model name'):
                model = line.split(':')[1].strip()
                break
    return '%s, %d CPUs, Linux %s' % (model, os.cpu_count(), platform.release())


def write_document(text, tensorflow_version):
    """Replaces the text between the two markers in docs/performance.md."""
    path = os.path.join(ROOT, 'docs', 'performance.md')
    begin, end = '<!-- bench: begin -->', '<!-- bench: end -->'
    with open(path) as f:
        old = f.read()
    body = '%s\nMeasured %s on %s; load average %.1f; TensorFlow %s.\n\n%s\n%s' % (
        begin, datetime.date.today().isoformat(), machine(), os.getloadavg()[0], tensorflow_version or 'not installed', text, end)
    with open(path, 'w') as f:
        f.write(old[:old.index(begin)] + body + old[old.index(end) + len(end):])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('name', nargs='*')
    parser.add_argument('--json', action='store_true')
    parser.add_argument('--write', action='store_true')
    parser.add_argument('--no-tensorflow', action='store_true')
    parser.add_argument('--slow', action='store_true')
    parser.add_argument('--rounds', type=int, default=3)
    options = parser.parse_args()
    subprocess.run(['ninja', '-C', BUILD, '--quiet', 'tensh', 'tensh_bench'], check=True, stdout=sys.stderr)
    python = None if options.no_tensorflow else tf_python()
    tensorflow, version = None, None
    if python:
        tensorflow = build_tensorflow(python)
        version = subprocess.run([python, '-c', VERSION], capture_output=True, text=True).stdout.strip()
    elif not options.no_tensorflow:
        print('bench: no TensorFlow beside it: set TENSH_TF_PYTHON, or python3 -m venv .venv && .venv/bin/pip install'
              ' tensorflow-cpu', file=sys.stderr)
    rows = [r for r in ROWS if not options.name or any(n in r.name for n in options.name)]
    results = []
    for row in rows:
        print('bench: ' + row.what, file=sys.stderr)
        results.append(result(row, measure(row, python, tensorflow, options.rounds, options.slow)))
    print(json.dumps(results, indent=1) if options.json else table(results))
    if options.write:
        write_document(table(results), version)


if __name__ == '__main__':
    main()
