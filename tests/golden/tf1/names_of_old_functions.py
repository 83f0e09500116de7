# Functions of TensorFlow 1.x that few tutorials call, with small numbers.
import numpy as np
import tensorflow as tf

sess = tf.Session()
x = tf.constant([[1.0, 5.0, 2.0], [7.0, 0.0, 3.0]])


def show(title, value):
    print(title)
    print(sess.run(value))


show('arg_max', tf.arg_max(x, 1))
show('arg_min', tf.arg_min(x, 0))
show('arg_max int32', tf.arg_max(x, dimension=1, output_type=tf.int32))
show('clip_by_average_norm', tf.clip_by_average_norm(x, 0.5))
show('confusion_matrix', tf.confusion_matrix([0, 1, 2, 2], [0, 2, 2, 1]))
show('confusion_matrix weighted', tf.confusion_matrix([0, 1, 1], [0, 1, 0], num_classes=3, weights=[1, 2, 3]))
show('sequence_mask', tf.sequence_mask([1, 3, 2], 5))
show('sequence_mask by length', tf.sequence_mask([[1, 3], [2, 0]], dtype=tf.float32))
image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
blocks = tf.space_to_batch(image, [[0, 0], [0, 0]], block_size=2)
print(blocks.shape, blocks.op.type)
show('space_to_batch', tf.squeeze(blocks))
show('batch_to_space', tf.squeeze(tf.batch_to_space(blocks, [[0, 1], [0, 0]], block_size=2)))
show('guarantee_const', tf.guarantee_const(x + 1.0))
show('sparse_segment_sqrt_n', tf.sparse_segment_sqrt_n(x, [0, 1, 1], [0, 0, 1]))
show('xlog1py', tf.math.xlog1py([0.0, 1.0, 2.0], [-1.0, 1.0, 0.5]))

print('--- text')
print(sess.run(tf.strings.format('x is {}, y is {}', [x, 3])))
print(sess.run(tf.strings.format('first {} rows', tf.range(10), summarize=2)))
print(sess.run(tf.strings.length([b'one', b'three', ''])))
print(sess.run(tf.strings.length([u'\u00e9t\u00e9'], unit='UTF8_CHAR')), sess.run(tf.strings.length([u'\u00e9t\u00e9'])))
print(sess.run(tf.strings.strip(['  a b ', '\tc\n'])))
print(sess.run(tf.string_strip([' old name '])))
print(sess.run(tf.strings.to_hash_bucket_strong(['a', 'b', 'c'], 100, [1, 2])))
print(sess.run(tf.string_to_hash_bucket_strong(['a', 'b', 'c'], 100, key=[7, 9])))
print(sess.run(tf.strings.unicode_transcode([u'caf\u00e9'], 'UTF-8', 'UTF-16-BE')))
print(sess.run(tf.strings.unicode_transcode([b'bad \xff byte'], 'UTF-8', 'UTF-8', errors='replace')))
print(sess.run(tf.strings.split(['a b  c', 'd'], result_type='SparseTensor')).values)
print(sess.run(tf.string_split(['a,b', 'c'], ',')).indices)

print('--- sparse')
eye = tf.sparse.eye(3, 4, dtype=tf.int32)
print(sess.run(tf.sparse.to_dense(eye)))
sp = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [4.0, -1.0, 9.0], [2, 3])
print(sess.run(tf.sparse.reduce_max_sparse(sp, axis=1)))
print(sess.run(tf.sparse_reduce_max_sparse(sp, axis=0)).values)
slices = tf.IndexedSlices(x, tf.constant([3, 8]))
masked = tf.sparse_mask(slices, [3])
print(sess.run([masked.indices, masked.values]))
masked = tf.sparse.mask(slices, [8, 9])
got = sess.run(masked)
print(type(got).__name__, got.indices, got.values)
print('--- fake quantization, backwards')
g, v = tf.constant([1.0, 2.0, 3.0]), tf.constant([-7.0, 0.3, 7.0])
show('args', tf.fake_quant_with_min_max_args_gradient(g, v, min=-6, max=6))
show('vars', tf.fake_quant_with_min_max_vars_gradient(g, v, -1.0, 1.0))
show('channels', tf.fake_quant_with_min_max_vars_per_channel_gradient(
    [[1.0, 2.0, 3.0]], [[-7.0, 0.3, 7.0]], [-1.0, -1.0, -1.0], [1.0, 1.0, 8.0]))

print('--- random numbers without state')
show('uniform', tf.random.stateless_uniform([3], seed=[1, 2]))
show('uniform ints', tf.random.stateless_uniform([4], [3, 4], minval=0, maxval=10, dtype=tf.int32))
show('normal', tf.random.stateless_normal([3], seed=[5, 6], mean=1.0, stddev=2.0))
show('truncated', tf.random.stateless_truncated_normal([3], [7, 8]))
