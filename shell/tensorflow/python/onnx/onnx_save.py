"""Writes a graph as an ONNX model: `save model.onnx`. One rule per op, in the files onnx_save_*.py, adds the nodes.

Variables become initializers, and whatever depends only on constants and variables is computed when the file is
written. Convolutions compute with the channels second; a value that is needed with the channels last is transposed
once, so that nothing is transposed between two convolutions.
"""
import json
import os
import re
import struct
import numpy as np
from _library.onnx_rules import const, to_first, to_last
from google.protobuf.internal.wire_format import field, varint

OPSET = 17
RULES = {}  # op of TensorFlow: function of a Node, which returns its outputs
ELEMENTWISE = set()  # ops that can be computed in any order of the dimensions
_TYPES = {1: 1, 2: 11, 3: 6, 4: 2, 5: 5, 6: 3, 7: 8, 9: 7, 10: 9, 14: 16, 17: 4, 19: 10, 22: 12, 23: 13, 8: 14, 18: 15}
_IMPURE = re.compile('Random|Placeholder|Switch|Merge|Enter|Exit|NextIter|LoopCond|Call$|While$|If$|TensorArray|TensorList|'
                     'Queue|Iterator|Dataset|Table|Reader|Assign|Print|Assert|Save|Restore|Summary|PyFunc|Multinomial|'
                     'Dropout|Shuffle|Stateful|Uniform|Handle|Stack|Unsupported|Case$|Identity(N|Reader)|^_')
_VARIABLES = ('VariableV2', 'Variable', 'VarHandleOp')
_LARGE = 1 << 18  # bytes of a computed value above which it must not be larger than its inputs
LARGEST = 1900000000  # bytes of all initializers from which on they are written beside the model
_PASSED = ('Identity', 'StopGradient', 'PreventGradient', 'Snapshot', 'EnsureShape', 'CheckNumerics', 'DisableCopyOnRead',
           'ReadVariableOp', 'Enter', 'RefEnter', 'PlaceholderWithDefault')


class Refused(Exception):
    """An op that cannot be written. The message says why."""


class Bad(Exception):
    """The value of an op that cannot be written."""

    def __init__(self, op):
        self.op = op


class First(object):
    """A result whose channels are second, although they are last in the tensor."""

    def __init__(self, name):
        self.name = name


def rule(names, elementwise=False):
    def add(f):
        for name in names.split():
            RULES[name] = f
            if elementwise:
                ELEMENTWISE.add(name)
        return f
    return add


def onnx_type(dtype):
    number = _TYPES.get(tf.as_dtype(dtype).base_dtype.as_datatype_enum)
    if number is None:
        raise Refused('ONNX has no tensors of type %s' % tf.as_dtype(dtype).name)
    return number


class Body(object):
    """The nodes of the model or of one of its subgraphs, and the ONNX values of the tensors that they compute."""

    def __init__(self, parent=None):
        self.parent, self.nodes, self.values, self.first, self.inputs, self.outputs = parent, [], {}, {}, [], []

    def close(self):
        """Drops what is only needed while nodes are added. Otherwise the bodies of loops would keep tensors alive."""
        self.parent, self.values, self.first = None, {}, {}

    def find(self, name, what='values'):
        body = self
        while body is not None:
            found = getattr(body, what).get(name)
            if found is not None:
                return found
            body = body.parent
        return None


class Node(object):
    """An op as its rule sees it."""

    def __init__(self, writer, op):
        self.writer, self.op, self.type, self.in_first = writer, op, op.type, False
        self.inputs, self.outputs = list(op.inputs), op.outputs

    def attr(self, name, default=None):
        try:
            value = self.op.get_attr(name)
        except ValueError:
            return default
        if isinstance(default, list) and isinstance(value, str):
            return json.loads(value)
        return value.decode() if isinstance(value, bytes) else value

    def x(self, i):
        """The ONNX name of an input."""
        t = self.inputs[i]
        return self.writer.moved(t, self.rank) if self.in_first else self.writer.plain(t)

    def xs(self, first=0, last=None):
        return [self.x(i) for i in range(len(self.inputs))[first:last]]

    def first(self, i):
        """The ONNX name of an input with its channels second."""
        return self.writer.first(self.inputs[i])

    def value(self, i):
        """The value of an input, or None if it is not known."""
        return self.writer.value_of(self.inputs[i])

    def need(self, i, what):
        value = self.value(i)
        if value is None:
            raise Refused('%s must be known when the file is written, and %s is computed from an input' % (
                what, self.inputs[i].op.name))
        return value

    def ints(self, i):
        """The ONNX name of an input of integers, as int64."""
        return self.writer.int64(self.inputs[i])

    def shape(self, i=0):
        dims = self.inputs[i].shape
        return None if dims.ndims is None else dims.as_list()

    def ndims(self, i=0):
        if self.inputs[i].shape.ndims is None:
            raise Refused('the number of dimensions of %s is not known before a run' % self.inputs[i].op.name)
        return self.inputs[i].shape.ndims

    def dtype(self, i=0):
        return self.inputs[i].dtype.base_dtype

    def make(self, op, inputs, **attrs):
        return self.writer.make(op, inputs, **attrs)

    def many(self, op, inputs, count, **attrs):
        return self.writer.many(op, inputs, count, **attrs)

    def like(self, value, i=0):
        """A number of the type of an input."""
        return self.writer.constant(np.array(value, self.dtype(i).as_numpy_dtype))

    def int64(self, values):
        return self.writer.constant(np.array(values, np.int64))

    def cast(self, x, dtype):
        return self.make('Cast', [x], to=onnx_type(dtype))


def field_text(number, pieces):
    """A field of a message that is a list of pieces, as a list."""
    return [varint(number << 3 | 2) + varint(sum(len(p) for p in pieces))] + pieces


class Writer(object):
    """Translates the tensors of a graph into a model. A format is a subclass with its rules: ONNX, or TensorFlow Lite."""
    format, rules, elementwise, node = 'ONNX', RULES, ELEMENTWISE, Node

    def __init__(self, session, inputs):
        self.session, self.inputs = session, inputs
        self.root = self.body = Body()
        self.initializers, self.shared, self.taken, self.counts = {}, {}, set(), {}
        self.known, self.cache, self.refused = {}, {}, []
        self.prefix, self.scope, self.made = '', 'model', {}

    # ---- names ----

    def name(self, wanted):
        made = wanted
        while made in self.taken:
            self.counts[wanted] = self.counts.get(wanted, 0) + 1
            made = '%s_%d' % (wanted, self.counts[wanted])
        self.taken.add(made)
        return made

    def short(self, op):
        """The name of an op without the scope of the model and that of a function that was written out."""
        name = op.name[len(self.prefix):] if op.name.startswith(self.prefix) else op.name
        return name.split('/', 1)[1] if name.startswith('saved_call_') else name

    def own(self, t):
        """The name of a tensor in the model: that of its op, and its index if it is not the first output."""
        return self.short(t.op) + (':%d' % t.value_index if t.value_index else '')

    # ---- nodes ----

    def make(self, op, inputs, **attrs):
        return self.many(op, inputs, 1, **attrs)[0]

    def many(self, op, inputs, count, **attrs):
        outs = [self.name('%s/%s' % (self.scope, op)) for _ in range(count)]
        self.body.nodes.append([op, list(inputs), outs, attrs])
        return outs

    def constant(self, value, name=None):
        """An initializer with this value. Small ones are shared."""
        value = np.asarray(value)
        key = None
        if value.nbytes <= 256 and name is None:
            key = (value.dtype.name, tuple(value.shape), value.tobytes())
            if key in self.shared:
                return self.shared[key]
        made = self.name(name or self.scope + '/const')
        self.initializers[made] = value
        if key:
            self.shared[key] = made
        return made

    # ---- values ----

    def is_known(self, top):
        """Returns true if an op depends only on constants and variables, and can be run to know its outputs."""
        stack = [top]
        while stack:
            op = stack[-1]
            if op.name in self.known:
                stack.pop()
                continue
            if not self._may_be_known(op):
                self.known[op.name] = False
            else:
                missing = [i.op for i in op.inputs if i.op.name not in self.known and i.name not in self.inputs]
                if missing:
                    stack += missing
                    continue
                self.known[op.name] = all(i.name not in self.inputs and self.known[i.op.name] for i in op.inputs) and \
                    self._is_no_larger(op)
            stack.pop()
        return self.known[top.name]

    def _may_be_known(self, op):
        if op.type in _VARIABLES or op.type == 'Const' and not op.control_inputs:
            return True
        if op.type in ('Shape', 'Size', 'Rank'):
            return False  # of an input that may be known in part; see value_of
        if op.control_inputs or not op.outputs or not op.graph.is_fetchable(op) or _IMPURE.search(op.type):
            return op.type == 'PlaceholderWithDefault' or op.type == 'ReadVariableOp'
        return bool(op.inputs)

    def _is_no_larger(self, op):
        """Returns false for ops such as Fill and Tile, whose result is much larger than their inputs."""
        if not op.inputs:
            return True
        size = sum(t.shape.num_elements() or 0 for t in op.outputs if t.shape.is_fully_defined()) * 4
        return size <= max([_LARGE] + [8 * (t.shape.num_elements() or 0) for t in op.inputs if t.shape.is_fully_defined()])

    def value_of(self, t):
        """The value of a tensor that is known when the file is written, or None."""
        while t.op.type == 'Identity' and t.name not in self.cache and t.name not in self.inputs:
            t = t.op.inputs[0]
        found = self.cache.get(t.name)
        if found is None and t.name not in self.inputs and self.body.find(t.name) is None:
            found = const(t)
            if found is None and t.op.type in ('Enter', 'RefEnter') and t.op.get_attr('is_constant'):
                found = self.value_of(t.op.inputs[0])
            if found is None and self.is_known(t.op):
                found = self.session.run(self.fetch_of(t))
            if found is not None:
                found = self.cache[t.name] = np.asarray(found)
        return found

    def fetch_of(self, t):
        if t.op.type == 'VarHandleOp':
            return tf.raw_ops.ReadVariableOp(resource=t, dtype=t.op.get_attr('dtype'))
        return t

    def plain(self, t):
        """The ONNX name of a tensor, in the order of its dimensions in TensorFlow."""
        found = self.body.find(t.name)
        if found is not None:
            if isinstance(found, Bad):
                raise found
            return found
        found = self.body.find(t.name, 'first')
        if found is not None:
            made = self.make('Transpose', [found], perm=to_last(t.shape.ndims))
            self.rename(made, self.own(t))
            made = self.body.values[t.name] = self.body.nodes[-1][2][0]
            return made
        value = self.value_of(t)
        if value is None:
            raise Refused('its input %s has no value' % t.name)
        name = self.constant(value, self.own(t))
        self.root.values[t.name] = name
        return name

    def first(self, t):
        """The ONNX name of a tensor with its channels second."""
        found = self.body.find(t.name, 'first')
        if found is None:
            r, value = t.shape.ndims, self.value_of(t)
            if r is None:
                raise Refused('the number of dimensions of %s is not known before a run' % t.op.name)
            if value is not None:
                found = self.constant(np.transpose(value, to_first(r)), self.own(t) + '/first')
                self.root.first[t.name] = found
            else:
                found = self.body.first[t.name] = self.make('Transpose', [self.plain(t)], perm=to_first(r))
        return found

    def moved(self, t, r):
        """An input of an elementwise op that is computed with the channels second."""
        if t.shape.ndims == r:
            return self.first(t)
        if t.shape.ndims == 0:
            return self.plain(t)
        value = self.value_of(t)
        if value is not None:
            return self.constant(np.reshape(value, [-1] + [1] * (r - 2)), self.own(t) + '/first')
        return self.make('Reshape', [self.plain(t), self.constant(np.array([-1] + [1] * (r - 2), np.int64))])

    def int64(self, t):
        value = self.value_of(t)
        if value is not None:
            return self.constant(np.asarray(value).astype(np.int64))
        name = self.plain(t)
        if t.dtype.base_dtype == tf.int64:
            return name
        for node in self.body.nodes[-40:]:  # of a Cast from int64, its input
            if node[0] == 'Cast' and node[2] == [name] and node[3].get('wide'):
                return node[1][0]
        return self.make('Cast', [name], to=7)

    # ---- translation ----

    def emit(self, tensors):
        """Adds the nodes that compute the tensors to the current body."""
        done, stack = set(), [t.op for t in tensors][::-1]
        while stack:
            op = stack[-1]
            if op.name in done or all(self._has(t) for t in op.outputs) and op.outputs:
                stack.pop()
                continue
            todo = [i.op for i in self._needs(op) if i.op.name not in done and not self._has(i)]
            if todo:
                if any(op.name == o.name for o in todo) or len(stack) > 200000:
                    raise ValueError('the graph contains a cycle at %s' % op.name)
                stack += todo[::-1]
                continue
            done.add(op.name)
            stack.pop()
            self._translate(op)

    def _has(self, t):
        return t.name in self.inputs or self.body.find(t.name) is not None or \
            self.body.find(t.name, 'first') is not None or self.value_of_is_cheap(t)

    def value_of_is_cheap(self, t):
        while t.op.type == 'Identity' and t.name not in self.cache:
            t = t.op.inputs[0]
        return t.name in self.cache or self.is_known(t.op) or t.op.type == 'Const'

    def _needs(self, op):
        from _library.onnx_save_control import inputs_of
        return inputs_of(self, op)

    def _translate(self, op):
        n = self.node(self, op)
        self.scope = self.short(op)
        before = len(self.body.nodes)
        try:
            made = self._apply(n)
        except Bad as e:
            made = [e] * len(op.outputs)
        except (Refused, KeyError, IndexError, TypeError, ValueError, AttributeError, tf.errors.OpError) as e:
            if isinstance(e, tf.errors.FailedPreconditionError):
                raise
            del self.body.nodes[before:]
            self.refused.append((op, str(e)))
            made = [Bad(op)] * len(op.outputs)
        for t, value in zip(op.outputs, made):
            if isinstance(value, First):
                self.body.first[t.name] = value.name
            elif value is not None:
                self.body.values[t.name] = self._named(value, t, before)

    def _named(self, value, t, before):
        """Gives the ONNX value the name of its tensor if a node of this op computes it."""
        if isinstance(value, str):
            for node in self.body.nodes[before:]:
                if value in node[2]:
                    return self.rename(value, self.own(t), before)
        return value

    def rename(self, old, wanted, before=-1):
        if wanted in self.taken:
            return old
        self.taken.discard(old)
        self.taken.add(wanted)
        for node in self.body.nodes[before:]:
            for names in (node[1], node[2]):
                names[:] = [wanted if name == old else name for name in names]
        return wanted

    def _apply(self, n):
        for t in n.inputs:
            bad = self.body.find(t.name)
            if isinstance(bad, Bad):
                raise bad
        for c in n.op.control_inputs:
            if any(o.type.startswith('Assign') for o in [c] + list(c.control_inputs if c.type == 'ReadVariableOp' else [])):
                raise Refused('it changes a variable in each run')
        f = self.rules.get(n.type)
        if f is None:
            raise Refused('random numbers are not written' if 'Random' in n.type else 'there is no rule for this op')
        for t in n.outputs:
            if t.dtype == tf.string:
                raise Refused('texts are not written')
        if n.type in self.elementwise and self._moves(n):
            n.in_first = True
            made = f(n)
            return [First(made)]
        made = f(n)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def _moves(self, n):
        """Returns true if an elementwise op can be computed with the channels second without a transposition."""
        ranks = [t.shape.ndims for t in n.inputs]
        if None in ranks or not ranks or max(ranks) < 3:
            return False
        r = n.rank = max(ranks)
        with_first = [t for t in n.inputs if self.body.find(t.name, 'first') is not None and t.shape.ndims == r]
        if not with_first:
            return False
        channels = with_first[0].shape.as_list()[-1]
        for t in n.inputs:
            dims = t.shape.as_list()
            if len(dims) not in (0, 1, r) or len(dims) == 1 and dims[0] not in (1, channels):
                return False
            if len(dims) == r and self.body.find(t.name, 'first') is None and self.value_of(t) is None:
                return False
        return True


# ---- the message ----

def _attribute(name, value):
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, int):
        return [field(1, name) + field(3, value) + field(20, 2)]
    if isinstance(value, float):
        return [field(1, name) + varint(2 << 3 | 5) + struct.pack('<f', value) + field(20, 1)]
    if isinstance(value, str):
        return [field(1, name) + field(4, value) + field(20, 3)]
    if isinstance(value, Body):
        return [field(1, name)] + field_text(6, graph_pieces(value, name, {})) + [field(20, 5)]
    if value and isinstance(value[0], float):
        return [field(1, name) + b''.join(varint(7 << 3 | 5) + struct.pack('<f', v) for v in value) + field(20, 6)]
    return [field(1, name) + b''.join(field(8, int(v)) for v in value) + field(20, 7)]


def _node(node):
    op, inputs, outputs, attrs = node
    pieces = [b''.join(field(1, i) for i in inputs) + b''.join(field(2, o) for o in outputs) + field(3, outputs[0]) + field(4, op)]
    for name in sorted(attrs):
        if name != 'wide':
            pieces += field_text(5, _attribute(name, attrs[name]))
    return pieces


def _tensor(name, value, outside):
    value = np.asarray(value)
    dims = b''.join(field(1, int(d)) for d in value.shape)
    head = dims + field(2, onnx_type(value.dtype)) + field(8, name)
    data = value.tobytes()
    if outside is None or len(data) < 1024:
        return [head] + field_text(9, [data])
    place = {'location': outside.name, 'offset': str(outside.size), 'length': str(len(data))}
    outside.add(data)
    return [head + b''.join(field(13, field(1, k) + field(2, v)) for k, v in sorted(place.items())) + field(14, 1)]


def value_info(name, dtype, shape):
    """A ValueInfoProto. An extent that is not known has a name of its own."""
    kind = field(1, dtype if isinstance(dtype, int) else onnx_type(dtype))
    if shape is not None and shape.ndims is not None:
        dims = [field(2, '%s_d%d' % (name, i)) if d is None else field(1, d) for i, d in enumerate(shape.as_list())]
        kind += field(2, b''.join(field(1, d) for d in dims))
    return field(1, name) + field(2, field(1, kind))


def graph_pieces(body, name, initializers, outside=None):
    pieces = []
    for node in body.nodes:
        pieces += field_text(1, _node(node))
    pieces.append(field(2, name))
    for key in initializers:
        pieces += field_text(5, _tensor(key, initializers[key], outside))
    for number, infos in ((11, body.inputs), (12, body.outputs)):
        pieces.append(b''.join(field(number, info) for info in infos))
    return pieces


def dropped(body, wanted):
    """Removes the nodes whose outputs nothing uses. Returns the names that are used, also by subgraphs."""
    used = set(wanted)
    kept = []
    for node in body.nodes[::-1]:
        if any(o in used for o in node[2]):
            kept.append(node)
            used.update(node[1])
            for value in node[3].values():
                if isinstance(value, Body):
                    used.update(dropped(value, value.wanted))
    body.nodes[:] = kept[::-1]
    return used


class Outside(object):
    """The file beside a model that holds its large tensors."""

    def __init__(self, name):
        self.name, self.size, self.pieces = name, 0, []

    def add(self, data):
        gap = -len(data) % 4096
        self.pieces += [data, b'\0' * gap]
        self.size += len(data) + gap


def model_pieces(writer, name, outside=None):
    """The message of the model, as a list of bytes."""
    graph = graph_pieces(writer.root, name, writer.initializers, outside)
    return [field(1, 8) + field(2, 'tensh')] + field_text(7, graph) + [field(8, field(1, '') + field(2, OPSET))]


def translate(session, path, inputs, outputs, fixed, prefix='', is_named=True):
    """Returns the Writer of a model. Inputs and outputs are lists of (name, tensor). `fixed` has the values of tensors that
    are constants in the model, by name. `path` is for the error, and so is `is_named`:
    whether the outputs stay in the graph after it, as the nodes of an expression do not."""
    from _library import onnx_save_math, onnx_save_array, onnx_save_nn, onnx_save_control
    for file in (onnx_save_math, onnx_save_array, onnx_save_nn, onnx_save_control):
        file.rule  # a file is loaded when one of its names is first used
    writer = Writer(session, {t.name: key for key, t in inputs})
    writer.prefix, writer.given, writer.is_named = prefix, [t for _, t in inputs], is_named
    writer.cache.update(fixed)
    for key, t in inputs:
        writer.root.values[t.name] = writer.name(key)
        writer.root.inputs.append(value_info(key, t.dtype, t.shape))
    writer.taken.update(key for key, _ in outputs)
    writer.emit([t for _, t in outputs])
    check(writer, path, [t for _, t in outputs])
    for key, t in outputs:
        writer.scope = key
        writer.root.nodes.append(['Identity', [writer.plain(t)], [key], {}])
        writer.root.outputs.append(value_info(key, t.dtype, t.shape))
    writer.root.close()
    used = dropped(writer.root, [key for key, _ in outputs])
    writer.initializers = {k: v for k, v in writer.initializers.items() if k in used}
    _short_cut(writer.root, [key for key, _ in outputs])
    return writer


def _short_cut(body, outputs):
    """Lets the node that computes an output have its name, where an Identity would rename it."""
    makers = {o: node for node in body.nodes for o in node[2]}
    counts = {}
    for node in body.nodes:
        for i in node[1]:
            counts[i] = counts.get(i, 0) + 1
    for node in body.nodes[:]:
        if node[0] == 'Identity' and node[2][0] in outputs and node[1][0] in makers and counts[node[1][0]] == 1:
            maker = makers[node[1][0]]
            maker[2][:] = [node[2][0] if o == node[1][0] else o for o in maker[2]]
            body.nodes.remove(node)


def check(writer, path, outputs):
    """Raises if an output cannot be written: names the ops, why, what depends on them, and what to do."""
    bad = [t for t in outputs if isinstance(writer.body.find(t.name), Bad)]
    if not bad:
        return
    lines, seen = [], set()
    for op, reason in writer.refused:
        if op.type not in seen:
            seen.add(op.type)
            more = sum(o.type == op.type for o, _ in writer.refused) - 1
            blocked = sorted(set(t.op.name for t in bad if writer.body.find(t.name).op.name == op.name))
            lines.append("node '%s' (%s%s): %s%s" % (op.name, op.type, ', and %d more' % more if more else '', reason.rstrip('.'),
                                                     '; needed by ' + ', '.join(blocked[:4]) if blocked else ''))
    first = writer.refused[0][0]
    source = first.inputs[0] if first.inputs else None
    whole = source is not None and source.op.type not in ('Placeholder', 'Const') and not source.name.startswith('saved_call_')
    before = source.name[:-2] if whole and source.name.endswith(':0') else None
    flags = [t.op.name for t in writer.given if t.dtype == tf.bool and t.shape.ndims == 0]
    advice = 'save %s.pb' % os.path.splitext(path)[0]
    if flags:  # it often decides between training and inference
        advice = 'save %s %s feed %s=False' % (path, bad[0].op.name, flags[0])
    elif before and writer.is_named:
        advice = 'save %s %s' % (path, before)
    raise NotImplementedError('this graph cannot be written as %s: %s. Type: %s' % (writer.format, '; '.join(lines[:5]), advice))
