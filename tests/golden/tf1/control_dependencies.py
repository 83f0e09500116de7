# Order by control edges: counters, groups, tuples, identity after assign.
import tensorflow as tf

n = tf.Variable(0, name='n')
bump = tf.assign_add(n, 1, name='bump')
with tf.control_dependencies([bump]):
    after = n.read_value()
    plain = tf.constant(10) + 0
print(bump.name, [op.name for op in after.op.control_inputs], len(plain.op.control_inputs))
with tf.Session() as sess:
    sess.run(n.initializer)
    print(sess.run(after), sess.run(after), sess.run(n))
    print(sess.run(plain), sess.run(n))
    m = tf.Variable(100)
    sess.run(m.initializer)
    both = tf.group(tf.assign_add(n, 10), tf.assign_sub(m, 1), name='both')
    print(both.name, both.type, sess.run(both))
    print(sess.run([n, m]))
    with tf.control_dependencies([both]):
        total = n.read_value() + m.read_value()
        with tf.control_dependencies(None):
            free = tf.constant(1, name='free')
    print(sess.run(total), free.op.control_inputs)
    first = tf.assign(n, 5)
    with tf.control_dependencies([first]):
        second = tf.assign(m, n.read_value() * 2)
    with tf.control_dependencies([second]):
        done = tf.no_op(name='done')
    print(done.name, sess.run(done), sess.run([n, m]))
    count = tf.Variable(0)
    sess.run(count.initializer)
    with tf.control_dependencies([tf.assign_add(count, 1)]):
        inner = [tf.identity(tf.constant(i) + i) for i in range(3)]
    sess.run(inner)
    print(sess.run(count))
    sess.run(inner[0])
    print(sess.run(count))
