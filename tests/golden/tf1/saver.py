# Saver: the nodes that it builds, and the files that it writes, keeps and restores; meta graphs; readers.
import os
import tensorflow as tf

here = './tmp%d_' % os.getpid()


def files():
    return sorted(f.replace(here[2:], '') for f in os.listdir('.') if f.startswith(here[2:]))


w = tf.Variable([[1., 2.], [3., 4.]], name='w')
b = tf.Variable(7, name='b')
s = tf.Variable(['x', 'hello', ''], name='s')
flag = tf.Variable([True, False], name='flag')
d = tf.Variable(tf.zeros([0, 3], tf.float64), name='empty')
init = tf.global_variables_initializer()
saver = tf.train.Saver(max_to_keep=2)
some = tf.train.Saver({'weights': w, 'bias': b}, name='some')
for op in tf.get_default_graph().get_operations():
    if 's' == op.name[0]:
        print(op.name, op.type, op.device, [i.name for i in op.inputs])
print(saver.saver_def.filename_tensor_name, saver.saver_def.save_tensor_name, saver.saver_def.restore_op_name)

with tf.Session() as sess:
    sess.run(init)
    for step in range(4):
        sess.run(b.assign_add(1))
        path = saver.save(sess, here + 'm', global_step=step, latest_filename=here[2:] + 'state')
        print(path.replace(here, ''))
    print([p.replace(here, '') for p in saver.last_checkpoints])
    print(files())
    print(open(here + 'state').read().replace(here[2:], ''))
    sess.run([w.assign(w * 0.), b.assign(0), s.assign(['', '', '']), flag.assign([False, False])])
    last = tf.train.latest_checkpoint('.', here[2:] + 'state')
    print(last.replace(here, ''))
    saver.restore(sess, last)
    print(sess.run(w))
    print(sess.run(b), sess.run(s), sess.run(flag), sess.run(d).shape)
    saver.restore(sess, here + 'm-2')
    print(sess.run(b))
    print(some.save(sess, here + 'some', write_meta_graph=False, write_state=False).replace(here, ''))
    sess.run(w.assign(w + 1.))
    some.restore(sess, here + 'some')
    print(sess.run(w))

for name, shape in tf.train.list_variables(here + 'some'):
    print(name, shape)
reader = tf.train.NewCheckpointReader(here + 'm-3')
shapes = reader.get_variable_to_shape_map()
types = reader.get_variable_to_dtype_map()
for name in sorted(shapes):
    print(name, shapes[name], types[name])
print(reader.has_tensor('w'), reader.has_tensor('nothing'))
print(reader.get_tensor('w'))
print(tf.train.load_variable(here + 'm-3', 'b'))
print(tf.train.checkpoint_exists(here + 'm-3'), tf.train.checkpoint_exists(here + 'nothing'))

# Another program.
tf.reset_default_graph()
again = tf.train.import_meta_graph(here + 'm-3.meta')
with tf.Session() as sess:
    again.restore(sess, here + 'm-3')
    print(sess.run(['w:0', 'b:0']))
    print([v.name for v in tf.global_variables()])
    print(sess.run(tf.trainable_variables()[1].assign_add(100)))

# A part of it, under other names.
tf.reset_default_graph()
other = tf.Variable([[0., 0.], [0., 0.]], name='other')
missing = tf.Variable(0., name='missing')
narrow = tf.Variable([0., 0.], name='w')
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver({'w': other}).restore(sess, here + 'm-3')
    print(sess.run(other))
    for what in ([missing], [narrow]):
        try:
            tf.train.Saver(what).restore(sess, here + 'm-3')
        except tf.errors.OpError as e:
            print(type(e).__name__)
    try:
        tf.train.Saver([other]).restore(sess, here + 'nothing')
    except ValueError as e:
        print(str(e).replace(here, ''))

for bad in (lambda: tf.train.Saver([]), lambda: tf.train.Saver([tf.constant(1.)]),
            lambda: tf.train.Saver([other, other])):
    try:
        bad()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
print(tf.train.Saver([], allow_empty=True).last_checkpoints)
for f in os.listdir('.'):
    if f.startswith(here[2:]):
        os.remove(f)
