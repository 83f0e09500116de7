"""tf.data pipelines as in the 1.x programmers' guide."""
import numpy as np
import tensorflow as tf

dataset1 = tf.data.Dataset.from_tensor_slices(np.arange(40, dtype=np.float32).reshape(4, 10))
print(dataset1.output_types)
print(dataset1.output_shapes)
dataset2 = tf.data.Dataset.from_tensor_slices((np.arange(4), np.arange(8).reshape(4, 2)))
print(dataset2.output_types, dataset2.output_shapes, len(dataset2.output_classes))
dataset3 = tf.data.Dataset.zip((dataset1, dataset2))
print(dataset3.output_types)
print(dataset3.output_shapes)
dataset = tf.data.Dataset.from_tensor_slices({"a": np.array([1., 2., 3., 4.], np.float32), "b": np.arange(8).reshape(4, 2)})
print(dataset.output_types)
print(dataset.output_shapes)

sess = tf.Session()
dataset = tf.data.Dataset.range(100)
iterator = dataset.make_one_shot_iterator()
next_element = iterator.get_next()
for i in range(3):
    value = sess.run(next_element)
    assert i == value
    print(value, type(value))
max_value = tf.placeholder(tf.int64, shape=[])
dataset = tf.data.Dataset.range(max_value)
iterator = dataset.make_initializable_iterator()
next_element = iterator.get_next()
sess.run(iterator.initializer, feed_dict={max_value: 3})
for i in range(3):
    print(sess.run(next_element), end=' ')
print()
try:
    sess.run(next_element)
except tf.errors.OutOfRangeError as e:
    print(type(e).__name__, e.op.type, e.op.name, e.node_def.op)
training_dataset = tf.data.Dataset.range(5).map(lambda x: x * 10)
validation_dataset = tf.data.Dataset.range(3)
iterator = tf.data.Iterator.from_structure(training_dataset.output_types, training_dataset.output_shapes)
next_element = iterator.get_next()
training_init_op = iterator.make_initializer(training_dataset)
validation_init_op = iterator.make_initializer(validation_dataset)
for _ in range(2):
    sess.run(training_init_op)
    print([sess.run(next_element) for _ in range(5)])
    sess.run(validation_init_op)
    print([sess.run(next_element) for _ in range(3)])
handle = tf.placeholder(tf.string, shape=[])
iterator = tf.data.Iterator.from_string_handle(handle, training_dataset.output_types, training_dataset.output_shapes)
next_element = iterator.get_next()
training_iterator = training_dataset.repeat().make_one_shot_iterator()
validation_iterator = validation_dataset.make_initializable_iterator()
training_handle = sess.run(training_iterator.string_handle())
validation_handle = sess.run(validation_iterator.string_handle())
for _ in range(3):
    print(sess.run(next_element, feed_dict={handle: training_handle}))
sess.run(validation_iterator.initializer)
for _ in range(3):
    print(sess.run(next_element, feed_dict={handle: validation_handle}))
inc_dataset = tf.data.Dataset.range(100)
dec_dataset = tf.data.Dataset.range(0, -100, -1)
dataset = tf.data.Dataset.zip((inc_dataset, dec_dataset))
batched_dataset = dataset.batch(4)
iterator = batched_dataset.make_one_shot_iterator()
next_element = iterator.get_next()
print(sess.run(next_element))
print(sess.run(next_element))
dataset = tf.data.Dataset.range(100)
dataset = dataset.map(lambda x: tf.fill([tf.cast(x, tf.int32)], x))
dataset = dataset.padded_batch(4, padded_shapes=[None])
it = dataset.make_one_shot_iterator().get_next()
print(sess.run(it)); print(sess.run(it))
ds = tf.data.Dataset.from_tensors([1, 2, 3]).flat_map(lambda x: tf.data.Dataset.from_tensor_slices(x)).filter(lambda x: tf.not_equal(x, 2)).repeat(2)
el = ds.make_one_shot_iterator().get_next()
out = []
while True:
    try:
        out.append(sess.run(el))
    except tf.errors.OutOfRangeError:
        break
print(out)
def gen():
    for i in range(3):
        yield i, [1] * i
ds = tf.data.Dataset.from_generator(gen, (tf.int64, tf.int64), (tf.TensorShape([]), tf.TensorShape([None])))
value = ds.make_one_shot_iterator().get_next()
print(value)
for _ in range(3):
    print(sess.run(value))
with open('lines.txt', 'w') as f:
    f.write('# head\none 1\ntwo 2\n# no\nthree 3\n')
ds = tf.data.TextLineDataset(['lines.txt']).skip(1).filter(lambda line: tf.not_equal(tf.substr(line, 0, 1), "#"))
ds = ds.map(lambda l: tf.string_split([l]).values).map(lambda p: (p[0], tf.string_to_number(p[1], tf.int32))).prefetch(1)
n = ds.make_one_shot_iterator().get_next()
for _ in range(3): print(sess.run(n))
def _parse(x, y): return {'x': x, 'dbl': x * 2}, y
ds = tf.data.Dataset.from_tensor_slices((np.arange(6.), np.arange(6) % 2)).map(_parse, num_parallel_calls=2).shuffle(10, seed=1).repeat().batch(3)
f, l = ds.make_one_shot_iterator().get_next()
print(sorted(f), f['x'], l)
fv, lv = sess.run([f, l])
print((fv['dbl'] == 2 * fv['x']).all(), fv['x'].shape, lv.dtype)
ds = tf.data.Dataset.range(10).shard(3, 1).concatenate(tf.data.Dataset.range(2)).take(5).enumerate(start=7) if hasattr(tf.data.Dataset, 'enumerate') else None
n = ds.make_one_shot_iterator().get_next()
print([sess.run(n) for _ in range(5)])
ds = tf.data.Dataset.range(5).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2)
n = ds.make_one_shot_iterator().get_next()
print([int(sess.run(n)) for _ in range(15)])
ds = tf.data.Dataset.range(7).window(3, drop_remainder=False).flat_map(lambda w: w.batch(3))
n = ds.make_one_shot_iterator().get_next()
print([sess.run(n).tolist() for _ in range(3)])
d = tf.data.Dataset.range(2)
print(tf.data.get_output_types(d), tf.data.get_output_shapes(d), sess.run(tf.data.make_one_shot_iterator(d).get_next()),
      tf.data.make_initializable_iterator(d).initializer.type != '', tf.data.get_output_classes(d).__name__)
import os; os.remove('lines.txt')
