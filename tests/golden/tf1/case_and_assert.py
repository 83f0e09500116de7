# tf.case without a default, exclusive; tf.Assert; the nodes they make.
import tensorflow as tf
try:
    tf.disable_control_flow_v2()
except AttributeError:
    pass
a = tf.placeholder(tf.int32, [], name='a')
f = tf.constant(2.5)
c = tf.case([(a < 1, lambda: tf.constant(10)), (a < 2, lambda: tf.constant(20))])
e = tf.case([(a < 1, lambda: f), (a > 1, lambda: f * 2.)], default=lambda: f * 3., exclusive=True)
both = tf.case([(a < 5, lambda: f), (a < 6, lambda: f * 2.)], default=lambda: f * 3., exclusive=True)
chk = tf.Assert(f > 3.0, [f, 'too small'])
ok = tf.Assert(a < 3, ['plain', a])
with tf.Session() as sess:
    print(sess.run([c, e], {a: 0}), sess.run([c], {a: 1}), sess.run(e, {a: 2}), sess.run(e, {a: 1}))
    for t in (c, both, chk, ok):
        try:
            sess.run(t, {a: 3})
            print('fine')
        except tf.errors.InvalidArgumentError as err:
            print('failed')
print(chk.name, chk.type, ok.name)
for name, kind in sorted((o.name, o.type) for o in tf.get_default_graph().get_operations()):
    print(name, kind)
