"""tf.estimator.inputs: input functions of arrays in memory."""


def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
    """Returns an input_fn that reads arrays."""
    if not isinstance(shuffle, bool):
        raise ValueError('shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for '
                         'training); got %s' % (shuffle,))
    if not isinstance(x, (dict, np.ndarray)):
        raise TypeError('x must be a dict or array; got %s' % type(x).__name__)
    sizes = set(len(v) for v in (list(x.values()) if isinstance(x, dict) else [x]) +
                ([] if y is None else list(y.values()) if isinstance(y, dict) else [y]))
    if len(sizes) != 1:
        raise ValueError('Length of tensors in x and y is mismatched. All elements in x and y must have the same length. '
                         'The lengths are %s.' % sorted(sizes))
    size = sizes.pop()

    def input_fn():
        """Returns the tensors of the next batch."""
        data = tf.data.Dataset.from_tensor_slices(x if y is None else (x, y))
        if shuffle:
            data = data.shuffle(max(size, 1))
        iterator = tf.data.make_initializable_iterator(data.repeat(num_epochs).batch(batch_size))
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()
    return input_fn


def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1,
                    target_column='target'):
    """Returns an input_fn that reads the columns of a DataFrame of pandas, and a Series or DataFrame of targets."""
    if y is not None:
        if target_column in x.columns:
            raise ValueError('Cannot use name %s for target column: DataFrame already has a column with that name: %s' %
                             (target_column, list(x.columns)))
        if not np.array_equal(x.index, y.index):
            raise ValueError('Index for x and y are mismatched.\nIndex for x: %s\nIndex for y: %s\n' % (x.index, y.index))
    features = dict((name, np.asarray(x[name])) for name in x.columns)
    if y is None or not hasattr(y, 'columns'):
        target = None if y is None else np.asarray(y)
    else:
        target = dict((name, np.asarray(y[name])) for name in y.columns)
    return numpy_input_fn(features, target, batch_size, num_epochs, shuffle, queue_capacity, num_threads)
