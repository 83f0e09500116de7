# tf.data: the four kinds of iterators of the 1.x guides.
import numpy as np
import tensorflow as tf

dataset = tf.data.Dataset.range(5)
iterator = dataset.make_one_shot_iterator()
next_element = iterator.get_next()
with tf.Session() as sess:
    print([sess.run(next_element) for _ in range(5)])
    try:
        sess.run(next_element)
    except tf.errors.OutOfRangeError:
        print("End of dataset")

max_value = tf.placeholder(tf.int64, shape=[])
dataset = tf.data.Dataset.range(max_value).map(lambda v: v * 2)
iterator = dataset.make_initializable_iterator()
next_element = iterator.get_next()
with tf.Session() as sess:
    for n in (3, 5):
        sess.run(iterator.initializer, feed_dict={max_value: n})
        values = []
        while True:
            try:
                values.append(sess.run(next_element))
            except tf.errors.OutOfRangeError:
                break
        print(n, values)

training = tf.data.Dataset.range(6).map(lambda x: x + 100)
validation = tf.data.Dataset.range(3)
iterator = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
next_element = iterator.get_next()
train_init = iterator.make_initializer(training)
valid_init = iterator.make_initializer(validation)
with tf.Session() as sess:
    for epoch in range(2):
        sess.run(train_init)
        print('train', [int(sess.run(next_element)) for _ in range(6)])
        sess.run(valid_init)
        print('valid', [int(sess.run(next_element)) for _ in range(3)])

features = np.arange(12, dtype=np.float32).reshape(6, 2)
labels = np.array([0, 1, 0, 1, 1, 0])
dataset = tf.data.Dataset.from_tensor_slices((features, labels))
dataset = dataset.filter(lambda f, l: tf.reduce_sum(f) > 2.).repeat(2).batch(4)
print(dataset.output_shapes, dataset.output_types)
f, l = dataset.make_one_shot_iterator().get_next()
with tf.Session() as sess:
    while True:
        try:
            fv, lv = sess.run([f, l])
            print(fv.tolist(), lv)
        except tf.errors.OutOfRangeError:
            break

d = tf.data.Dataset.from_tensor_slices({'a': [1, 2, 3], 'b': [[1.], [2.], [3.]]})
print(d.output_types, d.output_shapes)
n = tf.data.Dataset.zip((d, tf.data.Dataset.range(3))).skip(1).take(5).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sess.run(n))
    print(sess.run(n))
shuffled = tf.data.Dataset.range(10).shuffle(3, seed=1).make_one_shot_iterator().get_next()
with tf.Session() as sess:
    print(sorted(sess.run(shuffled) for _ in range(10)))
