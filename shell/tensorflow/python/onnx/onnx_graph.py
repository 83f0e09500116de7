"""Translates the graph of an ONNX model: names, the scopes of values, and the application of the rules.

The node that computes an ONNX value has the value's name, as far as TensorFlow allows. The other nodes of a rule are in
a name scope of that name.
"""
import numpy as np
import _onnx
from _library.naming import Names
from _library.onnx_rules import RULES, Refused, TooLarge, find_rule, dtype_of, const, channels_last, to_last, to_first
from _library import onnx_array, onnx_attention, onnx_contrib, onnx_control, onnx_conv, onnx_decoder, onnx_image, onnx_math, onnx_ml, onnx_nn
from _library import onnx_quantized, onnx_recurrent, onnx_reduce, onnx_sequence, onnx_signal, onnx_text
from _library.onnx_sequence import Sequence, Optional

_FIELDS = {1: 'f', 2: 'i', 3: 's', 4: 't', 5: 'g', 6: 'floats', 7: 'ints', 8: 'strings', 11: 'sparse_tensor', 13: 'tp'}
# Elementwise operators, which can as well be applied to values with the channels last.
_ELEMENTWISE = set('Relu Sigmoid Tanh LeakyRelu Clip HardSwish HardSigmoid Elu Selu Celu Softplus Softsign Mish Gelu Swish '
                   'PRelu Abs Neg Exp Sqrt Add Sub Mul Div Pow Max Min Sum Cast Erf ThresholdedRelu QuickGelu'.split())
# Ops that compute extents from extents.
_FROM_EXTENTS = set('StridedSlice GatherV2 Pack ConcatV2 Cast ExpandDims Squeeze Identity Mul FloorDiv TruncateDiv Div '
                    'AddV2 Add Sub Reshape Max Prod Minimum Maximum Slice Unpack Split SplitV'.split())
_DEEPEST, _MOST = 16, 100000  # graphs and functions in each other; nodes, with those of functions written out
_COPIES = set('Pack ConcatV2 ExpandDims Identity Reshape Squeeze Cast'.split())


for _file in (onnx_array, onnx_attention, onnx_contrib, onnx_control, onnx_conv, onnx_decoder, onnx_image, onnx_math, onnx_ml, onnx_nn,
              onnx_quantized, onnx_recurrent, onnx_reduce, onnx_sequence, onnx_signal, onnx_text):
    _file.rule  # a file is loaded when one of its names is first used


class Scope(object):
    """The values by name, of a graph, of a subgraph, or of the body of a function."""

    def __init__(self, parent, prefix, opsets, attributes=None, outside=None):
        self.parent, self.prefix, self.opsets, self.attributes = parent, prefix, opsets, attributes or {}
        self.values, self.last, self.outside = {}, {}, outside

    def find(self, name):
        scope = self
        while scope is not None:
            if name in scope.values:
                return scope.values[name]
            if scope.outside is not None:
                found = scope.outside.find(name)
                if found is not None:
                    found = scope.values[name] = _stand_in(found)
                return found
            scope = scope.parent
        return None

    def find_last(self, x):
        """The tensor with the channels last that x was transposed from, or None."""
        scope = self
        while scope is not None:
            if x.name in scope.last:
                return scope.last[x.name]
            scope = scope.parent
        return None


def _stand_in(value):
    """A value of the same kind in another graph, in which only types and shapes are wanted."""
    if isinstance(value, tf.Tensor):
        known = const(value)
        if known is not None and np.size(known) < 1000:
            return tf.constant(known)
        return tf.placeholder(value.dtype, value.shape)
    if isinstance(value, Sequence):
        return value.with_handle(tf.placeholder(tf.variant, []))
    if isinstance(value, Optional) and value.value is not None:
        return Optional(_stand_in(value.value), value.present if value.present is None else tf.placeholder(tf.bool, []))
    return value


class Node(object):
    """A node as its rule sees it."""

    def __init__(self, translator, proto, scope, name, out):
        self.translator, self.proto, self.scope, self.out = translator, proto, scope, out
        self.op, self.domain, self.name = proto.op_type, proto.domain, name
        self.outputs = proto.output
        self.version = translator.version(proto.domain, scope)
        self.types = [translator.types.get(i, 0) for i in proto.input] + [0] * 3

    def unnamed(self):
        """This node, for a rule whose result is not its first output."""
        return Node(self.translator, self.proto, self.scope, self.name, None)

    def _attribute(self, name):
        for a in self.proto.attribute:
            if a.name == name:
                if a.ref_attr_name:
                    return self.scope.attributes.get(a.ref_attr_name)
                return a
        return None

    def has(self, name):
        return self._attribute(name) is not None

    def get(self, name, default):
        a = self._attribute(name)
        if a is None:
            return default
        field = _FIELDS.get(a.type)
        if field is None:  # the first versions had no type
            field = next((f for f in ('ints', 'floats', 'strings', 't', 'g') if getattr(a, f)), 'i' if a.i else
                         's' if a.s else 'f')
        value = getattr(a, field)
        if field == 't' and value is not None:
            return self.translator.value_of(value)
        if field == 'sparse_tensor':
            return self.translator.dense(value)
        return value

    def text(self, name, default=''):
        value = self.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def graph(self, name):
        found = self.get(name, None)
        if found is None:
            raise Refused('it has no graph %s' % name)
        return found

    def run_graph(self, graph, inputs):
        """Adds the nodes of a subgraph, and returns its outputs."""
        return self.translator.subgraph(graph, self.scope, inputs)

    def dry_run(self, graph, kinds, whole=False):
        """The dtypes and shapes of a subgraph's outputs for inputs of such dtypes and shapes, or if whole, stand-ins for them."""
        return self.translator.dry_run(graph, self.scope, kinds, whole)

    # ---- the order of dimensions ----

    def has_channels_last(self, x):
        return self.scope.find_last(x) is not None

    def channels_last(self, x):
        found = self.scope.find_last(x)
        if found is None:
            found = self.scope.last[x.name] = channels_last(x)
        return found

    def channels_first(self, last):
        """A result with the channels second, which remembers the one it was transposed from."""
        y = tf.transpose(last, to_first(last.shape.ndims), name=self.out)
        self.scope.last[y.name] = last
        return y

    def filter(self, w):
        """A filter [out, in, ...] as [..., in, out]."""
        found = self.scope.find_last(w)
        return tf.transpose(w, list(range(2, w.shape.ndims)) + [1, 0]) if found is None else found

    def in_order(self, x, f, *lists):
        """Applies f to x and to lists with a value for each dimension; with the channels last, if x is known so."""
        if not isinstance(x, tf.Tensor) or (x.shape.ndims or 0) < 3 or not self.has_channels_last(x):
            return f(self, x, *lists)
        order = to_last(x.shape.ndims)
        moved = [v and [v[i] for i in order] for v in lists]
        return self.channels_first(f(self.unnamed(), self.channels_last(x), *moved))

    def shape_is_computed(self, x):
        """True if x consists of extents and of nonzero constants, so that no element is a 0 with a meaning."""
        todo, seen = [(x.op, True)], set()
        while todo:
            op, copied = todo.pop()
            if op.name in seen:
                continue
            seen.add(op.name)
            if op.type in ('Shape', 'Size', 'Rank'):
                continue
            if op.type == 'Const':
                if copied and not np.all(const(op.outputs[0])):
                    return False
            elif op.type in _FROM_EXTENTS:
                inputs = op.inputs[:1] if op.type in ('StridedSlice', 'GatherV2', 'ExpandDims', 'Reshape', 'Slice') else \
                    op.inputs[:-1] if op.type == 'ConcatV2' else op.inputs
                todo += [(i.op, copied and op.type in _COPIES) for i in inputs]
            else:
                return False
        return True


class Translator(object):
    def __init__(self, model, folder, prefix, given):
        self.model, self.folder, self.prefix, self.given = model, folder, prefix, given
        self.names = Names()
        self.opsets = {_domain(o.domain): o.version for o in model.opset_import}
        self.functions = {(_domain(f.domain), f.name): f for f in model.functions}
        self.types, self.declared, self.refused, self.depth = {}, {}, [], 0
        self.filters = set()  # the names of values that are filters of convolutions
        self.count, self.scratch = 0, 0
        self.feeds, self.fetches, self.parameters, self.parameter_bytes = [], [], 0, 0
        self.shown = []  # the fetches, without optional values that are absent

    def version(self, domain, scope):
        domain = _domain(domain)
        return scope.opsets.get(domain, scope.opsets.get('', 1) if domain == '' else 1)

    # ---- tensors of the file ----

    def value_of(self, t):
        """The elements of a TensorProto, or None if their type is not supported."""
        if not t.external:
            return t.value
        place = {e.key: e.value for e in t.external_data}
        try:
            offset, length = int(place.get('offset', '0')), int(place.get('length', '-1'))
        except ValueError:
            raise ValueError("tensor '%s': its offset or length is not a number" % t.name)
        return _onnx.external(t.name, t.data_type, t.dims, self.folder, place.get('location', ''), offset, length)

    def dense(self, sparse):
        values, indices = [None if t is None else self.value_of(t) for t in (sparse.values, sparse.indices)]
        if values is None or indices is None:
            raise ValueError('a sparse initializer has no values or no indices')
        dense = np.zeros(sparse.dims, values.dtype).reshape(-1)
        indices = np.reshape(indices, [len(values), -1])
        for row, value in zip(indices, values):
            at = 0
            for d, i in zip(sparse.dims, row if len(row) > 1 else [row[0]]):
                at = at * d + int(i) if len(row) > 1 else int(i)
            dense[at] = value
        return dense.reshape(sparse.dims)

    # ---- the graph ----

    def translate(self):
        graph = self.model.graph
        scope = Scope(None, self.prefix, self.opsets)
        self._note_types(graph)
        self._initializers(graph, scope, True)
        for info in graph.input:
            if info.name not in scope.values:
                scope.values[info.name] = self._input(info)
        self._nodes(graph.node, scope, graph)
        for info in graph.output:
            value = scope.find(info.name)
            if value is None:
                raise ValueError("its output '%s' is not computed by any node" % info.name)
            shown = value.value if isinstance(value, Optional) else value
            if isinstance(shown, Sequence):
                known = shown.shape.ndims is not None  # then an empty sequence is an array without rows
                shape = tf.constant([-1 if d is None else d for d in shown.shape.as_list()] if known else -1, tf.int32)
                shown.rows = tf.raw_ops.TensorListStack(input_handle=shown.handle, element_shape=shape,
                                                        element_dtype=shown.dtype, name=shown.handle.op.name + '/elements/')
            self.fetches.append((info, value))
            if shown is not None:
                self.shown.append((info, shown))
        return scope

    def _note_types(self, graph):
        for info in list(graph.input) + list(graph.output) + list(graph.value_info):
            if info.type is not None and info.type.tensor_type is not None:
                self.types[info.name] = info.type.tensor_type.elem_type
                self.declared[info.name] = info.type.tensor_type
        for t in graph.initializer:
            self.types[t.name] = t.data_type
        for node in graph.node:
            if node.op_type in ('Conv', 'FusedConv', 'ConvTranspose') and len(node.input) > 1:
                self.filters.add(node.input[1])

    def add_parameters(self, value):
        if np.ndim(value):
            self.parameters, self.parameter_bytes = self.parameters + np.size(value), self.parameter_bytes + value.nbytes

    def _initializers(self, graph, scope, counted):
        for t in graph.initializer:
            value = self.value_of(t)
            name = self.names.make(t.name, scope.prefix)
            if value is None:
                scope.values[t.name] = self._refuse_value(name, t.name, t.data_type)
                continue
            if counted:
                self.add_parameters(value)
            scope.values[t.name] = self.constant(value, name + '/', t.name, scope)
        for sparse in graph.sparse_initializer:
            dense = self.dense(sparse)
            name = sparse.values.name
            scope.values[name] = tf.constant(dense, name=self.names.make(name, scope.prefix) + '/')

    def constant(self, value, name, onnx_name, scope):
        """A constant. That of a filter has the order of the kernels, from which that of ONNX is transposed."""
        if onnx_name not in self.filters or np.ndim(value) < 3 or value.dtype != np.float32:
            return tf.constant(value, name=name)
        order = list(range(2, value.ndim)) + [1, 0]
        last = tf.constant(np.transpose(value, order), name=name + 'channels_last')
        made = tf.transpose(last, [int(i) for i in np.argsort(order)], name=name)
        scope.last[made.name] = last
        return made

    def _refuse_value(self, name, onnx_name, data_type):
        try:
            dtype_of(data_type)
            reason = 'it has no value'
        except Refused as e:
            reason = str(e)
        return self._unsupported(name, tf.float32, None, "the tensor '%s' of the model: %s" % (onnx_name, reason))

    def _unsupported(self, name, dtype, shape, message):
        return tf.raw_ops.Unsupported(dtype=dtype, shape=tf.TensorShape(shape), message=message, name=name + '/')

    def _input(self, info):
        if info.name in self.given:
            return self.given[info.name]
        name, kind = self.names.make(info.name, self.prefix), info.type
        if kind is None:
            raise ValueError("its input '%s' has no type" % info.name)
        if kind.optional_type is not None and kind.optional_type.elem_type is not None:
            kind = kind.optional_type.elem_type
        if kind.sequence_type is not None:
            element = kind.sequence_type.elem_type
            element = element and element.tensor_type
            dtype, shape = dtype_of(element.elem_type if element else 1), shape_of(element)
            rows = tf.placeholder(dtype, None if shape is None else [None] + shape, name=name + '/')
            with tf.name_scope(name + '/'):
                handle = tf.raw_ops.TensorListFromTensor(tensor=rows, element_shape=tf.constant(-1))
            value = Sequence(handle, dtype, shape)
            value.rows = rows
        else:
            t = kind.tensor_type
            if t is None:
                raise ValueError("its input '%s' is neither a tensor nor a sequence" % info.name)
            try:
                dtype = dtype_of(t.elem_type)
            except Refused as e:
                raise ValueError("its input '%s': %s" % (info.name, e))
            value = tf.placeholder(dtype, shape_of(t), name=name + '/')
        self.feeds.append((info, value))
        return value

    def subgraph(self, graph, scope, inputs):
        # Names are unique in a graph and those around it, so the subgraph needs no scope of its own.
        inner = Scope(scope, scope.prefix, scope.opsets, scope.attributes)
        self._deeper('graphs nest')
        try:
            self._note_types(graph)
            for info, value in zip(graph.input, inputs):
                inner.values[info.name] = value
            self._initializers(graph, inner, False)
            self._nodes(graph.node, inner, graph)
            outs = [inner.find(info.name) for info in graph.output]
            if any(v is None for v in outs):
                raise Refused("an output of its graph '%s' is not computed" % graph.name)
            # An output that comes from outside is passed on by an op of this branch or loop.
            return [tf.identity(v) if isinstance(v, tf.Tensor) and info.name not in inner.values else v
                    for info, v in zip(graph.output, outs)]
        finally:
            self.depth -= 1

    def _deeper(self, what):
        if self.depth >= _DEEPEST:
            raise Refused('%s more than %d deep' % (what, _DEEPEST))
        self.depth += 1

    def dry_run(self, graph, scope, kinds, whole=False):
        names, refused, self.names = self.names, list(self.refused), Names()
        self.scratch += 1
        try:
            with tf.Graph()._hide().as_default():
                outer = Scope(None, '', scope.opsets, scope.attributes, outside=scope)
                inputs = [k.with_handle(tf.placeholder(tf.variant, [])) if isinstance(k, Sequence) else
                          tf.placeholder(k[0], k[1]) for k in kinds]
                outs = self.subgraph(graph, outer, inputs)
                return outs if whole else [(v.dtype, v.shape) for v in outs]
        finally:
            self.names, self.refused = names, refused
            self.scratch -= 1

    def _nodes(self, nodes, scope, graph):
        outs = [info.name for info in graph.output] if graph is not None else []
        reach = _Reach(nodes, outs)
        self.names.plan([o for node in nodes for o in node.output if '/' in o], scope.prefix)
        for node in nodes:
            self._node(node, scope, reach)

    def _node(self, proto, scope, reach):
        wanted = [o for o in proto.output if o]
        if not wanted:
            return
        self.count += 1
        if self.count > _MOST:
            raise TooLarge('it has more than %d nodes, with those of its functions and loops' % _MOST)
        legal = {o: self.names.make(o, scope.prefix) for o in wanted}
        name = legal[wanted[0]]
        n = Node(self, proto, scope, name, legal[proto.output[0]] + '/' if proto.output[0] else None)
        try:
            values = self._apply(n, proto, scope)
            if len(values) < len(wanted):
                raise Refused('it has %d outputs, and %d are supported' % (len(proto.output), len(values)))
            if proto.op_type == 'Cast':
                self.types[wanted[0]] = n.get('to', 0) if n.version >= 6 else 0
            elif proto.op_type in ('CastLike', 'Identity', 'Reshape', 'Transpose', 'Slice'):
                self.types.setdefault(wanted[0], n.types[1 if proto.op_type == 'CastLike' else 0])
            for onnx_name, value in zip(proto.output, values):
                if onnx_name and value is not None:
                    scope.values[onnx_name] = self._named(value, legal[onnx_name], onnx_name, scope)
        except (Refused, ValueError, TypeError, NotImplementedError, IndexError, KeyError, AttributeError,
                ZeroDivisionError, tf.errors.OpError) as e:
            if self.scratch:
                raise Refused(str(e))
            self._refuse(n, proto, legal, scope, str(e), reach)

    def _apply(self, n, proto, scope):
        inputs = []
        for name in proto.input:
            value = scope.find(name) if name else None
            if name and value is None:
                raise Refused("its input '%s' is not computed by an earlier node" % name)
            inputs.append(value)
        while inputs and inputs[-1] is None:
            inputs.pop()
        function = self.functions.get((_domain(proto.domain), proto.op_type))
        if function is not None:
            return self._call(function, n, inputs)
        f = find_rule(_domain(proto.domain), proto.op_type, n.version)
        if f is None:
            since = [s for s, _ in RULES.get((_domain(proto.domain), proto.op_type), ())]
            raise Refused('this operator is supported from version %d on' % min(since) if since else
                          'this operator is not supported')
        with tf.name_scope(n.name + ('/ops/' if n.name in self.names.scopes else '/')):
            made = self._elementwise(f, n, inputs) if n.op in _ELEMENTWISE else None
            if made is None:
                made = f(n, *inputs)
        return list(made) if isinstance(made, (list, tuple)) else [made]

    def _elementwise(self, f, n, inputs):
        """Applies an elementwise operator to inputs with the channels last, if they are known in this order."""
        if not inputs or not all(isinstance(x, tf.Tensor) and x.shape.ndims is not None for x in inputs):
            return None
        r = max(x.shape.ndims for x in inputs)
        if r < 3 or not any(n.has_channels_last(x) for x in inputs):
            return None
        moved = []
        for x in inputs:
            known = x.shape.as_list()
            if len(known) == r and n.has_channels_last(x):
                moved.append(n.channels_last(x))
            elif all(d == 1 for d in known):
                moved.append(tf.reshape(x, []))
            elif None not in known and len(known) in (r, r - 1) and int(np.prod(known)) == known[1 - r]:
                moved.append(tf.reshape(x, [-1]))
            else:
                return None
        return n.channels_first(f(n.unnamed(), *moved))

    def _call(self, function, n, inputs):
        """Adds the nodes of a function of the model."""
        attributes = {a.name: a for a in function.attribute_proto}
        attributes.update({a.name: n._attribute(a.name) for a in n.proto.attribute})
        opsets = {_domain(o.domain): o.version for o in function.opset_import} or n.scope.opsets
        inner = Scope(None, n.name + '/', opsets, attributes)
        for name, value in zip(function.input, inputs):
            inner.values[name] = value
        inner.last.update(n.scope.last)
        self._deeper('functions call each other')
        try:
            self._nodes(function.node, inner, None)
        finally:
            self.depth -= 1
        return [inner.find(name) for name in function.output]

    def _named(self, value, name, onnx_name, scope):
        """Gives the value its name, and the shape that the model states if none is known."""
        if isinstance(value, Sequence):
            return value.with_handle(tf.identity(value.handle, name=name + '/'))
        if isinstance(value, Optional) and value.value is not None:
            return Optional(self._named(value.value, name, onnx_name, scope), value.present)
        if not isinstance(value, tf.Tensor):
            return value
        if value.op.name != name or value.value_index:
            last = scope.find_last(value)
            value = tf.identity(value, name=name + '/')
            if last is not None:
                scope.last[value.name] = last
        declared = self.declared.get(onnx_name)
        if value.shape.ndims is None and declared is not None and declared.shape is not None:
            value.set_shape(shape_of(declared))
        return value

    def _refuse(self, n, proto, legal, scope, reason, reach):
        what = proto.op_type + (' of %s' % proto.domain if proto.domain else '')
        where = "node '%s'" % proto.name if proto.name else "the node that computes '%s'" % legal[[
            o for o in proto.output if o][0]]
        blocked = reach.outputs_of(proto)
        message = '%s: ONNX operator %s, version %d: %s.' % (where, what, n.version, reason.rstrip('.'))
        if blocked:
            message += ' It blocks: %s.' % ', '.join(blocked[:8])
        message += ' To go on without it, feed its outputs: feed %s' % ', '.join(
            '%s=...' % legal[o] for o in proto.output if o)
        self.refused.append((what, message))
        for o in proto.output:
            if o:
                declared = self.declared.get(o)
                try:
                    dtype = dtype_of(self.types.get(o, 1))
                except Refused:
                    dtype = tf.float32
                scope.values[o] = self._unsupported(legal[o], dtype, shape_of(declared), message)


class _Reach(object):
    """The outputs of a graph that depend on a node."""

    def __init__(self, nodes, outputs):
        self.nodes, self.outputs = nodes, outputs

    def outputs_of(self, proto):
        reached, found = set(proto.output), False
        for node in self.nodes:
            found = found or node is proto
            if found and any(i in reached for i in node.input if i):
                reached.update(node.output)
        return [o for o in self.outputs if o in reached]


def _domain(domain):
    return '' if domain == 'ai.onnx' else domain


def shape_of(tensor_type):
    """The static shape that a type states; None if it states none."""
    if tensor_type is None or tensor_type.shape is None:
        return None
    return [d.dim_value if d.dim_value > 0 else None for d in tensor_type.shape.dim]
