# not under: reference
# Nodes of one step that wait for each other through queues.
import tensorflow as tf

def queue(capacity=10):
    return tf.FIFOQueue(capacity, [tf.int32], shapes=[()])

def report(name, *fetches):
    with tf.Session() as s:
        try:
            print(name, s.run(fetches))
        except tf.errors.OpError as e:
            print(name, type(e).__name__)

q = queue()
report('take and add:', q.dequeue(), q.enqueue(33))

q = queue(3)
report('more than fits:', q.dequeue_many(7), q.enqueue_many([[1, 2, 3, 4, 5, 6, 7]]))

q = queue(3)
report('the same, added first:', q.enqueue_many([[1, 2, 3, 4, 5, 6, 7]]), q.dequeue_many(7))

a, b, c = queue(), queue(), queue()
report('through three queues:', a.dequeue(), a.enqueue(b.dequeue() + 1), b.enqueue(c.dequeue() * 10), c.enqueue(4))

q = queue(1)
first = q.enqueue(1)
with tf.control_dependencies([first]):
    second = q.enqueue(2)
report('room is made by the same step:', second, q.dequeue())

q = queue()
report('a queue that is closed:', q.dequeue(), q.close())

q = queue()
with tf.control_dependencies([tf.Assert(False, ['no'])]):
    never = q.enqueue(1)
report('an assertion in front of the enqueue:', q.dequeue(), never)

q, r = queue(), queue()
report('a failure beside two waits:', q.dequeue(), r.enqueue(q.dequeue()), tf.Assert(False, ['no']))

q = queue()
x = tf.placeholder_with_default(0, [])
report('a failure while others wait:', q.dequeue(), q.enqueue(1 // x))

q = queue()
total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t + q.dequeue()), [0, 0], parallel_iterations=1)[1]
report('a loop takes:', total, q.enqueue_many([[1, 2, 3]]))

q = queue()
choice = tf.cond(x < 1, lambda: q.dequeue() + 5, lambda: 0)
report('a branch takes:', choice, q.enqueue(8))

get = tf.raw_ops.Unstage(dtypes=[tf.int32], shared_name='area')
put = tf.raw_ops.Stage(values=[5], shared_name='area')
report('a staging area:', get[0], put)

with tf.Session() as s:
    q = queue(2)
    take, add = q.dequeue(), q.enqueue(1)
    try:
        s.run([take, take + q.dequeue(), add], options=tf.RunOptions(timeout_in_ms=100))
    except tf.errors.OpError as e:
        print('one element for two:', type(e).__name__)
    print('the session works on:', s.run([q.size(), tf.constant(1)])[1])
