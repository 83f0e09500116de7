"""Builds TensorFlow Lite models of single operators with the schema of the installed TensorFlow, and runs them in its interpreter
with the reference kernels."""
import os

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '-1')
import flatbuffers
import numpy as np
import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema

TYPES = {'float32': 'FLOAT32', 'float16': 'FLOAT16', 'int32': 'INT32', 'uint8': 'UINT8', 'int64': 'INT64', 'str': 'STRING',
         'bool': 'BOOL', 'int16': 'INT16', 'complex64': 'COMPLEX64', 'int8': 'INT8', 'float64': 'FLOAT64', 'uint32': 'UINT32',
         'uint16': 'UINT16', 'uint64': 'UINT64', 'resource': 'RESOURCE', 'int4': 'INT4'}


class T(object):
    """A tensor: one that is fed, if value is given and kind is 'feed'; a constant; a variable; or an output."""

    def __init__(self, kind, value=None, dtype=None, scale=None, zero=0, axis=0, shape=None, packed=None, sparsity=None, blocks=None):
        self.kind, self.value = kind, None if value is None else np.asarray(value)
        self.dtype = dtype or (None if value is None else 'str' if self.value.dtype.kind in 'SOU' else self.value.dtype.name)
        self.scale = None if scale is None else np.atleast_1d(np.asarray(scale, np.float32))
        self.zero, self.axis, self.packed, self.sparsity, self.blocks = zero, axis, packed, sparsity, blocks
        self.shape = list(shape if shape is not None else [] if value is None else self.value.shape)


def feed(value, scale=None, zero=0, shape=None):
    return T('feed', value, scale=scale, zero=zero, shape=shape)


def const(value, scale=None, zero=0, axis=0, **more):
    return T('const', value, scale=scale, zero=zero, axis=axis, **more)


def var(shape, dtype='float32', scale=None, zero=0):
    return T('var', dtype=dtype, shape=shape, scale=scale, zero=zero)


def out(dtype='float32', scale=None, zero=0, shape=None):
    return T('out', dtype=dtype, scale=scale, zero=zero, shape=shape)


def strings(value):
    flat = [v if isinstance(v, bytes) else v.encode() for v in np.asarray(value, object).reshape(-1)]
    at, ends = 4 * (len(flat) + 2), []
    for v in flat:
        ends.append(at)
        at += len(v)
    return np.array([len(flat)] + ends + [at], np.int32).tobytes() + b''.join(flat)


class Builder(object):
    def __init__(self):
        self.model = schema.ModelT()
        self.model.version, self.model.description = 3, 'test'
        self.model.operatorCodes, self.model.subgraphs, self.model.signatureDefs, self.model.metadata = [], [], [], []
        self.model.buffers = [schema.BufferT()]
        self.codes = {}

    def code(self, name, version, custom):
        key = (name, version, custom)
        if key not in self.codes:
            self.codes[key] = len(self.model.operatorCodes)
            c = schema.OperatorCodeT()
            number = getattr(schema.BuiltinOperator, name)
            c.builtinCode, c.deprecatedBuiltinCode, c.version = number, min(number, 127), version
            c.customCode = custom
            self.model.operatorCodes.append(c)
        return self.codes[key]

    def graph(self, name='main'):
        g = schema.SubGraphT()
        g.name, g.tensors, g.operators, g.inputs, g.outputs = name, [], [], [], []
        self.model.subgraphs.append(g)
        return g

    def tensor(self, g, t, name):
        made = schema.TensorT()
        made.name, made.shape, made.type = name, t.shape, getattr(schema.TensorType, TYPES[t.dtype])
        made.buffer, made.isVariable, made.hasRank = 0, t.kind == 'var', True
        if t.kind == 'const':
            buffer = schema.BufferT()
            data = t.packed or (strings(t.value) if t.dtype == 'str' else t.value.tobytes())
            buffer.data = np.frombuffer(data, np.uint8)
            made.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        if t.sparsity is not None:
            made.sparsity = t.sparsity
        if t.scale is not None:
            q = schema.QuantizationParametersT()
            q.scale = t.scale
            q.zeroPoint = np.broadcast_to(np.asarray(t.zero, np.int64), t.scale.shape).copy()
            q.quantizedDimension = t.axis
            made.quantization = q
        if t.blocks is not None:
            made.quantization = schema.QuantizationParametersT()
            made.quantization.detailsType, made.quantization.details = 2, schema.BlockwiseQuantizationT()
            made.quantization.details.scales, made.quantization.details.zeroPoints, made.quantization.details.blockSize = t.blocks
        g.tensors.append(made)
        return len(g.tensors) - 1

    def operator(self, g, name, inputs, outputs, options=None, version=1, custom=None, custom_options=None):
        op = schema.OperatorT()
        op.opcodeIndex = self.code(name, version, custom)
        op.inputs, op.outputs = inputs, outputs
        if options is not None:
            kind = type(options).__name__[:-1]
            if hasattr(schema.BuiltinOptions, kind):
                op.builtinOptionsType, op.builtinOptions = getattr(schema.BuiltinOptions, kind), options
            else:
                op.builtinOptions2Type, op.builtinOptions2 = getattr(schema.BuiltinOptions2, kind), options
        if custom_options is not None:
            op.customOptions = np.frombuffer(custom_options, np.uint8)
        g.operators.append(op)

    def bytes(self):
        b = flatbuffers.Builder(1024)
        b.Finish(self.model.Pack(b), b'TFL3')
        return bytes(b.Output())


def options(kind, **fields):
    made = getattr(schema, kind + 'T')()
    for k, v in fields.items():
        if not hasattr(made, k):
            raise AttributeError(kind + ' has no ' + k)
        setattr(made, k, v)
    return made


def one_operator(name, ins, outs, opts, version, custom, custom_options, extra=()):
    """A model of one operator. `extra` are functions that add other graphs."""
    b = Builder()
    g = b.graph()
    inputs = [-1 if t is None else b.tensor(g, t, '%s%d' % ({'feed': 'x', 'const': 'c', 'var': 'v'}[t.kind], i)) for i, t in enumerate(ins)]
    outputs = [b.tensor(g, t, 'y%d' % i) for i, t in enumerate(outs)]
    g.inputs = [i for i, t in zip(inputs, ins) if t is not None and t.kind == 'feed']
    g.outputs = outputs
    b.operator(g, name, inputs, outputs, opts, version, custom, custom_options)
    for add in extra:
        add(b)
    return b.bytes()


def run(model, feeds, times=1, reference=True):
    """Runs a model in TensorFlow Lite, and returns its outputs."""
    kind = tf.lite.experimental.OpResolverType
    kind = kind.AUTO if reference is None else kind.BUILTIN_REF if reference else kind.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = tf.lite.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=kind)
    details = interpreter.get_input_details()
    for d, v in zip(details, feeds):
        if list(d['shape']) != list(np.shape(v)):
            interpreter.resize_tensor_input(d['index'], np.shape(v))
    interpreter.allocate_tensors()
    for _ in range(times):
        for d, v in zip(details, feeds):
            interpreter.set_tensor(d['index'], np.asarray(v, object) if d['dtype'] in (np.bytes_, np.str_, object) else v)
        interpreter.invoke()
    return [interpreter.get_tensor(d['index']) for d in interpreter.get_output_details()]
