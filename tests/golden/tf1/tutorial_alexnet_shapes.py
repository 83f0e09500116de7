# AlexNet's layers and their shapes, as the books print them.
from datetime import datetime
import math
import time
import tensorflow as tf

batch_size = 1
num_batches = 2

def print_activations(t):
    print(t.op.name, ' ', t.get_shape().as_list())

def conv(x, size, channels, name, stride=1, parameters=None):
    with tf.name_scope(name) as scope:
        kernel = tf.Variable(tf.truncated_normal([size, size, x.get_shape()[-1].value, channels], dtype=tf.float32, stddev=1e-1), name='weights')
        c = tf.nn.conv2d(x, kernel, [1, stride, stride, 1], padding='SAME')
        biases = tf.Variable(tf.constant(0.0, shape=[channels], dtype=tf.float32), trainable=True, name='biases')
        out = tf.nn.relu(tf.nn.bias_add(c, biases), name=scope)
        print_activations(out)
        parameters += [kernel, biases]
        return out

def inference(images):
    parameters = []
    conv1 = conv(images, 11, 16, 'conv1', 4, parameters)
    lrn1 = tf.nn.lrn(conv1, 4, bias=1.0, alpha=0.001 / 9, beta=0.75, name='lrn1')
    pool1 = tf.nn.max_pool(lrn1, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='VALID', name='pool1')
    print_activations(pool1)
    conv2 = conv(pool1, 5, 24, 'conv2', parameters=parameters)
    pool2 = tf.nn.max_pool(conv2, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='VALID', name='pool2')
    print_activations(pool2)
    conv3 = conv(pool2, 3, 32, 'conv3', parameters=parameters)
    pool5 = tf.nn.max_pool(conv3, ksize=[1, 3, 3, 1], strides=[1, 2, 2, 1], padding='VALID', name='pool5')
    print_activations(pool5)
    return pool5, parameters

def time_tensorflow_run(session, target, info_string):
    num_steps_burn_in = 1
    total_duration = total_duration_squared = 0.0
    for i in range(num_batches + num_steps_burn_in):
        start_time = time.time()
        _ = session.run(target)
        duration = time.time() - start_time
        if i >= num_steps_burn_in:
            if not i % 10:
                print('%s: step %d, fine: %s' % (type(datetime.now()).__name__, i - num_steps_burn_in, duration < 60))
            total_duration += duration
            total_duration_squared += duration * duration
    mn = total_duration / num_batches
    vr = total_duration_squared / num_batches - mn * mn
    sd = math.sqrt(max(vr, 0))
    print('%s across %d steps, fine: %s' % (info_string, num_batches, mn > 0 and sd >= 0))

def run_benchmark():
    with tf.Graph().as_default():
        images = tf.Variable(tf.random_normal([batch_size, 64, 64, 3], dtype=tf.float32, stddev=1e-1))
        pool5, parameters = inference(images)
        init = tf.global_variables_initializer()
        config = tf.ConfigProto()
        config.gpu_options.allocator_type = 'BFC'
        sess = tf.Session(config=config)
        sess.run(init)
        time_tensorflow_run(sess, pool5, "Forward")
        objective = tf.nn.l2_loss(pool5)
        grad = tf.gradients(objective, parameters)
        print(len(grad), [g.get_shape().as_list() for g in grad[:2]])
        time_tensorflow_run(sess, grad, "Forward-backward")

run_benchmark()
