# A queue that Python threads of one's own fill, with a coordinator: the first pages of "Threading and Queues".
import threading
import tensorflow as tf

q = tf.FIFOQueue(10, 'float')
x = tf.placeholder(tf.float32)
enqueue = q.enqueue(x)
dequeue = q.dequeue()
size = q.size()

sess = tf.Session()
coord = tf.train.Coordinator()


def fill(coord, first):
    n = first
    while not coord.should_stop():
        sess.run(enqueue, {x: n})
        n += 1
        if n == first + 4:
            coord.request_stop()


thread = threading.Thread(target=fill, args=(coord, 10))
thread.start()
print([sess.run(dequeue) for _ in range(4)])
coord.join([thread])
print(coord.should_stop(), thread.is_alive(), sess.run(size))

print('--- errors of a thread reach join')
coord = tf.train.Coordinator()
inverse = tf.constant(1.0) / x


def fails(coord):
    with coord.stop_on_exception():
        sess.run(inverse, {x: [1.0, 2.0]})
        raise ValueError('in the thread')


threads = [threading.Thread(target=fails, args=(coord,)) for _ in range(2)]
for t in threads:
    t.start()
try:
    coord.join(threads)
except ValueError as e:
    print('ValueError', e)

print('--- a default graph and session are of their thread')
seen = []


def look():
    seen.append(tf.get_default_session())
    seen.append(tf.get_default_graph() is outer)


outer = tf.get_default_graph()
with tf.Graph().as_default() as inner, tf.Session().as_default():
    t = threading.Thread(target=look)
    t.start()
    t.join()
    print(seen, tf.get_default_graph() is inner)

print('--- a thread waits for what another step gives')
got = []
waiting = threading.Thread(target=lambda: got.append(sess.run(dequeue)))
waiting.start()
sess.run(enqueue, {x: 42})
waiting.join()
print(got)

print('--- a closed queue ends who waits')


def until_closed():
    try:
        sess.run(dequeue)
    except tf.errors.OutOfRangeError:
        got.append('closed')


waiting = threading.Thread(target=until_closed)
waiting.start()
sess.run(q.close())
waiting.join()
print(got)

print('--- what is fetched and fed, and outputs with names')
print(repr(sess.run(x, {x: 3})), repr(sess.run([x, x * 2], {x: 3})))
top = tf.nn.top_k([3.0, 9.0, 1.0], 2)
print(sess.run(top))
print(sess.run(top.values), sess.run(top.indices), sess.run(top).values)
print(sess.run(tf.unique([7, 7, 8])))
print(sess.run(tf.unique_with_counts([7, 7, 8])).count)
print(sess.run(tf.setdiff1d([1, 2, 3], [2])))
print(type(sess.run(tf.nn.moments(tf.constant([1.0, 3.0]), [0]))).__name__)
print(tf.unique([1]))
