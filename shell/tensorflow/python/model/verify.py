"""The verb verify: runs the same tensors in two places with the same feeds, and compares them node by node."""
import json
import os
import _library
import numpy as np
from _library.freezing import Frozen, Written
from _library.graph_util import _graph_def, _parts
from _library.model import Model, sample, short, shape_text, Info, Arrays
from _library.saving import Request
from google.protobuf.internal.wire_format import field as _field

_WORST = 10  # rows of the table
_STATE = ('Const', 'Placeholder', 'VarHandleOp', 'VariableV2', 'Variable', 'NoOp', 'Identity', 'ReadVariableOp')


# ---- feeds ----

def _extent(shape, i, dtype):
    """A guess of an unknown extent: of the batch, an image with the channels last or first, a signal, or a sequence."""
    if i == 0 or i == 1 and len(shape) == 3 and (shape[0] or 1) > 1:  # the batch, also of the state [layers, batch, size] of a layer
        return 2
    if len(shape) == 4 and (shape[1] in (1, 3, 4) or shape[3] in (1, 3, 4)):
        return 64
    return 512 if len(shape) == 2 and dtype.is_floating else 8


def _generated(t):
    """A value for an input that was not fed. It depends only on the name, type and shape of the input."""
    info = Info(t.op.name, t.dtype.base_dtype, t.shape)
    shape = [2] if t.shape.ndims is None else t.shape.as_list()
    shape = [_extent(shape, i, t.dtype) if d is None else d for i, d in enumerate(shape)]
    random = np.random.RandomState(sum(ord(c) * 31 ** (i % 5) for i, c in enumerate(t.op.name)) % 2 ** 31)
    dtype = t.dtype.base_dtype
    if dtype == tf.string:
        return np.full(shape, 'text')
    if dtype == tf.bool:
        return random.randint(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        return random.randint(0, 2, shape).astype(dtype.as_numpy_dtype)
    return random.standard_normal(shape).astype(dtype.as_numpy_dtype)


def _complete(feeds, inputs):
    """Adds values for the inputs that have none. Returns the texts of all inputs."""
    texts = []
    for key, t in inputs.items():
        known = [f for f in feeds if getattr(f, 'name', f) == t.name]
        if not known:
            feeds[t] = _generated(t)
        value = np.asarray(feeds[known[0]] if known else feeds[t])
        texts.append('%s %s%s%s' % (key, short(t.dtype), '[%s]' % ','.join(str(d) for d in value.shape),
                                    '' if known else ' (generated)'))
    return texts


# ---- what is compared ----

def _order(outputs, resolved):
    """The ops that the outputs depend on, each after its inputs. Ops inside of loops and branches are left out, because
    a step cannot fetch them."""
    order, done, stack = [], set(), [t.op for t in outputs][::-1]
    while stack:
        op = stack.pop()
        if isinstance(op, tuple):
            order.append(op[0])
            continue
        if op.name in done:
            continue
        done.add(op.name)
        stack.append((op,))
        if op.type in ('NextIteration', 'RefNextIteration'):  # its inputs come after it
            continue
        stack += [o for o in [resolved(i).op for i in op.inputs] + list(op.control_inputs) if o.name not in done][::-1]
    depths, kept = {}, []
    for op in order:
        above = [resolved(i).op for i in op.inputs] + list(op.control_inputs)
        depth = max([depths.get(o.name, 0) for o in above] + [0])
        if op.type in ('Switch', 'RefSwitch', 'Enter', 'RefEnter', 'NextIteration', 'RefNextIteration'):
            depth += 1
        elif op.type in ('Exit', 'RefExit'):
            depth = max(0, depth - 2)
        elif op.type in ('Merge', 'RefMerge') and not any(o.type.endswith(('Enter', 'NextIteration')) for o in above):
            depth = max(0, depth - 1)
        depths[op.name] = depth
        if depth == 0 and op.graph.is_fetchable(op):
            kept.append(op)
    return kept


def _tensors(outputs, resolved):
    wanted = set(t.name for t in outputs)
    return [t for op in _order(outputs, resolved) if op.type not in _STATE or any(t.name in wanted for t in op.outputs)
            for t in op.outputs if t.dtype.base_dtype not in (tf.resource, tf.variant)]


# ---- differences ----

def _ordered(values):
    """The bits of floats as integers in the order of the floats, so that neighbours differ by 1."""
    kind = {2: np.int16, 4: np.int32, 8: np.int64}[values.dtype.itemsize]
    bits = np.frombuffer(values.tobytes(), kind).astype(np.float64)
    return np.reshape(np.where(bits < 0, -(bits + 2.0 ** (8 * values.dtype.itemsize - 1)), bits), values.shape)


class Row(object):
    """The comparison of one tensor: the largest absolute and relative error and the distance in units in the last place."""

    def __init__(self, name, op, here, there, tolerance):
        self.name, self.op = name, op
        here, there = np.asarray(here), np.asarray(there)
        self.shape, self.dtype = list(here.shape), here.dtype.name
        self.absolute = self.relative = self.ulps = 0.0
        self.at, self.note = None, ''
        if here.dtype.kind == 'c' and here.dtype == there.dtype and here.shape == there.shape:
            here, there = [np.stack([v.real, v.imag], -1) for v in (here, there)]
        if here.shape != there.shape or here.dtype != there.dtype:
            self.relative = float('inf')
            self.note = '%s%s here, %s%s there' % (here.dtype.name, list(here.shape), there.dtype.name, list(there.shape))
        elif here.dtype.kind == 'f':
            self._floats(here, there)
        elif here.size:
            same = here == there
            if not np.all(same):
                self._place(np.logical_not(same), here, there)
                if here.dtype.kind in 'iu':
                    self.absolute = float(np.max(np.abs(here.astype(np.float64) - there.astype(np.float64))))
                self.relative = float('inf')
        limit = tolerance if tolerance is not None else 1e-5 if here.dtype.kind == 'f' else 0
        self.differs = self.relative > limit

    def _place(self, where, here, there):
        at = int(np.argmax(np.reshape(where, [-1])))
        place = []
        for d in here.shape[::-1]:
            place.insert(0, at % d)
            at //= d
        self.at = place
        self.note = '%s here, %s there' % (here[tuple(place)] if place else here, there[tuple(place)] if place else there)

    def _floats(self, here, there):
        if not here.size:
            return
        nan = np.isnan(here) & np.isnan(there)
        same = nan | (here == there)
        if np.all(same):
            return
        a, b = here.astype(np.float64), there.astype(np.float64)
        error = np.where(same, 0.0, np.abs(a - b))
        if np.any(np.isnan(error) | np.isinf(error)):
            self.absolute = self.relative = self.ulps = float('inf')
            return self._place(np.isnan(error) | np.isinf(error), here, there)
        self.absolute = float(np.max(error))
        scale = float(np.max(np.where(np.isfinite(a), np.abs(a), 0.0)))
        self.relative = self.absolute / scale if scale else float('inf')
        self.ulps = float(np.max(np.where(same, 0.0, np.abs(_ordered(here) - _ordered(there)))))
        self._place(error == self.absolute, here, there)

    def json(self):
        number = lambda v: v if v == v and abs(v) != float('inf') else 'inf'
        return {'tensor': self.name, 'op': self.op, 'dtype': self.dtype, 'shape': self.shape, 'differs': self.differs,
                'max_abs': number(self.absolute), 'max_rel': number(self.relative), 'ulps': number(self.ulps), 'at': self.at}


def _number(v):
    return '0' if v == 0 else 'inf' if v == float('inf') else '%.2g' % v


def _grid(rows, width):
    heads = ('tensor', 'op', 'type', 'max abs', 'max rel', 'ulps')
    cells = [(r.name, r.op, short(r.dtype) + '[%s]' % ','.join(str(d) for d in r.shape), _number(r.absolute),
              _number(r.relative), '%d' % r.ulps if r.ulps < 1e7 else _number(r.ulps)) for r in rows]
    sizes = [max(len(row[i]) for row in cells + [heads]) for i in range(6)]
    sizes[0] = max(16, min(sizes[0], width - sum(sizes[1:]) - 13))
    lines = []
    for row, mark in [(heads, ' ')] + [(c, '≠' if r.differs else ' ') for c, r in zip(cells, rows)]:
        name = row[0] if len(row[0]) <= sizes[0] else '…' + row[0][1 - sizes[0]:]
        lines.append(' %s %s  %s  %s  %s  %s  %s' % (mark, name.ljust(sizes[0]), row[1].ljust(sizes[1]), row[2].ljust(sizes[2]),
                                                  row[3].rjust(sizes[3]), row[4].rjust(sizes[4]), row[5].rjust(sizes[5])))
    return lines


# ---- the other place ----

class Here(object):
    """The tensors of the current session. Functions are written out, so that their tensors can be compared."""

    def __init__(self, request, signature=None):
        inputs, outputs = signature or request.signature()
        self.session, self.keys = request.session, list(outputs)
        self.request, self.inputs = request, dict(inputs)
        with request.graph.as_default():
            written = Written(request, [outputs[k] for k in self.keys])
        self.outputs, self.calls = written.outputs, written.calls
        self.tensors = _tensors(self.outputs, written.resolved)
        self.prefix = ''

    def run(self, tensors, feeds):
        return self.session.run(tensors, feeds) if tensors else []

    def label(self, t):
        name = t.op.name
        for scope in ('frozen/', self.prefix):
            if scope and name.startswith(scope):
                name = name[len(scope):]
        return name if t.value_index == 0 else '%s:%d' % (name, t.value_index)


def _copy(here, device):
    """A graph that has the nodes of `here`, with the variables as constants, on a device if one is given."""
    with here.request.graph.as_default():
        try:
            frozen = Frozen(here.request, here.outputs, here.calls)
        except NotImplementedError as e:
            raise NotImplementedError('this graph cannot be copied: %s. Type: save model.onnx, and verify against model.onnx' % (
                str(e).split('. Type:')[0]))
    graph_def, _ = frozen.graph_def([t.op.name for t in here.outputs])
    if device:
        nodes, rest = _parts(graph_def)
        graph_def = _graph_def([_field(1, n.name) + _field(2, n.op) + b''.join(_field(3, i) for i in n.inputs) + _field(4, device) +
                                b''.join(_field(5, a) for a in n.attrs) for n in nodes], rest)
    graph = tf.Graph()._hide()
    with graph.as_default():
        tf.import_graph_def(graph_def, name='')
    return graph


def _elsewhere(here, feeds, target, device):
    """The values of the tensors of `here` in a session of a server, or on another device."""
    graph = _copy(here, device)
    there = {t.name: graph.get_tensor_by_name(t.name) for t in here.tensors}
    given = {graph.get_tensor_by_name(t.name): v for t, v in feeds.items() if _has(graph, t.name)}
    cpus = sum(d.device_type == 'CPU' for d in here.session.list_devices())
    config = tf.ConfigProto(allow_soft_placement=True, **({} if target else {'device_count': {'CPU': cpus}}))
    with tf.Session(target, graph=graph, config=config) as session:
        if device:
            _check_device(session, device)
        return session.run(there, given)


def _check_device(session, device):
    """Raises if the session does not have this device, on which soft placement would silently put nothing."""
    wanted = [part.replace('device:', '').lower() for part in device.split('/') if 'job:' not in part and ':' in part][-1:]
    here = [d.name for d in session.list_devices()]
    if not any(name.lower().replace('device:', '').endswith('/' + w) for name in here for w in wanted):
        raise ValueError('there is no device %s; there are %s. Type: devices' % (device, ', '.join(here)))


def _has(graph, name):
    try:
        graph.get_tensor_by_name(name)
        return True
    except (KeyError, ValueError):
        return False


def _recorded(path):
    """The values of a file, by name."""
    graph = tf.Graph()._hide()
    with graph.as_default():
        opened = _library.opening.open_path(path, '', tf.Session(graph=graph), None)
    if isinstance(opened, Model):
        raise ValueError('%s is a model, not recorded values. Type: verify against %s' % (path, path))
    return {str(k): np.asarray(opened[k]) for k in opened}


def _opened(path):
    """A file with a graph, opened in a graph of its own, as Here."""
    graph = tf.Graph()._hide()
    with graph.as_default():
        session = tf.Session(graph=graph)
        model = _library.opening.open_path(path, '', session, None)
        if not isinstance(model, Model):
            raise ValueError('%s is %s. Type: verify TENSOR with %s' % (path, model._kind if isinstance(model, Arrays) else 'a checkpoint',
                                                                        path))
        request = Request(path, session, [], [], {}, False)
        if model._signatures:
            request.values = [model._signatures.get('serving_default') or list(model._signatures.values())[0]]
        made = Here(request)
    made.model = model
    return made


def _paired(ours, theirs, what):
    """Pairs names with names: by name if they are the same, otherwise by their order."""
    both = [k for k in ours if k in theirs]
    if both and len(both) in (len(ours), len(theirs)):
        return [(k, k) for k in both]
    if len(ours) != len(theirs):
        raise ValueError('the %s differ: %s here, %s there; choose the tensors, as in verify NAME against FILE' % (
            what, ', '.join(ours) or 'none', ', '.join(theirs) or 'none'))
    return list(zip(ours, theirs))


def _by_name(here, other):
    """The tensors there that have the names of the outputs here, or None. A graph without a signature lists every tensor that no
    node uses as an output."""
    graph, found = other.request.graph, []
    if len(here.keys) >= len(other.keys) or other.model._signatures:
        return None
    for t in here.outputs:
        try:
            found.append(graph.get_tensor_by_name('%s:%d' % (t.op.name, t.value_index)))
        except (KeyError, ValueError):
            return None
    return found


def _against(here, feeds, other):
    """Pairs of (tensor here, tensor there), and the feeds there."""
    given = {}
    by_name = {t.name: v for t, v in feeds.items()}
    for mine, yours in _paired(list(here.inputs), list(other.inputs), 'inputs'):
        given[other.inputs[yours]] = by_name[here.inputs[mine].name]
    named = _by_name(here, other)
    if named is None:
        outputs = _paired(here.keys, other.keys, 'outputs')
        pairs = {here.outputs[here.keys.index(a)].name: other.outputs[other.keys.index(b)] for a, b in outputs}
    else:
        pairs = {t.name: found for t, found in zip(here.outputs, named)}
    labels = {other.label(t): t for t in other.tensors}
    for t in here.tensors:
        found = labels.get(here.label(t))
        if t.name not in pairs and found is not None and found.dtype.base_dtype == t.dtype.base_dtype and \
                found.shape.ndims == t.shape.ndims and t.shape.is_compatible_with(found.shape):
            pairs[t.name] = found
    return pairs, given


# ---- the verb ----

def _tolerance(text):
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not value >= 0:
        raise ValueError('a tolerance is a number such as 1e-5, got %s. Type: verify y within 1e-5' % text)
    return value


class Result(object):
    """The outcome of the verb: rows in topological order, and texts about it."""

    def __init__(self, rows, fed, where, width):
        self.bad = [r for r in rows if r.differs]
        worst = sorted(rows, key=lambda r: -r.relative)[:_WORST]
        worst = [r for r in worst if r.relative > 0]
        lines = [' %d tensor%s %s' % (len(rows), '' if len(rows) == 1 else 's', where) + (' · fed ' + ', '.join(fed) if fed else '')]
        if worst:
            lines += _grid(worst, width)
        if len([r for r in rows if r.relative > 0]) > len(worst):
            lines.append(' … %d more that are not the same bits' % (len([r for r in rows if r.relative > 0]) - len(worst)))
        if self.bad:
            r = self.bad[0]
            lines.append(' first difference: %s (%s)%s' % (r.name, r.op, ' at %s' % r.at if r.at else '') + (
                ': ' + r.note if r.note else ''))
            self.message = '%d of %d tensors differ; the first is %s' % (len(self.bad), len(rows), r.name)
        else:
            self.message = ''
            lines.append(' all agree' + (': the largest relative error is %s' % _number(worst[0].relative) if worst else ' exactly'))
        self.text = '\n'.join(lines)
        self.json = json.dumps({'agree': not self.bad, 'tensors': len(rows), 'fed': fed, 'first': self.bad[0].name if self.bad else None,
                                'rows': [r.json() for r in rows]})


class Comparison(object):
    """One call of the verb: the tensors here, their feeds, and the values in the other place."""

    def __init__(self, session, names, values, feeds, options):
        self.options, self.recorded, self.there = options, None, {}
        self.tolerance = _tolerance(options.get('within'))
        if options.get('files'):
            self.here = _opened(options['files'][0])
        else:
            self.here = Here(Request('FILE', session, names, values, {}, False))
            opened = _library.opening.last()
            self.here.prefix = opened._prefix if isinstance(opened, Model) else ''
        graph = self.here.session.graph
        self.feeds = {graph.as_graph_element(t) if isinstance(t, str) else t: v for t, v in feeds.items()}
        if options.get('with'):
            self._feed_recorded()
        self.fed = _complete(self.feeds, self.here.inputs)
        self.tensors = self.here.tensors

    def _feed_recorded(self):
        self.recorded = _recorded(self.options['with'])
        given = set(t.name for t in self.feeds)
        for key, t in self.here.inputs.items():
            for name in (key, t.op.name, t.name):
                if name in self.recorded and t.name not in given:
                    self.feeds[t] = self.recorded[name]
                    break

    def run_there(self):
        """Computes the tensors in the other place, or takes them from the file of recorded values."""
        options, here = self.options, self.here
        path = options.get('against') or (options['files'][1] if options.get('files') else None)
        if self.recorded is not None:
            self._take_recorded()
            self.where = 'here, and as recorded in ' + options['with']
        elif path:
            other = _opened(path)
            pairs, given = _against(here, self.feeds, other)
            self.there = dict(zip(pairs, other.run(list(pairs.values()), given)))
            self.where = '%s, and in %s' % ('in ' + options['files'][0] if options.get('files') else 'here', path)
        else:
            target, device = options.get('at') or '', options.get('on') or ''
            target = 'grpc://' + target if target and '://' not in target else target
            self.there = _elsewhere(here, self.feeds, target, device)
            self.where = 'here, and ' + ('without the optimizer' if options.get('without') else 'at ' + target if target else
                                         'on ' + device if device else 'in another session')
        self.tensors = [t for t in self.tensors if t.name in self.there]
        absent = [self.here.label(t) for t in self.here.outputs if t.name not in self.there]
        self.where += ' · not compared, because it has no value there: ' + ', '.join(absent) if absent else ''

    def _take_recorded(self):
        for t in self.tensors:
            for name in (self.here.label(t), t.op.name if not t.value_index else t.name, t.name):
                if name in self.recorded:
                    self.there[t.name] = self.recorded[name]
        if not self.there:
            raise ValueError('%s has no value of %s; it has %s. Type: save %s %s' % (
                self.options['with'], ', '.join(self.here.keys), ', '.join(sorted(self.recorded)[:5]) or 'nothing',
                self.options['with'], ', '.join(self.here.keys)))

    def result(self, width):
        ours = self.here.run(self.tensors, self.feeds)
        rows = [Row(self.here.label(t), t.op.type, value, self.there[t.name], self.tolerance)
                for t, value in zip(self.tensors, ours)]
        return Result(rows, self.fed, self.where, width)
