import tensorflow as tf
from tensorflow.python.feature_column.feature_column import _LazyBuilder

fc = tf.feature_column
colors = {'color': [['R', 'R'], ['G', 'R'], ['B', 'G'], ['A', 'A']]}
builder = _LazyBuilder(colors)
column = fc.categorical_column_with_vocabulary_list('color', ['R', 'G', 'B'], dtype=tf.string, default_value=-1)
pair = column._get_sparse_tensors(builder)
table = fc.input_layer(colors, [fc.indicator_column(column)])
print(pair.weight_tensor, table.shape)
with tf.Session() as sess:
    sess.run(tf.tables_initializer())
    print(sess.run(pair.id_tensor))
    print(sess.run(table))

prices = {'price': [[1.], [2.], [3.], [4.]]}
buckets = fc.bucketized_column(fc.numeric_column('price', normalizer_fn=lambda x: x + 2), [3.5, 5.])
builder = _LazyBuilder(prices)
print(buckets._variable_shape, buckets._num_buckets, buckets.name)
with tf.Session() as sess:
    print(sess.run(buckets._get_dense_tensor(builder, None)))
    print(sess.run(buckets._get_sparse_tensors(builder).id_tensor))
    print(sess.run(fc.input_layer(prices, [buckets, fc.numeric_column('price')])))

with tf.Graph().as_default():
    tf.set_random_seed(1)
    data = {'a': [[2, 2], [5, 5], [0, -1], [0, 0]], 'b': [[2], [5], [-1], [0]]}
    one = fc.categorical_column_with_hash_bucket('a', 7, dtype=tf.int32)
    two = fc.categorical_column_with_hash_bucket('b', 7, dtype=tf.int32)
    shared = fc.shared_embedding_columns([two, one], 3, combiner='sum', initializer=tf.constant_initializer(.5))
    print(type(shared[0]), shared[0].name, shared[1].name)
    single = fc.embedding_column(one, 2, initializer=tf.constant_initializer(2.), max_norm=2.)
    both, alone = fc.input_layer(data, shared), fc.input_layer(data, [shared[0], single])
    print([v.name for v in tf.global_variables()], [v.name for v in tf.model_variables()])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(both))
        print(sess.run(alone))
    loss = tf.reduce_sum(both)
    print(tf.gradients(loss, tf.trainable_variables()[0])[0].__class__.__name__)

with tf.Graph().as_default():
    data = {'id': tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 2], [3, 2]),
            'weight': tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [.5, .25, 2.], [3, 2])}
    ids = fc.categorical_column_with_identity('id', 4)
    weighted = fc.weighted_categorical_column(ids, 'weight')
    print(weighted.name)
    cols = {}
    wide = fc.linear_model(data, [weighted], cols_to_vars=cols)
    print(sorted(str(k if k == 'bias' else k.name) for k in cols))
    seen = fc.input_layer(data, [fc.indicator_column(ids), fc.indicator_column(weighted)])
    deep = fc.input_layer(data, [fc.embedding_column(weighted, 2, 'sqrtn', tf.constant_initializer(1.))])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(seen))
        print(sess.run(deep))
        print(sess.run(wide))
    print(sorted(fc.make_parse_example_spec([weighted]).items()))

with tf.Graph().as_default():
    tf.set_random_seed(1)
    crossed = fc.crossed_column([buckets, 'word'], 50)
    data = {'price': [[1.], [2.], [3.]], 'word': [['a'], ['b'], ['a']]}
    print(crossed.name)
    shown = crossed._get_sparse_tensors(_LazyBuilder(data)).id_tensor
    net = fc.input_layer(data, [fc.embedding_column(crossed, 3)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run(shown))
        print(sess.run(net).shape)
    for bad in (lambda: _LazyBuilder(data).get('nothing'), lambda: fc.input_layer(data, [crossed])):
        try:
            bad()
        except ValueError as e:
            print(str(e)[:45])
