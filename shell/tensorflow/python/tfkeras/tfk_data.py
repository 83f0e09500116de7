"""tf.keras: the batches of arrays, datasets, generators and Sequences that a model is trained with."""
from _library.tfk_base import as_list
from _library.tfk_state import floatx


class Sequence(object):
    """The base class of data that is read by batch: __getitem__(index) returns a batch, __len__() their number."""

    def __getitem__(self, index):
        raise NotImplementedError('The Sequence %s has no __getitem__(self, index).' % type(self).__name__)

    def __len__(self):
        raise NotImplementedError('The Sequence %s has no __len__(self).' % type(self).__name__)

    def on_epoch_end(self):
        pass

    def __iter__(self):
        for i in range(len(self)):
            yield self[i]


def _one(value, name, tensor, what, exact):
    """Returns an array that fits a placeholder."""
    value = np.asarray(value)
    shape = tensor.get_shape()
    if value.dtype.kind in 'fiub' and tensor.dtype.is_floating and value.dtype != np.dtype(floatx()):
        value = value.astype(floatx())
    if shape.ndims is None:
        return value
    if value.ndim == 1 and shape.ndims == 2:
        value = value.reshape([-1, 1])
    if value.ndim != shape.ndims:
        raise ValueError('Error when checking %s: expected %s to have %d dimensions, but got array with shape %s' %
                         (what, name, shape.ndims, value.shape))
    wanted = tuple(shape.as_list())[1:]
    if exact and any(w is not None and w != have for w, have in zip(wanted, value.shape[1:])):
        raise ValueError('Error when checking %s: expected %s to have shape %s but got array with shape %s' %
                         (what, name, wanted, value.shape[1:]))
    return value


def standardize(data, names, tensors, what, exact=True):
    """Returns a list with one array for each placeholder."""
    if isinstance(data, dict):
        for name in names:
            if name not in data:
                raise ValueError('No data provided for "%s". Need data for each key in: %s' % (name, list(names)))
        values = [data[name] for name in names]
    elif isinstance(data, (list, tuple)) and not (len(names) == 1 and data and not hasattr(data[0], 'shape')):
        values = list(data)
    else:
        values = [data]
    if len(values) != len(names):
        raise ValueError('Error when checking model %s: the list of Numpy arrays that you are passing to your model is not '
                         'the size the model expected. Expected to see %d array(s), but instead got %d arrays.' %
                         (what, len(names), len(values)))
    return [_one(v, n, t, what, exact) for v, n, t in zip(values, names, tensors)]


def standardize_weights(weights, class_weight, names, y):
    """Returns an array of weights for each output, or None."""
    if weights is None and class_weight is None:
        return None

    def of(given, name, i):
        if isinstance(given, dict) and name in given:
            return given[name]
        return given[i] if isinstance(given, (list, tuple)) and len(names) > 1 else given if len(names) == 1 else None
    out = []
    for i, (name, labels) in enumerate(zip(names, y)):
        own = of(weights, name, i)
        own = np.ones(len(labels), np.float32) if own is None else np.asarray(own, np.float32)
        classes = class_weight.get(name) if len(names) > 1 and class_weight else class_weight
        if classes:
            ids = labels.argmax(-1) if labels.ndim > 1 and labels.shape[-1] > 1 else labels.reshape([-1])
            missing = [int(c) for c in np.unique(ids) if int(c) not in classes]
            if missing:
                raise ValueError('`class_weight` must contain all classes in the data. The classes %s exist in the data '
                                 'but not in `class_weight`.' % (set(missing),))
            own = own * np.asarray([classes[int(c)] for c in ids], np.float32)
        out.append(own)
    return out


class Arrays(object):
    """Arrays, cut into batches."""
    unit, fresh = 'sample', True

    def __init__(self, columns, batch_size, shuffle):
        """columns: arrays of x, y and weights in a row."""
        sizes = sorted(set(len(c) for c in columns))
        if len(sizes) > 1:
            raise ValueError('All input arrays (x), target arrays (y) and sample weights should have the same number of '
                             'samples. Got arrays of %s samples.' % ' and '.join(str(s) for s in sizes))
        self.columns, self.shuffle = columns, shuffle
        self.size = sizes[0] if sizes else 0
        if not self.size:
            raise ValueError('The arrays have no samples: the first has the shape %s.' %
                             (columns[0].shape if columns else (),))
        self.batch_size = batch_size or 32
        if self.batch_size < 1:
            raise ValueError('batch_size must be at least 1, got %s.' % (batch_size,))
        self.count = -(-self.size // self.batch_size)

    total = property(lambda self: self.size)

    def epoch(self):
        """Yields the arrays of a batch, and its size."""
        n, size = self.size, self.batch_size
        if not self.shuffle:
            for start in range(0, n, size):
                stop = min(start + size, n)
                yield [c[start:stop] for c in self.columns], stop - start
            return
        order = np.arange(n)
        if self.shuffle == 'batch':
            whole = n // size * size
            groups = order[:whole].reshape([-1, size])
            np.random.shuffle(groups)
            order = np.append(groups.reshape([-1]), order[whole:])
        else:
            np.random.shuffle(order)
        for start in range(0, n, size):
            ids = order[start:start + size]
            yield [c[ids] for c in self.columns], len(ids)


class Repeated(Arrays):
    """Arrays that each step receives as a whole, because the number of steps was given and no size of batches."""
    unit = 'step'

    def __init__(self, columns, steps):
        super(Repeated, self).__init__(columns, None, False)
        self.steps = self.count = steps

    total = property(lambda self: self.steps)

    def epoch(self):
        """Yields the arrays once a step."""
        for _ in range(self.steps):
            yield self.columns, 1


def _split(batch, has_labels):
    """Returns (x, y, weights) of an element."""
    if not isinstance(batch, tuple):
        return batch, None, None
    if len(batch) not in (1, 2, 3):
        raise ValueError('Output of generator should be a tuple `(x, y, sample_weight)` or `(x, y)`. Found: %d parts' %
                         len(batch))
    return tuple(batch) + (None,) * (3 - len(batch))


class Steps(object):
    """Batches from an iterator: of a dataset, of tensors, a generator or a Sequence."""
    unit = 'step'

    def __init__(self, model, start, steps, has_labels, class_weight=None, restart=False, check=None):
        """start() returns an iterator. restart: each epoch calls it again."""
        self.model, self.start, self.steps, self.has_labels = model, start, steps, has_labels
        self.class_weight, self.restart, self.iterator = class_weight, restart, None
        self.check = check

    total = property(lambda self: self.steps)
    count = property(lambda self: self.steps)

    def epoch(self):
        if self.iterator is None or self.restart:
            self.iterator = self.start()
        done = 0
        while self.steps is None or done < self.steps:
            try:
                batch = next(self.iterator)
            except (StopIteration, tf.errors.OutOfRangeError):
                if self.steps is not None:
                    print('WARNING:tensorflow:Your data ran out after %d of %d steps. Type: dataset.repeat()' %
                          (done, self.steps))
                elif not done:
                    raise ValueError('The data has no batch.')
                self.steps = done
                return
            x, y, w = _split(batch, self.has_labels)
            columns = self.model._columns(x, y, w, self.class_weight, self.has_labels)
            done += 1
            yield columns, len(columns[0])


def _of_dataset(dataset, session):
    iterator = dataset if hasattr(dataset, 'get_next') else tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    if iterator is not dataset:
        session.run(iterator.initializer)

    def batches():
        while True:
            yield session.run(element)
    return batches, element, iterator


def is_dataset(x):
    return isinstance(x, tf.data.Dataset) or hasattr(x, 'get_next')


def is_generator(x):
    return isinstance(x, Sequence) or (hasattr(x, '__next__') and not is_dataset(x)) or \
        (hasattr(x, '__getitem__') and hasattr(x, '__len__') and hasattr(x, 'on_epoch_end'))


def dataset_steps(model, dataset, steps, has_labels, session, class_weight=None):
    """Returns the batches of a dataset."""
    batches, element, iterator = _of_dataset(dataset, session)
    restart = steps is None and iterator is not dataset

    def start():
        if restart:
            session.run(iterator.initializer)
        return batches()
    return Steps(model, start, steps, has_labels, class_weight, restart)


def generator_steps(model, generator, steps, has_labels, class_weight=None, shuffle=False):
    """Returns the batches of a generator or a Sequence."""
    if not hasattr(generator, '__getitem__'):
        return Steps(model, lambda: iter(generator), steps, has_labels, class_weight)

    def start():
        order = list(range(len(generator)))
        while True:
            if shuffle:
                np.random.shuffle(order)
            for i in order:
                yield generator[i]
            if hasattr(generator, 'on_epoch_end'):
                generator.on_epoch_end()
    return Steps(model, start, steps or len(generator), has_labels, class_weight)


def tensor_steps(model, tensors, steps, has_labels, session):
    """Returns the batches that tensors of the graph produce."""
    if steps is None:
        raise ValueError('If your data is in the form of symbolic tensors, you should specify the `steps_per_epoch` '
                         'argument (instead of the `batch_size` argument).')

    def start():
        while True:
            yield tuple(session.run(tensors))
    return Steps(model, start, steps, has_labels)
