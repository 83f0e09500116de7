"""tensorflow.examples.tutorials.mnist.input_data: MNIST, or other data in its format, from local files.

TensorFlow's version downloads missing files. Here, a missing file is an error that says where to put it.
"""
import collections
import gzip
import os

import numpy as np

Datasets = collections.namedtuple('_Datasets', ['train', 'validation', 'test'])
SOURCE_URL = DEFAULT_SOURCE_URL = 'https://storage.googleapis.com/cvdf-datasets/mnist/'
_FILES = ('train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz',
          't10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz')


def dense_to_one_hot(labels_dense, num_classes):
    """Converts class labels to one-hot vectors."""
    made = np.zeros((labels_dense.shape[0], num_classes))
    made[np.arange(labels_dense.shape[0]), labels_dense.astype(np.int64)] = 1
    return made


def _read(path, magic, what, rank):
    """Reads an IDX file: a magic number, one size per dimension, and the data. Returns the data and the sizes."""
    print('Extracting', path)
    with open(path, 'rb') as f:
        data = f.read()
    if data[:2] == b'\x1f\x8b':
        data = gzip.decompress(data)
    found = int.from_bytes(data[:4], 'big')
    if len(data) < 4 + 4 * rank or found != magic:
        raise ValueError('Invalid magic number %d in MNIST %s file: %s' % (found, what, path))
    sizes = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(rank)]
    body = np.frombuffer(data[4 + 4 * rank:], np.uint8)
    return body.reshape(sizes)


def extract_images(f):
    """Reads images as [index, rows, columns, 1] of uint8."""
    images = _read(getattr(f, 'name', f), 2051, 'image', 3)
    return images.reshape(images.shape + (1,))


def extract_labels(f, one_hot=False, num_classes=10):
    """Reads labels as [index] of uint8, or one-hot."""
    labels = _read(getattr(f, 'name', f), 2049, 'label', 1)
    return dense_to_one_hot(labels, num_classes) if one_hot else labels


class DataSet(object):
    """Images and labels, which are returned in batches."""

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=tf.float32, reshape=True, seed=None):
        seed1, seed2 = tf.get_seed(seed)
        np.random.seed(seed1 if seed is None else seed2)
        dtype = tf.as_dtype(dtype).base_dtype
        if dtype not in (tf.uint8, tf.float32):
            raise TypeError('Invalid image dtype %r, expected uint8 or float32' % dtype)
        self.one_hot = one_hot
        if fake_data:
            self._num_examples = 10000
        else:
            assert images.shape[0] == labels.shape[0], (
                'images.shape: %s labels.shape: %s' % (images.shape, labels.shape))
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == tf.float32:
                images = np.multiply(images.astype(np.float32), 1.0 / 255.0)
        self._images, self._labels = images, labels
        self._fake_data = fake_data
        self._epochs_completed = self._index_in_epoch = 0

    images = property(lambda self: self._images)
    labels = property(lambda self: self._labels)
    num_examples = property(lambda self: self._num_examples)
    epochs_completed = property(lambda self: self._epochs_completed)

    def _shuffle(self):
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images, self._labels = self._images[order], self._labels[order]

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """Returns the next examples. If the epoch ends within a batch, a new one begins, shuffled again."""
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if self._epochs_completed == 0 and start == 0 and shuffle:
            self._shuffle()
        if start + batch_size <= self._num_examples:
            self._index_in_epoch = start + batch_size
            return self._images[start:start + batch_size], self._labels[start:start + batch_size]
        self._epochs_completed += 1
        rest = self._num_examples - start
        images, labels = self._images[start:], self._labels[start:]
        if shuffle:
            self._shuffle()
        self._index_in_epoch = batch_size - rest
        more = slice(0, self._index_in_epoch)
        return np.concatenate((images, self._images[more])), np.concatenate((labels, self._labels[more]))


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=tf.float32, reshape=True, validation_size=5000,
                   seed=None, source_url=DEFAULT_SOURCE_URL):
    """Reads the training, validation and test sets from the four files in a folder."""
    if fake_data:
        return Datasets(*[DataSet([], [], fake_data=True, one_hot=one_hot, dtype=dtype, seed=seed) for _ in range(3)])
    paths = [os.path.join(train_dir, name) for name in _FILES]
    paths = [p if os.path.exists(p) or not os.path.exists(p[:-3]) else p[:-3] for p in paths]
    missing = [os.path.basename(p) for p in paths if not os.path.exists(p)]
    if missing:
        raise FileNotFoundError('%s: tensh downloads nothing. Put %s there, from %s' % (train_dir, ', '.join(missing), source_url))
    train_images, train_labels = extract_images(paths[0]), extract_labels(paths[1], one_hot=one_hot)
    test_images, test_labels = extract_images(paths[2]), extract_labels(paths[3], one_hot=one_hot)
    if not 0 <= validation_size <= len(train_images):
        raise ValueError('Validation size should be between 0 and %d. Received: %d.' % (len(train_images), validation_size))
    n = validation_size
    options = dict(dtype=dtype, reshape=reshape, seed=seed)
    return Datasets(DataSet(train_images[n:], train_labels[n:], **options),
                    DataSet(train_images[:n], train_labels[:n], **options),
                    DataSet(test_images, test_labels, **options))
