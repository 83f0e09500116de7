"""Rules of `save model.tflite`: elementwise ops, products of matrices, and reductions."""
import numpy as np
from _library.onnx_save import Refused
from _library.tflite_save import RULES, rule
from _library.tflite_save_file import TYPES

_SAME = 'Abs Ceil Cos Exp Elu Floor Log Neg Relu Relu6 Rsqrt Sign Sin Sqrt Tanh'
_UNARY = dict({name: name.upper() for name in _SAME.split()}, LogicalNot='LOGICAL_NOT', Sigmoid='LOGISTIC', Rint='ROUND',
              Round='ROUND', LogSoftmax='LOG_SOFTMAX')
_BINARY = {'Add': 'ADD', 'AddV2': 'ADD', 'Sub': 'SUB', 'Mul': 'MUL', 'RealDiv': 'DIV', 'Div': 'DIV', 'TruncateDiv': 'DIV',
           'Maximum': 'MAXIMUM', 'Minimum': 'MINIMUM', 'Pow': 'POW', 'SquaredDifference': 'SQUARED_DIFFERENCE',
           'FloorDiv': 'FLOOR_DIV', 'FloorMod': 'FLOOR_MOD', 'Equal': 'EQUAL', 'NotEqual': 'NOT_EQUAL', 'Less': 'LESS',
           'LessEqual': 'LESS_EQUAL', 'Greater': 'GREATER', 'GreaterEqual': 'GREATER_EQUAL', 'LogicalAnd': 'LOGICAL_AND',
           'LogicalOr': 'LOGICAL_OR', 'Atan2': 'ATAN2', 'BitwiseXor': 'BITWISE_XOR', 'RightShift': 'RIGHT_SHIFT'}


@rule(' '.join(_UNARY))
def _unary(n):
    if not n.dtype().is_floating and n.type in ('Rint', 'Round', 'Floor', 'Ceil'):
        return n.x(0)
    if not n.dtype().is_floating and n.type == 'Relu':
        return n.make('MAXIMUM', [n.x(0), n.like(0)])
    return n.make(_UNARY[n.type], [n.x(0)])


@rule(' '.join(_BINARY))
def _binary(n):
    if n.type == 'TruncateDiv' and n.dtype().is_floating:
        raise Refused('TensorFlow Lite divides integers with truncation, not real numbers')
    return n.make(_BINARY[n.type], [n.x(0), n.x(1)])


@rule('Identity StopGradient PreventGradient Snapshot EnsureShape CheckNumerics DisableCopyOnRead ReadVariableOp '
      'PlaceholderWithDefault IdentityN')
def _passed(n):
    return n.xs()


def expansion(names):
    """A rule that is a function of the tensors, made of ops that have rules."""
    def add(f):
        for name in names.split():
            RULES[name] = lambda n: n.expand(f)
        return f
    return add


for _name, _f in (
        ('Square', lambda x: x * x), ('Softplus', lambda x: tf.maximum(x, 0) + tf.log(1 + tf.exp(-tf.abs(x)))),
        ('Softsign', lambda x: x / (1 + tf.abs(x))), ('Reciprocal Inv', lambda x: 1 / x), ('Log1p', lambda x: tf.log(1 + x)),
        ('Expm1', lambda x: tf.exp(x) - 1), ('Erfc', lambda x: 1 - tf.erf(x)), ('Tan', lambda x: tf.sin(x) / tf.cos(x)),
        ('Selu', lambda x: 1.0507009873554805 * tf.maximum(x, 0) + 1.7580993408473766 * (tf.exp(tf.minimum(x, 0)) - 1)),
        ('Atan', lambda x: tf.atan2(x, tf.ones_like(x))), ('Asin', lambda x: tf.atan2(x, tf.sqrt(1 - x * x))),
        ('Acos', lambda x: tf.atan2(tf.sqrt(1 - x * x), x)), ('Sinh', lambda x: .5 * (tf.exp(x) - tf.exp(-x))),
        ('Cosh', lambda x: .5 * (tf.exp(x) + tf.exp(-x))), ('Atanh', lambda x: .5 * tf.log((1 + x) / (1 - x))),
        ('Asinh', lambda x: tf.sign(x) * tf.log(tf.abs(x) + tf.sqrt(x * x + 1))),
        ('Acosh', lambda x: tf.log(x + tf.sqrt(x * x - 1))), ('IsNan', lambda x: tf.not_equal(x, x)),
        ('IsInf', lambda x: tf.equal(tf.abs(x), np.inf)), ('IsFinite', lambda x: tf.equal(x - x, 0)),
        ('Mod TruncateMod', lambda x, y: x - tf.truncatediv(x, y) * y), ('MulNoNan', lambda x, y: _unless(y, x * y)),
        ('DivNoNan', lambda x, y: _unless(y, x / y)), ('Xdivy', lambda x, y: _unless(x, x / y)),
        ('Xlogy', lambda x, y: _unless(x, x * tf.log(y))), ('Xlog1py', lambda x, y: _unless(x, x * tf.log(1 + y))),
        ('ClipByValue', lambda x, low, high: tf.minimum(tf.maximum(x, low), high)),
        ('L2Loss', lambda x: tf.reduce_sum(x * x) * .5)):
    expansion(_name)(_f)


def _unless(zero, y):
    return tf.where_v2(tf.equal(zero, 0), tf.zeros_like(y), y)


@expansion('Erf')
def _erf(x):
    """The formula 7.1.26 of Abramowitz and Stegun. Its error is below 1.5e-7, which is about that of float32."""
    a = tf.abs(x)
    t = 1 / (1 + .3275911 * a)
    p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - .284496736) * t + .254829592) * t
    return tf.sign(x) * (1 - p * tf.exp(-a * a))


@rule('LeakyRelu')
def _leaky(n):
    return n.make('LEAKY_RELU', [n.x(0)], alpha=n.attr('alpha', .2))


@rule('Softmax')
def _softmax(n):
    return n.make('SOFTMAX', [n.x(0)], beta=1.)


@rule('AddN AccumulateNV2')
def _add_n(n):
    total, xs = n.x(0), n.xs(1)
    for x in xs:
        total = n.make('ADD', [total, x])
    return total


@rule('SelectV2')
def _select_v2(n):
    return n.make('SELECT_V2', n.xs())


@rule('Select')
def _select(n):
    condition = n.x(0)
    if n.ndims(0) == 1 and n.ndims(1) > 1:  # a condition for each row
        condition = n.make('RESHAPE', [condition, n.int32([-1] + [1] * (n.ndims(1) - 1))])
    return n.make('SELECT_V2', [condition, n.x(1), n.x(2)])


@rule('BiasAdd')
def _bias(n):
    b = n.x(1)
    if n.attr('data_format', 'NHWC') in ('NCHW', 'NCDHW') and n.ndims() > 2:
        b = n.make('RESHAPE', [b, n.int32([-1] + [1] * (n.ndims() - 2))])
    return n.make('ADD', [n.x(0), b])


@rule('Cast')
def _cast(n):
    if n.attr('Truncate', False):
        raise Refused('a cast that truncates')
    return n.cast(n.x(0), n.outputs[0].dtype)


@rule('OnesLike ZerosLike')
def _filled_like(n):
    return n.make('FILL', [n.make('SHAPE', [n.x(0)], tf.int32, type=2), n.like(n.type == 'OnesLike')])


@expansion('SoftmaxCrossEntropyWithLogits')
def _cross_entropy(x, labels):
    return [-tf.reduce_sum(labels * tf.nn.log_softmax(x), 1), tf.nn.softmax(x) - labels]


@expansion('SparseSoftmaxCrossEntropyWithLogits')
def _sparse_cross_entropy(x, labels):
    return _cross_entropy(x, tf.one_hot(labels, tf.shape(x)[1]))


# ---- products ----

@rule('MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3')
def _matmul(n):
    a, b = ('transpose_a', 'transpose_b') if n.type == 'MatMul' else ('adj_x', 'adj_y')
    swap_a, swap_b = bool(n.attr(a, False)), bool(n.attr(b, False))
    weights = n.value(1)
    if n.writer.type_of(n.x(0)) != tf.float32:
        raise Refused('TensorFlow Lite multiplies matrices of float32')
    if weights is not None and weights.ndim == 2 and not swap_a and n.ndims() >= 2:
        name = n.writer.constant(weights if swap_b else np.transpose(weights), n.writer.own(n.inputs[1]) + '/weights')
        return n.make('FULLY_CONNECTED', [n.x(0), name], keep_num_dims=n.ndims() > 2)
    return n.make('BATCH_MATMUL', n.xs(), adj_x=swap_a, adj_y=swap_b)


@rule('Einsum')
def _einsum(n):
    return n.expand(lambda *xs: _products(n.attr('equation'), *xs))


def _products(equation, *xs):
    """tf.einsum of an equation with other letters, for which it adds products."""
    letters = {c: chr(97 + i) for i, c in enumerate(sorted(set(c for c in equation if c.isalpha())))}
    y = tf.einsum(''.join(letters.get(c, c) for c in equation), *xs)
    if y.op.type == 'Einsum':
        raise Refused('the equation %s is not a list of products' % equation)
    return y


@rule('FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars')
def _fake_quant(n):
    if n.type.endswith('Vars'):
        low, high = [float(n.need(i, 'its range')) for i in (1, 2)]
    else:
        low, high = n.attr('min', -6.), n.attr('max', 6.)
    return n.make('FAKE_QUANT', [n.x(0)], min=low, max=high, bits=n.attr('num_bits', 8), narrow=n.attr('narrow_range', False))


@expansion('Cross')
def _cross(a, b):
    def part(x, order):
        return tf.gather(x, order, axis=-1)
    return part(a, [1, 2, 0]) * part(b, [2, 0, 1]) - part(a, [2, 0, 1]) * part(b, [1, 2, 0])


# ---- reductions ----

_REDUCE = {'Sum': 'SUM', 'Mean': 'MEAN', 'Max': 'REDUCE_MAX', 'Min': 'REDUCE_MIN', 'Prod': 'REDUCE_PROD', 'All': 'REDUCE_ALL',
           'Any': 'REDUCE_ANY'}


@rule(' '.join(_REDUCE))
def _reduce(n):
    axes = n.value(1)
    if axes is not None and not axes.size:
        return n.x(0)
    axes = n.ints(1) if axes is None or axes.ndim else n.int32([int(axes)])
    return n.make(_REDUCE[n.type], [n.x(0), axes], keep=bool(n.attr('keep_dims', False)))


@rule('EuclideanNorm')
def _norm(n):
    return n.expand(lambda x, axes: tf.sqrt(tf.reduce_sum(x * x, axes, bool(n.attr('keep_dims', False)))))


@rule('ArgMax ArgMin')
def _arg(n):
    kind = n.outputs[0].dtype
    return n.make('ARG_MAX' if n.type == 'ArgMax' else 'ARG_MIN', [n.x(0), n.ints(1)], kind, type=TYPES[kind.name])


@rule('Cumsum')
def _cumsum(n):
    return n.make('CUMSUM', [n.x(0), n.ints(1)], exclusive=n.attr('exclusive'), reverse=n.attr('reverse'))


@rule('TopKV2')
def _top_k(n):
    values, indices = n.many('TOPK_V2', [n.x(0), n.ints(1)], 2)
    n.writer.types[indices] = tf.int32
    return [values, indices if n.outputs[1].dtype == tf.int32 else n.cast(indices, n.outputs[1].dtype)]
