"""Operations that are used as layers: those of keras.ops (Keras 3), and functions of TensorFlow (TFOpLambda of Keras 2).

A row of the table is a function of the operation's arguments. Those that Keras keeps in the config of the node, such as
the axis, are named arguments.
"""
from _library.keras_pools import repeated, resize
from _library.keras_rules import (RULES, Refused, Rule, activate, as_list, axes_of, axis_of, dims, layer, like, rank,
                                   reshape, where)


def _pair(a, b):
    """Two operands in the type that Keras gives the result: a number takes that of the tensor, integers become floats."""
    if not isinstance(a, tf.Tensor) and not isinstance(b, tf.Tensor):
        a = tf.convert_to_tensor(a)
    for x, y in ((a, b), (b, a)):
        if not isinstance(y, tf.Tensor):
            y = np.asarray(y)
            kind = x.dtype if not (y.dtype.kind == 'f' and not x.dtype.is_floating) else tf.float32
            if y.ndim and y.dtype.kind != 'f' and not x.dtype.is_floating:
                kind = tf.as_dtype(y.dtype.name) if y.dtype.name != 'int64' else x.dtype
            x, y = tf.cast(x, kind), tf.constant(y, kind)
            return (x, y) if not isinstance(b, tf.Tensor) else (y, x)
    if a.dtype != b.dtype:
        order = ['bool', 'uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'uint64', 'int64', 'float16', 'bfloat16', 'float32',
                 'float64', 'complex64', 'complex128']
        kind = tf.as_dtype(max(a.dtype.name, b.dtype.name, key=order.index))
        a, b = tf.cast(a, kind), tf.cast(b, kind)
    return a, b


def _floats(x):
    x = tf.convert_to_tensor(x)
    return x if x.dtype.is_floating or x.dtype.is_complex else tf.cast(x, tf.float32)


def _axes(x, axis):
    return None if axis is None else axes_of(axis, rank(x))


_UNARY = {
    'Absolute': tf.abs, 'Abs': tf.abs, 'Negative': tf.negative, 'Sign': tf.sign, 'Square': tf.square, 'Copy': tf.identity,
    'OnesLike': tf.ones_like, 'ZerosLike': tf.zeros_like, 'LogicalNot': lambda x: tf.logical_not(tf.cast(x, tf.bool)),
    'StopGradient': tf.stop_gradient, 'Conjugate': tf.conj, 'Conj': tf.conj, 'Real': tf.real, 'Imag': tf.imag,
    'BitwiseInvert': tf.bitwise.invert, 'BitwiseNot': tf.bitwise.invert,
}
_FLOATING = {
    'Sqrt': tf.sqrt, 'Exp': tf.exp, 'Log': tf.log, 'Log1p': tf.log1p, 'Expm1': tf.math.expm1, 'Sin': tf.sin, 'Cos': tf.cos,
    'Tan': tf.tan, 'Sinh': tf.sinh, 'Cosh': tf.cosh, 'Tanh': tf.tanh, 'Arcsin': tf.asin, 'Arccos': tf.acos, 'Arctan': tf.atan,
    'Arcsinh': tf.asinh, 'Arccosh': tf.acosh, 'Arctanh': tf.atanh, 'Floor': tf.floor, 'Ceil': tf.ceil, 'Rsqrt': tf.rsqrt,
    'Erf': tf.erf, 'Erfc': tf.erfc, 'Erfinv': tf.math.erfinv, 'Reciprocal': tf.reciprocal, 'Isnan': tf.is_nan, 'Isinf': tf.is_inf,
    'Isfinite': tf.is_finite, 'Log10': lambda x: tf.log(x) / like(2.302585092994046, x), 'Exp2': lambda x: tf.pow(like(2, x), x),
    'Log2': lambda x: tf.log(x) / like(0.6931471805599453, x), 'Deg2rad': lambda x: x * like(0.017453292519943295, x),
    'Rad2deg': lambda x: x * like(57.29577951308232, x), 'Cbrt': lambda x: tf.sign(x) * tf.pow(tf.abs(x), 1 / 3.),
    'Trunc': lambda x: tf.sign(x) * tf.floor(tf.abs(x)),
}
_BINARY = {
    'Add': tf.add, 'Subtract': tf.subtract, 'Multiply': tf.multiply, 'Maximum': tf.maximum, 'Minimum': tf.minimum,
    'Equal': tf.equal, 'NotEqual': lambda a, b: tf.not_equal(a, b), 'Greater': tf.greater, 'GreaterEqual': tf.greater_equal, 'Less': tf.less,
    'LessEqual': tf.less_equal, 'Power': tf.pow, 'Mod': tf.floormod, 'FloorDivide': tf.floordiv, 'Arctan2': tf.atan2,
    'DivideNoNan': tf.div_no_nan, 'Fmax': tf.maximum, 'Fmin': tf.minimum, 'BitwiseAnd': tf.bitwise.bitwise_and,
    'BitwiseOr': tf.bitwise.bitwise_or, 'BitwiseXor': tf.bitwise.bitwise_xor,
    'Logaddexp': lambda a, b: tf.maximum(a, b) + tf.log1p(tf.exp(-tf.abs(a - b))), 'Hypot': lambda a, b: tf.sqrt(a * a + b * b),
}
_LOGICAL = {'LogicalAnd': tf.logical_and, 'LogicalOr': tf.logical_or, 'LogicalXor': tf.math.logical_xor}
_REDUCTIONS = {'Sum': tf.reduce_sum, 'Prod': tf.reduce_prod, 'Max': tf.reduce_max, 'Min': tf.reduce_min, 'Amax': tf.reduce_max,
               'Amin': tf.reduce_min}
_ACTIVATIONS = ('Relu Relu6 Sigmoid SparseSigmoid Softplus Softsign SparsePlus Silu Squareplus LogSigmoid HardSigmoid HardSilu '
                'Selu TanhShrink HardTanh').split()


def _reduce(f):
    return lambda n, x, axis=None, keepdims=False, initial=None, dtype=None: f(tf.cast(x, dtype) if dtype else x, _axes(
        x, axis), keepdims)


def _divide(n, a, b):
    a, b = _pair(a, b)
    return _floats(a) / _floats(b)


def _mean(n, x, axis=None, keepdims=False):
    return tf.reduce_mean(_floats(x), _axes(x, axis), keepdims)


def _var(n, x, axis=None, keepdims=False):
    x = _floats(x)
    centered = x - tf.reduce_mean(x, _axes(x, axis), True)
    y = tf.reduce_mean(centered * centered, _axes(x, axis), keepdims)
    return tf.sqrt(y) if n.kind == 'op:Std' else y


def _matmul(n, a, b):
    a, b = _pair(a, b)
    if rank(a) == 1 or rank(b) == 1:
        return tf.tensordot(a, b, [[rank(a) - 1], [max(0, rank(b) - 2)]])
    if rank(b) == 2 and rank(a) > 2:
        return reshape(tf.matmul(tf.reshape(a, [-1, a.shape[-1]]), b), dims(a)[:-1] + [dims(b)[1]])
    return tf.matmul(a, b)


def _reshape(n, x, newshape=None, shape=None):
    shape = newshape if shape is None else shape
    return reshape(x, [-1 if d is None else d for d in as_list(shape)])


def _get_item(n, x, key=None, slice_spec=None):
    key = slice_spec if key is None else key
    return x[tuple(Ellipsis if k == '...' else k for k in key) if isinstance(key, (list, tuple)) else key]


_MOST_PARTS = 10000  # tensors that one operation may return


def _split(n, x, indices_or_sections=None, axis=0):
    axis = axis_of(axis, rank(x))
    if isinstance(indices_or_sections, int):
        if not 0 < indices_or_sections <= _MOST_PARTS:
            raise Refused('%d parts are not possible' % indices_or_sections)
        return tf.split(x, indices_or_sections, axis)
    ends, found = list(indices_or_sections) + [None], []
    for begin, end in zip([0] + ends[:-1], ends):
        found.append(x[tuple([slice(None)] * axis + [slice(begin, end)])])
    return found


def _transpose(n, x, axes=None):
    return tf.transpose(x, list(axes) if axes is not None else list(range(rank(x)))[::-1])


def _moveaxis(n, x, source, destination):
    source, destination = [axis_of(a, rank(x)) for a in as_list(source)], [axis_of(a, rank(x)) for a in as_list(destination)]
    order = [i for i in range(rank(x)) if i not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return tf.transpose(x, order)


def _swapaxes(n, x, axis1, axis2):
    order = list(range(rank(x)))
    a, b = axis_of(axis1, rank(x)), axis_of(axis2, rank(x))
    order[a], order[b] = b, a
    return tf.transpose(x, order)


def _stack(n, xs, axis=0):
    return tf.stack(as_list(xs), axis)


def _repeat(n, x, repeats, axis=None):
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    if not isinstance(repeats, int):
        raise Refused('repeats that differ between elements are not supported')
    return repeated(x, repeats, axis_of(axis, rank(x)))


def _softmax(n, x, axis=-1):
    return tf.nn.softmax(x, axis) if n.kind == 'op:Softmax' else tf.nn.log_softmax(x, axis)


def _clip(n, x, x_min=None, x_max=None):
    x_min, x_max = [v if isinstance(v, tf.Tensor) else like(v, x) for v in (x_min, x_max)]
    return tf.minimum(tf.maximum(x, x_min), x_max)


def _where(n, condition, x1=None, x2=None):
    if x1 is None:
        return tf.where(condition)
    x1, x2 = _pair(x1, x2)
    return where(tf.cast(condition, tf.bool), x1, x2)


def _cumulate(n, x, axis=None, dtype=None):
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    return (tf.cumsum if n.kind == 'op:Cumsum' else tf.cumprod)(x, axis_of(axis, rank(x)))


def _arg(n, x, axis=None, keepdims=False):
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    y = (tf.argmax if n.kind == 'op:Argmax' else tf.argmin)(x, axis_of(axis, rank(x)), output_type=tf.int32)
    return tf.expand_dims(y, axis) if keepdims else y


def _pad(n, x, constant_values=None, pad_width=None, mode='constant'):
    pad_width = pad_width if pad_width is not None else constant_values
    rows = [[pad_width, pad_width]] * rank(x) if isinstance(pad_width, int) else [list(as_list(r)) for r in pad_width]
    rows = [r * 2 if len(r) == 1 else r for r in rows]
    rows = rows * rank(x) if len(rows) == 1 else rows
    value = constant_values if isinstance(constant_values, (int, float)) else 0
    return tf.pad(x, rows, mode.upper(), constant_values=value) if mode == 'constant' else tf.pad(x, rows, mode.upper())


def _take(n, x, indices, axis=None):
    if axis is None:
        x, axis = tf.reshape(x, [-1]), 0
    indices = tf.convert_to_tensor(indices)
    indices = indices if indices.dtype.is_integer else tf.cast(indices, tf.int32)
    axis = axis_of(axis, rank(x))
    return tf.gather(x, where(indices < 0, indices + tf.cast(tf.shape(x)[axis], indices.dtype), indices), axis=axis)


def _one_hot(n, x, num_classes=None, axis=-1, dtype='float32', sparse=False):
    return tf.one_hot(x, num_classes, axis=axis, dtype=tf.as_dtype(dtype or 'float32'))


def _top_k(n, x, k=1, sorted=True):
    return list(tf.nn.top_k(x, k, sorted))


def _normalize(n, x, axis=-1, order=2, epsilon=1e-12):
    if order != 2:
        raise Refused('normalize with the order %s is not supported' % order)
    return tf.nn.l2_normalize(x, axis, epsilon)


def _norm(n, x, ord=None, axis=None, keepdims=False):
    if ord not in (None, 2, 1, 'euclidean', 'fro'):
        raise Refused('norm with the order %s is not supported' % ord)
    x = _floats(x)
    axes = _axes(x, axis)
    if ord == 1:
        return tf.reduce_sum(tf.abs(x), axes, keepdims)
    return tf.sqrt(tf.reduce_sum(x * x, axes, keepdims))


def _resize(n, x, size=None, interpolation='bilinear', antialias=False, crop_to_aspect_ratio=False, pad_to_aspect_ratio=False,
            fill_mode='constant', fill_value=0., data_format='channels_last'):
    if crop_to_aspect_ratio or pad_to_aspect_ratio or data_format == 'channels_first':
        raise Refused('resize with crop_to_aspect_ratio, pad_to_aspect_ratio or channels_first is not supported')
    return resize(x, size[0], size[1], interpolation, antialias)


def _as_layer(kind, keys):
    """An operation that a layer without weights does as well. `keys` are its arguments by the layer's names."""
    def f(n, x, **kwargs):
        return n.inner(kind, {keys.get(k, k): v for k, v in kwargs.items()})(x)
    return f


def _activation(name):
    return lambda n, x, **kwargs: activate(n, _floats(x), name)


def _pooled(n, x, pool_size=2, strides=None, padding='valid', data_format='channels_last'):
    kind = {'op:MaxPool': 'MaxPooling', 'op:AveragePool': 'AveragePooling'}[n.kind]
    return n.inner('%s%dD' % (kind, rank(x) - 2), {'pool_size': pool_size, 'strides': strides, 'padding': padding,
                                                     'data_format': data_format})(x)


def _cast(n, x, dtype=None):
    return tf.cast(x, tf.as_dtype(dtype))


_OTHERS = {
    'Divide': _divide, 'TrueDivide': _divide, 'Mean': _mean, 'Var': _var, 'Std': _var, 'Matmul': _matmul, 'Dot': _matmul,
    'Reshape': _reshape, 'Ravel': lambda n, x: tf.reshape(x, [-1]), 'GetItem': _get_item, 'Split': _split, 'Transpose': _transpose,
    'Moveaxis': _moveaxis, 'Swapaxes': _swapaxes, 'Stack': _stack, 'Repeat': _repeat, 'Softmax': _softmax,
    'LogSoftmax': _softmax, 'Clip': _clip, 'Where': _where, 'Cumsum': _cumulate, 'Cumprod': _cumulate, 'Argmax': _arg,
    'Argmin': _arg, 'Pad': _pad, 'Take': _take, 'OneHot': _one_hot, 'TopK': _top_k, 'Normalize': _normalize, 'Norm': _norm,
    'Resize': _resize, 'Cast': _cast, 'MaxPool': _pooled, 'AveragePool': _pooled,
    'Concatenate': lambda n, xs, axis=0: tf.concat(xs, axis_of(axis, rank(xs[0]))),
    'Hstack': lambda n, xs: tf.concat(xs, 0 if rank(xs[0]) == 1 else 1), 'Vstack': lambda n, xs: tf.concat(xs, 0),
    'ExpandDims': lambda n, x, axis=0: tf.expand_dims(x, axis), 'Squeeze': lambda n, x, axis=None: tf.squeeze(x, axis),
    'BroadcastTo': lambda n, x, shape=None: tf.broadcast_to(x, tf.stack(shape)), 'Tile': lambda n, x, repeats=1: tf.tile(
        x, [1] * (rank(x) - len(as_list(repeats))) + as_list(repeats)),
    'Flip': lambda n, x, axis=None: tf.reverse(x, _axes(x, axis) or list(range(rank(x)))),
    'Roll': lambda n, x, shift=0, axis=None: tf.roll(x, shift, axis),
    'Einsum': lambda n, *xs, **kw: tf.einsum(kw.get('subscripts') or xs[0], *[x for x in xs if isinstance(x, tf.Tensor)]),
    'Tensordot': lambda n, a, b, axes=2: tf.tensordot(a, b, axes), 'Outer': lambda n, a, b: tf.tensordot(
        tf.reshape(a, [-1]), tf.reshape(b, [-1]), 0),
    'Any': lambda n, x, axis=None, keepdims=False: tf.reduce_any(tf.cast(x, tf.bool), _axes(x, axis), keepdims),
    'All': lambda n, x, axis=None, keepdims=False: tf.reduce_all(tf.cast(x, tf.bool), _axes(x, axis), keepdims),
    'Logsumexp': lambda n, x, axis=None, keepdims=False: tf.reduce_logsumexp(x, _axes(x, axis), keepdims),
    'Round': lambda n, x, decimals=0: tf.round(x) if not decimals else tf.round(x * 10. ** decimals) / 10. ** decimals,
    'Sort': lambda n, x, axis=-1: tf.sort(x, axis), 'Argsort': lambda n, x, axis=-1: tf.argsort(x, axis),
    'Tril': lambda n, x, k=0: tf.matrix_band_part(x, -1, k), 'Triu': lambda n, x, k=0: tf.matrix_band_part(x, -k, -1),
    'LeakyRelu': lambda n, x, negative_slope=0.2: tf.nn.leaky_relu(x, negative_slope), 'HardShrink': _activation('hard_shrink'),
    'SoftShrink': _activation('soft_shrink'), 'Sparsemax': _activation('sparsemax'), 'Glu': _activation('glu'),
    'Elu': _as_layer('ELU', {}), 'Celu': lambda n, x, alpha=1.: tf.maximum(x, 0.) + alpha * tf.math.expm1(tf.minimum(x, 0.) / alpha),
    'Gelu': lambda n, x, approximate=True: activate(n, x, 'gelu_tanh' if approximate else 'gelu'),
    'DepthToSpace': lambda n, x, block_size=2, data_format='channels_last': tf.depth_to_space(x, block_size),
    'SpaceToDepth': lambda n, x, block_size=2, data_format='channels_last': tf.space_to_depth(x, block_size),
    'FullLike': lambda n, x, fill_value=0., dtype=None: tf.zeros_like(x) + tf.cast(fill_value, x.dtype),
    'NanToNum': lambda n, x, nan=0., posinf=None, neginf=None: where(tf.is_nan(x), tf.zeros_like(x) + nan, tf.clip_by_value(
        x, x.dtype.min if neginf is None else neginf, x.dtype.max if posinf is None else posinf)),
    'Identity': lambda n, x: x, 'ConvertToTensor': lambda n, x, dtype=None, sparse=None: tf.convert_to_tensor(x),
    'Unstack': lambda n, x, num=None, axis=0: tf.unstack(x, axis=axis),
    'Slice': lambda n, x, start_indices=None, shape=None: tf.slice(x, start_indices, shape),
    'Shape': lambda n, x: tf.shape(x), 'Size': lambda n, x: tf.size(x),
}


def _rows():
    found = {}
    for name, f in _UNARY.items():
        found[name] = lambda n, x, f=f, **kw: f(x)
    for name, f in _FLOATING.items():
        found[name] = lambda n, x, f=f, **kw: f(_floats(x))
    for name, f in _BINARY.items():
        found[name] = lambda n, a, b, f=f, **kw: f(*_pair(a, b))
    for name, f in _LOGICAL.items():
        found[name] = lambda n, a, b, f=f, **kw: f(tf.cast(a, tf.bool), tf.cast(b, tf.bool))
    for name, f in _REDUCTIONS.items():
        found[name] = _reduce(f)
    for name in _ACTIVATIONS:
        found[name] = _activation(name)
    found.update(_OTHERS)
    return found


_NOT_ARGUMENTS = ('name', 'dtype', 'trainable', 'function')


def _operation(f):
    def call(n, *args, **kwargs):
        given = {k: v for k, v in n.config.items() if v is not None and k not in _NOT_ARGUMENTS or k == 'dtype' and isinstance(v, str) and
                 n.kind in ('op:Cast', 'op:OneHot')}
        given.update(kwargs)
        return f(n, *args, **given)
    return call


for _name, _f in _rows().items():
    RULES['op:' + _name] = Rule(_operation(_f), None, None, False)

# ---- functions of TensorFlow, as Keras 2 writes them ----

_OPERATORS = {'add': 'Add', 'sub': 'Subtract', 'mul': 'Multiply', 'truediv': 'Divide', 'getitem': 'GetItem', 'matmul': 'Matmul',
              'eq': 'Equal', 'ne': 'NotEqual', 'lt': 'Less', 'le': 'LessEqual', 'gt': 'Greater', 'ge': 'GreaterEqual',
              'pow': 'Power', 'neg': 'Negative', 'abs': 'Absolute', 'floordiv': 'FloorDivide', 'mod': 'Mod', 'invert': 'LogicalNot',
              'and': 'LogicalAnd', 'or': 'LogicalOr', 'xor': 'LogicalXor'}
_ARITHMETIC = {'math.add': 'Add', 'math.subtract': 'Subtract', 'math.multiply': 'Multiply', 'math.divide': 'Divide',
               'math.truediv': 'Divide', 'math.maximum': 'Maximum', 'math.minimum': 'Minimum', 'math.pow': 'Power',
               'linalg.matmul': '', 'math.floordiv': 'FloorDivide', 'math.floormod': 'Mod'}
_MODULES = ('math', 'nn', 'linalg', 'image', 'signal', 'bitwise', 'strings')
_FUNCTIONS = set('reshape transpose concat split stack unstack expand_dims squeeze cast tile gather gather_nd slice '
                 'strided_slice pad reverse reverse_sequence where one_hot range shape size rank identity zeros_like ones_like fill '
                 'zeros ones broadcast_to clip_by_value clip_by_norm stop_gradient cumsum argmax argmin sort argsort einsum '
                 'tensordot norm boolean_mask sequence_mask repeat roll round sign sqrt square abs exp reduce_sum reduce_mean '
                 'reduce_max reduce_min reduce_prod reduce_any reduce_all matmul add subtract multiply divide maximum minimum pow '
                 'tanh sigmoid negative floor ceil linspace eye meshgrid unsorted_segment_sum searchsorted convert_to_tensor '
                 'constant depth_to_space space_to_depth batch_to_space space_to_batch'.split())


def _tf_function(name):
    """Returns a function of TensorFlow by the name in the file. Only those that compute are used."""
    parts = [p for p in name.split('.') if p not in ('compat', 'v1', 'v2', 'experimental')]
    known = len(parts) == 1 and parts[0] in _FUNCTIONS or len(parts) == 2 and parts[0] in _MODULES and parts[1][:1] != '_'
    found = tf
    for part in parts if known else []:
        found = getattr(found, part, None)
    if not known or found is None and len(parts) == 2:
        found = getattr(tf, parts[-1], None) if parts[-1] in _FUNCTIONS else None
    if not callable(found):
        raise Refused("its function of TensorFlow, '%s', is not supported" % name)
    return found


@layer('TFOpLambda SlicingOpLambda ClassMethod InstanceMethod')
def _tf_op(n, *args, **kwargs):
    name = str(n.get('function', n.get('symbol', '')))
    row = _OPERATORS.get(name[14:].strip('_'), '') if name.startswith('__operators__.') else _ARITHMETIC.get(name)
    if row:
        values = list(args) + [kwargs[k] for k in ('x', 'y', 'key', 'slice_spec') if k in kwargs]
        return RULES['op:' + row].f(_Bare(n, 'op:' + row), *values)
    if name in ('nn.silu', 'nn.swish', 'nn.gelu'):
        return activate(n, args[0], name[3:] if not kwargs.get('approximate') else 'gelu_tanh')
    if name.split('.')[-1] == 'resize' and 'image' in name:
        size = kwargs.get('size', args[1] if len(args) > 1 else None)
        return resize(args[0], size[0], size[1], kwargs.get('method', 'bilinear'), kwargs.get('antialias', False))
    named = {k: tf.as_dtype(v) if k in ('dtype', 'out_type', 'output_type') and isinstance(v, str) else v for k, v in kwargs.items()}
    return _tf_function(name)(*args, **named)


class _Bare(object):
    """A node for a row of the table whose arguments are all given."""

    def __init__(self, n, kind):
        self.kind, self.config, self.version, self.dtype = kind, {}, n.version, n.dtype
