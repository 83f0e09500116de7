# needs scipy
# A graph convolution with matrices of scipy.
import numpy as np
import scipy.sparse as sp
import tensorflow.compat.v1 as tf
from scipy.sparse import csgraph

tf.disable_v2_behavior()


def normalize_adj(adj):
    adj = sp.coo_matrix(adj)
    rowsum = np.array(adj.sum(1))
    d_inv_sqrt = np.power(rowsum, -0.5).flatten()
    d_inv_sqrt[np.isinf(d_inv_sqrt)] = 0.
    d_mat = sp.diags(d_inv_sqrt)
    return adj.dot(d_mat).transpose().dot(d_mat).tocoo()


def sparse_to_tuple(mx):
    if not sp.isspmatrix_coo(mx):
        mx = mx.tocoo()
    coords = np.vstack((mx.row, mx.col)).transpose()
    return coords, mx.data, mx.shape


rows, cols = [0, 1, 2, 3, 0], [1, 2, 3, 0, 2]
adj = sp.csr_matrix((np.ones(5), (rows, cols)), shape=(4, 4))
adj = adj + adj.T
print(adj.nnz, csgraph.connected_components(adj)[0], adj.toarray().tolist()[0])
support = sparse_to_tuple(normalize_adj(adj + sp.eye(4)))
print(support[0].shape, support[1].round(3)[:4], support[2])
order = np.lexsort((support[0][:, 1], support[0][:, 0]))

a = tf.sparse_placeholder(tf.float32)
w = tf.constant(np.arange(6.).reshape(3, 2), tf.float32)
x = tf.constant(np.eye(4, 3), tf.float32)
out = tf.nn.relu(tf.sparse_tensor_dense_matmul(a, tf.matmul(x, w)))
with tf.Session() as sess:
    print(sess.run(out, feed_dict={a: (support[0][order], support[1][order], support[2])}).round(4))
