# Words to pairs to embeddings: collections, generators, batches, embedding_lookup.
import collections
import random
import numpy as np
import tensorflow as tf

text = 'the quick brown fox jumps over the lazy dog and the dog sleeps while the fox runs'
words = text.split()
count = [['UNK', -1]]
count.extend(collections.Counter(words).most_common(9))
dictionary = dict()
for word, _ in count:
    dictionary[word] = len(dictionary)
data = [dictionary.get(word, 0) for word in words]
count[0][1] = sum(1 for i in data if i == 0)
reverse = dict(zip(dictionary.values(), dictionary.keys()))
print(count[:4], data[:6], [reverse[i] for i in data[:6]])

def generate_batch(batch_size, skip_window):
    span = 2 * skip_window + 1
    buffer = collections.deque(maxlen=span)
    index = 0
    while True:
        batch, labels = [], []
        while len(batch) < batch_size:
            buffer.append(data[index])
            index = (index + 1) % len(data)
            if len(buffer) < span:
                continue
            for j in [k for k in range(span) if k != skip_window]:
                batch.append(buffer[skip_window])
                labels.append(buffer[j])
        yield np.array(batch[:batch_size]), np.array(labels[:batch_size]).reshape(-1, 1)

batches = generate_batch(8, 1)
b, l = next(batches)
print(b, l.ravel())
graph = tf.Graph()
with graph.as_default():
    inputs = tf.placeholder(tf.int32, shape=[None])
    labels = tf.placeholder(tf.int32, shape=[None, 1])
    embeddings = tf.Variable(tf.random_uniform([10, 4], -1.0, 1.0, seed=9))
    embed = tf.nn.embedding_lookup(embeddings, inputs)
    logits = tf.matmul(embed, tf.Variable(tf.truncated_normal([4, 10], stddev=0.5, seed=8)))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.squeeze(labels, 1), logits=logits))
    optimizer = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized = embeddings / norm
    similarity = tf.matmul(normalized, normalized, transpose_b=True)
    print(embed, similarity.shape)
with tf.Session(graph=graph) as session:
    tf.global_variables_initializer().run()
    losses = []
    for step in range(80):
        b, l = next(batches)
        _, value = session.run([optimizer, loss], feed_dict={inputs: b, labels: l})
        losses.append(value)
    print(np.mean(losses[:10]) > np.mean(losses[-10:]), len(losses))
    sim = similarity.eval()
    print(sim.shape, np.allclose(np.diag(sim), 1.0, atol=1e-5), (-sim[1]).argsort()[0] == 1)
