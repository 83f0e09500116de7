"""A training script with flags and a main function, as the official models had them."""
import os
import sys
import tempfile
import time

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_float('learning_rate', 0.1, 'Initial learning rate.')
flags.DEFINE_integer('max_steps', 60, 'Number of steps to run trainer.')
flags.DEFINE_integer('hidden1', 4, 'Number of units in hidden layer 1.')
flags.DEFINE_string('train_dir', '', 'Directory to put the training data.')
flags.DEFINE_boolean('fake_data', True, 'If true, uses fake data.')

def inference(images, hidden1_units):
    with tf.name_scope('hidden1'):
        weights = tf.Variable(tf.truncated_normal([2, hidden1_units], stddev=1.0 / np.sqrt(2.0), seed=1), name='weights')
        biases = tf.Variable(tf.zeros([hidden1_units]), name='biases')
        hidden1 = tf.nn.relu(tf.matmul(images, weights) + biases)
    with tf.name_scope('softmax_linear'):
        weights = tf.Variable(tf.truncated_normal([hidden1_units, 2], stddev=0.5, seed=2), name='weights')
        biases = tf.Variable(tf.zeros([2]), name='biases')
        logits = tf.matmul(hidden1, weights) + biases
    return logits

def loss(logits, labels):
    labels = tf.to_int64(labels)
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=labels, name='xentropy')
    return tf.reduce_mean(cross_entropy, name='xentropy_mean')

def training(loss, learning_rate):
    tf.summary.scalar(loss.op.name, loss)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name='global_step', trainable=False)
    return optimizer.minimize(loss, global_step=global_step)

def evaluation(logits, labels):
    correct = tf.nn.in_top_k(logits, labels, 1)
    return tf.reduce_sum(tf.cast(correct, tf.int32))

def do_eval(sess, eval_correct, feed):
    true_count = sess.run(eval_correct, feed_dict=feed)
    num_examples = len(list(feed.values())[0])
    precision = float(true_count) / num_examples
    print('  Num examples: %d  Num correct: %d  Precision @ 1: %0.04f' % (num_examples, true_count, precision))

def run_training():
    rng = np.random.RandomState(0)
    images = rng.randn(40, 2).astype(np.float32)
    labels = (images[:, 0] * images[:, 1] > 0).astype(np.int32)
    with tf.Graph().as_default():
        images_placeholder = tf.placeholder(tf.float32, shape=(40, 2))
        labels_placeholder = tf.placeholder(tf.int32, shape=(40))
        logits = inference(images_placeholder, FLAGS.hidden1)
        l = loss(logits, labels_placeholder)
        train_op = training(l, FLAGS.learning_rate)
        eval_correct = evaluation(logits, labels_placeholder)
        summary = tf.summary.merge_all()
        init = tf.global_variables_initializer()
        saver = tf.train.Saver()
        sess = tf.Session()
        summary_writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
        sess.run(init)
        feed = {images_placeholder: images, labels_placeholder: labels}
        for step in range(FLAGS.max_steps):
            start_time = time.time()
            _, loss_value = sess.run([train_op, l], feed_dict=feed)
            duration = time.time() - start_time
            if step % 20 == 0:
                print('Step %d: loss = %.2f (%s)' % (step, loss_value, 'fast' if duration < 10 else 'slow'))
                summary_writer.add_summary(sess.run(summary, feed_dict=feed), step)
                summary_writer.flush()
            if (step + 1) == FLAGS.max_steps:
                saver.save(sess, os.path.join(FLAGS.train_dir, 'model.ckpt'), global_step=step)
                print('Training Data Eval:')
                do_eval(sess, eval_correct, feed)

def main(_):
    if tf.gfile.Exists(FLAGS.train_dir):
        tf.gfile.DeleteRecursively(FLAGS.train_dir)
    tf.gfile.MakeDirs(FLAGS.train_dir)
    run_training()
    print(sorted(f for f in tf.gfile.ListDirectory(FLAGS.train_dir) if f.startswith('model')))

if __name__ == '__main__':
    FLAGS.train_dir = tempfile.mkdtemp()
    tf.app.run(main=main)
