# Sparse tensors; strings, lines and bytes to tensors; readers.
import os
import tensorflow as tf

here = './tmp%d_' % os.getpid()
sp = tf.SparseTensor(indices=[[0, 1], [2, 3]], values=[5., 7.], dense_shape=[3, 4])
dense = tf.sparse_tensor_to_dense(sp)
product = tf.sparse_tensor_dense_matmul(sp, tf.ones([4, 2]))
turned = tf.sparse_tensor_dense_matmul(sp, [[1., 2., 3.]], adjoint_a=True, adjoint_b=True)
holder = tf.sparse_placeholder(tf.float32, name='holder')
total = tf.reduce_sum(holder.values)
b = tf.placeholder(tf.float32, [4, 2])
grads = tf.gradients(tf.reduce_sum(tf.square(tf.sparse_tensor_dense_matmul(sp, b))), [b, sp.values])
with tf.Session() as sess:
    value = sess.run(sp)
    print(type(value).__name__, value.indices.tolist(), value.values, value.dense_shape)
    print(sess.run(dense))
    print(sess.run(product))
    print(sess.run(turned))
    print(sess.run(total, {holder: value}), sess.run(total, {holder: ([[0]], [2.5], [1])}))
    print(sess.run(grads, {b: [[1., 2.], [3., 4.], [5., 6.], [7., 8.]]}))
    print(sess.run(tf.sparse_to_dense([1, 3], [5], 9)))
    print(sess.run(tf.sparse_to_dense([[0, 0], [1, 1]], [2, 2], [1, 2], -1)))
    for bad in ([3, 1], [1, 1], [1, 9]):
        try:
            sess.run(tf.sparse_to_dense(tf.identity(bad), [5], 1))
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__)
    print(sess.run(tf.string_to_number(['1.5', ' -2 ', '1e3'])), sess.run(tf.string_to_number('7', tf.int32)))
    print(sess.run(tf.substr(['hello', 'world'], [1, -3], [3, 2])))
    pieces = sess.run(tf.string_split(['a b  c', '', 'd'], ' '))
    print(pieces.indices.tolist(), pieces.values, pieces.dense_shape)
    print(sess.run(tf.decode_raw(['\x01\x00\x02\x00'], tf.int16)))
    columns = tf.decode_csv(['1,2.5,x', ',,"a ""b"", c"'], [[7], [0.5], ['none']])
    print(sess.run(columns))
    try:
        sess.run(tf.decode_csv(['1,2'], [[0]]))
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__)

tf.reset_default_graph()
for name, text in (('a.csv', 'x,y\n1,2\n3,4\n'), ('b.csv', 'x,y\n5,6\n')):
    with open(here + name, 'w') as f:
        f.write(text)
files = tf.train.string_input_producer([here + 'a.csv', here + 'b.csv'], num_epochs=1, shuffle=False)
reader = tf.TextLineReader(skip_header_lines=1)
key, line = reader.read(files)
x, y = tf.decode_csv(line, [[0], [0]])
print(key.op.type, key.shape, x.shape)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            k, a, c = sess.run([key, x, y])
            print(k.decode().replace(here, ''), a, c)
    except tf.errors.OutOfRangeError:
        print('end')
    print(sess.run(reader.num_records_produced()))
    coord.request_stop()
    coord.join(threads)
    print(sess.run(tf.read_file(here + 'b.csv')))
    sess.run(tf.write_file(here + 'c.txt', 'written'))
    print(open(here + 'c.txt').read())
    print([f.decode().replace(here, '') for f in sess.run(tf.matching_files(here + '*.csv'))])
for f in os.listdir('.'):
    if f.startswith(here[2:]):
        os.remove(f)
