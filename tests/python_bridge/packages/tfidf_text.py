# needs sklearn
# Sparse features of texts into a graph with sparse tensors.
import re
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB

tf.disable_v2_behavior()

texts = ['Free money now!!!', 'Hi Bob, how about a game of golf tomorrow?', 'win FREE prize money',
         'the meeting is tomorrow at noon', 'claim your prize now', 'golf at noon with Bob']
target = np.array([1, 0, 1, 0, 1, 0])
texts = [x.lower() for x in texts]
texts = [''.join(c for c in x if c not in '0123456789!?,.') for x in texts]
tfidf = TfidfVectorizer(tokenizer=lambda s: re.findall(r'\w+', s), token_pattern=None, stop_words='english', max_features=100)
sparse = tfidf.fit_transform(texts)
print(sparse.shape, sparse.nnz, sorted(tfidf.vocabulary_)[:4], tfidf.get_feature_names_out()[-2:].tolist())
print(sparse.toarray()[0].round(3)[sparse.toarray()[0] > 0])


def to_sparse(matrix):
    coo = matrix.tocoo()
    indices = np.mat([coo.row, coo.col]).transpose() if hasattr(np, 'mat') else np.stack([coo.row, coo.col], 1)
    return tf.SparseTensorValue(indices, coo.data, coo.shape)


features = tf.sparse_placeholder(tf.float32)
labels = tf.placeholder(shape=[None, 1], dtype=tf.float32)
A = tf.Variable(tf.zeros([sparse.shape[1], 1]))
b = tf.Variable(tf.zeros([1, 1]))
logits = tf.add(tf.sparse_tensor_dense_matmul(features, A), b)
loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))
step = tf.train.AdagradOptimizer(1.).minimize(loss)
correct = tf.reduce_mean(tf.cast(tf.equal(tf.round(tf.sigmoid(logits)), labels), tf.float32))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {features: to_sparse(sparse), labels: np.transpose([target])}
    for i in range(1, 31):
        sess.run(step, feed_dict=feed)
        if i % 10 == 0:
            print('Generation {}. Loss {:.3f}. Accuracy {}'.format(i, *sess.run([loss, correct], feed)))
    new = tfidf.transform(['free golf', 'prize'])
    print(np.round(sess.run(tf.sigmoid(logits), {features: to_sparse(new)}), 2).tolist())
counts = CountVectorizer(ngram_range=(1, 2), min_df=2)
matrix = counts.fit_transform(texts)
print(sorted(counts.vocabulary_.items(), key=lambda kv: kv[1]))
print(MultinomialNB().fit(matrix, target).predict(counts.transform(['free money', 'golf'])), matrix.sum(axis=0).tolist())
