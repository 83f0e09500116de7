# Gradients of gathered rows: IndexedSlices, their sum, clipping, and the optimizers' sparse steps.
import tensorflow as tf


def names(prefix):
    return [(op.name, op.type) for op in tf.get_default_graph().get_operations() if op.name.startswith(prefix) and op.type not in ('Cast', 'Fill') and
            'grad_ys' not in op.name]


table = tf.Variable([[1., 2.], [3., 4.], [5., 6.]], name='table')
ids = tf.constant([2, 0, 2], name='ids')
rows = tf.gather(table, ids, name='rows')
loss = tf.reduce_sum(tf.square(rows), name='loss')
grad, = tf.gradients(loss, table)
print(type(grad).__name__, str(grad)[:60])
print(grad.values.name, grad.indices.name, grad.dense_shape.dtype, grad.dtype, grad.op.name)
for item in names('gradients/rows_grad'):
    print(item)
again = tf.gradients(loss + tf.reduce_sum(tf.nn.embedding_lookup(table, [1])) + tf.reduce_sum(table), table, name='again')[0]
print(again)
both = tf.gradients(loss + tf.reduce_sum(tf.nn.embedding_lookup(table, [1])), table, name='both')[0]
print(both.values, both.indices)
print([item for item in names('both') if 'concat' in item[0]])
for item in names('again'):
    print(item)
dense = tf.convert_to_tensor(grad)
product = tf.multiply(grad, 2., name='product')
for item in names('product') + names('UnsortedSegmentSum') + names('strided_slice'):
    print(item)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    value = sess.run(grad)
    print(type(value).__name__, value)
    print(value.values, value.indices, value.dense_shape)
    print(sess.run(dense))
    print(sess.run(product))
    print(sess.run(tf.convert_to_tensor(again)))
    print(sess.run(-grad).values)
    print(sess.run({'a': [grad, loss]})['a'][1])
    clipped, norm = tf.clip_by_global_norm([grad, None, tf.constant([3.])], 1.)
    print(type(clipped[0]).__name__, clipped[1])
    print(['%.4f' % v for v in sess.run(clipped[0]).values.reshape(-1)], '%.4f' % sess.run(norm))
    print(sess.run(tf.clip_by_value(grad, -5., 9.)).values)
    print(['%.4f' % v for v in sess.run(tf.clip_by_norm(grad, 2.)).values.reshape(-1)])
made = tf.IndexedSlices(tf.constant([[1., 1.], [2., 2.]]), tf.constant([0, 0]), tf.constant([3, 2]))
with tf.Session() as sess:
    print(sess.run(tf.add_n([tf.convert_to_tensor(made), tf.ones([3, 2])])))
    print(sess.run(made))
    try:
        tf.convert_to_tensor(tf.IndexedSlices(tf.constant([1.]), tf.constant([0])))
    except ValueError as e:
        print('ValueError')

# stop_gradients, unconnected_gradients, grad_ys
a = tf.constant(2.)
b = a * 3.
c = a * b
print([g is None for g in tf.gradients(c, [a, b], stop_gradients=[a, b])])
with tf.Session() as sess:
    print(sess.run(tf.gradients(c, [a, b])), sess.run(tf.gradients(c, [a, b], stop_gradients=[a, b])))
    print(sess.run(tf.gradients(c, [a, tf.constant([1., 2.])], unconnected_gradients='zero')))
    print(sess.run(tf.gradients([b, c], a, grad_ys=[tf.constant(10.), None])))
    print(sess.run(tf.gradients(c, a, colocate_gradients_with_ops=True, gate_gradients=True)))

OPTIMIZERS = [
    lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.AdadeltaOptimizer(0.5, 0.9, 1e-3), lambda: tf.train.RMSPropOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-3, centered=True), lambda: tf.train.FtrlOptimizer(0.3),
    lambda: tf.train.ProximalGradientDescentOptimizer(0.1, 0.1, 0.2),
    lambda: tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.05),
    lambda: tf.train.AdamOptimizer(0.1)]
for use_resource in (False, True):
    for make in OPTIMIZERS:
        tf.reset_default_graph()
        optimizer = make()
        w = tf.Variable([[1., -2.], [0.5, 3.], [1., 1.]], name='w', use_resource=use_resource)
        picked = tf.nn.embedding_lookup(w, [[0, 2], [2, 2]])
        loss = tf.reduce_sum(tf.square(picked - 0.5))
        pairs = optimizer.compute_gradients(loss)
        print(type(optimizer).__name__, use_resource, [type(g).__name__ for g, _ in pairs])
        train = optimizer.apply_gradients(pairs)
        if not use_resource and optimizer.get_name() != 'Adam':
            print([op.name for op in tf.get_default_graph().get_operations() if '/update' in op.name])
        if not use_resource and optimizer.get_name() == 'Adam':
            print(sorted(op.type for op in tf.get_default_graph().get_operations() if '/update' in op.name))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in range(3):
                sess.run(train)
            print([round(float(v), 4) for v in sess.run(w).reshape(-1)])

# several parts, a limit on norms, sparse ids
tf.reset_default_graph()
parts = [tf.Variable([[1., 2.], [3., 4.]]), tf.Variable([[5., 6.], [7., 8.]])]
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for strategy in ('mod', 'div'):
        print(sess.run(tf.nn.embedding_lookup(parts, [3, 0, 2], partition_strategy=strategy)))
    print(sess.run(tf.nn.embedding_lookup(parts[1], [0, 1], max_norm=5.)).round(4))
    sp = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 1, 1], tf.int64), [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1., 3., 2.], [2, 2])
    for combiner in ('mean', 'sum', 'sqrtn'):
        print(combiner, sess.run(tf.nn.embedding_lookup_sparse(parts[0], sp, None, combiner=combiner)).round(4),
              sess.run(tf.nn.embedding_lookup_sparse(parts[0], sp, weights, combiner=combiner)).round(4))
