# needs nltk
# Skip-gram pairs of tokens, trained by noise contrast.
import collections
import random
import string
import nltk
import numpy as np
import tensorflow.compat.v1 as tf
from nltk.probability import ConditionalFreqDist
from nltk.stem.lancaster import LancasterStemmer
from nltk.tokenize import RegexpTokenizer, TreebankWordTokenizer, sent_tokenize

tf.disable_v2_behavior()
random.seed(5)

corpus = """It's a dog's life. The quick brown fox jumps over the lazy dog; the dog doesn't mind.
A quick cat can't jump over a lazy fox! Dogs and foxes and cats are animals, aren't they?"""
words = RegexpTokenizer(r"[\w']+").tokenize(corpus.lower())
print(TreebankWordTokenizer().tokenize("The dog doesn't mind."), len(words))
stemmer = LancasterStemmer()
stems = [stemmer.stem(w) for w in words if w not in string.punctuation]
count = [('UNK', -1)] + collections.Counter(stems).most_common(9)
dictionary = {w: i for i, (w, _) in enumerate(count)}
reverse_dictionary = dict(zip(dictionary.values(), dictionary.keys()))
data = [dictionary.get(w, 0) for w in stems]
print(count[:4], data[:10], reverse_dictionary[1])
bigrams = ConditionalFreqDist(nltk.bigrams(stems))
print(bigrams['the'].most_common(1), bigrams['lazy'].max(), nltk.jaccard_distance({1, 2}, {2, 3}).__round__(3))
tree = nltk.Tree.fromstring('(S (NP the dog) (VP jumps))')
print(tree.leaves(), tree.label(), tree.height(), [t.label() for t in tree.subtrees()])
grammar = nltk.CFG.fromstring('S -> N V\nN -> "dog" | "fox"\nV -> "jumps"')
print([str(t) for t in nltk.ChartParser(grammar).parse(['fox', 'jumps'])])


def generate_batch(size, skip):
    batch, labels = [], []
    while len(batch) < size:
        at = random.randrange(skip, len(data) - skip)
        other = random.choice([j for j in range(at - skip, at + skip + 1) if j != at])
        batch.append(data[at])
        labels.append([data[other]])
    return np.array(batch, np.int32), np.array(labels, np.int32)


graph = tf.Graph()
with graph.as_default(), tf.device('/cpu:0'):
    inputs = tf.placeholder(tf.int32, [None])
    outputs = tf.placeholder(tf.int32, [None, 1])
    embeddings = tf.get_variable('e', initializer=tf.constant(np.linspace(-1, 1, 40).reshape(10, 4).astype('f')))
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    weights = tf.Variable(tf.truncated_normal([10, 4], stddev=0.5, seed=1))
    loss = tf.reduce_mean(tf.nn.sampled_softmax_loss(weights, tf.Variable(tf.zeros([10])), outputs, embed, 5, 10, seed=2))
    optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    norm = tf.nn.l2_normalize(embeddings, 1)
    similarity = tf.matmul(norm, norm, transpose_b=True)
    init = tf.global_variables_initializer()
with tf.Session(graph=graph) as session:
    init.run()
    losses = []
    for step in range(60):
        b, l = generate_batch(16, 1)
        losses.append(session.run([optimizer, loss], {inputs: b, outputs: l})[1])
    print(np.mean(losses[-10:]) < np.mean(losses[:10]), b[:6], l[:3].tolist())
    sim = similarity.eval()
    print(sim.shape, np.allclose(np.diag(sim), 1, atol=1e-5), [reverse_dictionary[k] for k in (-sim[1]).argsort()[:1]])
