# needs pandas scipy
# Matrix factorisation of ratings that pandas merges and scipy stores.
import numpy as np
import pandas as pd
import scipy.sparse as sp
import tensorflow.compat.v1 as tf
from scipy.spatial.distance import cdist, cosine
from scipy.sparse.linalg import svds

tf.disable_v2_behavior()

movies = pd.DataFrame({'movieId': [1, 2, 3, 4], 'title': ['Toy Story (1995)', 'Heat (1995)', 'Alien (1979)', 'Up (2009)'],
                       'genres': ['Animation|Children', 'Action|Crime', 'Horror|Sci-Fi', 'Animation|Drama']})
ratings = pd.DataFrame([(u, m, (u * m) % 5 + 1.) for u in range(1, 7) for m in range(1, 5) if (u + m) % 4], columns=['user', 'movieId', 'rating'])
movies['year'] = movies.title.str.extract(r'\((\d{4})\)')[0].astype(int)
movies['List Index'] = movies.index
merged = ratings.merge(movies[['movieId', 'List Index', 'year']], on='movieId')
print(len(merged), merged.groupby('year').rating.mean().round(3).to_dict())
print(movies.genres.str.get_dummies('|').sum().to_dict())
matrix = sp.coo_matrix((merged.rating, (merged.user - 1, merged['List Index'])), shape=(6, 4)).tocsr()
print(repr(matrix.shape), matrix.nnz, matrix[2].toarray(), matrix.getrow(0).indices, matrix.dtype)
bias = matrix.sum() / matrix.nnz
users, items = matrix.nonzero()
k = 2
P = tf.Variable(np.outer(np.arange(6), [0.1, -0.1]), dtype=tf.float32)
Q = tf.Variable(tf.fill([4, k], 0.3))
u, i, r = tf.placeholder(tf.int32, [None]), tf.placeholder(tf.int32, [None]), tf.placeholder(tf.float32, [None])
predicted = tf.reduce_sum(tf.gather(P, u) * tf.gather(Q, i), 1) + bias
loss = tf.reduce_mean((predicted - r) ** 2) + 0.01 * (tf.nn.l2_loss(P) + tf.nn.l2_loss(Q))
train = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    values = np.asarray(matrix[users, items]).ravel()
    for epoch in range(31):
        l, _ = sess.run([loss, train], {u: users, i: items, r: values})
        if epoch % 10 == 0:
            print('Epoch: {:2d} RMSE: {:.3f}'.format(epoch, np.sqrt(l)))
    full = sess.run(tf.matmul(P, Q, transpose_b=True)) + bias
scores = pd.DataFrame(full, index=pd.Index(range(1, 7), name='user'), columns=movies.title)
unseen = scores.mask(matrix.toarray() > 0)
print(unseen.idxmax(axis=1).value_counts().sum(), scores.shape, unseen.notna().sum(axis=1).tolist())
rank = unseen.stack().sort_index().index.tolist()[:2]
print(rank, cosine([1, 0], [1, 1]).round(4), cdist([[0, 0]], [[3, 4]], 'euclidean'))
s = np.sort(svds(matrix.astype(float), k=2, random_state=0)[1])
print(s.round(3), sp.vstack([matrix, matrix[:1]]).shape, (matrix.T @ np.ones(6)).tolist(), sp.eye(2).toarray().tolist())
sparse = tf.SparseTensor(np.stack([users, items], 1).astype(np.int64), values, matrix.shape)
with tf.Session() as sess:
    print(np.array_equal(sess.run(tf.sparse.to_dense(sparse)), matrix.toarray()), sess.run(tf.sparse_reduce_sum(sparse, 0)))
