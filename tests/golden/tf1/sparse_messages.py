"""Sparse tensors as messages, through input queues, and crosses of features."""
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

sp = tf.SparseTensor([[0, 1], [2, 0], [2, 2]], [1., 2., 3.], [3, 4])
many = tf.serialize_many_sparse(sp)
print(many.shape, many.dtype, tf.serialize_sparse(sp).shape)
again = tf.deserialize_many_sparse(many, tf.float32, rank=1)
print(again.indices.shape, again.dense_shape.shape)
two = tf.io.deserialize_many_sparse(tf.stack([tf.io.serialize_sparse(sp), tf.io.serialize_sparse(sp)]), tf.float32, rank=2)
variants = tf.io.serialize_many_sparse(sp, out_type=tf.variant)
back = tf.raw_ops.DeserializeSparse(serialized_sparse=variants, dtype=tf.float32)
with tf.Session() as sess:
    print(sess.run(again))
    print(sess.run(two))
    print(sess.run(back.sparse_indices), sess.run(back.sparse_shape))
    example = sess.run(tf.serialize_sparse(sp))
    print([len(m) for m in example], example[2])

handle = tf.raw_ops.AddSparseToTensorsMap(sparse_indices=sp.indices, sparse_values=sp.values, sparse_shape=sp.dense_shape, shared_name='kept')
taken = tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=[1, 0], dtype=tf.float32, shared_name='kept')
with tf.Session() as sess:
    print(sess.run(handle), sess.run(handle))
    print(sess.run(taken.sparse_shape))
    try:
        sess.run(taken)
    except tf.errors.InvalidArgumentError as e:
        print('Unable to find SparseTensor' in str(e))


def batches(make, n=2):
    with tf.Graph().as_default():
        tf.set_random_seed(1)
        number = tf.Variable(0, trainable=False)
        step = tf.identity(tf.assign_add(number, 1)) + 0
        row = tf.SparseTensor([[0], [3]], tf.stack([step, -step]), [5])
        out = make(row, step)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(coord=coord)
            for _ in range(n):
                yield out, sess.run(out)
            coord.request_stop()
            coord.join(threads)


for out, (sparse, dense) in batches(lambda row, step: tf.train.batch([row, step], 2)):
    print(out[0].get_shape().as_list(), out[1].shape, sparse.indices.tolist(), sparse.values.tolist(), sparse.dense_shape, dense)
for out, value in batches(lambda row, step: tf.train.maybe_batch({'a': step}, tf.equal(step % 2, 0), 3)):
    print(value)
for out, value in batches(lambda row, step: tf.train.batch([tf.stack([step, step + 100])], 4, enqueue_many=True)):
    print(value)
for out, value in batches(lambda row, step: tf.train.maybe_batch([tf.stack([step, step + 100])], [True, False], 3, enqueue_many=True)):
    print(value)
for out, value in batches(lambda row, step: tf.train.batch_join([[step], [step]], 2)):
    print(out.shape, sorted(value % 1), out.op.type)
for out, value in batches(lambda row, step: tf.train.maybe_batch_join([[row]], True, 2)):
    print(value.dense_shape, value.values.tolist())
for out, value in batches(lambda row, step: tf.train.shuffle_batch_join([[row, step], [row, step]], 3, 20, 5, seed=1)):
    print(value[0].dense_shape, value[0].values.shape, value[1].shape)
for out, value in batches(lambda row, step: tf.train.maybe_shuffle_batch([step], 3, 20, 5, step > 2, seed=1)):
    print(value.shape, bool((value > 2).all()))
for out, value in batches(lambda row, step: tf.train.maybe_shuffle_batch_join([[step]], 3, 20, 5, True, seed=1)):
    print(value.shape)
for out, value in batches(lambda row, step: tf.train.batch([tf.SparseTensor([[0, 1], [1, 2]], tf.stack([step, -step]), [2, 3])], 3, enqueue_many=True)):
    print(value.indices.tolist(), value.values.tolist(), value.dense_shape)

words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'b', 'c'], [2, 2])
numbers = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([7, 8, 9], tf.int64), [2, 2])
with tf.Session() as sess:
    print(sess.run(tf.sparse.cross([words, tf.constant([['x', 'y'], ['z', 'w']])])))
    print(sess.run(tf.sparse.cross([words, numbers], separator='-')).values)
    print(sess.run(tf.sparse.cross_hashed([words, numbers], num_buckets=100)))
    print(sess.run(tf.sparse.cross_hashed([words, words], hash_key=5)).values)
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([4, 1, 2], tf.int64), [2, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [.5, 1., 2.], [2, 2])
    print(sess.run(tf.sparse_merge(ids, weights, 6)))
    print(sess.run(tf.sparse.merge([ids, ids], weights, [6, 7])))
