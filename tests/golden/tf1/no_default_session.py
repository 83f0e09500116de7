# eval() and run() without a default session say so.
import tensorflow as tf

c = tf.constant(1.0)
v = tf.Variable(2.0)
for what, action in [('eval', lambda: c.eval()), ('run', lambda: v.initializer.run())]:
    try:
        action()
    except ValueError as e:
        print(what, 'ValueError:', 'No default session is registered' in str(e))
with tf.Session() as sess:
    v.initializer.run()
    print(c.eval() + v.eval())
try:
    c.eval()
except ValueError:
    print('closed again')
sess2 = tf.Session()
sess2.close()
sess2.close()
try:
    sess2.run(c)
except RuntimeError as e:
    print(e)
