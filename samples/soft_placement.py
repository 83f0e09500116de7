# A graph that requests a GPU: an error if there is none, unless soft placement is allowed. (not under: fake-gpu)
import tensorflow as tf

with tf.device('/gpu:0'):
    a = tf.constant([1.0, 2.0], name='a')
    b = tf.multiply(a, 3.0, name='b')

with tf.Session() as strict:
    try:
        print(strict.run(b))
    except tf.errors.InvalidArgumentError as e:
        print('refused:', 'Cannot assign a device' in e.message)

with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as soft:
    print('soft:', soft.run(b))
print('it still asks for', b.device)
