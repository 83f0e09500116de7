"""Writes a graph as a TensorFlow Lite model: `save model.tflite`. One rule per op, in the files tflite_save_*.py, adds the
operators.

Variables become constants, and whatever depends only on constants and variables is computed when the file is written. A
scale, a bias or an activation that follows a convolution or a product becomes part of it.
"""
import numpy as np
from _library.onnx_save import Bad, Node as GraphNode, Refused, Writer as GraphWriter, check, dropped
from _library.tflite_rules import RELU, RELU6

RULES = {}  # op of TensorFlow: function of a Node, which returns its outputs
_TYPES = ('float32', 'int32', 'int64', 'bool', 'uint8', 'int8', 'int16')
_BOOLEAN = ('EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL LOGICAL_AND LOGICAL_OR LOGICAL_NOT REDUCE_ANY '
            'REDUCE_ALL').split()
_TYPED_BY = {'SELECT_V2': 1, 'FILL': 1, 'ONE_HOT': 2, 'TRANSPOSE_CONV': 2, 'CONV_3D_TRANSPOSE': 2, 'SPLIT': 1, 'SCATTER_ND': 1}
# The operators that the runtime does not have for a type. Those that only move elements have small integers, too.
_WITHOUT = {
    'int64': 'ABS ARG_MAX ARG_MIN DIV FLOOR_DIV POW RELU6 SIGN SQUARED_DIFFERENCE UNPACK SEGMENT_SUM UNSORTED_SEGMENT_SUM '
             'UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_MIN UNSORTED_SEGMENT_PROD',
    'int32': 'RELU6', 'bool': 'SPLIT PACK REVERSE_SEQUENCE UNIQUE MATRIX_DIAG'}
_MOVES = ('CAST RESHAPE EXPAND_DIMS SQUEEZE SHAPE TRANSPOSE SLICE STRIDED_SLICE GATHER GATHER_ND CONCATENATION TILE PAD REVERSE_V2 '
          'FILL BROADCAST_TO IF WHILE RESIZE_NEAREST_NEIGHBOR').split()
_EXPANDED = 'expanded/'  # the scope of nodes that take the place of an op
_SMALL = 4096  # elements of a known input that a function sees


def rule(names):
    def add(f):
        for name in names.split():
            RULES[name] = f
        return f
    return add


class Node(GraphNode):
    """An op as its rule sees it."""

    def make(self, op, inputs, dtype=None, **options):
        return self.many(op, inputs, 1, dtype, **options)[0]

    def many(self, op, inputs, count, dtype=None, **options):
        if dtype is None:
            dtype = tf.bool if op in _BOOLEAN else self.writer.type_of(inputs[_TYPED_BY.get(op, 0)])
        _check_type(op, self.writer.type_of(inputs[_TYPED_BY.get(op, 0)]))
        names = self.writer.many(op, inputs, count, **options)
        for name in names:
            self.writer.types[name] = dtype
        return names

    def int32(self, values):
        return self.writer.constant(np.array(values, np.int32))

    def ints(self, i):
        """The name of an input of integers, as int32."""
        value = self.value(i)
        if value is not None:
            return self.int32(np.clip(value, -(1 << 31), (1 << 31) - 1))
        return self.x(i) if self.dtype(i) == tf.int32 else self.cast(self.x(i), tf.int32)

    def cast(self, x, dtype):
        from _library.tflite_save_file import TYPES
        before, after = self.writer.type_of(x), kind_of(dtype)
        return x if before == after else self.make('CAST', [x], after, **{'from': TYPES[before.name], 'to': TYPES[after.name]})

    def expand(self, f):
        """Adds the operators for the nodes that f, a function of tensors, adds for the inputs of this op."""
        writer, scope = self.writer, self.writer.scope
        with writer.scratch.as_default(), tf.name_scope(_EXPANDED + self.op.name + '/'):
            args = []
            for i, t in enumerate(self.inputs):
                value = self.value(i)
                if value is not None and value.size <= _SMALL:
                    args.append(tf.constant(value, t.dtype.base_dtype))
                else:
                    args.append(tf.placeholder(t.dtype.base_dtype, t.shape))
                    writer.body.values[args[-1].name] = writer.plain(t)
            made = f(*args)
        many = isinstance(made, (list, tuple))
        tensors, before = list(made) if many else [made], len(writer.refused)
        try:
            writer.emit(tensors)
            names = [writer.plain(t) for t in tensors]
        except Bad:
            raise Refused(writer.refused[before][1])
        finally:
            del writer.refused[before:]
            writer.scope = scope
        return names if many else names[0]


def kind_of(dtype):
    """The type that takes the place of a type in the file: the model computes with float32 instead of 16-bit floats."""
    dtype = tf.as_dtype(dtype).base_dtype
    return tf.float32 if dtype in (tf.float16, tf.bfloat16) else dtype


def _check_type(op, dtype):
    """Raises if the runtime has no kernel of an operator for this type."""
    if op in _WITHOUT.get(dtype.name, '').split() or dtype in (tf.uint8, tf.int8, tf.int16) and op not in _MOVES:
        raise Refused('TensorFlow Lite has no kernel of %s for %s' % (op, dtype.name))


class Writer(GraphWriter):
    format, rules, elementwise, node = 'TensorFlow Lite', RULES, (), Node

    def __init__(self, session, inputs):
        super(Writer, self).__init__(session, inputs)
        self.types, self.shapes, self.scratch = {}, {}, tf.Graph()._hide()

    def type_of(self, name):
        found = self.types.get(name)
        return tf.as_dtype(self.initializers[name].dtype) if found is None else found

    def dims_of(self, name):
        """The extents of a tensor, with None for those that are not known, or None for all."""
        shape = self.shapes.get(name)
        return None if shape is None or shape.ndims is None else shape.as_list()

    def constant(self, value, name=None):
        value = np.asarray(value)
        return super(Writer, self).constant(value.astype(np.float32) if value.dtype in (np.float16, tf.bfloat16) else value, name)

    def short(self, op):
        name = super(Writer, self).short(op)
        return name[len(_EXPANDED):] if name.startswith(_EXPANDED) else name

    def rename(self, old, wanted, before=-1):
        made = super(Writer, self).rename(old, wanted, before)
        for known in (self.types, self.shapes):
            if made != old and old in known:
                known[made] = known[old]  # the graph of a loop may know it by the old name
        return made

    def _may_be_known(self, op):
        return not op.name.startswith(_EXPANDED) and super(Writer, self)._may_be_known(op)

    def _apply(self, n):
        for t in n.outputs:
            if kind_of(t.dtype).name not in _TYPES and t.dtype not in (tf.resource, tf.variant):
                raise Refused('TensorFlow Lite does not compute with the type %s' % t.dtype.base_dtype.name)
        return super(Writer, self)._apply(n)

    def _named(self, value, t, before):
        made = super(Writer, self)._named(value, t, before)
        if isinstance(made, str):
            if self.type_of(made) != kind_of(t.dtype):
                raise Refused('its result has the type %s here and %s in the file' % (t.dtype.name, self.type_of(made).name))
            if made not in self.initializers and (made not in self.shapes or self.shapes[made].ndims is None):
                self.shapes[made] = t.shape
        return made


def translate(session, path, inputs, outputs, fixed, prefix='', is_named=True):
    """Returns the Writer of a model, and the names of the tensors of its inputs and outputs, which are lists of (name, tensor).
    `fixed` has the values of tensors that are constants in the model, by name. `path` is for the error, and so is `is_named`:
    whether the outputs stay in the graph after it, as the nodes of an expression do not."""
    from _library import tflite_save_array, tflite_save_control, tflite_save_math, tflite_save_nn
    for file in (tflite_save_array, tflite_save_control, tflite_save_math, tflite_save_nn):
        file.rule  # a file is loaded when one of its names is first used
    writer = Writer(session, {t.name: key for key, t in inputs})
    writer.prefix, writer.given, writer.is_named = prefix, [t for _, t in inputs], is_named
    writer.cache.update(fixed)
    for key, t in inputs:
        if kind_of(t.dtype).name not in _TYPES:
            raise NotImplementedError('this graph cannot be written as TensorFlow Lite: its input %s has the type %s. Type: '
                                      'save %s.pb' % (key, t.dtype.name, path[:-7]))
        name = writer.root.values[t.name] = writer.name(key)
        writer.types[name], writer.shapes[name] = kind_of(t.dtype), t.shape
        writer.root.inputs.append(name)
    writer.emit([t for _, t in outputs])
    check(writer, path, [t for _, t in outputs])
    for key, t in outputs:
        writer.root.outputs.append(_output(writer, key, writer.plain(t)))
    for i, (key, _) in enumerate(outputs):
        if writer.root.outputs.count(writer.root.outputs[i]) == 1:
            writer.root.outputs[i] = writer.rename(writer.root.outputs[i], key, 0)
    finish(writer, writer.root)
    used = dropped(writer.root, writer.root.outputs)
    writer.initializers = {k: v for k, v in writer.initializers.items() if k in used}
    return writer


def _output(writer, key, name):
    """The name of an output, which an operator must compute."""
    if name in writer.root.inputs or name in writer.initializers:
        writer.scope = key
        return identity(writer, name)
    return name


def identity(writer, name):
    """Adds operators that copy a tensor, and returns the name of the copy."""
    shape = writer.make('SHAPE', [name], type=2)
    made = writer.make('RESHAPE', [name, shape])
    writer.types[shape], writer.types[made] = tf.int32, writer.type_of(name)
    return made


# ---- operators that become one ----

_CHANNELS = {'CONV_2D': 0, 'DEPTHWISE_CONV_2D': 3, 'FULLY_CONNECTED': 0}  # the dimension of the filter for the outputs
_ACTIVATIONS = {'RELU': RELU, 'RELU6': RELU6}
_ACTIVATED = ('CONV_2D', 'DEPTHWISE_CONV_2D', 'FULLY_CONNECTED', 'ADD', 'SUB', 'MUL', 'DIV', 'AVERAGE_POOL_2D', 'MAX_POOL_2D')


def finish(writer, body):
    """Lets a convolution or product scale its outputs, add a bias, and apply an activation, if the operators that follow do
    only that."""
    uses, makers, kept = {name: 1 for name in body.outputs}, {}, []
    for node in body.nodes:
        for name in node[1]:
            uses[name] = uses.get(name, 0) + 1
    for node in body.nodes:
        op, inputs, outputs, _ = node
        maker = makers.get(inputs[0]) if inputs and uses.get(inputs[0]) == 1 else None
        other = inputs[1] if len(inputs) > 1 else None
        if maker is None and op in ('ADD', 'MUL') and uses.get(other) == 1:
            maker, other = makers.get(other), inputs[0]
        if maker is not None and _joined(writer, maker, op, node[3], other):
            makers.pop(maker[2][0])
            maker[2][:] = outputs
            makers[outputs[0]] = maker
        else:
            kept.append(node)
            if len(outputs) == 1:
                makers[outputs[0]] = node
    body.nodes[:] = kept


def _joined(writer, maker, op, options, other):
    """Lets the operator that computes a value do also what the next one does. Returns false if it cannot."""
    if maker[3].get('fused'):
        return False
    if op in _ACTIVATIONS and maker[0] in _ACTIVATED and writer.type_of(maker[2][0]) == tf.float32:
        maker[3]['fused'] = _ACTIVATIONS[op]
        return True
    row, weights = writer.initializers.get(other), writer.initializers.get(maker[1][1]) if len(maker[1]) > 1 else None
    if op not in ('ADD', 'MUL') or maker[0] not in _CHANNELS or row is None or weights is None:
        return False
    axis = _CHANNELS[maker[0]]
    count = weights.shape[axis]
    dims = writer.dims_of(maker[2][0])
    if row.ndim > (1 if dims is None else len(dims)) or row.size != 1 and (row.size != count or row.shape[-1] != count):
        return False
    row = np.zeros([count], np.float32) + np.reshape(row, [-1])
    bias = writer.initializers[maker[1][2]] if len(maker[1]) > 2 else np.zeros([count], np.float32)
    writer.scope = maker[2][0]
    if op == 'MUL':
        shape = [-1 if a == axis else 1 for a in range(weights.ndim)]
        maker[1][1] = writer.constant(weights * np.reshape(row, shape), writer.scope + '/weights')
        bias = bias * row
    else:
        bias = bias + row
    if len(maker[1]) > 2 or op == 'ADD':
        maker[1][2:] = [writer.constant(bias, writer.scope + '/bias')]
    if options.get('fused'):
        maker[3]['fused'] = options['fused']
    return True
