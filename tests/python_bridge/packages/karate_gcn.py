# needs networkx
"""A graph convolution over the members of a karate club."""
import networkx as nx
import numpy as np
import tensorflow.compat.v1 as tf

tf.compat.v1.disable_v2_behavior() if hasattr(tf, 'compat') else tf.disable_v2_behavior()

G = nx.karate_club_graph()
order = sorted(G.nodes())
print(G.number_of_nodes(), G.number_of_edges(), dict(G.degree())[0], nx.is_connected(G), nx.shortest_path(G, 16, 15))
A = np.asarray(nx.to_numpy_array(G, nodelist=order, weight=None))
A_hat = A + np.eye(A.shape[0])
D = np.array(np.sum(A_hat, axis=0)) ** -0.5
propagate = (D[:, None] * A_hat * D[None, :]).astype(np.float32)
clubs = np.array([0 if G.nodes[n]['club'] == 'Mr. Hi' else 1 for n in order])
ranks = nx.pagerank(G)
print(sorted(ranks, key=ranks.get, reverse=True)[:3], '%.4f' % sum(ranks.values()), clubs.sum())


def glorot(shape, seed):
    limit = np.sqrt(6.0 / sum(shape))
    return tf.Variable(tf.random_uniform(shape, -limit, limit, tf.float32, seed=seed))


adjacency = tf.constant(propagate)
hidden = tf.nn.tanh(tf.matmul(adjacency, glorot([34, 8], 1)))
logits = tf.matmul(tf.matmul(adjacency, hidden), glorot([8, 2], 2))
known = tf.constant([0, 33])
loss = tf.losses.sparse_softmax_cross_entropy(tf.constant([0, 1]), tf.gather(logits, known))
train = tf.train.AdamOptimizer(0.05).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(60):
        sess.run(train)
    found = sess.run(tf.argmax(logits, 1))
    print('%.1f' % sess.run(loss), (found == clubs).mean() > 0.9)
nx.set_node_attributes(G, {n: int(found[n]) for n in order}, 'found')
same = G.subgraph([n for n, d in G.nodes(data=True) if d['found'] == d['club_id']] if 'club_id' in G.nodes[0] else order)
print(same.number_of_nodes() > 30, sorted(G.nodes[0]), nx.density(G).__round__(4))
H = nx.DiGraph()
H.add_edges_from([('x', 'matmul'), ('w', 'matmul'), ('matmul', 'relu')], kind='data')
H.add_edge('relu', 'loss', weight=2.5)
print(list(nx.topological_sort(H))[-1], nx.has_path(H, 'w', 'loss'), H['relu']['loss'], sorted(H.predecessors('matmul')))
operations = nx.DiGraph((i.op.name, o.name) for o in tf.get_default_graph().get_operations() for i in o.inputs)
print(nx.is_directed_acyclic_graph(operations), 'MatMul' in operations)
