# An InteractiveSession is the default session from the moment it is made.
import tensorflow as tf

sess = tf.InteractiveSession()
a = tf.constant([1.0, 2.0], name="a")
b = tf.constant([2.0, 3.0], name="b")
result = a + b
print(result.eval())

counter = tf.Variable(0, name="counter")
counter.initializer.run()
for _ in range(3):
    tf.assign_add(counter, 1).op.run()
print(counter.eval())
sess.close()
