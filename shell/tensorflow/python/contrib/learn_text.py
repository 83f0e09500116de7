"""tf.contrib.learn: documents as rows of numbers, tables in files, and the names of modes."""
import collections
import csv
import pickle
import re

import numpy as np

_WORDS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+", re.UNICODE)


def tokenizer(iterator):
    """Yields the words of each text."""
    for text in iterator:
        yield _WORDS.findall(text)


class CategoricalVocabulary(object):
    """Numbers for words, in the order in which they are added."""

    def __init__(self, unknown_token='<UNK>', support_reverse=True):
        self._unknown_token, self._mapping, self._freq, self._frozen = unknown_token, {unknown_token: 0}, {}, False
        self._reverse_mapping = [unknown_token]

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        self._frozen = freeze

    def get(self, category):
        if category not in self._mapping:
            if self._frozen:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency, max_frequency=-1):
        kept = sorted(sorted(self._freq.items(), key=lambda x: (x[0] is None, x[0])), key=lambda x: x[1], reverse=True)
        self._mapping, self._reverse_mapping = {self._unknown_token: 0}, [self._unknown_token]
        for word, count in kept:
            if count > min_frequency and (max_frequency <= 0 or count < max_frequency):
                self._mapping[word] = len(self._mapping)
                self._reverse_mapping.append(word)
        self._freq = {w: c for w, c in kept if w in self._mapping}

    def reverse(self, class_id):
        return self._reverse_mapping[class_id]


class VocabularyProcessor(object):
    """Maps documents to rows of the numbers of their words."""

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        for tokens in self._tokenizer(raw_documents):
            ids = np.zeros(self.max_document_length, np.int64)
            for i, token in enumerate(tokens[:self.max_document_length]):
                ids[i] = self.vocabulary_.get(token)
            yield ids

    def reverse(self, documents):
        for document in documents:
            yield ' '.join([self.vocabulary_.reverse(i) for i in document])

    def save(self, filename):
        vocabulary = self.vocabulary_
        with tf.gfile.Open(filename, 'wb') as f:
            f.write(pickle.dumps((self.max_document_length, self.min_frequency, vocabulary._mapping, vocabulary._freq)))

    @classmethod
    def restore(cls, filename):
        with tf.gfile.Open(filename, 'rb') as f:
            length, frequency, mapping, freq = pickle.loads(f.read())
        made = cls(length, frequency)
        made.vocabulary_._mapping, made.vocabulary_._freq = mapping, freq
        made.vocabulary_._reverse_mapping = sorted(mapping, key=mapping.get)
        made.vocabulary_.freeze()
        return made


class ModeKeys(object):
    """The modes of a model_fn."""
    TRAIN, EVAL, INFER = 'train', 'eval', 'infer'


Dataset = collections.namedtuple('Dataset', ['data', 'target'])
Datasets = collections.namedtuple('Datasets', ['train', 'validation', 'test'])


def _table(rows, target_dtype, features_dtype, target_column):
    data, target = [], []
    for row in rows:
        target.append(row.pop(target_column))
        data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(target, dtype=target_dtype))


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a table whose first line has the numbers of its rows and columns."""
    with tf.gfile.Open(filename) as f:
        rows = list(csv.reader(f.read().splitlines()))
    made = _table(rows[1:], target_dtype, features_dtype, target_column)
    return made._replace(target=made.target[:int(rows[0][0])], data=made.data[:int(rows[0][0])])


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1):
    """Reads a table."""
    with tf.gfile.Open(filename) as f:
        return _table(list(csv.reader(f.read().splitlines())), target_dtype, features_dtype, target_column)
