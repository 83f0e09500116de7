"""tf.data: windows, reductions of a dataset, and older functions that were methods of datasets."""
from _library.data import Dataset, _flat, _Function, _int, _pack_shapes


class _Windows(Dataset):
    """Datasets of `size` elements each, for window(). flat_map concatenates the results for each of them."""

    def __init__(self, dataset, *sizes):
        super(_Windows, self).__init__(None, dataset.output_types, dataset.output_shapes, dataset.output_classes)
        self._of, self._sizes = dataset, [_int(n) for n in sizes]

    def _groups(self, session, feed):
        size, shift, stride, whole = [n(session, feed) for n in self._sizes]
        elements = list(self._of._make(session, feed))
        for start in range(0, len(elements), shift):
            group = elements[start:start + size * stride:stride]
            if len(group) == size or not whole:
                yield group

    def flat_map(self, map_func):
        group = []
        joined = map_func(self._of._like(lambda session, feed: iter(group)))
        if not isinstance(joined, Dataset):
            raise TypeError('`map_func` must return a `Dataset` object.')

        def make(session, feed):
            for found in self._groups(session, feed):
                group[:] = found
                for element in joined._make(session, feed):
                    yield element
        return joined._like(make)


def _folding(fn, dataset, state, state_shapes=None):
    """fn(state, element) as a function of both. `state` contains tensors with the types and shapes of the state."""
    shapes = state_shapes or [t.get_shape() for t in _flat(state)]
    pair = Dataset(None, (tf.nest.map_structure(lambda t: t.dtype.base_dtype, state), dataset.output_types),
                   (_pack_shapes(state, iter(shapes)), dataset.output_shapes),
                   (tf.nest.map_structure(lambda t: tf.Tensor, state), dataset.output_classes))
    return _Function(fn, pair)


class _Reduced(object):
    """The result of reduce_func over the elements of a dataset. It is computed before the step."""

    def __init__(self, dataset, initial_state, reduce_func):
        state = tf.nest.map_structure(tf.convert_to_tensor, initial_state)
        self._dataset, self._structure, self._inputs = dataset, state, _flat(state)
        shapes = [t.get_shape() for t in self._inputs]
        self._function = _folding(reduce_func, dataset, state)
        made = [t.get_shape() for t in _flat(self._function.outputs)]
        if any(str(new) != str(old) for new, old in zip(made, shapes)):
            shapes = [tf.TensorShape(None)] * len(shapes)
            self._function = _folding(reduce_func, dataset, state, shapes)
        self.outputs = [tf.placeholder(t.dtype, s, name='ReduceDataset') for t, s in zip(self._inputs, shapes)]
        tf.get_collection_ref('__host').append(self)

    def call(self, session, feed):
        state = tf.nest.pack_sequence_as(self._structure, session.run(self._inputs, feed))
        for element in self._dataset._make(session, feed):
            state = self._function((state, element))
        feed.update(zip(self.outputs, _flat(state)))


def make_one_shot_iterator(dataset):
    """Returns an iterator that passes over the elements once."""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    """Returns an iterator that starts over each time it is initialized."""
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    """Returns the types of an element's parts."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    """Returns the shapes of an element's parts."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    """Returns the classes of an element's parts."""
    return dataset_or_iterator.output_classes
