# Lookup tables: filled once from tensors and files, changed at will, with hashed ids for what they have not.

import numpy as np
import tensorflow as tf

try:
    lookup = tf.contrib.lookup
except AttributeError:
    from tensorflow.python.ops import lookup_ops as lookup

table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b', 'c'], [1, 2, 3], value_dtype=tf.int64), -1)
found = table.lookup(tf.constant([['b', 'x'], ['a', 'a']]))
print(found)
print(table.size(), table.key_dtype, table.value_dtype, table.default_value.dtype)
sp = tf.SparseTensor([[0, 0], [1, 2]], ['c', 'q'], [2, 3])
print([op.name for op in tf.get_default_graph().get_operations()])
with tf.Session() as sess:
    try:
        sess.run(found)
    except tf.errors.FailedPreconditionError as e:
        print('FailedPreconditionError')
    sess.run(tf.tables_initializer())
    sess.run(tf.tables_initializer())
    print(sess.run(found), sess.run(table.size()))
    print(sess.run(table.lookup(sp)))
    keys, values = sess.run(table.export())
    print(sorted(zip(keys.tolist(), values.tolist())))
    try:
        table.lookup(tf.constant([1]))
    except TypeError as e:
        print('TypeError')

tf.reset_default_graph()
with tf.Session() as sess:
    words = tf.constant(['emerson', 'lake', 'palmer'])
    ids = lookup.index_table_from_tensor(words, num_oov_buckets=2)
    plain = lookup.index_table_from_tensor(words, default_value=7)
    back = lookup.index_to_string_table_from_tensor(words, default_value='UNKNOWN')
    numbers = lookup.index_table_from_tensor(tf.constant([10, 20]), dtype=tf.int32, num_oov_buckets=3)
    sess.run(tf.tables_initializer())
    asked = tf.constant(['lake', 'and', 'palmer', 'genesis', 'yes'])
    print(sess.run(ids.lookup(asked)), sess.run(plain.lookup(asked)))
    print(sess.run(back.lookup(tf.constant([2, 0, 9], tf.int64))))
    print(sess.run(numbers.lookup(tf.constant([20, 30, 40, 50]))))
    print(sess.run(ids.size()), ids.name, plain.name, back.name)

path = "golden_words.txt"
with open(path, 'w') as f:
    f.write('one\t1.5\ntwo\t-2\nthree\t3e1\n')
tf.reset_default_graph()
with tf.Session() as sess:
    by_column = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(path, tf.string, 0, tf.float32, 1, delimiter='\t'), 0.)
    lines = tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(path, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER, tf.string,
                                      tf.lookup.TextFileIndex.WHOLE_LINE, vocab_size=2), 'none')
    words = lookup.index_table_from_file(path, key_column_index=0)
    sess.run(tf.tables_initializer())
    print(sess.run(by_column.lookup(tf.constant(['three', 'two', 'four']))))
    print(sess.run(lines.lookup(tf.constant([1, 2], tf.int64))))
    print(sess.run(words.lookup(tf.constant(['three', 'zero']))))
    bad = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1), 0)
    try:
        sess.run(bad._init_op if hasattr(bad, '_init_op') else bad.initializer)
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError')

tf.reset_default_graph()
with tf.Session() as sess:
    counts = lookup.MutableHashTable(tf.string, tf.int64, -1)
    vectors = lookup.MutableHashTable(tf.int64, tf.float32, [0., -1.])
    try:
        dense = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
    except AttributeError:
        dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1)
    sess.run(counts.insert(tf.constant(['x', 'y', 'x']), tf.constant([1, 2, 3], tf.int64)))
    print(sess.run(counts.lookup(tf.constant([['x', 'z'], ['y', 'x']]))), sess.run(counts.size()))
    sess.run(counts.remove(tf.constant(['x', 'nothing'])))
    print(sess.run(counts.export()), sess.run(counts.size()))
    sess.run(vectors.insert([3, 4], [[1., 2.], [3., 4.]]))
    print(sess.run(vectors.lookup([4, 5])), vectors.lookup([4, 5]).shape)
    sess.run(dense.insert(tf.constant([5, 6], tf.int64), tf.constant([50, 60], tf.int64)))
    print(sess.run(dense.lookup(tf.constant([6, 7], tf.int64))), sess.run(dense.size()))
    for bad in (lambda: dense.insert(tf.constant([0], tf.int64), tf.constant([1], tf.int64)),
                lambda: counts.insert(tf.constant(['a', 'b']), tf.constant([1], tf.int64))):
        try:
            sess.run(bad())
        except (tf.errors.InvalidArgumentError, ValueError) as e:
            print('refused')
tf.gfile.Remove(path)
