# Sparse tensors as parts of the elements of datasets.
import numpy as np
import tensorflow as tf


def show(dataset, limit=5):
    print(dataset.output_types, dataset.output_shapes, str(dataset.output_classes).count('sparse_tensor.SparseTensor'))
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for _ in range(limit):
            try:
                found = sess.run(element)
            except tf.errors.OutOfRangeError:
                print('end')
                return
            for part in tf.nest.flatten(found):
                print(np.asarray(part).tolist(), end=' ')
            print()


def parsed(example):
    spec = {'ids': tf.VarLenFeature(tf.int64), 'x': tf.FixedLenFeature([], tf.float32)}
    return tf.parse_single_example(example, spec)


def example(ids, x):
    ids = tf.train.Feature(int64_list=tf.train.Int64List(value=ids))
    x = tf.train.Feature(float_list=tf.train.FloatList(value=[x]))
    return tf.train.Example(features=tf.train.Features(feature={'ids': ids, 'x': x})).SerializeToString()


records = tf.data.Dataset.from_tensor_slices([example([1, 2], .5), example([], 1.5), example([7, 8, 9], 2.5)])
show(records.map(parsed))
show(records.map(parsed).batch(2).repeat(2).take(3))
show(records.map(parsed).map(lambda parts: tf.sparse_tensor_to_dense(parts['ids'])))
show(records.map(parsed).filter(lambda parts: parts['x'] > 1.).map(lambda parts: (parts['x'], parts['ids'])))

whole = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1., 2., 3.], [3, 3])
show(tf.data.Dataset.from_tensors(whole))
show(tf.data.Dataset.from_tensor_slices(whole))
show(tf.data.Dataset.from_tensor_slices((whole, [1, 2, 3])).batch(2))
show(tf.data.Dataset.zip((tf.data.Dataset.from_tensor_slices(whole), tf.data.Dataset.range(3))).skip(2))

iterator = records.map(parsed).batch(3).make_initializable_iterator()
batch = iterator.get_next()
total = tf.sparse_reduce_sum(batch['ids'], 1)
print(type(batch['ids']).__name__, batch['ids'].dtype, batch['ids'].dense_shape.get_shape())
with tf.Session() as sess:
    sess.run(iterator.initializer)
    print(sess.run([total, batch['x']]))
try:
    records.map(parsed).padded_batch(2, {'ids': [None], 'x': []})
except TypeError as e:
    print('TypeError')
