"""tf.data: sequences of elements, which the shell creates between steps and feeds into the steps that need them.
Therefore an iterator belongs to a session, like a variable."""
import _library
from _library import data_leaves as leaf

_flat = tf.nest.flatten


def _tensor_like(x):
    return isinstance(x, (tf.Tensor, tf.Variable, tf.SparseTensor))


def _as_leaf(x):
    if isinstance(x, (tf.SparseTensor, tf.SparseTensorValue)):
        return tf.SparseTensor.from_value(x)
    if _tensor_like(x):
        value = tf.get_static_value(x) if isinstance(x, tf.Tensor) else None
        return x if value is None else np.asarray(value)
    with tf.Graph()._hide().as_default():
        return np.asarray(tf.get_static_value(tf.convert_to_tensor(x)))


def _structure(x):
    """Returns x with arrays or tensors as leaves. As in TensorFlow, a list becomes one array."""
    if isinstance(x, dict):
        return {k: _structure(v) for k, v in x.items()}
    if isinstance(x, tuple) and not isinstance(x, tf.SparseTensorValue):
        return tuple([_structure(v) for v in x])
    return _as_leaf(x)


def _type(x):
    return x.dtype.base_dtype if _tensor_like(x) else tf.as_dtype(x.dtype)


def _shape(x):
    return x.get_shape() if _tensor_like(x) else tf.TensorShape(x.shape)


def _call(fn, element):
    return fn(*element) if isinstance(element, tuple) else fn(element)


class _Function(object):
    """A function of tensors that is built once in a separate graph and run for each element."""

    def __init__(self, fn, dataset):
        self._graph = tf.Graph()._hide()
        with self._graph.as_default():
            self._inputs, element = leaf.placeholders(dataset)
            result = _call(fn, element)
            result = tuple(result) if isinstance(result, list) else result
            self.outputs = tf.nest.map_structure(tf.convert_to_tensor_or_sparse_tensor, result)
            self._classes = [leaf.class_of(x) for x in _flat(self.outputs)]
            self._session = tf.Session(graph=self._graph)

    def __call__(self, element):
        feed = dict(zip(self._inputs, leaf.parts(_flat(element))))
        if tf.SparseTensor not in self._classes:
            return self._session.run(self.outputs, feed)
        values = self._session.run(leaf.parts(_flat(self.outputs)), feed)
        return tf.nest.pack_sequence_as(self.outputs, leaf.joined(self._classes, values, leaf.Sparse))


def _map_shapes(fn, shapes, *like):
    if isinstance(shapes, tuple):
        return tuple([_map_shapes(fn, *each) for each in zip(shapes, *like)])
    if isinstance(shapes, dict):
        return {k: _map_shapes(fn, s, *[other[k] for other in like]) for k, s in shapes.items()}
    return fn(shapes, *like)


def _int(x):
    """A number that may require a step: f(session, feed_dict) returns it."""
    known = tf.get_static_value(x) if isinstance(x, tf.Tensor) else x
    if known is None:
        return lambda session, feed: int(session.run(x, feed))
    return lambda session, feed, known=int(known): known


def _static(x):
    known = tf.get_static_value(x) if isinstance(x, tf.Tensor) else x
    return None if known is None else int(known)


class _Nested(object):
    """A function of tensors that returns a dataset. It is built once and started again for each element."""

    def __init__(self, fn, dataset):
        graph = tf.Graph()._hide()
        with graph.as_default():
            self._inputs, element = leaf.placeholders(dataset)
            self.dataset = _call(fn, element)
            if not isinstance(self.dataset, Dataset):
                raise TypeError('`map_func` must return a `Dataset` object.')
            self._session = tf.Session(graph=graph)

    def __call__(self, element):
        return self.dataset._make(self._session, dict(zip(self._inputs, leaf.parts(_flat(element)))))


class Dataset(object):
    """A sequence of elements."""

    def __init__(self, make, types, shapes, classes=None):
        self._make = make  # make(session, feed_dict): a generator of elements
        self.output_types, self.output_shapes = types, shapes
        self.output_classes = tf.nest.map_structure(lambda t: tf.Tensor, types) if classes is None else classes

    def __repr__(self):
        shapes, types = tf.nest.map_structure(str, self.output_shapes), tf.nest.map_structure(repr, self.output_types)
        return ('<DatasetV1Adapter shapes: %s, types: %s>' % (shapes, types)).replace("'", '')

    @staticmethod
    def _source(structure, elements, cut):
        leaves = _flat(structure)
        shapes = [_shape(x)[cut:] for x in leaves]

        def make(session, feed):
            values = [session.run(x, feed) if _tensor_like(x) else x for x in leaves]
            values = [leaf.Sparse(*v) if isinstance(v, tf.SparseTensorValue) else v for v in values]
            return elements(structure, values)
        packed = iter(shapes)
        return Dataset(make, tf.nest.map_structure(_type, structure), _pack_shapes(structure, packed),
                       tf.nest.map_structure(leaf.class_of, structure))

    @staticmethod
    def from_tensors(tensors):
        def elements(structure, values):
            yield tf.nest.pack_sequence_as(structure, values)
        return Dataset._source(_structure(tensors), elements, 0)

    @staticmethod
    def from_tensor_slices(tensors):
        structure = _structure(tensors)
        for x in _flat(structure):
            if _shape(x).ndims == 0:
                raise ValueError('Unbatching a tensor is only supported for rank >= 1')

        def elements(structure, values):
            for i in range(leaf.length(values[0])):
                yield tf.nest.pack_sequence_as(structure, [leaf.row(v, i) for v in values])
        return Dataset._source(structure, elements, 1)

    @staticmethod
    def range(*args):
        bounds = [_int(a) for a in args]

        def make(session, feed):
            for i in range(*[b(session, feed) for b in bounds]):
                yield np.int64(i)
        return Dataset(make, tf.int64, tf.TensorShape([]))

    @staticmethod
    def from_generator(generator, output_types, output_shapes=None, args=None):
        types = tf.nest.map_structure(tf.as_dtype, output_types)
        if output_shapes is None:
            output_shapes = _map_shapes(lambda t: tf.TensorShape(None), types)
        shapes = _map_shapes(tf.TensorShape, output_shapes)

        def make(session, feed):
            for element in generator(*(args or ())):
                arrays = _map_shapes(lambda t, v: np.asarray(v, t.as_numpy_dtype), types, element)
                yield tf.nest.pack_sequence_as(types, _flat(arrays))
        return Dataset(make, types, shapes)

    @staticmethod
    def zip(datasets):
        def make(session, feed):
            parts = [d._make(session, feed) for d in datasets]
            for element in zip(*parts):
                yield element
        return Dataset(make, *[tuple([getattr(d, name) for d in datasets])
                               for name in ('output_types', 'output_shapes', 'output_classes')])

    def _like(self, make):
        return Dataset(make, self.output_types, self.output_shapes, self.output_classes)

    def map(self, map_func, num_parallel_calls=None):
        function, before = _Function(map_func, self), self._make

        def make(session, feed):
            # continues after an error, for ignore_errors
            return map(function, before(session, feed))
        outputs = function.outputs
        return Dataset(make, tf.nest.map_structure(lambda t: t.dtype, outputs),
                       _pack_shapes(outputs, iter([t.get_shape() for t in _flat(outputs)])),
                       tf.nest.map_structure(leaf.class_of, outputs))

    def filter(self, predicate):
        function, before = _Function(predicate, self), self._make

        def make(session, feed):
            for element in before(session, feed):
                if function(element):
                    yield element
        return self._like(make)

    def flat_map(self, map_func):
        nested, before = _Nested(map_func, self), self._make

        def make(session, feed):
            for element in before(session, feed):
                for inner in nested(element):
                    yield inner
        return nested.dataset._like(make)

    def interleave(self, map_func, cycle_length=1, block_length=1, num_parallel_calls=None):
        nested, before = _Nested(map_func, self), self._make
        width, length = _int(cycle_length), _int(block_length)

        def make(session, feed):
            source, more = before(session, feed), True
            at, block = 0, length(session, feed)
            places = [None] * width(session, feed)
            while more or any(p is not None for p in places):
                if places[at] is None and more:
                    more = False
                    for element in source:
                        places[at], more = nested(element), True
                        break
                for _ in range(block if places[at] is not None else 0):
                    ended = True
                    for inner in places[at]:
                        ended = False
                        yield inner
                        break
                    if ended:
                        places[at] = None
                        break
                at = (at + 1) % len(places)
        return nested.dataset._like(make)

    def padded_batch(self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False):
        size, before, types = _int(batch_size), self._make, self.output_types
        if tf.SparseTensor in _flat(self.output_classes):
            raise TypeError('Batching of padded sparse tensors is not currently supported. Use batch()')
        wanted = self.output_shapes if padded_shapes is None else padded_shapes
        flat_types = _flat(types)
        shapes = [tf.TensorShape(s) for s in leaf.flat_shapes(_as_shapes(wanted))]
        values = [None] * len(shapes) if padding_values is None else [
            tf.get_static_value(v) if isinstance(v, tf.Tensor) else v for v in _flat(padding_values)]
        values = [(b'' if t == tf.string else 0) if v is None else v for v, t in zip(values, flat_types)]

        def joined(rows):
            columns = [leaf.padded(column, s.as_list(), v) for column, s, v in zip(zip(*rows), shapes, values)]
            return tf.nest.pack_sequence_as(types, columns)

        def make(session, feed):
            rows, full = [], size(session, feed)
            for element in before(session, feed):
                rows.append(_flat(element))
                if len(rows) == full:
                    yield joined(rows)
                    rows = []
            if rows and not drop_remainder:
                yield joined(rows)
        first = tf.TensorShape([_static(batch_size) if drop_remainder else None])
        return Dataset(make, types, _pack_shapes(types, iter([first.concatenate(s) for s in shapes])))

    def enumerate(self, start=0):
        return Dataset.zip((Dataset.range(start, 2 ** 62), self))

    def shard(self, num_shards, index):
        count, mine, before = _int(num_shards), _int(index), self._make

        def make(session, feed):
            n, i = count(session, feed), mine(session, feed)
            for at, element in enumerate(before(session, feed)):
                if at % n == i:
                    yield element
        return self._like(make)

    def window(self, size, shift=None, stride=1, drop_remainder=False):
        return _library.data_windows._Windows(self, size, size if shift is None else shift, stride, drop_remainder)

    def unbatch(self):
        before = self._make

        def make(session, feed):
            for element in before(session, feed):
                leaves = _flat(element)
                for i in range(leaf.length(leaves[0])):
                    yield tf.nest.pack_sequence_as(self.output_types, [leaf.row(x, i) for x in leaves])
        return Dataset(make, self.output_types, _map_shapes(lambda s: s[1:], self.output_shapes), self.output_classes)

    def reduce(self, initial_state, reduce_func):
        return tf.nest.pack_sequence_as(initial_state, _library.data_windows._Reduced(self, initial_state, reduce_func).outputs)

    def with_options(self, options):
        return self

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None):
        patterns = [file_pattern] if isinstance(file_pattern, str) else list(file_pattern)
        names = sum([tf.gfile.Glob(p) for p in patterns], [])
        if not names:
            raise tf.errors.InvalidArgumentError(None, None, 'No files matched pattern: ' + ', '.join(patterns))
        found = Dataset.from_tensor_slices(tf.constant(sorted(names)))
        return found if shuffle is False else found.shuffle(len(names), seed)

    def batch(self, batch_size, drop_remainder=False):
        size, before, types = _int(batch_size), self._make, self.output_types

        def make(session, feed):
            rows, full = [], size(session, feed)
            for element in before(session, feed):
                rows.append(_flat(element))
                if len(rows) == full:
                    yield tf.nest.pack_sequence_as(types, [leaf.stacked(column) for column in zip(*rows)])
                    rows = []
            if rows and not drop_remainder:
                yield tf.nest.pack_sequence_as(types, [leaf.stacked(column) for column in zip(*rows)])
        first = _static(batch_size) if drop_remainder else None
        return Dataset(make, types, _map_shapes(lambda s: tf.TensorShape([first]).concatenate(s), self.output_shapes),
                       self.output_classes)

    def repeat(self, count=None):
        count, before = _int(-1 if count is None else count), self._make

        def make(session, feed):
            left = count(session, feed)
            while left != 0:
                empty = True
                for element in before(session, feed):
                    empty = False
                    yield element
                if empty:
                    return
                left -= 1
        return self._like(make)

    def take(self, count):
        count, before = _int(count), self._make

        def make(session, feed):
            left = count(session, feed)
            if left == 0:
                return
            for element in before(session, feed):
                yield element
                left -= 1
                if left == 0:
                    return
        return self._like(make)

    def skip(self, count):
        count, before = _int(count), self._make

        def make(session, feed):
            left = count(session, feed)
            for i, element in enumerate(before(session, feed)):
                if 0 <= left <= i:
                    yield element
        return self._like(make)

    def concatenate(self, dataset):
        first, second = self._make, dataset._make

        def make(session, feed):
            for element in first(session, feed):
                yield element
            for element in second(session, feed):
                yield element
        return self._like(make)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None):
        size, before = _int(buffer_size), self._make
        state = np.random.RandomState(seed)

        def make(session, feed):
            buffer, full = [], size(session, feed)
            for element in before(session, feed):
                buffer.append(element)
                if len(buffer) >= full:
                    yield buffer.pop(state.randint(len(buffer)))
            while buffer:
                yield buffer.pop(state.randint(len(buffer)))
        return self._like(make)

    def prefetch(self, buffer_size):
        return self

    def cache(self, filename=''):
        return self

    def apply(self, transformation_func):
        return transformation_func(self)

    def make_one_shot_iterator(self):
        return Iterator(self, False)

    def make_initializable_iterator(self, shared_name=None):
        return Iterator(self, True)


def _pack_shapes(structure, shapes):
    if isinstance(structure, tuple):
        return tuple([_pack_shapes(s, shapes) for s in structure])
    if isinstance(structure, dict):
        found = {k: _pack_shapes(structure[k], shapes) for k in sorted(structure)}
        return {k: found[k] for k in structure}
    return next(shapes)


def _as_shapes(structure):
    """Converts lists of sizes, tensors and shapes, nested in tuples and dicts, to TensorShapes."""
    if isinstance(structure, dict):
        return {k: _as_shapes(v) for k, v in structure.items()}
    if isinstance(structure, tuple) and not all(v is None or isinstance(v, int) for v in structure):
        return tuple([_as_shapes(v) for v in structure])
    return tf.TensorShape(structure)


class Options(object):
    """Accepted without effect."""


class Iterator(object):
    """Returns the next element in each step that needs it."""
    __module__, _known = 'tensorflow.python.data.ops.iterator_ops', []  # _known: all iterators, by their handles

    def __init__(self, dataset, initializable):
        self._dataset, self._handle, self._datasets = dataset, None, []  # _datasets: those of make_initializer
        self._known.append(self)
        self._number = len(self._known) - 1
        self._running = {}  # per session
        self.output_types, self.output_shapes = dataset.output_types, dataset.output_shapes
        self.output_classes = dataset.output_classes
        self._part_types, self._part_shapes = zip(*leaf.specs(dataset))
        self._resource = tf.raw_ops.IteratorV2(
            shared_name='', container='', output_types=self._part_types, output_shapes=self._part_shapes, name='IteratorV2' if initializable else 'OneShotIterator')
        self._initializer = tf.no_op(name='MakeIterator') if initializable else None
        self._outputs = []
        tf.get_collection_ref('__host').append(self)

    @staticmethod
    def from_structure(output_types, output_shapes=None, shared_name=None, output_classes=None):
        shapes = output_shapes if output_shapes is not None else _map_shapes(lambda t: tf.TensorShape(None), output_types)
        made = Iterator(Dataset(None, output_types, shapes, output_classes), True)
        made._initializer = None
        return made

    @staticmethod
    def from_string_handle(string_handle, output_types, output_shapes=None, output_classes=None):
        made = Iterator.from_structure(output_types, output_shapes, output_classes=output_classes)
        made._handle = tf.convert_to_tensor(string_handle, tf.string)
        return made

    def string_handle(self, name=None):
        """Returns the string handle for from_string_handle."""
        return tf.constant('iterator %d' % self._number, name=name or 'IteratorToStringHandle')

    @property
    def initializer(self):
        if self._initializer is None:
            raise ValueError('Iterator does not have an initializer.')
        return self._initializer

    def make_initializer(self, dataset, name=None):
        made = tf.no_op(name=name or 'make_initializer')
        self._datasets.append((made, dataset))
        return made

    def get_next(self, name=None):
        # Each step that needs the outputs is fed with them (_feed), so the op itself never runs.
        made = tf.raw_ops.IteratorGetNext(
            iterator=self._resource, output_types=self._part_types, output_shapes=self._part_shapes,
            name=name or 'IteratorGetNext')
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        self._outputs.append(made)
        leaves = leaf.joined(_flat(self.output_classes), made, tf.SparseTensor)
        return tf.nest.pack_sequence_as(self.output_types, leaves)

    def _start(self, session, dataset, feed):
        self._running[session] = dataset._make(session, feed)

    def _initialize(self, session, wanted, feed):
        if self._initializer is not None and self._initializer in wanted:
            self._start(session, self._dataset, feed)
        for op, dataset in self._datasets:
            if op in wanted:
                self._start(session, dataset, feed)

    def _next(self, session, feed, asking):
        if self._handle is not None:
            handle = feed[self._handle] if self._handle in feed else session.run(self._handle)
            handle = handle.item() if isinstance(handle, (np.ndarray, np.generic)) else handle
            handle = handle.decode() if isinstance(handle, bytes) else handle
            return self._known[int(handle.split()[-1])]._next(session, feed, asking)
        if session not in self._running:
            if self._dataset._make is None or self._initializer is not None:
                raise tf.errors.FailedPreconditionError(
                    None, None, 'GetNext() failed because the iterator has not been initialized. Ensure that you '
                    'have run the initializer operation for this iterator before getting the next element.')
            self._start(session, self._dataset, {})
        for element in self._running[session]:
            return leaf.parts(_flat(element))
        raise tf.errors.OutOfRangeError(asking.node_def, asking, 'End of sequence')


def _walk(fetches, fed):
    """Returns the operations that the fetches depend on."""
    found, stack = set(), []
    for f in _flat(fetches):
        stack.append(f if isinstance(f, tf.Operation) else f.op if hasattr(f, 'op') else
                     tf.get_default_graph().as_graph_element(f))
    while stack:
        op = stack.pop()
        op = op.op if isinstance(op, tf.Tensor) else op
        if op in found or op in fed:
            continue
        found.add(op)
        stack.extend([t.op for t in op.inputs] + list(op.control_inputs))
    return found


_walked = {}


def _needed(fetches, feed):
    fed = tuple([k.op for k in feed if isinstance(k, tf.Tensor)])
    key = (tuple(_flat(fetches)), fed)
    if key not in _walked:
        if len(_walked) > 100:
            _walked.clear()
        _walked[key] = _walk(fetches, fed)
    return _walked[key]


def _feed(session, hosted, fetches, feed_dict):
    """Returns the feeds of a step: elements of the iterators that it needs, and results of Python functions."""
    feed = dict(feed_dict or {})
    with session.graph.as_default():
        needed = _needed(fetches, feed)
    iterators = [h for h in hosted if isinstance(h, Iterator)]
    for iterator in iterators:
        iterator._initialize(session, needed, feed_dict)
    for iterator in iterators:
        for out in iterator._outputs:
            if any(t.op in needed for t in out):
                feed.update(zip(out, iterator._next(session, feed, out[0].op)))
    for function in hosted:
        if not isinstance(function, Iterator) and any(t.op in needed and t not in feed for t in function.outputs):
            function.call(session, feed)
    return feed
