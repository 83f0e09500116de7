# The input pipelines of 1.x: slices, batches, queues, coordinators.
import tensorflow as tf
import numpy as np

images = np.arange(10).reshape(10, 1).repeat(2, axis=1).astype(np.float32)
labels = list('abcdefghij')
image, label = tf.train.slice_input_producer([images, labels], num_epochs=1, shuffle=False)
image_batch, label_batch = tf.train.batch([image * 2, label], batch_size=4, num_threads=1, allow_smaller_final_batch=True)
print(image_batch, label_batch)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(len(threads), all(t.daemon for t in threads))
    try:
        while not coord.should_stop():
            i, l = sess.run([image_batch, label_batch])
            print(i.tolist(), [s.decode() for s in l])
    except tf.errors.OutOfRangeError as e:
        print('done', type(e).__name__, e.error_code)
        coord.request_stop()
    coord.join(threads)

tf.reset_default_graph()
q = tf.FIFOQueue(3, "float")
init = q.enqueue_many(([0.1, 0.2, 0.3],))
x = q.dequeue()
y = x + 1
q_inc = q.enqueue([y])
size = q.size()
with tf.Session() as sess:
    init.run()
    for _ in range(4):
        q_inc.run()
    print(sess.run(size), [round(float(sess.run(q.dequeue())), 1) for _ in range(3)])

tf.reset_default_graph()
queue = tf.RandomShuffleQueue(capacity=20, min_after_dequeue=0, dtypes=[tf.int32], shapes=[[]], seed=4)
enqueue_op = queue.enqueue_many([list(range(8))])
inputs = queue.dequeue_many(8)
with tf.Session() as sess:
    sess.run(enqueue_op)
    sess.run(queue.close())
    print(sorted(sess.run(inputs)))
    try:
        sess.run(inputs)
    except tf.errors.OutOfRangeError:
        print('nothing left')

tf.reset_default_graph()
queue = tf.FIFOQueue(10, 'float')
counter = tf.Variable(0.0)
increment_op = tf.assign_add(counter, tf.constant(1.0))
enqueue_op = queue.enqueue(counter)
qr = tf.train.QueueRunner(queue, enqueue_ops=[increment_op, enqueue_op] * 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    enqueue_threads = qr.create_threads(sess, coord=coord, start=True)
    values = [sess.run(queue.dequeue()) for i in range(5)]
    print(len(values), values == sorted(values))
    coord.request_stop()
    coord.join(enqueue_threads)
print(coord.should_stop())
