"""Translates the graphs of a TensorFlow Lite model: names, constants, state, and the application of the rules.

The node that computes a tensor of the model has the tensor's name, as far as TensorFlow allows. The other nodes of a
rule are in a name scope of that name.
"""
import numpy as np
from _library.naming import Names
from _library.onnx_rules import TooLarge
from _library.file_range import Damaged
from _library.tflite_rules import NAMES, RULES, WITHOUT, Refused, const, dequantized, quantized, rank
from _library import tflite_array, tflite_control, tflite_conv, tflite_custom, tflite_hlo, tflite_math, tflite_mediapipe
from _library import tflite_recurrent
from _library.tflite_conv import ORDERS
from _library.tflite_control import State, HashTable

_DEEPEST, _MOST, _MOST_CALLS = 16, 100000, 2000  # graphs in each other; operators, and graphs, with those that are written out more than once
_RECURRENT = ('RNN', 'LSTM', 'SVDF', 'UNIDIRECTIONAL_SEQUENCE_RNN', 'BIDIRECTIONAL_SEQUENCE_RNN', 'UNIDIRECTIONAL_SEQUENCE_LSTM',
              'BIDIRECTIONAL_SEQUENCE_LSTM')
_HANDLES = (tf.resource, tf.variant)  # of variables and tables, which are no nodes
_ERRORS = (Refused, ValueError, TypeError, NotImplementedError, IndexError, KeyError, AttributeError, ZeroDivisionError,
           OverflowError, tf.errors.OpError)

for _file in (tflite_array, tflite_control, tflite_conv, tflite_custom, tflite_hlo, tflite_math, tflite_mediapipe, tflite_recurrent):
    _file.Refused  # a file is loaded when one of its names is first used


def operator_name(code):
    """The name of an operator code (number, custom name, version)."""
    number, custom, _ = code
    if number == NAMES.index('CUSTOM'):
        return custom
    return NAMES[number] if 0 <= number < len(NAMES) else 'operator %d' % number


def own_name(info):
    """The name of a tensor. A fused operator has the names of all that it computes, of which the first is used."""
    return info.name.split(';')[0] or 'tensor_%d' % info.index


class Scope(object):
    """The values of a graph, by the number of the tensor."""

    def __init__(self, graph, prefix, names):
        self.graph, self.prefix, self.names = graph, prefix, names
        self.values, self.kernels, self.late = {}, {}, set()
        self.orders = {}  # of the weights of convolutions, by tensor
        self.integers = set()  # the weights of integer products


class Node(object):
    """An operator as its rule sees it. Fields of its options are read by number."""

    def __init__(self, translator, scope, operator, code, name, out):
        self.translator, self.scope, self.operator, self.name, self.out = translator, scope, operator, name, out
        self.op, self.version = operator_name(code), code[2]
        self.is_custom, self.is_stablehlo = code[0] == NAMES.index('CUSTOM'), self.op.startswith('STABLEHLO')
        self.options = operator.options()
        self.ins = [scope.graph.tensors[i] if i >= 0 else None for i in operator.inputs]
        self.outs = [scope.graph.tensors[i] for i in operator.outputs]

    def int(self, field, default=0, size=4):
        return default if self.options is None else self.options.int(field, default, size)

    def byte(self, field, default=0):
        return self.int(field, default, 1)

    def flag(self, field, default=False):
        return bool(self.int(field, default, 1))

    def real(self, field, default=0.):
        return default if self.options is None else self.options.real(field, default)

    def ints(self, field, dtype='int32'):
        return [] if self.options is None else self.options.ints(field, dtype)

    def array(self, field, dtype):
        found = None if self.options is None else self.options.array(field, dtype)
        return np.zeros([0], dtype) if found is None else found

    def text(self, field):
        return '' if self.options is None else self.options.text(field)

    def value(self, i):
        """The elements of input i if the file has them, or None."""
        info = self.ins[i]
        return self.translator.model.value(info) if self.translator.model.is_constant(info) else None

    def filter(self, i, w):
        """Input i, the weights of a convolution, in the order of the kernels."""
        found, info, order = self.scope.kernels.get(self.operator.inputs[i]), self.ins[i], ORDERS[self.op]
        if found is None:
            return tf.transpose(w, order)
        if not info.is_quantized():
            return found[0]
        shape = [-1 if a == info.axis else 1 for a in order] if len(info.scale) > 1 else []
        return found[0] * tf.constant(info.scale.reshape(shape))

    def integer_filter(self, i, w):
        """Integer weights minus their zero point, in the order of the kernels, and their sizes for
        exact_product, or None."""
        found = self.scope.kernels.get(self.operator.inputs[i])
        if found is not None:
            return found
        info = self.ins[i]
        order = ORDERS.get(self.op)
        w = tf.cast(w, tf.int32)
        if np.any(info.zero):
            w = w - int(info.zero[0])
        return (tf.transpose(w, order) if order else w), None

    def call(self, number, inputs):
        """Adds the nodes of a graph of the model, and returns its outputs."""
        return self.translator.call(number, inputs)

    def blockwise(self, x, info):
        """Integers with a scale for each block of the last dimension."""
        tensors, (number, _, size) = self.scope.graph.tensors, info.blocks
        if not 0 <= number < len(tensors) or size < 1 or info.dims[-1] % size:
            raise Refused('its blocks of %d elements do not suit the shape %s' % (size, info.dims))
        scales = self.translator.model.value(tensors[number])
        if scales is None or scales.size * size != x.shape.num_elements():
            raise Refused('it has not one scale for each block of %d elements' % size)
        r = rank(x)
        wide = np.repeat(scales.astype(np.float32).reshape(info.dims[:-1] + [-1]), size, r - 1)
        return tf.cast(tf.cast(x, tf.float32) * tf.constant(wide), self.outs[0].dtype)


class Translator(object):
    def __init__(self, model, prefix):
        self.model, self.prefix = model, prefix
        self.names, self.refused, self.depth, self.count, self.calls, self.scratch = Names(), [], 0, 0, 0, 0
        self.states, self.tables = {}, {}
        self.updates, self.initializers = [], []  # ops that change state, in each run and once
        self.signatures = []  # (name, {input: tensor}, {output: tensor})
        self.parameters = self.parameter_bytes = 0
        self.quantization = {}  # the scale and zero point of inputs and outputs, as text, by name of the node

    # ---- graphs ----

    def translate(self):
        model = self.model
        rows = model.signatures or [('run', 0, None, None)]
        roots = {}
        for key, number, inputs, outputs in rows:
            if number not in roots:
                prefix = self.prefix if number == 0 or len(set(r[1] for r in rows)) == 1 else self.prefix + (key or 'graph') + '/'
                roots[number] = self._root(number, prefix)
            feeds, fetches = roots[number]
            graph = model.subgraphs[number]
            named = [inputs, outputs] if inputs is not None else [[(None, i) for i in graph.inputs], [(None, i) for i in graph.outputs]]
            pair = []
            for part, values in zip(named, (feeds, fetches)):
                found = {}
                for name, i in part:
                    if i in values and isinstance(values[i], tf.Tensor):
                        found[name or values[i].op.name[len(self.prefix):]] = values[i]
                        self.quantization[values[i].op.name] = graph.tensors[i].text()
                pair.append(found)
            self.signatures.append((key or 'run', pair[0], pair[1]))

    def _begin(self, number, prefix):
        graph = self.model.subgraphs[number]
        self.names.plan([own_name(t) for t in graph.tensors if '/' in t.name and t.dtype not in _HANDLES], prefix)
        scope = Scope(graph, prefix, [None if t.dtype in _HANDLES else self.names.make(own_name(t), prefix) for t in graph.tensors])
        for op in graph.operators:
            name = operator_name(self.model.codes[op.code])
            if len(op.inputs) > 1 and op.inputs[1] >= 0:
                if name in ORDERS:
                    scope.orders[op.inputs[1]] = ORDERS[name]
                elif name == 'FULLY_CONNECTED':
                    scope.integers.add(op.inputs[1])
                elif name in _RECURRENT and graph.tensors[op.inputs[0]].dtype == tf.float32:
                    scope.integers.update(i for i in op.inputs[1:] if i >= 0)
        return scope

    def _root(self, number, prefix):
        scope, graph = self._begin(number, prefix), self.model.subgraphs[number]
        before = len(self.updates)
        if self._has_state(graph):
            scope.late = set(graph.outputs)
        self._constants(scope, True)
        for i in graph.inputs:
            if i not in scope.values:
                info = graph.tensors[i]
                shape = info.shape if info.has_shape or not info.dims else None
                scope.values[i] = tf.placeholder(info.dtype, shape, name=scope.names[i] + '/')
        feeds = {i: scope.values[i] for i in graph.inputs}
        self._operators(scope)
        fetches = {}
        for i in graph.outputs:
            if i not in scope.values:
                raise Damaged("its output '%s' is not computed by any operator" % graph.tensors[i].name)
            value = scope.values[i]
            if i in scope.late and isinstance(value, tf.Tensor) and i not in feeds:
                with tf.control_dependencies(self.updates[before:]):
                    value = scope.values[i] = tf.identity(value, name=scope.names[i] + '/')
            fetches[i] = value
        return feeds, fetches

    def _has_state(self, graph):
        names = [operator_name(self.model.codes[op.code]) for op in graph.operators]
        return any(t.is_variable for t in graph.tensors) or any(n in ('ASSIGN_VARIABLE', 'HASHTABLE_IMPORT', 'WHILE', 'IF', 'CALL')
                                                                for n in names) and len(self.model.subgraphs) > 1 and any(
            self.model.codes[op.code][0] == NAMES.index('ASSIGN_VARIABLE') for g in self.model.subgraphs for op in g.operators)

    def call(self, number, inputs):
        """Adds the nodes of a graph with these inputs, and returns its outputs."""
        if not 0 <= number < len(self.model.subgraphs):
            raise Refused('it calls the graph %d of %d' % (number, len(self.model.subgraphs)))
        if self.depth >= _DEEPEST:
            raise Refused('graphs call each other more than %d deep' % _DEEPEST)
        self.depth += 1
        self.calls += 1
        if self.calls > _MOST_CALLS:
            raise TooLarge('its graphs are called more than %d times' % _MOST_CALLS)
        try:
            graph = self.model.subgraphs[number]
            scope = self._begin(number, self.prefix)
            if len(inputs) != len(graph.inputs):
                raise Refused('it calls a graph of %d inputs with %d' % (len(graph.inputs), len(inputs)))
            for i, value in zip(graph.inputs, inputs):
                info = graph.tensors[i]
                if isinstance(value, tf.Tensor) and value.shape.ndims is None and info.dims:
                    value.set_shape([None] * len(info.dims))
                scope.values[i] = value
            self._constants(scope, False)
            self._operators(scope)
            if any(i not in scope.values for i in graph.outputs):
                raise Refused('an output of the graph %d is not computed' % number)
            given = set(graph.inputs)
            outs = [scope.values[i] for i in graph.outputs]
            return [tf.identity(v) if isinstance(v, tf.Tensor) and i in given else v for i, v in zip(graph.outputs, outs)]
        finally:
            self.depth -= 1

    def dry_run(self, number, kinds):
        """The dtypes and shapes of the outputs of a graph for inputs of such dtypes and shapes, or for states."""
        names, refused, self.names = self.names, list(self.refused), Names()
        states, tables, updates = self.states, self.tables, self.updates
        self.states, self.tables, self.updates = dict(states), dict(tables), []
        self.scratch += 1
        try:
            with tf.Graph()._hide().as_default():
                inputs = [k if not isinstance(k, tuple) else tf.placeholder(k[0], k[1]) for k in kinds]
                return [(v.dtype, v.shape) if isinstance(v, tf.Tensor) else v for v in self.call(number, inputs)]
        finally:
            self.names, self.refused, self.states, self.tables, self.updates = names, refused, states, tables, updates
            self.scratch -= 1

    # ---- values ----

    def _constants(self, scope, counted):
        made = set(i for op in scope.graph.operators for i in op.outputs)
        for i, info in enumerate(scope.graph.tensors):
            if i in scope.values or i in made or info.dtype in _HANDLES:
                continue
            if info.is_variable:
                scope.values[i] = self.state(scope.names[i], info)
            elif self.model.is_constant(info):
                value = self.model.value(info)
                if value is None:
                    raise Damaged("tensor '%s' has no elements" % info.name)
                if counted and value.ndim:
                    self.parameters, self.parameter_bytes = self.parameters + value.size, self.parameter_bytes + value.nbytes
                scope.values[i] = self.constant(scope, i, value)
            elif 0 in info.dims and i not in scope.graph.inputs:
                scope.values[i] = tf.constant(np.zeros(info.dims, info.dtype.as_numpy_dtype), name=scope.names[i] + '/')

    def constant(self, scope, i, value):
        """A constant tensor. The weights of a layer are held as its kernel needs them: floats in the kernel's order, from
        which the tensor of the model is computed."""
        info, name = scope.graph.tensors[i], scope.names[i] + '/'
        order = scope.orders.get(i)
        integer = info.is_quantized() and value.dtype in (np.int8, np.uint8) and not info.blocks
        if not (order and value.ndim == 4 and (integer or value.dtype == np.float32)) and not (
                integer and i in scope.integers and value.ndim == 2):
            return tf.constant(value, name=name)
        held, sizes = value, None
        if integer:
            zero = spread_zero(info, value.ndim)
            held = value.astype(np.float32)
            held = held - zero if np.any(zero) else held
            sizes = _sizes(held, order)
        if order:
            held = np.transpose(held, order)
        made = tf.constant(held, name=name + 'kernel')
        scope.kernels[i] = (made, sizes)
        back = [int(v) for v in np.argsort(order)] if order else []
        if order and not integer:
            return tf.transpose(made, back, name=name)
        if integer:
            with tf.name_scope(name):
                made = tf.transpose(made, back) if order else made
                made = made + tf.constant(zero.astype(np.float32)) if np.any(zero) else made
            made = tf.cast(made, info.dtype, name=name)
        return made

    def state(self, name, info):
        """The variable that a tensor of the file is, which keeps its value from run to run."""
        found = self.states.get(name)
        if found is None:
            found = self.states[name] = State(self, name, info.dtype)
            # A state of 8 bits begins with the number 0, and one of 16 with the integer.
            found.create(info.dims, int(info.zero[0]) if info.is_quantized() and info.dtype == tf.int8 else 0)
        return found

    # ---- operators ----

    def _operators(self, scope):
        reach = None
        for op in scope.graph.operators:
            self.count += 1
            if self.count > _MOST:
                raise TooLarge('it has more than %d operators, with those of its loops and calls' % _MOST)
            own = scope.names[op.outputs[0]] if op.outputs else None
            name = own or self.names.make(operator_name(self.model.codes[op.code]).lower(), scope.prefix)
            out = name + '/' if own and op.outputs[0] not in scope.late else None
            n = Node(self, scope, op, self.model.codes[op.code], name, out)
            try:
                values = self._apply(n)
                if len(values) < len(op.outputs):
                    raise Refused('it has %d outputs, and %d are supported' % (len(op.outputs), len(values)))
                for i, value in zip(op.outputs, values):
                    if value is not None:
                        scope.values[i] = self._named(scope, i, value)
            except _ERRORS as e:
                if self.scratch:
                    raise Refused(str(e))
                self._refuse(n, scope, str(e))

    def _apply(self, n):
        inputs = []
        for i in n.operator.inputs:
            if i >= 0 and i not in n.scope.values:
                raise Refused("its input '%s' is not computed by an earlier operator" % n.scope.graph.tensors[i].name)
            inputs.append(n.scope.values[i] if i >= 0 else None)
        while inputs and inputs[-1] is None:
            inputs.pop()
        names = n.name + ('/ops/' if n.name in self.names.scopes or n.out is None else '/')
        with tf.name_scope(names):
            try:
                made = self._ruled(n, inputs)
            except TypeError as e:
                raise Refused('it has %d inputs, which is not the number that it needs' % len(inputs) if 'positional arg' in str(e) else str(e))
        return list(made) if isinstance(made, (list, tuple)) else [] if made is None else [made]

    def _ruled(self, n, inputs):
        if n.is_custom:
            return tflite_custom.apply(n, inputs)
        with_numbers = any(i is not None and i.is_quantized() for i in n.ins + n.outs)
        f = RULES.get((n.op, 'integers'))
        if f is not None and with_numbers:
            made = f(n, *inputs)
            if made is not None:
                return made
        f = RULES.get((n.op, 'moves'))
        if f is not None:
            return f(n, *inputs)
        f = RULES.get((n.op, 'rule'))
        if f is None:
            raise Refused(WITHOUT.get(n.op, 'this operator is not supported'))
        if not with_numbers:
            return f(n, *inputs)
        inputs = [dequantized(x, i) if isinstance(x, tf.Tensor) else x for x, i in zip(inputs, n.ins)]
        made = f(n, *inputs)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        return [quantized(v, i) if isinstance(v, tf.Tensor) else v for v, i in zip(made, n.outs)]

    def _named(self, scope, i, value):
        """Gives the value its name, and the shape that the file states if none is known."""
        if not isinstance(value, tf.Tensor):
            return value
        info, name = scope.graph.tensors[i], scope.names[i]
        if name is None:  # a list of TensorFlow, which has no name in the model
            return value
        if i in scope.orders and value.op.type == 'Const' and value.dtype == tf.float32 and i not in scope.kernels:
            return self.constant(scope, i, const(value))
        if value.dtype != info.dtype:
            raise Refused("its output '%s' is %s, and the file says %s" % (info.name, value.dtype.name, info.dtype.name))
        if i in scope.late:
            return value
        if value.op.name != name or value.value_index:
            value = tf.identity(value, name=name + '/')
        if value.shape.ndims is None and info.dims:
            value.set_shape([None] * len(info.dims))
        return value

    def _refuse(self, n, scope, reason):
        blocked = self._reached(scope, n.operator)
        where = "the operator that computes '%s'" % n.name if n.outs else 'an operator without outputs'
        message = '%s: %s%s, version %d: %s.' % (where, 'the custom operator ' if n.is_custom else '', n.op, n.version,
                                                 reason.rstrip('.'))
        if blocked:
            message += ' It blocks: %s.' % ', '.join(blocked[:8])
        if n.outs:
            message += ' To go on without it, feed its outputs: feed %s' % ', '.join(
                '%s=...' % scope.names[i] for i in n.operator.outputs if scope.names[i])
        self.refused.append((n.op, message))
        for i in n.operator.outputs:
            info = scope.graph.tensors[i]
            if info.dtype in _HANDLES:
                continue
            shape = tf.TensorShape(info.shape if info.dims else None)
            name = scope.names[i] + ('/missing' if i in scope.late else '')
            scope.values[i] = tf.raw_ops.Unsupported(dtype=info.dtype, shape=shape, message=message, name=name + '/')

    def _reached(self, scope, operator):
        """The outputs of the graph that depend on an operator."""
        reached, found = set(operator.outputs), False
        for op in scope.graph.operators:
            found = found or op is operator
            if found and any(i in reached for i in op.inputs):
                reached.update(op.outputs)
        return [scope.names[i] for i in scope.graph.outputs if i in reached]


def spread_zero(info, r):
    """The zero points as an array that is broadcast over a tensor of r dimensions."""
    zero = info.zero.astype(np.float32)
    return zero.reshape([-1 if a == info.axis else 1 for a in range(r)]) if len(zero) > 1 else zero


def _sizes(w, order):
    """The largest sum of |w| over the weights that one output adds up, and their number."""
    last = order is not None and order[3] == 3  # a depthwise convolution, whose outputs are last
    axes = [0, 1, 2] if last else list(range(1, w.ndim))
    total = np.sum(np.abs(w), tuple(axes))
    return (int(np.max(total)), w.size // total.size) if w.size else None
