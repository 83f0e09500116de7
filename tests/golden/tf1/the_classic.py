# The classic: the same sum, evaluated three ways, and two statements on one line.
import tensorflow as tf

a = tf.constant([1.0, 2.0], name="a")
b = tf.constant([2.0, 3.0], name="b")
result = a + b
sess = tf.Session()
with sess.as_default():
    print(result.eval())
print(sess.run(result))
print(result.eval(session=sess))
sess.close()

sess = tf.Session(); print(sess.run(result)); sess.close()
with tf.Session() as sess: print(result.eval()); print(sess.run([a, b, result]))
print(result, a.name, b.op.name)
