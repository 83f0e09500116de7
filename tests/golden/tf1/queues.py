# Queues within one program, and filled by threads.
import tensorflow as tf

q = tf.FIFOQueue(3, [tf.float32, tf.int32], [[], [2]], name='q')
put = q.enqueue((1.5, [1, 2]))
put_many = q.enqueue_many(([2.5, 3.5], [[3, 4], [5, 6]]))
one = q.dequeue()
two = q.dequeue_many(2)
rest = q.dequeue_up_to(5)
size, closed = q.size(), q.is_closed()
close = q.close()
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type)
print(one, two, rest)
with tf.Session() as sess:
    sess.run(put)
    sess.run(put_many)
    print(sess.run([size, closed]))
    print(sess.run(one))
    print(sess.run(two))
    sess.run(put)
    sess.run(close)
    print(sess.run(rest), sess.run(closed))
    for what in (put, one, two, rest):
        try:
            sess.run(what)
        except tf.errors.OpError as e:
            print(type(e).__name__)

# Padding, priorities, mixing.
tf.reset_default_graph()
pad = tf.PaddingFIFOQueue(10, tf.int32, [[None]])
puts = [pad.enqueue([list(range(n))]) for n in (3, 1, 2)]
padded = pad.dequeue_many(3)
pri = tf.PriorityQueue(10, tf.string, [[]])
ordered = pri.enqueue_many([[3, 1, 2], ['c', 'a', 'b']])
first = pri.dequeue()
mix = tf.RandomShuffleQueue(20, 2, tf.int32, [[]], seed=7)
fill, mixed = mix.enqueue_many([list(range(10))]), mix.dequeue_many(8)
named = tf.FIFOQueue(5, [tf.float32, tf.string], [[], []], names=['x', 'label'])
put_named, got_named = named.enqueue({'x': 2., 'label': 'two'}), named.dequeue()
with tf.Session() as sess:
    for p in puts:
        sess.run(p)
    print(sess.run(padded))
    sess.run(ordered)
    print([sess.run(first) for _ in range(3)])
    sess.run(fill)
    print(sess.run(mixed))
    sess.run(put_named)
    got = sess.run(got_named)
    print(got['x'], got['label'])

# A queue that a thread fills while the program takes from it.
tf.reset_default_graph()
queue = tf.FIFOQueue(4, tf.int32, [[]])
runner = tf.train.QueueRunner(queue, [queue.enqueue(7)])
tf.train.add_queue_runner(runner)
take = queue.dequeue()
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print([sess.run(take) for _ in range(10)])
    print(coord.should_stop(), len(threads))
    coord.request_stop()
    coord.join(threads)
    print(coord.should_stop(), [t.is_alive() for t in threads])

# Input pipelines.
tf.reset_default_graph()
names = tf.train.string_input_producer(['a', 'b', 'c'], num_epochs=2, shuffle=False)
key = names.dequeue()
batch = tf.train.batch([key, tf.string_join([key, '!'])], batch_size=2, allow_smaller_final_batch=True)
numbers = tf.train.slice_input_producer([[10, 20, 30], [1., 2., 3.]], shuffle=False)
pairs = tf.train.batch(numbers, 3)
shuffled = tf.train.shuffle_batch(numbers, 4, 50, 10, seed=3)
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type)
print([t.get_shape() for t in batch], [t.shape for t in pairs], [t.shape for t in shuffled])
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    print(all(v in [10, 20, 30] for v in sess.run(shuffled)[0]))
    try:
        while not coord.should_stop():
            print(sess.run(batch))
    except tf.errors.OutOfRangeError:
        print('done')
    finally:
        coord.request_stop()
    coord.join(threads)
