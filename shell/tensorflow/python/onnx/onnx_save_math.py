"""Rules of `save model.onnx`: elementwise ops, products of matrices, and reductions."""
import numpy as np
from _library.onnx_save import rule, First, RULES, ELEMENTWISE

_SAME = 'Relu Sigmoid Tanh Exp Log Sqrt Neg Abs Ceil Floor Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Acosh Atanh Erf ' \
        'Softplus Softsign Elu Selu Reciprocal'
_UNARY = dict({name: name for name in _SAME.split()}, Rint='Round', Round='Round', LogicalNot='Not', Inv='Reciprocal',
              IsNan='IsNaN', IsInf='IsInf')
_BINARY = {'Add': 'Add', 'AddV2': 'Add', 'Sub': 'Sub', 'Mul': 'Mul', 'RealDiv': 'Div', 'Div': 'Div', 'TruncateDiv': 'Div',
           'Maximum': 'Max', 'Minimum': 'Min', 'Pow': 'Pow', 'Equal': 'Equal', 'Less': 'Less', 'LessEqual': 'LessOrEqual',
           'Greater': 'Greater', 'GreaterEqual': 'GreaterOrEqual', 'LogicalAnd': 'And', 'LogicalOr': 'Or'}


@rule(' '.join(_UNARY), elementwise=True)
def _unary(n):
    return n.make(_UNARY[n.type], [n.x(0)])


@rule(' '.join(_BINARY), elementwise=True)
def _binary(n):
    return n.make(_BINARY[n.type], [n.x(0), n.x(1)])


@rule('Identity StopGradient PreventGradient Snapshot EnsureShape CheckNumerics DisableCopyOnRead ReadVariableOp '
      'PlaceholderWithDefault IdentityN')
def _passed(n):
    made = []
    for t in n.inputs:
        found = n.writer.body.find(t.name, 'first')
        plain = n.writer.body.find(t.name)
        made.append(First(found) if found is not None and plain is None else
                    n.writer.plain(t) if plain is None else plain)
    return made


def elementwise(names):
    return rule(names, elementwise=True)


@elementwise('Square')
def _square(n):
    return n.make('Mul', [n.x(0), n.x(0)])


@elementwise('Rsqrt')
def _rsqrt(n):
    return n.make('Reciprocal', [n.make('Sqrt', [n.x(0)])])


@elementwise('Relu6')
def _relu6(n):
    return n.make('Clip', [n.x(0), n.like(0), n.like(6)])


@elementwise('LeakyRelu')
def _leaky(n):
    return n.make('LeakyRelu', [n.x(0)], alpha=n.attr('alpha', .2))


@elementwise('Log1p')
def _log1p(n):
    return n.make('Log', [n.make('Add', [n.x(0), n.like(1)])])


@elementwise('Expm1')
def _expm1(n):
    return n.make('Sub', [n.make('Exp', [n.x(0)]), n.like(1)])


@elementwise('Erfc')
def _erfc(n):
    return n.make('Sub', [n.like(1), n.make('Erf', [n.x(0)])])


@elementwise('IsFinite')
def _is_finite(n):
    return n.make('Not', [n.make('Or', [n.make('IsNaN', [n.x(0)]), n.make('IsInf', [n.x(0)])])])


@elementwise('NotEqual')
def _not_equal(n):
    return n.make('Not', [n.make('Equal', [n.x(0), n.x(1)])])


@elementwise('SquaredDifference')
def _squared_difference(n):
    d = n.make('Sub', [n.x(0), n.x(1)])
    return n.make('Mul', [d, d])


@elementwise('FloorDiv')
def _floor_div(n):
    x, y = n.x(0), n.x(1)
    if n.dtype().is_floating:
        return n.make('Floor', [n.make('Div', [x, y])])
    return n.make('Div', [n.make('Sub', [x, n.make('Mod', [x, y])]), y])


@elementwise('FloorMod')
def _floor_mod(n):
    x, y = n.x(0), n.x(1)
    if not n.dtype().is_floating:
        return n.make('Mod', [x, y])
    return n.make('Sub', [x, n.make('Mul', [n.make('Floor', [n.make('Div', [x, y])]), y])])


@elementwise('Mod TruncateMod')
def _mod(n):
    return n.make('Mod', [n.x(0), n.x(1)], fmod=1)


@elementwise('DivNoNan')
def _div_no_nan(n):
    x, y = n.x(0), n.x(1)
    return n.make('Where', [n.make('Equal', [y, n.like(0)]), n.like(0), n.make('Div', [x, y])])


@elementwise('MulNoNan')
def _mul_no_nan(n):
    x, y = n.x(0), n.x(1)
    return n.make('Where', [n.make('Equal', [y, n.like(0)]), n.like(0), n.make('Mul', [x, y])])


def _x_times(f):
    def made(n):
        x, y = n.x(0), n.x(1)
        return n.make('Where', [n.make('Equal', [x, n.like(0)]), n.like(0), f(n, x, y)])
    return made


RULES['Xdivy'] = _x_times(lambda n, x, y: n.make('Div', [x, y]))
RULES['Xlogy'] = _x_times(lambda n, x, y: n.make('Mul', [x, n.make('Log', [y])]))
RULES['Xlog1py'] = _x_times(lambda n, x, y: n.make('Mul', [x, n.make('Log', [n.make('Add', [y, n.like(1)])])]))
ELEMENTWISE.update(['Xdivy', 'Xlogy', 'Xlog1py'])


@elementwise('AddN AccumulateNV2')
def _add_n(n):
    xs = n.xs()
    return n.make('Sum', xs) if n.dtype().is_floating else _folded(n, 'Add', xs)


def _folded(n, op, xs):
    total = xs[0]
    for x in xs[1:]:
        total = n.make(op, [total, x])
    return total


@elementwise('ClipByValue')
def _clip(n):
    return n.make('Min', [n.make('Max', [n.x(0), n.x(1)]), n.x(2)])


@elementwise('SelectV2')
def _select_v2(n):
    return n.make('Where', n.xs())


@rule('Select')
def _select(n):
    condition = n.x(0)
    if n.ndims(0) == 1 and n.ndims(1) > 1:  # a condition for each row
        condition = n.make('Unsqueeze', [condition, n.int64(list(range(1, n.ndims(1))))])
    return n.make('Where', [condition, n.x(1), n.x(2)])


@rule('BiasAdd')
def _bias(n):
    if n.attr('data_format', 'NHWC') in ('NCHW', 'NCDHW'):
        extra = n.ndims() - 2
        bias = n.make('Unsqueeze', [n.x(1), n.int64(list(range(1, extra + 1)))]) if extra > 0 else n.x(1)
        return n.make('Add', [n.x(0), bias])
    n.in_first = n.writer._moves(n)
    made = n.make('Add', [n.x(0), n.x(1)])
    return First(made) if n.in_first else made


@elementwise('Cast')
def _cast(n):
    made = n.cast(n.x(0), n.attr('DstT'))
    if n.dtype() == tf.int64:
        n.writer.body.nodes[-1][3]['wide'] = 1
    return made


@rule('ZerosLike OnesLike')
def _filled_like(n):
    dims = n.shape()
    value = 0 if n.type == 'ZerosLike' else 1
    if dims is not None and None not in dims and np.prod(dims) < 4096:
        return n.like(np.full(dims, value))
    return n.make('Expand', [n.like(value), n.make('Shape', [n.x(0)])])


@rule('Softmax LogSoftmax')
def _softmax(n):
    return n.make(n.type, [n.x(0)], axis=-1)


@rule('SoftmaxCrossEntropyWithLogits')
def _cross_entropy(n):
    p = n.make('LogSoftmax', [n.x(0)], axis=-1)
    loss = n.make('Neg', [n.make('ReduceSum', [n.make('Mul', [n.x(1), p]), n.int64([-1])], keepdims=0)])
    return [loss, n.make('Sub', [n.make('Softmax', [n.x(0)], axis=-1), n.x(1)])]


@rule('SparseSoftmaxCrossEntropyWithLogits')
def _sparse_cross_entropy(n):
    p = n.make('LogSoftmax', [n.x(0)], axis=-1)
    at = n.make('Unsqueeze', [n.ints(1), n.int64([-1])])
    loss = n.make('Neg', [n.make('Squeeze', [n.make('GatherElements', [p, at], axis=1), n.int64([1])])])
    classes = n.shape(0)[-1]
    if classes is None:
        return [loss, None]
    hot = n.make('OneHot', [n.ints(1), n.int64(classes), n.like([0, 1])], axis=-1)
    return [loss, n.make('Sub', [n.make('Softmax', [n.x(0)], axis=-1), hot])]


# ---- products ----

def _transposed(n, i, swap):
    """The ONNX name of a matrix, transposed if `swap` is set. A known one is transposed when the file is written."""
    if not swap:
        return n.x(i)
    r, value = n.ndims(i), n.value(i)
    order = list(range(r - 2)) + [r - 1, r - 2]
    if value is not None:
        return n.writer.constant(np.transpose(value, order), n.writer.own(n.inputs[i]) + '/transposed')
    return n.make('Transpose', [n.x(i)], perm=order)


@rule('MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3')
def _matmul(n):
    a, b = ('transpose_a', 'transpose_b') if n.type == 'MatMul' else ('adj_x', 'adj_y')
    return n.make('MatMul', [_transposed(n, 0, n.attr(a, False)), _transposed(n, 1, n.attr(b, False))])


@rule('Einsum')
def _einsum(n):
    return n.make('Einsum', n.xs(), equation=n.attr('equation'))


@rule('Cross')
def _cross(n):
    def part(x, order):
        return n.make('Gather', [x, n.int64(order)], axis=-1)
    a, b = n.x(0), n.x(1)
    return n.make('Sub', [n.make('Mul', [part(a, [1, 2, 0]), part(b, [2, 0, 1])]),
                          n.make('Mul', [part(a, [2, 0, 1]), part(b, [1, 2, 0])])])


# ---- reductions ----

_REDUCE = {'Sum': 'ReduceSum', 'Mean': 'ReduceMean', 'Max': 'ReduceMax', 'Min': 'ReduceMin', 'Prod': 'ReduceProd',
           'EuclideanNorm': 'ReduceL2', 'All': 'ReduceMin', 'Any': 'ReduceMax'}


@rule(' '.join(_REDUCE))
def _reduce(n):
    keep = bool(n.attr('keep_dims', False))
    axes = n.value(1)
    if axes is None and n.type != 'Sum':
        n.need(1, 'the dimensions that it reduces')
    shape, first = n.shape(), None
    if axes is not None:
        axes = sorted(int(a) + len(shape) if a < 0 and shape is not None else int(a) for a in np.reshape(axes, [-1]))
        if not axes:
            return n.x(0)
        r = len(shape) if shape is not None else 0
        if r > 2 and axes == list(range(1, r - 1)):
            first = n.writer.body.find(n.inputs[0].name, 'first')
    x = n.x(0) if first is None else first
    if first is not None:
        axes = [a + 1 for a in axes]
    if n.type in ('All', 'Any'):
        x = n.make('Cast', [x], to=6)
    if n.type == 'Sum':
        y = n.make('ReduceSum', [x, n.ints(1) if axes is None else n.int64(axes)], keepdims=int(keep))
    else:
        y = n.make(_REDUCE[n.type], [x], axes=axes, keepdims=int(keep))
    if n.type in ('All', 'Any'):
        y = n.make('Cast', [y], to=9)
    return First(y) if first is not None and keep else y


@rule('ArgMax ArgMin')
def _arg(n):
    axis = int(n.need(1, 'the dimension of its indices'))
    y = n.make(n.type, [n.x(0)], axis=axis, keepdims=0)
    kind = n.attr('output_type')
    return y if kind == tf.int64 else n.cast(y, kind)


@rule('Cumsum')
def _cumsum(n):
    return n.make('CumSum', [n.x(0), n.ints(1)], exclusive=int(n.attr('exclusive')), reverse=int(n.attr('reverse')))


@rule('TopKV2')
def _top_k(n):
    k = n.make('Reshape', [n.ints(1), n.int64([1])])
    values, indices = n.many('TopK', [n.x(0), k], 2, axis=-1, sorted=1)
    kind = n.outputs[1].dtype
    return [values, indices if kind == tf.int64 else n.cast(indices, kind)]


@rule('L2Loss')
def _l2_loss(n):
    x = n.x(0)
    return n.make('Mul', [n.make('ReduceSumSquare', [x], keepdims=0), n.like(.5)])
