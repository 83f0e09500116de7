"""tf.py_func: Python functions as operations. The shell calls a function before the step that needs its results, and
feeds them. In a loop or branch, after control inputs, or without results, the function is a node, which the step calls."""
import traceback

import _library
import _py_func


def _results(func, types, values):
    """Calls the function of a py_func. Returns its results as arrays, and turns exceptions into those of a step."""
    kinds = [(ValueError, tf.errors.InvalidArgumentError), (TypeError, tf.errors.InvalidArgumentError),
             (StopIteration, tf.errors.OutOfRangeError), (NotImplementedError, tf.errors.UnimplementedError),
             (Exception, tf.errors.UnknownError)]
    try:
        result = func(*values)
    except Exception as e:
        made = [error for kind, error in kinds if isinstance(e, kind)][0]
        raise made(None, None, '%s: %s' % (type(e).__name__, e))
    result = list(result) if isinstance(result, (list, tuple)) else [] if result is None else [result]
    error = lambda text, *values: tf.errors.InvalidArgumentError(None, None, text % values)
    if len(result) != len(types):
        raise error('pyfunc returns %d values but expects to see %d values.', len(result), len(types))
    for i, (v, t) in enumerate(zip(result, types)):
        result[i] = made = np.asarray(v, dtype=object if t == tf.string else None)
        # np.float32(2) + 1. is a float64 here, as in numpy 1, and a float32 in numpy 2.
        if t != tf.string and made.dtype != t.as_numpy_dtype and not isinstance(v, np.generic):
            raise error('%d-th value returned by pyfunc is %s, but expects %s. Return np.asarray(value, np.%s)', i, made.dtype,
                        t.name, t.name)
    return result


class _PyFunc(object):
    """A Python function that the shell calls before the step, with inputs that a separate step computes."""

    def __init__(self, func, inputs, types, name):
        self._func, self._inputs, self._types = func, inputs, types
        self.outputs = [tf.placeholder(t, name=name or 'PyFunc') for t in types]
        tf.get_collection_ref('__host').append(self)

    def call(self, session, feed):
        values = session.run(self._inputs, feed)
        feed.update([(t, v) for t, v in zip(self._inputs, values) if t.op.type != 'Const' and t not in feed])
        feed.update(zip(self.outputs, _results(self._func, self._types, values)))


_called = {}  # The functions of nodes by token, with the types of their results.


def _call_node(token, values):
    """Returns the results of a node's function as a list, or the code and message of an error as a tuple."""
    try:
        if token not in _called:  # The node was imported from the graph of another program.
            raise tf.errors.InvalidArgumentError(None, None, 'ValueError: callback %s is not found' % token)
        return _results(*_called[token], values)
    except tf.errors.OpError as e:
        frames = traceback.extract_tb(e.__context__.__traceback__) if e.__context__ else []
        place = ' (%s, line %d, in %s)' % (frames[-1].filename, frames[-1].lineno, frames[-1].name) if frames else ''
        return e.error_code, e.message + place


def py_func(func, inp, Tout, stateful=True, name=None):
    """A Python function of arrays as an operation."""
    several = isinstance(Tout, (list, tuple))
    types = [tf.as_dtype(t) for t in (Tout if several else [Tout])]
    if not types or _py_func.is_mid_step():
        token = 'pyfunc_%d' % len(_called)
        _called[token] = (func, types)
        node = _py_func.add(list(inp), token, types, stateful, name)
        return node if not types else list(node.outputs) if several else node.outputs[0]
    inp = [tf.convert_to_tensor(x) for x in inp]
    made = _PyFunc(func, inp, types, name)
    outputs = _library.gradient_override._with_own_gradient('PyFunc' if stateful else 'PyFuncStateless', made.outputs, inp)
    return outputs if several else outputs[0]


class _Value(object):
    """An argument of a py_function: a constant of the graph in which the function runs, whose value is known."""

    def __init__(self, value):
        self._value, self._tensor = value, tf.constant(value)

    def numpy(self):
        return self._value

    def __array__(self, dtype=None):
        return np.asarray(self._value, dtype)

    def __getattr__(self, name):
        return getattr(self._tensor, name)

    def __getitem__(self, key):
        return self._tensor[key]

    def __bool__(self):
        return bool(self._value)

    def __float__(self):
        return float(self._value)

    def __int__(self):
        return int(self._value)

    def __repr__(self):
        return '<tf.Tensor: id=0, shape=%s, dtype=%s, numpy=%r>' % (self.shape, self.dtype.name, self._value)


def _operator(name):
    return lambda self, *others: getattr(self._tensor, name)(*[getattr(o, '_tensor', o) for o in others])


for _name in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow', 'matmul', 'and', 'or', 'xor'):
    for _each in ('__%s__' % _name, '__r%s__' % _name):
        setattr(_Value, _each, _operator(_each))
for _name in ('__neg__', '__abs__', '__invert__'):
    setattr(_Value, _name, _operator(_name))


def _comparison(name):
    # Its result decides an `if`, so it must have a value.
    return lambda self, other: getattr(np.asarray(self._value), name)(getattr(other, '_value', other))


for _name in ('__lt__', '__le__', '__gt__', '__ge__'):
    setattr(_Value, _name, _comparison(_name))
tf.register_tensor_conversion_function(_Value, lambda value, dtype=None, name=None, as_ref=False: value._tensor)


def py_function(func=None, inp=None, Tout=None, name=None):
    """A Python function of tensors with values, in which ops of tf may be used, as an operation. It has no gradient."""
    several = isinstance(Tout, (list, tuple))
    types = Tout if several else [Tout]

    def run(*values):
        graph = tf.Graph()._hide()
        with graph.as_default(), tf.Session(graph=graph) as session:
            result = func(*[_Value(v) for v in values])
            result = list(result) if isinstance(result, (list, tuple)) and several else [] if result is None else [result]
            return session.run([tf.convert_to_tensor(r, dtype=t) for r, t in zip(result, types)]) if result else None
    return py_func(run, inp, Tout, name=name or 'EagerPyFunc')
