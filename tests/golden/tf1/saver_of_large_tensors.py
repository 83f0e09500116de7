# Checkpoints of tensors that are moved in several pieces, and damage in the middle of one.
import os
import numpy as np
import tensorflow as tf

here = './tmp%d_large' % os.getpid()
values = {'a': np.arange(300000, dtype=np.float32), 'b': np.arange(70007, dtype=np.int64).reshape(7, 10001)[:, ::-1],
          'flags': np.arange(600000) % 3 == 0, 'small': np.array([1.5, 2.5])}
variables = {k: tf.Variable(np.zeros_like(v), name=k) for k, v in sorted(values.items())}
saver = tf.train.Saver()
with tf.Session() as sess:
    for k, v in values.items():
        variables[k].load(v, sess)
    saver.save(sess, here, write_meta_graph=False, write_state=False)
    print(os.path.getsize(here + '.data-00000-of-00001'))
    sess.run(tf.global_variables_initializer())
    print(sess.run([tf.reduce_sum(variables[k]) for k in ('a', 'b')]))
    for _ in range(2):
        saver.restore(sess, here)
        print([bool(np.array_equal(sess.run(variables[k]), v)) for k, v in sorted(values.items())])
    with open(here + '.data-00000-of-00001', 'rb') as f:
        data = f.read()
    for at in (0, 262144, 1199999, len(data) - 1):
        with open(here + '.data-00000-of-00001', 'wb') as f:
            f.write(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        try:
            saver.restore(sess, here)
        except tf.errors.DataLossError as e:
            print('damaged at', at, 'Checksum does not match' in e.message)
    with open(here + '.data-00000-of-00001', 'wb') as f:
        f.write(data[:1000000])
    try:
        saver.restore(sess, here)
    except tf.errors.OutOfRangeError as e:
        print('too short')
    print(bool(np.array_equal(sess.run(variables['a']), values['a'])))
for name in os.listdir('.'):
    if name.startswith(here[2:]):
        os.remove(name)
