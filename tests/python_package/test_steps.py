"""Graphs, sessions and arrays of the installed package."""
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tensh


@pytest.fixture
def graph():
    return tensh.Graph()


def run(fetches, feeds=None):
    tensor = fetches
    while not hasattr(tensor, 'graph'):
        tensor = tensor[0]
    with tensh.Session(tensor.graph) as session:
        return session.run(fetches, feeds)


def endless(graph):
    """A step that only cancelling ends: it waits for an element of an empty queue."""
    queue = graph.op('FIFOQueueV2', attrs={'component_types': ['float32']})
    return graph.op('QueueDequeueV2', [queue], attrs={'component_types': ['float32']})


def test_operators_match_numpy(graph):
    a, b = np.array([7., -3.], 'f'), np.array([2., 5.], 'f')
    x, y = graph.placeholder('float32', [2]), graph.placeholder('float32', [2])
    with tensh.Session(graph) as session:
        for got, want in [(x + y, a + b), (1 - x, 1 - a), (x * 2, a * 2), (x / y, a / b), (x // y, a // b), (x % y, a % b),
                          (x ** 2, a ** 2), (-x, -a), (x < y, a < b), (x >= y, a >= b), (2 / x, 2 / a), (a + x, a + a)]:
            np.testing.assert_allclose(session.run(got, {x: a, y: b}), want, rtol=1e-6)


def test_fetches_keep_their_form(graph):
    a, b = graph.constant(1.), graph.constant([2, 3], name='b')
    got = run([a, {'k': (b, 'b:0')}, [], 'b', graph.op('NoOp')])
    assert got[0] == 1 and isinstance(got[0], np.float32)
    assert isinstance(got[1]['k'], tuple) and [v.tolist() for v in got[1]['k']] == [[2, 3], [2, 3]]
    assert got[2:] == [[], None, None]


@pytest.mark.parametrize('dtype', ['float32', 'float64', 'float16', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16',
                                   'uint32', 'uint64', 'bool', 'complex64', 'complex128'])
def test_every_type_there_and_back(graph, dtype):
    x = graph.placeholder(dtype, None)
    for value in (np.ones([2, 3], dtype), np.zeros([0, 4], dtype), np.array(1, dtype)):
        got = run(x, {x: value})
        assert got.dtype == value.dtype and np.array_equal(got, value)


def test_arrays_that_are_not_dense(graph):
    x = graph.placeholder('float32', None)
    whole = np.arange(24, dtype='f').reshape(4, 6)
    for value in (whole[::2, ::3], whole.T, np.asfortranarray(whole), whole.astype('>f4'), whole[::-1], whole.tolist()):
        np.testing.assert_array_equal(run(x, {x: value}), value)


def test_strings(graph):
    x = graph.placeholder('string', None)
    assert run(x, {x: [['a', b'\0b'], ['', 'ü']]}).tolist() == [[b'a', b'\0b'], [b'', 'ü'.encode()]]
    assert run(graph.constant('q')) == b'q'


def test_bfloat16_is_fetched_as_float32(graph):
    x = graph.placeholder('bfloat16', [2])
    got = run(x, {x: [1.5, -2]})
    assert got.dtype == 'float32' and got.tolist() == [1.5, -2]


def test_a_fetched_array_is_independent(graph):
    v = graph.op('VariableV2', attrs={'shape': [2], 'dtype': 'float32'})
    fed = np.array([1., 2.], 'f')
    p = graph.placeholder('float32', [2])
    assign = graph.op('Assign', [v, p])
    with tensh.Session(graph) as session:
        session.run(assign.op, {p: fed})
        fed[:] = 9
        got = session.run(v)
        assert got.tolist() == [1, 2]
        got[:] = 5  # writable
        assert session.run(v).tolist() == [1, 2]
        constant = graph.constant([3., 4.])
        session.run(constant)[:] = 0
        assert session.run(constant).tolist() == [3, 4]


def test_a_result_is_fetched_without_a_copy(graph):
    x = graph.placeholder('float32', [1 << 18])
    got = run(x + 1., {x: np.zeros(1 << 18, 'f')})
    # numpy keeps the exporter together with what it exported.
    assert 'Buffer' in repr(got.base) and not got.flags.owndata and got.flags.writeable


def test_a_large_array_is_fed_without_a_copy_and_kept_during_the_step(graph):
    x = graph.placeholder('float32', [1 << 18])
    total = graph.op('Sum', [x, 0])
    value = np.ones(1 << 18, 'f')
    references = sys.getrefcount(value)
    with tensh.Session(graph) as session:
        assert session.run(total, {x: value}) == 1 << 18
        value[:] = 2
        assert session.run(total, {x: value}) == 2 << 18
        assert sys.getrefcount(value) == references
        # An identity, a variable and a queue would keep the array, so they get a copy.
        v = graph.op('VariableV2', attrs={'shape': [1 << 18], 'dtype': 'float32'})
        session.run(graph.op('Assign', [v, x]).op, {x: value})
        same = session.run(graph.op('Identity', [x]), {x: value})
        value[:] = 3
        assert session.run(v)[5] == 2 and same[5] == 2
        got = session.run(x, {x: value})
        value[:] = 4
        assert got[5] == 3 and sys.getrefcount(value) == references


@pytest.mark.parametrize('feed, error, text', [
    ({'x:0': 'a'}, ValueError, 'could not convert'),
    ({'x:0': [1, 2, 3]}, tensh.errors.InvalidArgumentError, 'x:0'),
    ({'nothing:0': 1}, KeyError, 'nothing'),
    ({3: 1}, TypeError, 'a feed is'),
    ({}, tensh.errors.InvalidArgumentError, "feed_dict={'x:0'"),
    ([1], TypeError, 'feed_dict is a dict'),
    ({'x:0': np.zeros([1] * 9, 'f')}, tensh.errors.InvalidArgumentError, '[1,1,1,1,1,1,1,1,1]'),
    ({'x:0': object()}, TypeError, ''),
])
def test_wrong_feeds(graph, feed, error, text):
    x = graph.placeholder('float32', [2], name='x')
    with pytest.raises(error) as caught:
        run(x + 1., feed)
    assert text in str(caught.value)


def test_wrong_uses(graph):
    x = graph.placeholder('float32', [2], name='x')
    other = tensh.Graph().constant(1.)
    session = tensh.Session(graph)
    for call, error in [(lambda: session.run(other), ValueError), (lambda: session.run(x, {other: 1}), ValueError),
                        (lambda: session.run(None), TypeError), (lambda: session.run('y:0'), KeyError),
                        (lambda: session.run('x:1'), KeyError), (lambda: x + other, ValueError), (lambda: bool(x), TypeError),
                        (lambda: list(x), TypeError), (lambda: graph.op('Nothing'), ValueError),
                        (lambda: graph.op('MatMul', [x]), tensh.errors.InvalidArgumentError),
                        (lambda: graph.op('MatMul', [x, x], attrs={'q': 1}), ValueError),
                        (lambda: tensh.Session(3), TypeError), (lambda: session.run(x, feed_dict={x: [1, 2]}, z=1), TypeError),
                        (lambda: graph.import_graph_def(b'\xff\xff'), tensh.errors.OpError),
                        (lambda: tensh._tensh.Session.__new__(tensh._tensh.Session).run(x), RuntimeError),
                        (lambda: repr(tensh._tensh.Output.__new__(tensh.Tensor)), Exception)]:
        with pytest.raises(error):
            call()
    nested = []
    nested.append(nested)
    with pytest.raises(ValueError):
        session.run(nested)
    session.close()
    session.close()
    assert session.closed
    with pytest.raises(tensh.errors.FailedPreconditionError):
        session.run(x, {x: [1, 2]})


def test_conversions_that_change_the_arguments(graph):
    x = graph.placeholder('float32', [2])
    session = tensh.Session(graph)
    fetches, feeds = [x + 1.], {}

    class Array:
        def __array__(self, *args, **named):
            fetches.extend([x, 'nothing', 3])
            feeds.clear()
            return np.ones(2, 'f')
    feeds[x] = Array()
    assert [v.tolist() for v in session.run(fetches, feeds)] == [[2, 2]]

    class Closes:
        def __array__(self, *args, **named):
            session.close()
            return np.ones(2, 'f')
    with pytest.raises(tensh.errors.FailedPreconditionError):
        session.run(x, {x: Closes()})


def test_graph_def_and_gradients(graph):
    x = graph.placeholder('float32', [2], name='x')
    y = x * x
    assert run(graph.gradients(y, [x, graph.constant(1.)])[:1], {x: [1, 2]})[0].tolist() == [2, 4]
    again = tensh.Graph.from_graph_def(graph.to_graph_def(), prefix='p')
    assert run(again['p/Mul:0'], {'p/x:0': [3, 4]}).tolist() == [9, 16]
    assert again['p/x'].type == 'Placeholder' and again['p/x:0'].shape == (2,) and len(again) == len(graph)
    assert hash(graph['x:0']) == hash(x) and graph['x:0'] == x and graph['x:0'] != y


def test_reports_show_themselves(graph):
    x = graph.placeholder('float32', [2], name='x')
    with tensh.Session(graph, config={'device_count': {'CPU': 2}}) as session:
        plan = session.explain(x * 2., {x: [1, 2]})
        value, trace = session.trace(x * 2., {x: [1, 2]})
    assert 'Placeholder' in repr(plan) and plan._repr_svg_().startswith('<svg') and '<iframe' in plan._repr_html_()
    assert value.tolist() == [2, 4] and 'ran in' in repr(trace) and isinstance(trace.report, dict)


def test_other_threads_run_during_a_step(graph):
    step = endless(graph)
    session = tensh.Session(graph)
    failed = []

    def wait():
        try:
            session.run(step)
        except tensh.errors.CancelledError as error:
            failed.append(error)
    threads = [threading.Thread(target=wait) for _ in range(4)]
    for thread in threads:
        thread.start()
    while len(failed) < 4:
        session.cancel()
        time.sleep(.01)
    for thread in threads:
        thread.join()


def test_steps_of_several_threads(graph):
    x = graph.placeholder('float32', [None])
    y = x * 2. + 1.
    session = tensh.Session(graph)
    wrong = []

    def work(seed):
        for i in range(200):
            if session.run(y, {x: np.full(50, seed + i, 'f')}).tolist() != [2. * (seed + i) + 1] * 50:
                wrong.append(seed)
    threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def python(text):
    return subprocess.run([sys.executable, '-W', 'ignore', '-c', textwrap.dedent(text)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, timeout=60)


def test_ctrl_c_cancels_a_step_and_the_session_goes_on():
    done = python('''
        import os, signal, threading, tensh
        g = tensh.Graph()
        q = g.op('FIFOQueueV2', attrs={'component_types': ['float32']})
        step = g.op('QueueDequeueV2', [q], attrs={'component_types': ['float32']})
        s = tensh.Session(g)
        for run in (lambda: s.run(step), lambda: tensh.shell('while True: pass')):
            timer = threading.Timer(.2, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                run()
            except KeyboardInterrupt:
                print('interrupted')
        print(s.run(g.constant(7.)), tensh.shell('1 + 1'))
    ''')
    assert done.stdout.split() == ['interrupted', 'interrupted', '7.0', '2'], done.stdout


def test_a_forked_process_is_refused():
    done = python('''
        import os, tensh
        g = tensh.Graph()
        s = tensh.Session(g)
        c = g.constant(1.)
        s.run(c)
        tensh.shell('1')
        pid = os.fork()
        if pid == 0:
            for call in (lambda: s.run(c), lambda: tensh.shell('1'), lambda: tensh.Session(g)):
                try:
                    call()
                except RuntimeError as error:
                    print('spawn' in str(error), flush=True)
            del s, c, g
            os._exit(0)
        print(os.waitpid(pid, 0)[1], s.run(c))
    ''')
    assert done.stdout.split() == ['True'] * 3 + ['0', '1.0'], done.stdout


def test_no_leak_in_calls(graph):
    x = graph.placeholder('float32', [2])
    y = x + 1.
    session = tensh.Session(graph)
    value = np.ones(2, 'f')
    feeds = {x: value}

    def calls(n):
        for _ in range(n):
            session.run(y, feeds)
            try:
                session.run('nothing:0')
            except KeyError:
                pass
    watched = [x, y, session, value, graph, np.float32, feeds, None]
    calls(100)
    before = [sys.getrefcount(o) for o in watched[:-1]]
    memory = resident()
    calls(100000)
    assert [sys.getrefcount(o) for o in watched[:-1]] == before
    assert resident() - memory < 8 << 20


def resident():
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGE_SIZE')


def test_import_loads_no_numpy():
    done = python('import sys, tensh; print("numpy" in sys.modules, "json" in sys.modules)')
    assert done.stdout.split() == ['False', 'False']


def test_signal_handlers_of_the_program_still_run(graph):
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        run(graph.constant(1.))
        os.kill(os.getpid(), signal.SIGINT)
        run(graph.constant(1.))
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


PLUGIN = os.path.join(os.path.dirname(tensh.__file__), 'libtensh_dist.so')


@pytest.mark.skipif(not os.path.exists(PLUGIN), reason='the wheel was built without gRPC')
def test_a_server_runs_the_steps(graph):
    program = [sys.executable, '-c', 'import tensh.__main__ as m; m.main()', 'serve', '--port', '0']
    with subprocess.Popen(program, stdout=subprocess.PIPE, universal_newlines=True) as server:
        target = server.stdout.readline().split()[-1]
        x = graph.placeholder('float32', [None], name='x')
        with tensh.Session(graph, target) as sess:
            assert sess.run(x * 2 + 1, {x: [1, 2]}).tolist() == [3, 5]
            with pytest.raises(tensh.errors.InvalidArgumentError, match='feed'):
                sess.run(x)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
    with pytest.raises(tensh.errors.UnavailableError):
        tensh.Session(graph, target).run(x, {x: [1]})


def test_dlpack(graph):
    class Only:  # what a tensor of another library may offer
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    x = graph.placeholder('float32', [None], name='x')
    value = run(x * 2, {x: Only(np.arange(3, dtype='f'))})
    assert value.tolist() == [0, 2, 4]
    again = np.from_dlpack(value)  # read-only before numpy 2
    value[0] = 9
    assert again[0] == 9

    class Elsewhere(Only):
        def __dlpack__(self, **options):
            raise BufferError('not in the memory of the CPU')

    with pytest.raises(BufferError):
        run(x, {x: Elsewhere(value)})
