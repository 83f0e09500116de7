"""tf.data: windows, and what was a method of datasets once."""
from tensorflow.data import Dataset, _int


class _Windows(Dataset):
    """Datasets of so many elements each, as window() makes them: flat_map joins what becomes of each."""

    def __init__(self, dataset, *sizes):
        super(_Windows, self).__init__(None, dataset.output_types, dataset.output_shapes)
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
        return Dataset(make, joined.output_types, joined.output_shapes)


def make_one_shot_iterator(dataset):
    """Goes over the elements once."""
    return dataset.make_one_shot_iterator()


def make_initializable_iterator(dataset, shared_name=None):
    """Goes over the elements each time it is initialized."""
    return dataset.make_initializable_iterator(shared_name)


def get_output_types(dataset_or_iterator):
    """The types of an element's parts."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator):
    """The shapes of an element's parts."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator):
    """The classes of an element's parts."""
    return dataset_or_iterator.output_classes
