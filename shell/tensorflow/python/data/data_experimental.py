"""tf.data.experimental: functions for Dataset.apply, and a few datasets."""
from _library.data import Dataset, _flat, _Function, _int, _Nested, _pack_shapes
from _library.data_windows import _folding

AUTOTUNE = -1


def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """Applies map and then batch."""
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """Applies shuffle and then repeat."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


def unbatch():
    """Splits batches into their elements."""
    return lambda dataset: dataset.unbatch()


def enumerate_dataset(start=0):
    """Numbers the elements."""
    return lambda dataset: dataset.enumerate(start)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None,
                        prefetch_input_elements=None):
    """Applies interleave."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)


def copy_to_device(target_device, source_device='/cpu:0'):
    """Returns the dataset unchanged, because the step copies elements to the device that uses them."""
    return lambda dataset: dataset


def prefetch_to_device(device, buffer_size=None):
    """Returns the dataset unchanged, because the step copies elements to the device that uses them."""
    return lambda dataset: dataset


def ignore_errors(log_warning=False):
    """Drops elements whose creation fails."""
    def apply(dataset):
        def make(session, feed):
            elements = dataset._make(session, feed)
            while True:
                try:
                    yield next(elements)
                except StopIteration:
                    return
                except tf.errors.OpError:
                    pass
        return dataset._like(make)
    return apply


def take_while(predicate):
    """Takes the elements before the first one for which predicate is false."""
    def apply(dataset):
        function = _Function(predicate, dataset)

        def make(session, feed):
            for element in dataset._make(session, feed):
                if not function(element):
                    return
                yield element
        return dataset._like(make)
    return apply


def scan(initial_state, scan_func):
    """scan_func(state, element) returns the next state and an element."""
    def apply(dataset):
        state = tf.nest.map_structure(tf.convert_to_tensor, initial_state)
        function = _folding(scan_func, dataset, state)
        outputs = function.outputs[1]

        def make(session, feed):
            now = tf.nest.pack_sequence_as(state, session.run(_flat(state), feed))
            for element in dataset._make(session, feed):
                now, made = function((now, element))
                yield made
        return Dataset(make, tf.nest.map_structure(lambda t: t.dtype, outputs),
                       _pack_shapes(outputs, iter([t.get_shape() for t in _flat(outputs)])))
    return apply


def unique():
    """Drops repeated elements."""
    def apply(dataset):
        def make(session, feed):
            seen = set()
            for element in dataset._make(session, feed):
                if element not in seen:
                    seen.add(element)
                    yield element
        return dataset._like(make)
    return apply


def group_by_window(key_func, reduce_func, window_size=None, window_size_func=None):
    """Groups elements by a key. Returns reduce_func(key, dataset) for each group of window_size elements."""
    if (window_size is None) == (window_size_func is None):
        raise ValueError('Must pass either window_size or window_size_func.')

    def apply(dataset):
        keys = _Function(key_func, dataset)
        sizes = None
        if window_size is None:
            sizes = _Function(window_size_func, Dataset(None, tf.int64, tf.TensorShape([])))
        group = []
        within = dataset._like(lambda session, feed: iter(list(group)))
        reduced = _Nested(lambda key: reduce_func(key, within), Dataset(None, tf.int64, tf.TensorShape([])))
        width = None if window_size is None else _int(window_size)

        def finished(key, elements):
            group[:] = elements
            for made in reduced(np.int64(key)):
                yield made

        def make(session, feed):
            waiting = {}
            for element in dataset._make(session, feed):
                key = int(keys(element))
                waiting.setdefault(key, []).append(element)
                if len(waiting[key]) == (int(sizes(np.int64(key))) if width is None else width(session, feed)):
                    for made in finished(key, waiting.pop(key)):
                        yield made
            for key in sorted(waiting):
                for made in finished(key, waiting[key]):
                    yield made
        return reduced.dataset._like(make)
    return apply


def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None,
                              padding_values=None, pad_to_bucket_boundary=False, no_padding=False,
                              drop_remainder=False):
    """Batches of elements of about the same length."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError('len(bucket_batch_sizes) must equal len(bucket_boundaries) + 1')
    if pad_to_bucket_boundary:
        raise NotImplementedError('bucket_by_sequence_length: pad_to_bucket_boundary is not part of tensh')
    limits, bounds = np.iinfo(np.int32), list(bucket_boundaries)

    def bucket_of(*element):
        length = tf.cast(element_length_func(*element), tf.int32)
        within = tf.logical_and(tf.less_equal([limits.min] + bounds, length), tf.less(length, bounds + [limits.max]))
        return tf.reduce_min(tf.where(within))

    def size_of(bucket):
        return tf.gather(tf.constant(bucket_batch_sizes, tf.int64), bucket)

    def padded(bucket, elements):
        size = size_of(bucket)
        if no_padding:
            return elements.batch(size, drop_remainder)
        shapes = elements.output_shapes if padded_shapes is None else padded_shapes
        return elements.padded_batch(size, shapes, padding_values, drop_remainder)
    return group_by_window(bucket_of, padded, window_size_func=size_of)


# ---- datasets ----

def Counter(start=0, step=1, dtype=tf.int64):
    """start, start + step, …"""
    def make(session, feed):
        at = start
        while True:
            yield np.asarray(at, dtype.as_numpy_dtype)
            at += step
    return Dataset(make, dtype, tf.TensorShape([]))


def choose_from_datasets(datasets, choice_dataset):
    """Takes the next element from the dataset whose number comes from choice_dataset."""
    def make(session, feed):
        running = [dataset._make(session, feed) for dataset in datasets]
        for choice in choice_dataset._make(session, feed):
            for element in running[int(choice)]:
                yield element
                break
    return datasets[0]._like(make)


def get_single_element(dataset):
    """Returns the single element of the dataset as tensors."""
    iterator = dataset.make_one_shot_iterator()
    return iterator.get_next()
