"""tf.keras.datasets: data sets from local files, under the names that Keras gives them."""
import gzip
import json
import os
import pickle


def _find(names, where=''):
    """Returns the paths of the first set of files that is complete."""
    home = os.path.join(os.path.expanduser('~'), '.keras', 'datasets')
    for folder in (home, os.path.join(home, where), '.', where or '.', 'data', os.path.join('data', where)):
        for group in names:
            paths = [os.path.join(folder, n) for n in group]
            if all(os.path.exists(p) for p in paths):
                return paths
    raise IOError('tensh does not read from the network. Put %s into %s' %
                  (' and '.join(names[0]), os.path.join(home, where)))


def _idx(path):
    with (gzip.open(path, 'rb') if path.endswith('.gz') else open(path, 'rb')) as f:
        data = f.read()
    if len(data) < 8 or data[:2] != b'\0\0' or data[2] != 8 or not 1 <= data[3] <= 4 or len(data) < 4 + 4 * data[3]:
        raise ValueError('%s is not a file of MNIST: its first bytes are %r' % (path, data[:4]))
    shape = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(data[3])]
    values = np.frombuffer(data[4 + 4 * data[3]:], np.uint8)
    if values.size != int(np.prod(shape)):
        raise ValueError('%s has %d values, and its header says %s' % (path, values.size, shape))
    return values.reshape(shape)


_IDX = ['train-images-idx3-ubyte', 'train-labels-idx1-ubyte', 't10k-images-idx3-ubyte', 't10k-labels-idx1-ubyte']


def _digits(paths):
    if paths[0].endswith('.npz'):
        f = np.load(paths[0])
        return (f['x_train'], f['y_train']), (f['x_test'], f['y_test'])
    x, y, xt, yt = [_idx(p) for p in paths]
    return (x, y), (xt, yt)


def mnist(path='mnist.npz'):
    """Returns ((x_train, y_train), (x_test, y_test)) of MNIST."""
    return _digits([path] if os.path.exists(path) else _find([['mnist.npz'], [n + '.gz' for n in _IDX], _IDX], 'mnist'))


def fashion_mnist():
    """Returns ((x_train, y_train), (x_test, y_test)) of Fashion-MNIST."""
    return _digits(_find([[n + '.gz' for n in _IDX], _IDX], 'fashion-mnist'))


def _pickled(path):
    with open(path, 'rb') as f:
        found = pickle.load(f, encoding='bytes')
    return {k.decode() if isinstance(k, bytes) else k: v for k, v in found.items()}


def _images(paths, label):
    parts = [_pickled(p) for p in paths]
    x = np.concatenate([np.asarray(p['data'], np.uint8) for p in parts]).reshape([-1, 3, 32, 32]).transpose(0, 2, 3, 1)
    return x, np.concatenate([np.asarray(p[label], np.uint8) for p in parts]).reshape([-1, 1])


def cifar10():
    """Returns ((x_train, y_train), (x_test, y_test)) of CIFAR-10."""
    paths = _find([['data_batch_%d' % i for i in range(1, 6)] + ['test_batch']], 'cifar-10-batches-py')
    return _images(paths[:5], 'labels'), _images(paths[5:], 'labels')


def cifar100(label_mode='fine'):
    """Returns ((x_train, y_train), (x_test, y_test)) of CIFAR-100."""
    train, test = _find([['train', 'test']], 'cifar-100-python')
    return _images([train], label_mode + '_labels'), _images([test], label_mode + '_labels')


def boston_housing(path='boston_housing.npz', test_split=0.2, seed=113):
    """Returns ((x_train, y_train), (x_test, y_test)) of the prices of houses in Boston."""
    with np.load(path if os.path.exists(path) else _find([['boston_housing.npz']])[0]) as f:
        x, y = f['x'], f['y']
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    x, y, at = x[order], y[order], int(len(x) * (1 - test_split))
    return (x[:at], y[:at]), (x[at:], y[at:])


def _words(path, what):
    with open(path if os.path.exists(path) else _find([[path]])[0]) as f:
        return json.load(f)


def imdb_words(path='imdb_word_index.json'):
    """Returns the numbers of the words of IMDB."""
    return _words(path, 'imdb')


def reuters_words(path='reuters_word_index.json'):
    """Returns the numbers of the words of Reuters."""
    return _words(path, 'reuters')


def _limit(sequences, num_words, skip_top, maxlen, start_char, oov_char, index_from):
    out = []
    for s in sequences:
        s = [w + index_from for w in s] if index_from else list(s)
        out.append(([start_char] if start_char is not None else []) + s)
    num_words = num_words or max(max(s) for s in out)
    if oov_char is None:
        return [[w for w in s if skip_top <= w < num_words] for s in out]
    return [[w if skip_top <= w < num_words else oov_char for w in s] for s in out]


def _as_objects(rows):
    out = np.empty(len(rows), dtype=object)
    for i, row in enumerate(rows):
        out[i] = row
    return out


def imdb(path='imdb.npz', num_words=None, skip_top=0, maxlen=None, seed=113, start_char=1, oov_char=2, index_from=3):
    """Returns ((x_train, y_train), (x_test, y_test)) of the reviews of IMDB."""
    with np.load(path if os.path.exists(path) else _find([['imdb.npz']])[0], allow_pickle=True) as f:
        x, y, xt, yt = f['x_train'], f['y_train'], f['x_test'], f['y_test']
    random = np.random.RandomState(seed)
    parts = []
    for values, labels in ((x, y), (xt, yt)):
        order = np.arange(len(values))
        random.shuffle(order)
        parts.append((values[order], labels[order]))
    rows = _limit(list(parts[0][0]) + list(parts[1][0]), num_words, skip_top, maxlen, start_char, oov_char, index_from)
    n = len(parts[0][0])
    return (_as_objects(rows[:n]), parts[0][1]), (_as_objects(rows[n:]), parts[1][1])


def reuters(path='reuters.npz', num_words=None, skip_top=0, maxlen=None, test_split=0.2, seed=113, start_char=1, oov_char=2,
            index_from=3):
    """Returns ((x_train, y_train), (x_test, y_test)) of the news of Reuters."""
    with np.load(path if os.path.exists(path) else _find([['reuters.npz']])[0], allow_pickle=True) as f:
        x, y = f['x'], f['y']
    order = np.arange(len(x))
    np.random.RandomState(seed).shuffle(order)
    x, y = x[order], y[order]
    rows, at = _limit(x, num_words, skip_top, maxlen, start_char, oov_char, index_from), int(len(x) * (1 - test_split))
    return (_as_objects(rows[:at]), y[:at]), (_as_objects(rows[at:]), y[at:])
