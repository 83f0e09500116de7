# InteractiveSession installs itself as the default; eval() and run() then need no session.
import tensorflow as tf

sess = tf.InteractiveSession()
a = tf.constant([1.0, 2.0], name="a")
b = tf.constant([2.0, 3.0], name="b")
result = tf.add(a, b, name="add")
print(result.eval())
x = tf.Variable([1.0, 2.0])
x.initializer.run()
sub = tf.subtract(x, [3.0, 3.0])
print(sub.eval())
y = tf.placeholder(tf.float32, [2])
print((x * y).eval(feed_dict={y: [10, 20]}))
tf.assign(x, [5.0, 6.0]).op.run()
print(x.eval(), tf.get_default_session() is sess)
other = tf.Session()
with other.as_default():
    print(result.eval(), tf.get_default_session() is other)
print(tf.get_default_session() is sess)
other.close()
sess.close()
try:
    tf.Session().close()
    result.eval(session=sess)
except RuntimeError as e:
    print('RuntimeError:', e)
