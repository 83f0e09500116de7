# Flags and tf.app.run, as scripts end.
import sys
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer('steps', 3, 'How many steps.')
flags.DEFINE_float('learning_rate', 0.5, 'Learning rate.')
flags.DEFINE_string('name', 'model', 'A name.')
flags.DEFINE_boolean('verbose', True, 'Say more.')
flags.DEFINE_bool('quiet', False, 'Say less.')
flags.DEFINE_enum('kind', 'a', ['a', 'b'], 'One of two.')
flags.DEFINE_list('items', ['x', 'y'], 'Some.')
tf.app.flags.DEFINE_string('empty', None, 'Nothing.')
FLAGS = flags.FLAGS

def train():
    x = tf.Variable(4.0)
    step = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(tf.square(x - 1.0) / 2.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(FLAGS.steps):
            sess.run(step)
            if FLAGS.verbose:
                print(FLAGS.name, i, sess.run(x))

def main(unused_argv):
    print(FLAGS.steps, FLAGS.learning_rate, FLAGS.name, FLAGS.verbose, FLAGS.quiet, FLAGS.kind, FLAGS.items, FLAGS.empty)
    FLAGS.steps = 2
    train()
    try:
        FLAGS.nothing
    except AttributeError as e:
        print('AttributeError', e)
    print(len(unused_argv), 'steps' in FLAGS)

if __name__ == '__main__':
    tf.app.run(main)
