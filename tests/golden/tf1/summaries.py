# Summaries, and the event files that hold them.
import os
import tensorflow as tf

here = '.'
suffix = '.tmp%d' % os.getpid()
x = tf.placeholder(tf.float32, [None], name='x')
with tf.name_scope('stats'):
    loss = tf.summary.scalar('loss', tf.reduce_mean(x))
    spaced = tf.summary.scalar('a name (odd)', tf.reduce_max(x))
family = tf.summary.scalar('rate', tf.constant(0.5), family='fam')
hist = tf.summary.histogram('values', x)
pixels = tf.summary.image('img', tf.reshape(tf.range(8., dtype=tf.float32), [1, 2, 4, 1]))
some = tf.summary.merge([loss, hist])
all_of_them = tf.summary.merge_all()
for op in tf.get_default_graph().get_operations():
    print(op.name, op.type)
print(tf.get_collection(tf.GraphKeys.SUMMARIES))
with tf.Session() as sess:
    feed = {x: [1., 2., -3.]}
    print(sess.run(loss, feed))
    print(sess.run(spaced, feed))
    print(sess.run(family, feed))
    print(sess.run(hist, feed))
    print(sess.run(some, feed) == sess.run(loss, feed) + sess.run(hist, feed))
    writer = tf.summary.FileWriter(here, sess.graph, filename_suffix=suffix)
    for step in range(3):
        writer.add_summary(sess.run(all_of_them, {x: [step, 2. * step]}), step)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='own', simple_value=2.5)]), 3)
    writer.flush()
    writer.close()
    print(writer.get_logdir() == here)
    for bad in ([float('nan')], [float('inf')]):
        try:
            sess.run(hist, {x: bad})
        except tf.errors.InvalidArgumentError as e:
            print(type(e).__name__)
summary = tf.Summary.FromString(tf.Summary(value=[tf.Summary.Value(tag='t', simple_value=1.5)]).SerializeToString())
print([(v.tag, v.simple_value) for v in summary.value])
files = [f for f in os.listdir(here) if f.endswith(suffix)]
print(len(files), files[0].startswith('events.out.tfevents.'))
tf.reset_default_graph()
print(tf.summary.merge_all())
for f in files:
    os.remove(f)
