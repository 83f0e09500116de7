"""tf.keras.preprocessing: sequences of numbers, and texts."""
import collections
import hashlib
import json
import random


def pad_sequences(sequences, maxlen=None, dtype='int32', padding='pre', truncating='pre', value=0.):
    """Returns an array in which all sequences have one length."""
    if not hasattr(sequences, '__len__'):
        raise ValueError('`sequences` must be iterable.')
    sequences = [s for s in sequences]
    for s in sequences:
        if not hasattr(s, '__len__'):
            raise ValueError('`sequences` must be a list of iterables. Found non-iterable: ' + str(s))
    for name, given in (('padding', padding), ('truncating', truncating)):
        if given not in ('pre', 'post'):
            raise ValueError('%s type "%s" not understood. Use "pre" or "post".' % (name.capitalize(), given))
    if maxlen is None:
        maxlen = max([len(s) for s in sequences] + [0])
    sample = ()
    for s in sequences:
        if len(s):
            sample = np.asarray(s).shape[1:]
            break
    out = np.full((len(sequences), maxlen) + tuple(sample), value, dtype=dtype)
    for i, s in enumerate(sequences):
        if not len(s):
            continue
        kept = s[-maxlen:] if truncating == 'pre' else s[:maxlen]
        kept = np.asarray(kept, dtype=dtype)
        if padding == 'post':
            out[i, :len(kept)] = kept
        elif len(kept):
            out[i, -len(kept):] = kept
    return out


def make_sampling_table(size, sampling_factor=1e-5):
    """Returns the probabilities with which words of each rank are kept."""
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1. / (12. * rank)
    f = sampling_factor * inverse
    return np.minimum(1., f / np.sqrt(f))


def skipgrams(sequence, vocabulary_size, window_size=4, negative_samples=1., shuffle=True, categorical=False,
              sampling_table=None, seed=None):
    """Returns pairs of words, and whether they are near each other."""
    couples, labels = [], []
    for i, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        for j in range(max(0, i - window_size), min(len(sequence), i + window_size + 1)):
            if j != i and sequence[j]:
                couples.append([word, sequence[j]])
                labels.append([0, 1] if categorical else 1)
    if negative_samples > 0:
        words = [c[0] for c in couples]
        random.shuffle(words)
        for i in range(int(len(labels) * negative_samples)):
            couples.append([words[i % len(words)], random.randint(1, vocabulary_size - 1)])
            labels.append([1, 0] if categorical else 0)
    if shuffle:
        seed = random.randint(0, 10000000) if seed is None else seed
        for values in (couples, labels):
            random.seed(seed)
            random.shuffle(values)
    return couples, labels


class TimeseriesGenerator(object):
    """Batches of windows of a series."""

    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False,
                 reverse=False, batch_size=128):
        if len(data) != len(targets):
            raise ValueError('Data and targets have to be of same length. Data length is %d while target length is %d' %
                             (len(data), len(targets)))
        self.data, self.targets, self.length, self.sampling_rate, self.stride = data, targets, length, sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse, self.batch_size = shuffle, reverse, batch_size
        if self.start_index > self.end_index:
            raise ValueError('`start_index+length=%i > end_index=%i` is disallowed, as no part of the sequence would be left '
                             'to be used as current step.' % (self.start_index, self.end_index))

    def __len__(self):
        return (self.end_index - self.start_index + self.batch_size * self.stride) // (self.batch_size * self.stride)

    def on_epoch_end(self):
        pass

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError('batch %d of %d' % (index, len(self)))
        if self.shuffle:
            rows = np.random.randint(self.start_index, self.end_index + 1, size=self.batch_size)
        else:
            i = self.start_index + self.batch_size * self.stride * index
            rows = np.arange(i, min(i + self.batch_size * self.stride, self.end_index + 1), self.stride)
        samples = np.array([self.data[row - self.length:row:self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...], targets) if self.reverse else (samples, targets)


_FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'


def text_to_word_sequence(text, filters=_FILTERS, lower=True, split=' '):
    """Returns the words of a text."""
    if lower:
        text = text.lower()
    for c in filters:
        text = text.replace(c, split)
    return [w for w in text.split(split) if w]


def one_hot(text, n, filters=_FILTERS, lower=True, split=' '):
    """Returns a number below n for each word."""
    return hashing_trick(text, n, hash, filters, lower, split)


def hashing_trick(text, n, hash_function=None, filters=_FILTERS, lower=True, split=' '):
    """Returns a number below n for each word, from a hash function."""
    if hash_function is None:
        hash_function = hash
    elif hash_function == 'md5':
        hash_function = lambda w: int(hashlib.md5(w.encode()).hexdigest(), 16)
    return [hash_function(w) % (n - 1) + 1 for w in text_to_word_sequence(text, filters, lower, split)]


class Tokenizer(object):
    """Numbers the words of texts by how often they occur."""

    def __init__(self, num_words=None, filters=_FILTERS, lower=True, split=' ', char_level=False, oov_token=None,
                 document_count=0, **kwargs):
        self.num_words, self.filters, self.lower, self.split = num_words, filters, lower, split
        self.char_level, self.oov_token, self.document_count = char_level, oov_token, document_count
        self.word_counts, self.word_docs = collections.OrderedDict(), collections.defaultdict(int)
        self.index_docs, self.word_index, self.index_word = collections.defaultdict(int), {}, {}

    def _words(self, text):
        if isinstance(text, list):
            return [w.lower() for w in text] if self.lower else text
        if self.char_level:
            return list(text.lower() if self.lower else text)
        return text_to_word_sequence(text, self.filters, self.lower, self.split)

    def fit_on_texts(self, texts):
        """Counts the words of texts."""
        for text in texts:
            self.document_count += 1
            words = self._words(text)
            for w in words:
                self.word_counts[w] = self.word_counts.get(w, 0) + 1
            for w in set(words):
                self.word_docs[w] += 1
        counts = sorted(self.word_counts.items(), key=lambda x: x[1], reverse=True)
        order = ([] if self.oov_token is None else [self.oov_token]) + [w for w, _ in counts]
        self.word_index = {w: i + 1 for i, w in enumerate(order)}
        self.index_word = {i: w for w, i in self.word_index.items()}
        for w, n in self.word_docs.items():
            self.index_docs[self.word_index[w]] = n

    def fit_on_sequences(self, sequences):
        """Counts the numbers of sequences."""
        self.document_count += len(sequences)
        for seq in sequences:
            for i in set(seq):
                self.index_docs[i] += 1

    def texts_to_sequences_generator(self, texts):
        oov = self.word_index.get(self.oov_token)
        for text in texts:
            out = []
            for w in self._words(text):
                i = self.word_index.get(w)
                if i is None or (self.num_words and i >= self.num_words):
                    i = oov
                if i is not None:
                    out.append(i)
            yield out

    def texts_to_sequences(self, texts):
        """Returns the numbers of the words of texts."""
        return list(self.texts_to_sequences_generator(texts))

    def sequences_to_texts(self, sequences):
        """Returns the words of numbers."""
        out = []
        for seq in sequences:
            words = [self.index_word.get(i, self.oov_token) for i in seq]
            out.append(' '.join(w for w in words if w is not None))
        return out

    def texts_to_matrix(self, texts, mode='binary'):
        """Returns a row for each text, with a column for each word."""
        return self.sequences_to_matrix(self.texts_to_sequences(texts), mode)

    def sequences_to_matrix(self, sequences, mode='binary'):
        """Returns a row for each sequence, with a column for each word."""
        n = self.num_words or (len(self.word_index) + 1 if self.word_index else None)
        if n is None:
            raise ValueError('Specify a dimension (`num_words` argument), or fit on some text data first.')
        if mode not in ('binary', 'count', 'freq', 'tfidf'):
            raise ValueError('Unknown vectorization mode: %s' % (mode,))
        x = np.zeros((len(sequences), n))
        for i, seq in enumerate(sequences):
            counts = collections.Counter(j for j in seq if j < n)
            for j, c in counts.items():
                if mode == 'tfidf':
                    x[i][j] = (1 + np.log(c)) * np.log(1 + self.document_count / (1. + self.index_docs.get(j, 0)))
                else:
                    x[i][j] = {'count': c, 'freq': c / float(len(seq)), 'binary': 1}[mode]
        return x

    def get_config(self):
        return {'num_words': self.num_words, 'filters': self.filters, 'lower': self.lower, 'split': self.split,
                'char_level': self.char_level, 'oov_token': self.oov_token, 'document_count': self.document_count,
                'word_counts': json.dumps(self.word_counts), 'word_docs': json.dumps(self.word_docs),
                'index_docs': json.dumps(self.index_docs), 'index_word': json.dumps(self.index_word),
                'word_index': json.dumps(self.word_index)}

    def to_json(self, **kwargs):
        """Returns the words and their counts as JSON."""
        return json.dumps({'class_name': 'Tokenizer', 'config': self.get_config()}, **kwargs)


def tokenizer_from_json(json_string):
    """Returns the Tokenizer of to_json()."""
    config = json.loads(json_string)['config']
    kept = {k: json.loads(config.pop(k)) for k in ('word_counts', 'word_docs', 'index_docs', 'index_word', 'word_index')}
    made = Tokenizer(**config)
    made.word_counts, made.word_docs, made.word_index = kept['word_counts'], kept['word_docs'], kept['word_index']
    made.index_docs = {int(k): v for k, v in kept['index_docs'].items()}
    made.index_word = {int(k): v for k, v in kept['index_word'].items()}
    return made
