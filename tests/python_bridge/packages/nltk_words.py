# needs nltk
# Words of nltk become embeddings.
import numpy as np
import nltk
import tensorflow.compat.v1 as tf
from nltk.stem import PorterStemmer
from nltk.tokenize import WordPunctTokenizer
from nltk.util import ngrams

tf.disable_v2_behavior()

TEXT = 'The cats are running. The dog runs after the cats, and the cats ran away!'
tokens = [t.lower() for t in WordPunctTokenizer().tokenize(TEXT)]
stems = [PorterStemmer().stem(t) for t in tokens if t.isalpha()]
frequencies = nltk.FreqDist(stems)
print(tokens[:5], stems[:5])
print(frequencies.most_common(3), frequencies['cat'], len(frequencies), frequencies.N())
print(list(ngrams(stems, 2))[:2], nltk.edit_distance('running', 'ran'))
vocabulary = {word: i for i, (word, n) in enumerate(sorted(frequencies.items(), key=lambda p: (-p[1], p[0])))}
ids = [vocabulary[s] for s in stems]
print(ids)
table = tf.constant(np.arange(len(vocabulary) * 2, dtype=np.float32).reshape(-1, 2))
words = tf.placeholder(tf.int32, [None])
mean = tf.reduce_mean(tf.nn.embedding_lookup(table, words), 0)
with tf.Session() as sess:
    print(sess.run(mean, {words: ids}).round(3))
    print(sess.run(tf.bincount(words), {words: ids}).tolist())
