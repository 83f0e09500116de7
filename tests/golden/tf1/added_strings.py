# Sums of strings.
import tensorflow as tf

hello, name = tf.constant('hello '), tf.placeholder(tf.string, name='name')
sums = [tf.add(hello, 'you'), tf.add('to ', name), hello + name, 'oh, ' + hello, tf.add(['a', 'b'], ['c', 'd'], name='both'),
        tf.math.add(name, hello)]
print([(t.op.name, t.op.type, t.shape) for t in sums])
word = tf.get_variable('word', initializer='x')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for t in sums + [tf.add(word, 'y')]:
        print(sess.run(t, {name: 'Ada'}))
print(tf.add(1, 2).op.type)
try:
    tf.add(hello, 1)
except (TypeError, ValueError) as e:
    print(type(e).__name__)
