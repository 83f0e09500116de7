# tf.data: elements from arrays, generators and ranges, through one-shot and initializable iterators.
import numpy as np
import tensorflow as tf

features = np.arange(12, dtype=np.float32).reshape(6, 2)
labels = np.array([0, 1, 0, 1, 0, 1])
dataset = tf.data.Dataset.from_tensor_slices((features, labels))
print(dataset.output_types, dataset.output_shapes)
batched = dataset.map(lambda x, y: (x * 2.0, y + 10)).batch(4)
print(batched.output_types, batched.output_shapes)
x, y = batched.make_one_shot_iterator().get_next()
print(x.shape, y.dtype)
total = tf.reduce_sum(x)
with tf.Session() as sess:
    print(sess.run([x, y]))
    print(sess.run(total))
    try:
        sess.run(y)
    except tf.errors.OutOfRangeError as e:
        print(type(e).__name__)
with tf.Session() as sess:
    print(sess.run(y))

limit = tf.placeholder(tf.int64, [None])
d = tf.data.Dataset.from_tensor_slices(limit).filter(lambda v: tf.equal(v % 2, 0)).repeat(2)
it = d.make_initializable_iterator()
n = it.get_next()
with tf.Session() as sess:
    try:
        sess.run(n)
    except tf.errors.FailedPreconditionError as e:
        print(type(e).__name__)
    for values in ([1, 2, 4], [6]):
        sess.run(it.initializer, {limit: values})
        seen = []
        while True:
            try:
                seen.append(sess.run(n))
            except tf.errors.OutOfRangeError:
                break
        print(seen)

def generate():
    for i in range(3):
        yield i, [i, i * i]
g = tf.data.Dataset.from_generator(generate, (tf.int32, tf.float32), (tf.TensorShape([]), tf.TensorShape([2])))
z = tf.data.Dataset.zip((tf.data.Dataset.range(5), g.skip(1).repeat())).take(3)
a, (b, c) = z.make_one_shot_iterator().get_next()
dicts = tf.data.Dataset.from_tensor_slices({'k': [1, 2, 3], 'v': ['a', 'b', 'c']}).concatenate(
    tf.data.Dataset.from_tensors({'k': 9, 'v': 'z'})).prefetch(1)
e = dicts.make_one_shot_iterator().get_next()
shuffled = tf.data.Dataset.range(10).shuffle(10).batch(5, drop_remainder=True).make_one_shot_iterator().get_next()
switch = tf.data.Iterator.from_structure(tf.int64, [])
s = switch.get_next()
first, second = switch.make_initializer(tf.data.Dataset.range(2)), switch.make_initializer(tf.data.Dataset.range(7, 9))
with tf.Session() as sess:
    for _ in range(3):
        print(sess.run([a, b, c]))
    for _ in range(4):
        print(sorted(sess.run(e).items()))
    print(sorted(np.concatenate([sess.run(shuffled), sess.run(shuffled)]).tolist()), shuffled.shape)
    sess.run(first)
    print(sess.run(s), sess.run(s))
    sess.run(second)
    print(sess.run(s + 100))
w = tf.Variable(0.0)
p = tf.data.Dataset.from_tensor_slices(np.array([1.0, 2.0, 3.0], np.float32)).repeat().make_one_shot_iterator().get_next()
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.square(w * p - 2.0 * p))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(30):
        sess.run(train)
    print('%.3f' % sess.run(w))
