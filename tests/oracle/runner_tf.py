"""Builds and runs one oracle case in TensorFlow: values, inferred shapes, gradients."""
import os

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
import logging
import warnings

warnings.simplefilter('ignore')
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.python.framework import op_def_library, op_def_registry

from tensor_text import Ref, encode, shape_text

logging.disable(logging.CRITICAL)
tf.disable_v2_behavior()
CONTINUOUS = (tf.float32, tf.float64, tf.complex64, tf.complex128)
CONFIG = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
CONFIG.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
CONFIG.graph_options.rewrite_options.disable_meta_optimizer = True
CONFIG.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF


def dtype_of(array):
    return tf.string if array.dtype == object else tf.as_dtype(array.dtype)


def type_named(name):
    return tf.as_dtype({'float': 'float32', 'double': 'float64', 'half': 'float16'}.get(name, name))


def lists_of_inputs(op):
    """Returns the attributes that are determined by lists of inputs."""
    return {name for a in op_def_registry.get(op).input_arg for name in (a.number_attr, a.type_list_attr) if name}


def attr_kwargs(op, attrs):
    """Converts attribute values for _apply_op_helper, which determines the lengths of input lists itself."""
    kinds = {a.name: a.type for a in op_def_registry.get(op).attr}
    inferred = lists_of_inputs(op)
    out = {}
    for name, value in attrs.items():
        if name in inferred:
            continue
        if kinds[name] == 'type':
            value = type_named(value)
        if kinds[name] == 'list(type)':
            value = [type_named(v) for v in value]
        if kinds[name] == 'shape':
            value = tf.TensorShape(None if value == '<unknown>' else [d if d >= 0 else None for d in value])
        if kinds[name] == 'tensor':
            value = tf.make_tensor_proto(value)
        if kinds[name] == 'list(shape)':
            value = [tf.TensorShape([d if d >= 0 else None for d in v]) for v in value]
        out[name] = value
    return out


def default_kwargs(op):
    """_apply_op_helper leaves defaults to its caller. Types are determined by the inputs."""
    rows = {}
    for a in op_def_registry.get(op).attr:
        if a.HasField('default_value') and a.type != 'type' and a.name not in lists_of_inputs(op):
            kind = a.default_value.WhichOneof('value')
            value = getattr(a.default_value, kind)
            rows[a.name] = list(value.i) or list(value.f) if kind == 'list' else tf.TensorShape(None) if kind == 'shape' else value
    return rows


# These ops refuse a block_shape of unknown size, or images of unknown rank.
WANT_SHAPES = ('SpaceToBatchND', 'BatchToSpaceND', 'FusedPadConv2D', 'FusedResizeAndPadConv2D')


class Case:
    """inputs: arrays, lists of arrays, or Refs. attrs: those that the inputs do not determine."""

    def __init__(self, op, inputs, attrs, runs=1):
        self.op, self.inputs, self.attrs, self.runs = op, inputs, attrs, runs
        self.names = [a.name for a in op_def_registry.get(op).input_arg]

    def make(self, value, shape, const):
        if isinstance(value, Ref):
            var = tf.raw_ops.VariableV2(shape=value.value.shape, dtype=dtype_of(value.value))
            if value.initialized:
                self.init.append(tf.raw_ops.Assign(ref=var, value=tf.constant(value.value)))
            self.variables.append(var)
            return var
        if const:
            return tf.constant(value, dtype_of(value))
        tensor = tf.placeholder(dtype_of(value), shape)
        self.feeds[tensor] = value
        return tensor

    def build(self, shapes=None, const=()):
        """shapes: one per flattened input (None means unknown). const: names that are fed as constants."""
        if not shapes and self.op in WANT_SHAPES:
            shapes = [v.shape for v in self.inputs]
        flat = iter(shapes) if shapes else None
        args = default_kwargs(self.op)
        self.variables, self.init, self.feeds, self.flat = [], [], {}, []
        for name, value in zip(self.names, self.inputs):
            many = value if isinstance(value, list) else [value]
            made = [self.make(v, next(flat) if flat else None, name in const) for v in many]
            self.flat += made
            args[name] = made if isinstance(value, list) else made[0]
        args.update(attr_kwargs(self.op, self.attrs))
        _, _, node, _ = op_def_library._apply_op_helper(self.op, **args)
        return node


def error_name(error):
    if isinstance(error, tf.errors.OpError):
        return type(error).__name__
    return 'InvalidArgumentError'  # ValueError or TypeError during graph construction


def first_line(error):
    text = error.message if isinstance(error, tf.errors.OpError) else str(error)
    lines = [l for l in text.split('\n') if l and not l.startswith('Graph execution error')]
    return [l for l in lines if not l.startswith(('Detected at', "Node: ", '\t', '  '))][0][:160]


def run_values(case):
    """Returns {'out': …, 'next': …, 'after': …} or {'error': …}."""
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        try:
            node = case.build()
            if case.init:
                session.run(case.init)
            runs = [session.run(list(node.outputs), case.feeds) if node.outputs
                    else session.run(node, case.feeds) or [] for _ in range(case.runs)]
            result = {'out': [encode(v) for v in runs[0]]}
            if case.runs > 1:
                result['next'] = [[encode(v) for v in run] for run in runs[1:]]
            ready = [v for v in case.variables if session.run(tf.raw_ops.IsVariableInitialized(ref=v))]
            if ready:
                result['after'] = [encode(v) for v in session.run(ready)]
            return result
        except (tf.errors.OpError, ValueError, TypeError) as e:
            return {'error': error_name(e), 'message': first_line(e)}


def infer(case, shapes, const):
    """Returns one row of a case's "shapes": [inputs, outputs or the error]."""
    asked, i = [], 0
    for name, value in zip(case.names, case.inputs):
        for v in value if isinstance(value, list) else [value]:
            asked.append('&' if isinstance(v, Ref) else '=' if name in const else shape_text(shapes[i]))
            i += 1
    with tf.Graph().as_default():
        try:
            node = case.build(shapes, const)
            got = [shape_text(o.shape.as_list() if o.shape.rank is not None else None)
                   for o in node.outputs]
            return [asked, got]
        except (tf.errors.OpError, ValueError, TypeError) as e:
            return [asked, error_name(e)]


def weights_of(random, value):
    w = np.asarray(random.randn(*value.shape)).round(3)
    if value.dtype.kind == 'c':
        w = w + 1j * np.asarray(random.randn(*value.shape)).round(3)
    return np.asarray(w).astype(value.dtype)


def gradients(case, random):
    """Returns {'w': …, 'grad': …} of sum(outputs * w) for each float input, or None."""
    with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
        try:
            node = case.build()
            ys = [o for o in node.outputs if o.dtype in CONTINUOUS]
            if case.op.endswith('CrossEntropyWithLogits'):
                ys = ys[:1]  # the second output is a gradient, and is not differentiated
            if not ys:
                return None
            values = session.run(ys, case.feeds)
            weights = [weights_of(random, v) for v in values]
            holders = [tf.placeholder(y.dtype) for y in ys]
            xs = [x for x in case.flat if x.dtype in CONTINUOUS]
            grads = tf.gradients(ys, xs, grad_ys=holders)
            feeds = dict(case.feeds)
            feeds.update(zip(holders, weights))
            got = session.run([tf.convert_to_tensor(g) for g in grads if g is not None], feeds)
            rest = iter(got)
            return {'w': [encode(w) for w in weights],
                    'grad': [None if g is None else encode(next(rest)) for g in grads]}
        except (tf.errors.OpError, ValueError, TypeError, LookupError, NotImplementedError) as e:
            return {'none': str(e).split('\n')[0][:100]}
