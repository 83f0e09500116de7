"""Opened models as values: their signatures are functions, their tensors are found by name."""
import _graphs
import numpy as np

import _library

_SHORT = (('float', 'f'), ('uint', 'u'), ('int', 'i'), ('complex', 'c'), ('string', 'str'))
_FREE = 16  # the size that sample inputs have where the model leaves it open, except for the batch


def short(dtype):
    """Returns the short name of a type, such as f32."""
    name = tf.as_dtype(dtype).base_dtype.name
    for word, letter in _SHORT:
        if name.startswith(word):
            return letter + name[len(word):]
    return name.replace('bfloat', 'bf')


def shape_text(shape):
    """Returns a shape as [?,28,28], or [...] if its rank is unknown."""
    return '[...]' if shape.dims is None else '[%s]' % ','.join('?' if d is None else str(d) for d in shape.as_list())


def size_text(n):
    """Returns a number of bytes for people."""
    for unit in ('B', 'kB', 'MB', 'GB'):
        if n < 1000 or unit == 'GB':
            return '%d %s' % (n, unit) if unit == 'B' else '%.1f %s' % (n, unit)
        n /= 1000.0


def _unknown(kind, name, names, owner):
    longer = [n for n in names if name.lower() in n.lower()]  # the end of a path
    near = 'did you mean %r?' % min(longer, key=len) if longer else _library.did_you_mean(name, names)
    return '%s has no %s %r%s' % (owner, kind, name, '; ' + near if near else
                                  ': it has ' + ', '.join(sorted(names)[:8]) if names else '')


def scalar_sample(name, dtype):
    """The text of a number for an input. Models of speech check the sampling rate."""
    if dtype == tf.bool or dtype.is_floating:
        return 'False' if dtype == tf.bool else '0.'
    return '16000' if name.split(':')[0].split('/')[-1] in ('sr', 'fs', 'sample_rate', 'sampling_rate') else '0'


def sample(info):
    """Returns the text of a value for an input, such as np.zeros([1, 28, 28])."""
    dims = [1] if info.shape.dims is None else info.shape.as_list()
    # An image whose size is free must not be smaller than the windows of a network.
    free = 64 if len(dims) == 4 and (dims[3] in (1, 3, 4) or dims[1] in (1, 3, 4)) else _FREE
    dtype = tf.as_dtype(info.dtype)
    one = len(dims) > 1 or dtype == tf.string
    dims = [(1 if i == 0 and one else free) if d is None else d for i, d in enumerate(dims)]
    if dtype == tf.string:
        text = "'text'" if info.example is None else info.example
        if len(dims) > 1 and dims != [1] * len(dims) or dims and dims[0] > 4:
            return 'np.full(%r, %s)' % (dims, text)
        return '[' * len(dims) + ', '.join([text] * (dims[0] if len(dims) == 1 else 1)) + ']' * len(dims)
    if not dims:
        return scalar_sample(info.name, dtype)
    return 'np.zeros(%r)' % (dims,)


def _fit(key, value, shape):
    """The value for an input. A file with one array stands for it. An image or a recording that lacks only the dimension of the
    batch, or has its channels in another place, is an error that says how to change it."""
    if isinstance(value, Arrays) and len(value) == 1:
        value = value[list(value)[0]]
    have, want = list(np.shape(value)), shape.as_list() if shape.ndims is not None else None
    if want is None or len(have) not in (2, 3) or len(want) not in (2, 4) or isinstance(value, tf.Tensor):
        return value

    def fits(dims):
        return len(dims) == len(want) and all(w is None or d == w for d, w in zip(dims, want))

    scale = ' / 255.' if getattr(value, 'dtype', None) == np.uint8 else ''
    size = want[1:3] if len(have) == 3 and len(want) == 4 and None not in want[1:3] and want[3] == have[2] else have[:2]
    for dims, change in (([1] + have, 'X[None]' + scale), ([1, have[-1]] + have[:-1], 'np.transpose(X, [2, 0, 1])[None]' + scale),
                         ([1, have[0]], 'X[:, 0][None]'),
                         ([1] + size + have[2:], 'tf.Session().run(tf.image.resize(X[None], %s))%s' % (size, scale))):
        if not fits(have) and fits(dims) and len(have) == (2 if len(want) == 2 else 3):
            raise ValueError('the input %s has the shape %s, and the value X has %s; give it as %s, if the model expects nothing else' % (
                key, shape_text(shape), shape_text(tf.TensorShape(have)), change))
    return value


class Info(object):
    """An input or output of a signature."""

    def __init__(self, name, dtype, shape):
        self.name, self.dtype, self.shape, self.example = name, dtype, shape, None

    def text(self):
        return short(self.dtype) + (shape_text(self.shape) if self.shape.dims is None or self.shape.dims else '')


class Signature(object):
    """A function of a model: named inputs to named outputs. s['layer/add'] is a tensor inside of it."""

    def __init__(self, model, name, inputs, outputs, is_served):
        self._model, self._name, self.inputs, self.outputs, self.is_served = model, name, inputs, outputs, is_served
        self.__name__, self._last = name, ''
        self._given = {}  # other names of inputs and outputs, which calls may use

    def sample(self):
        """Returns a call that can be pasted."""
        return '%s.%s(%s)' % (self._model._name, self._name, ', '.join(
            '%s=%s' % (k, sample(i)) if k.isidentifier() else '**{%r: %s}' % (k, sample(i)) for k, i in self.inputs.items()))

    def _step(self, *args, **kwargs):
        """Returns (outputs, feeds) of a call: the step that it runs. Verbs such as explain and bench use it."""
        whole = self._model._name + '.' + self._name
        names = list(self.inputs)
        kwargs = {self._given.get(k, k): v for k, v in kwargs.items()}
        if len(args) > len(names):
            raise TypeError('%s takes %d inputs (%s), got %d' % (whole, len(names), ', '.join(names), len(args)))
        for key in kwargs:
            if key not in self.inputs:
                raise TypeError(_unknown('input', key, names, whole))
        given = dict(zip(names, args))
        for key in kwargs:
            if key in given:
                raise TypeError('%s got two values for the input %r' % (whole, key))
        given.update(kwargs)
        missing = [k for k in names if k not in given]
        if missing:
            raise TypeError('%s needs %s. Type: eval %s' % (
                whole, ', '.join('%s %s' % (k, self.inputs[k].text()) for k in missing), self.sample()))
        model = self._model
        tensors = {k: model._tensor(i.name) for k, i in self.outputs.items()}
        return tensors, {model._tensor(self.inputs[k].name): _fit(k, v, self.inputs[k].shape) for k, v in given.items()}

    def __call__(self, *args, **kwargs):
        return self._model._session.run(*self._step(*args, **kwargs))

    def _inside(self):
        """Copies the body of the function that the signature calls into the graph, once. Returns its scope."""
        model = self._model
        calls = [model._tensor(i.name).op for i in self.outputs.values()]
        if not calls or not calls[0].type.endswith('PartitionedCall'):
            return None
        graph, scope = model._session.graph, model._prefix + self._name
        try:
            graph.get_operation_by_name(self._last)
        except KeyError:  # the first use, or the verb that used it first has removed the nodes
            _graphs.inline(calls[0], scope)
            self._last = graph.get_operations()[-1].name
        return scope

    def _names(self):
        scope = self._inside()
        model = self._model
        cut = len(model._prefix) if scope is None else len(scope) + 1
        start = model._prefix if scope is None else scope + '/'
        return [op.name[cut:] for op in model._session.graph.get_operations() if op.outputs and op.name.startswith(start)]

    _ipython_key_completions_ = _names

    def __getitem__(self, name):
        """Returns a tensor of the function by its name there."""
        scope = self._inside()
        if scope is None:
            return self._model._tensor(name)
        try:
            return self._model._session.graph.as_graph_element(
                '%s/%s%s' % (scope, name, '' if ':' in name else ':0'), allow_operation=False)
        except KeyError:
            raise KeyError(_unknown('tensor', name, self._names(), self._model._name + '.' + self._name))

    def __repr__(self):
        return '<signature %s.%s: %s -> %s>' % (self._model._name, self._name, ', '.join(
            '%s %s' % (k, i.text()) for k, i in self.inputs.items()), ', '.join(
                '%s %s' % (k, i.text()) for k, i in self.outputs.items()))


class Model(object):
    """An opened model. m.NAME(…) calls a signature, m['layer/add'] is a tensor of the graph."""

    def __init__(self, session, scope, kind, path):
        self._session, self._kind, self._path, self._name = session, kind, path, scope or 'model'
        self._prefix = scope + '/' if scope else ''
        self._signatures, self._about, self._read = {}, {}, None
        self._assets = {}  # the paths of the files that fill tables, by the name of the tensor of the path
        self._lines = None  # of the report, if the format has its own

    def _sign(self, name, inputs, outputs, is_served=False):
        self._signatures[name] = Signature(self, name, inputs, outputs, is_served)

    def _tensor(self, name):
        if not isinstance(name, str):
            raise TypeError("%s[NAME] takes the name of a tensor or a signature, such as %s['layer/add'], not %r" % (
                self._name, self._name, name))
        graph = self._session.graph
        whole = self._prefix + name
        try:
            return graph.as_graph_element(whole if ':' in name else whole + ':0', allow_operation=False)
        except KeyError:
            names = [op.name[len(self._prefix):] for op in graph.get_operations() if op.name.startswith(self._prefix)]
            raise KeyError(_unknown('tensor', name, names, self._name))

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        found = self._signatures.get(name) or self._signatures.get(name.replace('_', '-'))
        if found is None:
            raise AttributeError(_unknown('signature', name, list(self._signatures), self._name))
        return found

    def __getitem__(self, name):
        return self._signatures[name] if name in self._signatures else self._tensor(name)

    def _main(self):
        if not self._signatures:
            raise TypeError('%s has no signature' % self._name)
        return self._signatures.get('serving_default') or list(self._signatures.values())[0]

    def __call__(self, *args, **kwargs):
        return self._main()(*args, **kwargs)

    def _step(self, *args, **kwargs):
        return self._main()._step(*args, **kwargs)

    def __dir__(self):
        return sorted(self._signatures)

    def _ipython_key_completions_(self):
        cut = len(self._prefix)
        return sorted(self._signatures) + [op.name[cut:] for op in self._session.graph.get_operations()
                                           if op.outputs and op.name.startswith(self._prefix)]

    def __repr__(self):
        return '<model %s: %s, %s>' % (self._name, self._kind, ', '.join(self._signatures) or 'no signatures')


class Pending(object):
    """An array that is still in its file: its dtype, its shape, and a function that reads it."""

    def __init__(self, dtype, shape, read):
        self.dtype, self.shape, self.read = np.dtype(dtype), tuple(shape), read
        self.nbytes = self.dtype.itemsize
        for d in self.shape:
            self.nbytes *= d


class Arrays(dict):
    """The arrays of a file by name. Each is read when it is first used."""

    def __init__(self, kind, path, arrays):
        super(Arrays, self).__init__(arrays)
        self._kind, self._path, self._name = kind, path, 'data'

    def _peek(self, name):
        """Returns the array, or a Pending with its dtype and shape."""
        return super(Arrays, self).__getitem__(name)

    def __getitem__(self, name):
        if name not in self:
            raise KeyError(_unknown('array', str(name), list(self), self._name))
        found = self._peek(name)
        if isinstance(found, Pending):
            found = found.read()
            self[name] = found
        return found

    def get(self, name, default=None):
        return self[name] if name in self else default

    def values(self):
        return [self[name] for name in self]

    def items(self):
        return [(name, self[name]) for name in self]

    def copy(self):
        return dict(self.items())

    def pop(self, name, *default):
        found = self.get(name, *default) if default else self[name]
        super(Arrays, self).pop(name, None)
        return found

    def __eq__(self, other):
        return dict(self.items()) == other

    def _fact(self, name):
        """Returns (name of the dtype, shape, bytes) of an array."""
        array = self._peek(name)
        return array.dtype.name, array.shape, array.nbytes

    def __repr__(self):
        return '<%s: %d arrays>' % (self._kind, len(self))


class Datasets(object):
    """The datasets of an HDF5 file by name. d['group/dataset'] reads one."""

    def __init__(self, kind, path, file):
        self._kind, self._path, self._name, self._file = kind, path, 'data', file
        self._found = file.datasets()

    def keys(self):
        return list(self._found)

    _ipython_key_completions_ = keys

    def __getitem__(self, name):
        found = self._found.get(str(name).strip('/'))
        if found is None:
            raise KeyError(_unknown('array', str(name), list(self._found), self._name))
        return found.read()

    def attributes(self, name=''):
        """Returns the attributes of a group or dataset, by default of the file itself."""
        return dict(self._file[name].attributes) if name else dict(self._file.attributes)

    def _fact(self, name):
        found, count = self._found[name], 1
        for d in found.shape:
            count *= d
        size = 0 if found.dtype_name == 'object' else np.dtype(found.dtype_name).itemsize
        return found.dtype_name, found.shape, count * size

    def __contains__(self, name):
        return str(name).strip('/') in self._found

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self._found)

    def __repr__(self):
        return '<%s %s: %d arrays>' % (self._kind, self._path, len(self))


class Checkpoint(object):
    """The tensors of a checkpoint. c['name'] reads one."""

    def __init__(self, path):
        self._path, self._name, self._reader = path, 'checkpoint', tf.train.NewCheckpointReader(path)
        self._shapes, self._types = self._reader.get_variable_to_shape_map(), self._reader.get_variable_to_dtype_map()

    def keys(self):
        return sorted(self._shapes)

    _ipython_key_completions_ = keys

    def __getitem__(self, name):
        if name not in self._shapes:
            raise KeyError(_unknown('tensor', str(name), list(self._shapes), self._name))
        return self._reader.get_tensor(name)

    def __contains__(self, name):
        return name in self._shapes

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self._shapes)

    def __repr__(self):
        return '<checkpoint %s: %d tensors>' % (self._path, len(self))
