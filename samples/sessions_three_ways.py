# Three ways to ask a session for the same sum.
import tensorflow as tf

a = tf.constant([1.0, 2.0], name="a")
b = tf.constant([2.0, 3.0], name="b")
result = a + b

sess = tf.Session()
with sess.as_default():          # 1. a default session: eval() finds it
    print(result.eval())
print(sess.run(result))          # 2. ask the session
print(result.eval(session=sess))  # 3. name the session
sess.close()
