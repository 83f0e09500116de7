#!/usr/bin/env python3
"""Calls every op with malformed inputs, and expects a value or one of TensorFlow's errors.

    ops_hostile.py --tensh build/tensh [--seed N] [--count N] [--ops A,B] [--part K/N] [--slow SECONDS]

The calls are derived from the ops' definitions (`ops --json`). Types, attributes and list lengths are usually valid,
because otherwise nothing would reach a kernel; shapes, sizes and values are random. Half of the calls are recorded valid
ones (tests/oracle/values) in which something was changed: an extent becomes 0 or other, in all inputs or in one, a rank, the
layout with the order of the dimensions, a number, an attribute. Half of the inputs are constants,
whose values the shape function sees. The others are feeds of unknown shape, which only the kernel sees. A crash, a
hang or an exception that TensorFlow does not define is reported immediately with the call that causes it. With
--slow, on an otherwise idle machine, calls that take longer are reported too. --part 3/8 runs the third eighth of the
calls. Progress goes to stderr.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from ops_fixed import CRASHES, TOO_LARGE, VALUES

NUMPY = {'float': 'float32', 'double': 'float64', 'int32': 'int32', 'uint8': 'uint8', 'int16': 'int16', 'int8': 'int8',
         'int64': 'int64', 'bool': 'bool_', 'uint16': 'uint16', 'uint32': 'uint32', 'uint64': 'uint64', 'half': 'float16',
         'complex64': 'complex64', 'complex128': 'complex128'}

COMMON = ['float', 'float', 'float', 'int32', 'int32', 'int64', 'double', 'bool', 'string', 'uint8', 'half', 'complex64']
SHAPES = [(), (), (0,), (1,), (1,), (2,), (2,), (3,), (4,), (7,), (2, 3), (3, 2), (2, 2), (3, 3), (1, 1), (0, 3), (3, 0),
          (2, 0, 3), (2, 3, 2), (1, 4, 4, 1), (2, 5, 5, 3), (1, 2, 3, 4), (3, 3, 1, 2), (2, 2, 2, 2, 2), (1, 1, 1, 1, 1, 1), (2, 1, 1, 2, 1, 1, 1, 1, 3, 1)]
# Empty, with extents whose products overflow, and of ranks that few kernels have.
EMPTY = [(0, 1 << 31), (1 << 40, 0), (0, 1 << 62, 4), (1, 0, 1 << 31, 2), (1, 0, 4, 3), (0, 4, 4, 1), (2, 3, 0, 0), (0, 0, 0, 0),
         (1, 2, 0, 3, 2), (0, 1, 2, 2, 1), (1,) * 9, (1,) * 32, (1, 1, 2, 1, 1, 0, 1, 1, 1, 1)]
FLOATS = ['0.', '-0.', '1.', '-1.5', '2.', '0.5', 'np.nan', 'np.inf', '-np.inf', '1e38', '-1e38', '1e-45', '3.']
INTS = ['0', '0', '1', '1', '2', '2', '3', '-1', '-1', '-2', '7', '100', '2**31-1', '-2**31', '2**20']
WIDE = INTS + ['2**63-1', '-2**63', '2**40', '2**62']
STRINGS = ["''", "'a'", "'1'", "'-3.5'", "'a,b'", "'\\x00\\xff'", "'é日'", "'x' * 300"]
INT_ATTRS = ['0', '1', '1', '2', '2', '3', '-1', '-2', '7', '2**31-1', '-2**31', '2**62', '-2**63']
ALLOWED = re.compile(r'(InvalidArgument|NotFound|Unimplemented|OutOfRange|FailedPrecondition|ResourceExhausted|'
                     r'DeadlineExceeded|Cancelled|AlreadyExists|DataLoss|PermissionDenied|Unavailable|Aborted)Error$|'
                     r'^(LookupError|NotImplementedError|ValueError|TypeError|OverflowError|UnicodeDecodeError|KeyError|IndexError)$')
HEAD = '''import numpy as np
import time
config = tf.ConfigProto(operation_timeout_in_ms=300)
def t(n, f):
    print('@', n, flush=True)
    start = time.time()
    tf.reset_default_graph()
    feed = {}
    try:
        with tf.Session(config=config) as s:
            out = f(feed)
            s.run([o for o in out] if isinstance(out, (list, tuple)) else out, feed)
        print('ok')
    except Exception as e:
        print(type(e).__name__)
    if SLOW and time.time() - start > SLOW: print('slow: %.1f s' % (time.time() - start))
def p(feed, dtype, value):
    x = tf.placeholder(dtype)
    feed[x] = value
    return x
def c(dtype, value):
    return tf.constant(value, dtype)
def assigned(dtype, value):
    v = tf.Variable(tf.constant(value, dtype), validate_shape=False, trainable=False)
    with tf.control_dependencies([v.initializer]):
        return v._ref() if hasattr(v, '_ref') else v
'''
HEAD += '''
def BIG(value):
    return tf.placeholder_with_default(value, None)
def array(**more):
    return tf.raw_ops.TensorArrayV3(size=2, dtype=tf.float32, **more)
def written(i, **more):
    h, flow = array(**more)
    return tf.raw_ops.TensorArrayWriteV3(handle=h, index=BIG(i), value=1., flow_in=flow)
def split_into(lengths):
    h, flow = array()
    return tf.raw_ops.TensorArraySplitV3(handle=h, value=[1., 2.], lengths=BIG(lengths), flow_in=flow)
'''
HEAD += r'''
from google.protobuf import text_format
def imported(text, fetch='x:0'):
    g = tf.GraphDef()
    text_format.Merge(text, g)
    tf.import_graph_def(g, name='')
    return fetch
def missing(op):
    return imported("node { name: 'x' op: '%s' }" % op)
LARGE = """node { name: 'x' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor {
    dtype: DT_FLOAT tensor_shape { dim { size: 1048576 } dim { size: 1048576 } } float_val: 1 } } } }"""
CALL = """attr { key: 'Tin' value { list { type: DT_FLOAT } } } attr { key: 'Tout' value { list { type: DT_FLOAT } } }
    attr { key: 'f' value { func { name: 'f' } } }"""
def recursive(op):
    return imported("""node { name: 'a' op: 'Const' attr { key: 'dtype' value { type: DT_FLOAT } } attr { key: 'value' value { tensor {
        dtype: DT_FLOAT tensor_shape { } float_val: 1 } } } } node { name: 'x' op: '%s' input: 'a' %s }
        library { function { signature { name: 'f' input_arg { name: 'a' type: DT_FLOAT } output_arg { name: 'b' type: DT_FLOAT } }
        node_def { name: 'c' op: '%s' input: 'a' %s } ret { key: 'b' value: 'c:output:0' } } }""" % (op, CALL, op, CALL))
'''
MUST_FAIL = frozenset(CRASHES + TOO_LARGE)
RESOURCES = ['tf.raw_ops.VarHandleOp(dtype={t}, shape=[2])', 'tf.raw_ops.FIFOQueueV2(component_types=[{t}])',
             'tf.raw_ops.StackV2(max_size=3, elem_type={t})', 'tf.raw_ops.TextLineReaderV2()',
             'tf.raw_ops.TensorArrayV3(size=2, dtype={t})[0]']

VARIANTS = ['tf.raw_ops.EmptyTensorList(element_shape=c(tf.int32, -1), max_num_elements=-1, element_dtype=tf.float32)',
            'tf.raw_ops.TensorListReserve(element_shape=c(tf.int32, [2]), num_elements=2, element_dtype=tf.float32)',
            'tf.raw_ops.RangeDataset(start=0, stop=4, step=1, output_types=[tf.int64], output_shapes=[[]])',
            'tf.raw_ops.TensorSliceDataset(components=[np.ones((3, 2), np.float32)], output_shapes=[[2]])',
            'tf.raw_ops.OptionalNone()']


def tf_type(t):
    return 'tf.' + {'float': 'float32', 'double': 'float64', 'half': 'float16'}.get(t, t)


class Call:
    """Returns one call of an op as Python text."""

    def __init__(self, r, op):
        self.r, self.op = r, op
        self.attrs, self.types, self.numbers = {}, {}, {}
        # Makes it likely that the inputs of one call are compatible.
        self.shape = r.choice(SHAPES)
        if r.random() < 0.15 and self.shape:  # one extent is 0, often the same one of all inputs
            zero = r.randrange(len(self.shape))
            self.shape = tuple(0 if i == zero else d for i, d in enumerate(self.shape))
        self.fed = r.random() < 0.5

    def text(self):
        for a in self.op['attrs']:
            self.attr(a)
        parts = ['%s=%s' % (name(i['name']), self.input(i['type'])) for i in self.op['inputs']]
        parts += ['%s=%s' % (name(k), v) for k, v in self.attrs.items() if v is not None]
        return 'tf.raw_ops.%s(%s)' % (self.op['name'], ', '.join(parts))

    def attr(self, a):
        r, kind = self.r, a['type']
        of_inputs = any(a['name'] in re.findall(r'\w+', i['type']) for i in self.op['inputs'])
        if kind == 'type':
            t = self.types[a['name']] = r.choice(a.get('allowed') or COMMON)
            self.attrs[a['name']] = None if of_inputs else tf_type(t)
            return
        if kind == 'list(type)':
            ts = self.types[a['name']] = [r.choice(a.get('allowed') or COMMON) for _ in range(r.choice([1, 1, 2, 3, 0]))]
            self.attrs[a['name']] = None if of_inputs else '[%s]' % ', '.join(map(tf_type, ts))
            return
        if kind == 'int' and of_inputs:
            self.numbers[a['name']] = max(r.choice([1, 2, 2, 3]), a.get('minimum', 1))
            self.attrs[a['name']] = None
            return
        if 'default' in a and r.random() < 0.5:
            return
        self.attrs[a['name']] = self.value(kind, a)

    def value(self, kind, a):
        r = self.r
        if kind.startswith('list('):
            n = r.choice([0, 1, 2, 3, 4, 4, 4, 5])
            if kind == 'list(int)' and n == 4 and r.random() < 0.7:
                return '[1, %s, %s, 1]' % (r.choice(INT_ATTRS), r.choice(['1', '2', '3', '0']))
            return '[%s]' % ', '.join(self.value(kind[5:-1], a) for _ in range(n))
        if kind == 'int':
            return r.choice(INT_ATTRS)
        if kind == 'float':
            return r.choice(FLOATS)
        if kind == 'bool':
            return r.choice(['True', 'False'])
        if kind == 'string':
            return repr(r.choice(a['allowed'])) if a.get('allowed') and r.random() < 0.9 else r.choice(STRINGS)
        if kind == 'shape':
            return r.choice(['[2]', '[]', 'None', '[2, 3]', '[None]', '[0]', '[2**31, 2**31]', '[-1]'])
        if kind == 'tensor':
            return 'np.float32(1)'
        if kind == 'type':
            return tf_type(r.choice(COMMON))
        return 'None'

    def input(self, kind):
        m = re.match(r'(\w+) \* (\w+)$', kind)
        if m:
            return '[%s]' % ', '.join(self.input(m.group(2)) for _ in range(self.numbers.get(m.group(1), 1)))
        m = re.match(r'Ref\((\w+) \* (\w+)\)$', kind)
        if m:
            return '[%s]' % ', '.join(self.input('Ref(%s)' % m.group(2)) for _ in range(self.numbers.get(m.group(1), 1)))
        m = re.match(r'Ref\((\w+)\)$', kind)
        t = self.types.get(m.group(1) if m else kind, m.group(1) if m else kind)
        if isinstance(t, list):
            return '[%s]' % ', '.join(self.tensor(one) for one in t)
        return self.ref(t) if m else self.tensor(t)

    def ref(self, t):
        if self.r.random() < 0.3:
            return 'tf.raw_ops.VariableV2(shape=[2], dtype=%s)' % tf_type(t)
        return 'assigned(%s, %s)' % (tf_type(t), self.array(t))

    def tensor(self, t):
        if t == 'resource':
            return self.r.choice(RESOURCES).format(t=tf_type(self.r.choice(['float', 'int32', 'string'])))
        if t == 'variant':
            return self.r.choice(VARIANTS)
        value = self.array(t)
        return ('p(feed, %s, %s)' if self.fed else 'c(%s, %s)') % (tf_type(t), value)

    def array(self, t):
        r = self.r
        shape = self.shape if r.random() < 0.55 else r.choice(EMPTY) if r.random() < 0.15 else r.choice(SHAPES)
        n = 1
        for d in shape:
            n *= d
        kinds = r.sample(self.values(t), 3)
        if t in ('int32', 'int64') and r.random() < 0.6:
            kinds = ['0', '1', r.choice(['2', '0', '3', '-1', '7'])]
        flat = ', '.join(r.choice(kinds) for _ in range(n))
        if t == 'string' or t not in NUMPY:
            return 'np.array([%s], %s).reshape(%r)' % (flat, 'object' if t == 'string' else 'np.float32', shape)
        return 'np.array([%s]).astype(np.%s).reshape(%r)' % (flat, NUMPY[t], shape)

    def values(self, t):
        if t == 'string':
            return STRINGS
        if t in ('float', 'double', 'half', 'bfloat16') or t.startswith('complex'):
            return FLOATS
        if t == 'bool':
            return ['True', 'False', 'True']
        return WIDE if t in ('int64', 'uint64') else INTS


class Changed(Call):
    """Returns a recorded call with one to three changes."""

    def __init__(self, r, op, case):
        super().__init__(r, op)
        self.given = dict(case.get('attrs', {}))
        self.inputs = [[self.read(one) for one in i] if isinstance(i, list) else self.read(i) for i in case['in']]
        self.flat = [t for i in self.inputs for t in ([i] if i and isinstance(i[0], str) else i)]
        for _ in range(r.choice([1, 1, 2, 3])):
            r.choice([self.extent, self.extent, self.extent, self.layout, self.rank, self.number, self.change_attr])()

    def read(self, text):
        """[type, shape, values]; the values are None if they are not numbers."""
        t, rest = text.split('[', 1)
        shape, values = rest.split(']', 1)
        shape = [int(d) for d in shape.split(',')] if shape else []
        numbers = t not in ('string', 'bool') and not t.startswith('complex')
        return [t, shape, [{'nan': 'np.nan', 'inf': 'np.inf', '-inf': '-np.inf'}.get(v, v) for v in values.split()] if numbers else None]

    def extent(self):
        places = [(t, i) for t in self.flat for i in range(len(t[1]))]
        if places:
            t, i = self.r.choice(places)
            old, new = t[1][i], self.r.choice([0, 0, 0, 1, t[1][i] + 1, 2 * t[1][i]])
            for u, k in places if self.r.random() < 0.6 else [(t, i)]:
                if u[1][k] == old:
                    u[1][k] = new

    def rank(self):
        shape = self.r.choice(self.flat)[1] if self.flat else []
        if shape and self.r.random() < 0.5:
            shape.pop(self.r.randrange(len(shape)))
        elif len(shape) < 12:
            shape.insert(self.r.randint(0, len(shape)), self.r.choice([0, 1, 1, 2]))

    def layout(self):
        formats = [a for a in self.op['attrs'] if 'format' in a['name'] and a.get('allowed')]
        for a in formats:
            self.given[a['name']] = self.r.choice(a['allowed'])
            if self.given[a['name']].startswith('NC') and self.r.random() < 0.8:
                self.reorder(lambda old: old[:1] + old[-1:] + old[1:-1])

    def reorder(self, how):
        for t in self.flat[:1] if self.r.random() < 0.5 else self.flat:
            if len(t[1]) > 3:
                t[1] = how(t[1])
        for key, value in self.given.items():
            if isinstance(value, list) and len(value) in (4, 5) and self.r.random() < 0.8:
                self.given[key] = how(value)

    def number(self):
        t = self.r.choice([t for t in self.flat if t[2]] or [None])
        if t:
            t[2][self.r.randrange(len(t[2]))] = self.r.choice(FLOATS if t[0] in ('float', 'double', 'half', 'bfloat16') else
                                                              WIDE if t[0] in ('int64', 'uint64') else INTS)

    def change_attr(self):
        for a in self.op['attrs']:
            if a['type'] in ('int', 'bool', 'float', 'string', 'list(int)') and self.r.random() < 0.3 and a['name'] in self.given:
                self.given[a['name']] = Verbatim(self.value(a['type'], a))

    def text(self):
        parts = ['%s=%s' % (name(i['name']), self.one(t) if t and isinstance(t[0], str) else '[%s]' % ', '.join(map(self.one, t)))
                 for i, t in zip(self.op['inputs'], self.inputs)]
        kinds = {a['name']: a['type'] for a in self.op['attrs']}
        parts += ['%s=%s' % (name(k), self.written(kinds.get(k, ''), v)) for k, v in self.given.items()]
        return 'tf.raw_ops.%s(%s)' % (self.op['name'], ', '.join(parts))

    def written(self, kind, value):
        if isinstance(value, Verbatim) or kind not in ('type', 'list(type)'):
            return str(value) if isinstance(value, Verbatim) else repr(value)
        return '[%s]' % ', '.join(map(tf_type, value)) if isinstance(value, list) else tf_type(value)

    def one(self, tensor):
        t, shape, values = tensor
        n = 1
        for d in shape:
            n *= d
        if not values or t not in NUMPY:
            values = [self.r.choice(self.values(t)) for _ in range(min(n, 9))]
        flat = (values * (n // max(len(values), 1) + 1))[:n] if n < 3000 else []
        value = ('np.array([%s])' % ', '.join(flat) if flat or not n else 'np.zeros([%d])' % n)
        if t == 'string' or t not in NUMPY:
            value = 'np.array([%s], %s)' % (', '.join(flat), 'object' if t == 'string' else 'np.float32')
        else:
            value += '.astype(np.%s)' % NUMPY[t]
        return ('p(feed, %s, %s.reshape(%r))' if self.fed else 'c(%s, %s.reshape(%r))') % (tf_type(t), value, tuple(shape))


class Verbatim(str):
    """The Python text of a value."""


def recorded(op):
    """Returns the recorded calls of an op whose inputs are plain tensors."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'oracle', 'values', op['name'] + '.json')
    if not os.path.exists(path):
        return []
    with open(path) as f:
        cases = json.load(f)['cases']

    def plain(case):
        return len(case['in']) == len(op['inputs']) and all(
            isinstance(i, list) or (i[0] not in '&~' and i.count(' ') < 3000) for i in case['in'])
    return [case for case in cases if 'error' not in case and plain(case)]


def name(word):
    return word + '_' if word in ('lambda', 'input_') else word


def run(tensh, calls, seconds, slow):
    """Returns the calls that failed: [(call, reason)]. One process runs all calls. If it crashes in one of them, that
    call is left out of the next process."""
    bad, todo = [], list(calls)
    while todo:
        # A process that is killed must not leave a script in the source tree.
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, 'calls.py')
            with open(script, 'w') as f:
                f.write('SLOW = %r\n' % slow + HEAD)
                for i, call in enumerate(todo):
                    f.write('t(%d, lambda feed: %s)\n' % (i, call))
            try:
                p = subprocess.run([tensh, '--sandbox', script], capture_output=True, timeout=seconds + len(todo), cwd=folder)
                out, code, err = p.stdout, p.returncode, p.stderr
            except subprocess.TimeoutExpired as e:
                out, code, err = e.stdout or b'', 'hangs', b''
        at = -1
        for line in out.decode('utf-8', 'replace').splitlines():
            if line.startswith('@ '):
                at = int(line[2:])
            elif line.startswith('slow') and 'DynamicStitch' in todo[at]:
                pass  # the call requests 2^31 rows
            elif line == 'ok' and todo[at] in MUST_FAIL:
                bad.append((todo[at], 'is no error'))
            elif line != 'ok' and not ALLOWED.search(line):
                bad.append((todo[at], line))
        if code == 0:
            break
        bad.append((todo[max(at, 0)], 'exit %s: %s' % (code, err.decode('utf-8', 'replace').strip()[-400:])))
        todo = todo[max(at, 0) + 1:]
    return bad


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seed', type=int, default=1)
    a.add_argument('--count', type=int, default=20, help='calls of each op')
    a.add_argument('--ops', default='')
    a.add_argument('--rotate', action='store_true', help='if TENSH_TENTH is a digit, call only this tenth of the ops')
    a.add_argument('--part', default='1/1', metavar='K/N')
    a.add_argument('--slow', type=float, default=0, metavar='SECONDS')
    o = a.parse_args()
    o.tensh = os.path.abspath(o.tensh)
    ops = json.loads(subprocess.run([o.tensh, '-c', 'ops --json'], capture_output=True, check=True).stdout)
    wanted = set(filter(None, o.ops.split(',')))
    known = {op['name'] for op in ops}
    r, calls = random.Random(o.seed), []
    for call in CRASHES + TOO_LARGE + VALUES:
        used = re.findall(r'raw_ops\.(\w+)', call)
        if known.issuperset(used) and (not wanted or wanted.intersection(used)):
            calls.append(call)
    tenth = os.environ.get('TENSH_TENTH', '')
    chosen = ops[int(tenth)::10] if o.rotate and tenth.isdigit() else ops
    for op in chosen:
        if not wanted or op['name'] in wanted:
            cases = recorded(op)
            calls += [Call(r, op).text() for _ in range(o.count if not cases else (o.count + 1) // 2)]
            calls += [Changed(r, op, r.choice(cases)).text() for _ in range(o.count // 2) if cases]
    k, parts = map(int, o.part.split('/'))
    calls = calls[len(calls) * (k - 1) // parts:len(calls) * k // parts]
    bad = 0
    for start in range(0, len(calls), 500):
        for call, why in run(o.tensh, calls[start:start + 500], 60, o.slow):
            print('%s\n    %s' % (why, call), flush=True)
            bad += 1
        print('%d of %d calls' % (min(start + 500, len(calls)), len(calls)), file=sys.stderr, flush=True)
    print('%d of %d calls went wrong' % (bad, len(calls)))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
