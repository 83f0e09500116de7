"""tf.keras.utils: helpers for labels, arrays and files."""
import os


def to_categorical(y, num_classes=None, dtype='float32'):
    """Returns one-hot vectors of class numbers."""
    y = np.array(y, dtype='int')
    shape = y.shape
    if shape and shape[-1] == 1 and len(shape) > 1:
        shape = shape[:-1]
    y = y.reshape([-1])
    if not num_classes:
        num_classes = int(np.max(y)) + 1
    if y.size and (y.max() >= num_classes or y.min() < -num_classes):
        raise IndexError('index %d is out of bounds for axis 1 with size %d' % (y.max(), num_classes))
    out = np.zeros((y.size, num_classes), dtype=dtype)
    out[np.arange(y.size), y] = 1
    return out.reshape(tuple(shape) + (num_classes,))


def normalize(x, axis=-1, order=2):
    """Returns an array, scaled to the norm 1 along an axis."""
    norms = np.atleast_1d(np.linalg.norm(x, order, axis))
    norms[norms == 0] = 1
    return x / np.expand_dims(norms, axis)


def get_file(fname, origin=None, untar=False, md5_hash=None, file_hash=None, cache_subdir='datasets',
             hash_algorithm='auto', extract=False, archive_format='auto', cache_dir=None):
    """Returns the path of a file that is already on this machine."""
    for folder in (cache_dir, os.path.join(os.path.expanduser('~'), '.keras'), '.'):
        if folder is None:
            continue
        for path in (os.path.join(folder, cache_subdir, fname), os.path.join(folder, fname)):
            if os.path.exists(path):
                return path
    where = os.path.join(cache_dir or os.path.join(os.path.expanduser('~'), '.keras'), cache_subdir)
    raise IOError('tensh does not read from the network. Put the file %s into %s%s' %
                  (fname, where, ': it is at ' + origin if origin else ''))


def plot_model(model, to_file='model.png', show_shapes=False, show_layer_names=True, rankdir='TB', **kwargs):
    """Refused: the verb `graph` draws the nodes of a model."""
    raise NotImplementedError('tf.keras.utils.plot_model needs Graphviz. Draw the graph with the verb: graph --svg > model.svg')


def multi_gpu_model(model, gpus=None, cpu_merge=True, cpu_relocation=False):
    """Refused: replicas of a model are not part of tensh."""
    raise NotImplementedError('tf.keras.utils.multi_gpu_model is not part of tensh. Train the model itself: model.fit(x, y)')
