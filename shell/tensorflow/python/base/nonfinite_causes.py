"""The usual causes of NaN and infinite numbers, by op and by the numbers that the op had."""


def _plain(tensor):
    return tensor[:-2] if tensor.endswith(':0') else tensor


_INF = float('inf')
_isinf, _whole = (lambda x: x in (_INF, -_INF)), (lambda x: x == x // 1)
# (ops, test of the first two inputs, cause, form that avoids it). A number that is not known is NaN.
_CAUSES = (
    ('Log', lambda x, y: x < 0, 'log of a negative number is NaN', 'tf.log(tf.maximum($x, 1e-7))'),
    ('Log', lambda x, y: x == 0, 'log(0) is -inf', 'tf.log(tf.maximum($x, 1e-7))'),
    ('Log1p', lambda x, y: x < -1, 'log1p(x) is log(1 + x), and NaN below x = -1', 'tf.log1p(tf.maximum($x, -0.999))'),
    ('Log1p', lambda x, y: x == -1, 'log1p(-1) is log(0), which is -inf', 'tf.log1p(tf.maximum($x, -0.999))'),
    ('Sqrt', lambda x, y: x < 0, 'sqrt of a negative number is NaN', 'tf.sqrt(tf.maximum($x, 0.))'),
    ('Rsqrt', lambda x, y: x < 0, '1 / sqrt(x) of a negative number is NaN', 'tf.rsqrt(tf.maximum($x, 1e-12))'),
    ('Rsqrt', lambda x, y: x == 0, '1 / sqrt(0) is inf', 'tf.rsqrt(tf.maximum($x, 1e-12))'),
    ('SqrtGrad', lambda x, y: x == 0, 'the gradient of sqrt(x) is 1 / (2 sqrt(x)), which is not finite at x = 0',
     'tf.sqrt(x + 1e-12), where x is the input of the sqrt'),
    ('RsqrtGrad', None, 'the gradient of 1 / sqrt(x) is not finite near x = 0',
     'tf.rsqrt(tf.maximum(x, 1e-12)), where x is the input of the rsqrt'),
    ('RealDiv Div Xdivy', lambda x, y: x == 0 and y == 0, '0 / 0 is NaN', 'tf.div_no_nan($x, $y)'),
    ('RealDiv Div Xdivy', lambda x, y: y == 0, 'a division by 0', 'tf.div_no_nan($x, $y)'),
    ('RealDiv Div', lambda x, y: _isinf(x) and _isinf(y), 'inf / inf is NaN', ''),
    ('Mod FloorMod TruncateMod FloorDiv TruncateDiv', lambda x, y: y == 0, 'a division by 0',
     'tf.where(tf.equal($y, 0.), tf.ones_like($y), $y) as the divisor'),
    ('Reciprocal Inv', lambda x, y: x == 0, '1 / 0 is inf', 'tf.div_no_nan(1., $x)'),
    ('ReciprocalGrad InvGrad', None, 'the gradient of 1 / x is not finite at x = 0', ''),
    ('Exp Expm1 Sinh Cosh', lambda x, y: x == x, '$op of a number above about $exp is larger than $t can hold',
     'tf.exp(tf.minimum($x, 80.)); for probabilities tf.nn.softmax or tf.reduce_logsumexp'),
    ('Pow', lambda x, y: x == 0 and y < 0, '0 to a negative power is inf', 'tf.pow(tf.maximum($x, 1e-7), $y)'),
    ('Pow', lambda x, y: x < 0 and not _whole(y), 'a negative number to a power that is not whole is NaN', 'tf.pow(tf.abs($x), $y)'),
    ('Mul', lambda x, y: x == 0 and _isinf(y) or _isinf(x) and y == 0, '0 * inf is NaN',
     'tf.where(tf.is_inf($y), tf.zeros_like($y), $y)'),
    ('Sub', lambda x, y: _isinf(x) and _isinf(y), 'inf - inf is NaN', ''),
    ('Add AddV2 BiasAdd', lambda x, y: _isinf(x) and _isinf(y), 'inf + -inf is NaN', ''),
    ('Acos Asin', lambda x, y: abs(x) > 1, '$op(x) is defined for x from -1 to 1', 'tf.clip_by_value($x, -1., 1.) as its input'),
    ('Atanh', lambda x, y: abs(x) >= 1, 'atanh(x) is finite only between x = -1 and 1',
     'tf.atanh(tf.clip_by_value($x, -0.999, 0.999))'),
    ('Acosh', lambda x, y: x < 1, 'acosh(x) is defined from x = 1 on', 'tf.acosh(tf.maximum($x, 1.))'),
    ('Sin Cos Tan', lambda x, y: _isinf(x), '$op(inf) is NaN', ''),
    ('Lgamma Digamma', None, '$op(x) is not finite at 0 and the negative whole numbers', ''),
    ('Cast', None, 'the number is larger than $t can hold', 'tf.clip_by_value of its input'),
    ('MatrixInverse MatrixSolve MatrixTriangularSolve MatrixDeterminant Cholesky', None,
     'the matrix is singular, or nearly so', ''),
)
_OF_INFINITE = {'Softmax': 'a row with inf, or with -inf only, has no softmax'}
for _op in 'Sum Mean AddN MatMul BatchMatMul BatchMatMulV2 Conv2D'.split():
    _OF_INFINITE[_op] = 'a sum with inf and -inf, or with 0 * inf, is NaN'
_OF_INFINITE['LogSoftmax'] = _OF_INFINITE['Softmax']
_LIMITS = {'f16': ('float16', '65504', '11'), 'bf16': ('bfloat16', '3.4e38', '88.7'), 'f64': ('float64', '1.8e308', '709.8'),
           'c128': ('complex128', '1.8e308', '709.8')}


def _number(entry, i):
    text = entry['inputs'][i].get('value', '') if i < len(entry['inputs']) else ''
    return _INF - _INF if not text or text[0] == '(' or text in ('True', 'False') else float(text)


def _input_name(entry, i, where):
    """The name of an input in an expression; a letter for a name that Python cannot have, which `where` explains."""
    name = _plain(entry['inputs'][i]['tensor']) if i < len(entry['inputs']) else 'x'
    if name.isidentifier():
        return name
    where.append('%s is %s' % ('xy'[i], entry['inputs'][i]['tensor']))
    return 'xy'[i]


def _filled(text, entry, limit):
    where = []
    for word, i in (('$x', 0), ('$y', 1)):
        if word in text:
            text = text.replace(word, _input_name(entry, i, where))
    text = text.replace('$exp', limit[2]).replace('$op', entry['op'].lower()).replace('$t', limit[0])
    return text + (', where ' + ' and '.join(where) if where else '')


def cause_of(entry):
    """The usual cause of a NaN or Inf in the output of an op, and a form that avoids it; '' if unknown."""
    op, kind = entry['op'], entry['output']['type'].split('[')[0]
    limit = _LIMITS.get(kind, ('float32', '3.4e38', '88.7'))
    if 'Apply' in op or op.startswith('Assign'):
        return ('the update is larger than %s can hold: the learning rate is too high, or the gradient explodes' % limit[0],
                'tf.clip_by_global_norm of the gradients, or a lower learning rate')
    x, y = _number(entry, 0), _number(entry, 1)
    for ops, test, cause, instead in _CAUSES:
        if op in ops.split() and (test is None or test(x, y)):
            return _filled(cause, entry, limit), _filled(instead, entry, limit)
    inputs = [i for i in entry['inputs'] if 'type' in i]
    if any(i['elements'] == 0 for i in inputs):
        return ('the mean of no element is 0 / 0' if op == 'Mean' else 'an input has no element'), ''
    if any(i['inf'] for i in inputs):
        return _OF_INFINITE.get(op, op.lower() + ' of an infinite number'), ''
    if not any(i['type'].startswith(('f', 'bf', 'c')) for i in inputs):
        return op + ' has no floating-point input: the data contain it', ''
    if entry['kind'] == 'inf' and kind[0] != 'c':
        return 'the result is larger than %s can hold, about %s' % limit[:2], ''
    return '', ''
