# padded_batch with the shape () in a dict and values that are tensors; make_initializer of an iterator of a dataset.
import tensorflow as tf

data = tf.data.Dataset.range(5).map(lambda x: {'feat': tf.fill([x, 2], 1.0), 'n': tf.cast(x, tf.int32)})
padded = data.padded_batch(2, padded_shapes={'feat': (None, 2), 'n': ()}, padding_values={'feat': 9.0, 'n': 0},
                           drop_remainder=True)
print(padded.output_shapes['feat'], padded.output_shapes['n'])
pairs = tf.data.Dataset.range(4).map(lambda x: (tf.fill([x], x), x)).padded_batch(
    2, padded_shapes=((None,), ()), padding_values=(tf.constant(-1, tf.int64), tf.constant(0, tf.int64)))
print(pairs.output_shapes)
iterator = tf.data.Dataset.range(3).make_initializable_iterator()
other = iterator.make_initializer(tf.data.Dataset.range(10, 13), name='other')
following = iterator.get_next()
with tf.Session() as sess:
    value = sess.run(padded.make_one_shot_iterator().get_next())
    print(value['feat'].tolist(), value['n'].tolist())
    value = sess.run(pairs.make_one_shot_iterator().get_next())
    print(value[0].tolist(), value[1].tolist())
    sess.run(other)
    print(sess.run(following), sess.run(following))
    sess.run(iterator.initializer)
    print(sess.run(following), other.name)
