# Saving, restoring, and writing summaries for TensorBoard, in a folder made for it.
import glob
import os
import shutil
import tempfile
from datetime import datetime
import tensorflow as tf

now = datetime.utcnow().strftime("%Y%m%d%H%M%S")
root_logdir = tempfile.mkdtemp(prefix='tf_logs')
logdir = "{}/run-{}/".format(root_logdir, 'x' * len(now))
print(len(now), now.isdigit())

def reset_graph(seed=42):
    tf.reset_default_graph()
    tf.set_random_seed(seed)

reset_graph()
X = tf.placeholder(tf.float32, shape=(None, 3), name="X")
y = tf.placeholder(tf.float32, shape=(None, 1), name="y")
theta = tf.Variable(tf.random_uniform([3, 1], -1.0, 1.0, seed=42), name="theta")
y_pred = tf.matmul(X, theta, name="predictions")
with tf.name_scope("loss") as scope:
    error = y_pred - y
    mse = tf.reduce_mean(tf.square(error), name="mse")
print(error.op.name, mse.op.name, scope)
training_op = tf.train.GradientDescentOptimizer(learning_rate=0.01).minimize(mse)
init = tf.global_variables_initializer()
mse_summary = tf.summary.scalar('MSE', mse)
file_writer = tf.summary.FileWriter(logdir, tf.get_default_graph())
saver = tf.train.Saver(max_to_keep=2)
data = [[1., 2., 3.], [2., 0., 1.], [0., 1., 1.], [3., 1., 0.]]
target = [[6.], [3.], [2.], [4.]]
with tf.Session() as sess:
    sess.run(init)
    for epoch in range(30):
        if epoch % 10 == 0:
            summary_str = mse_summary.eval(feed_dict={X: data, y: target})
            file_writer.add_summary(summary_str, epoch)
            path = saver.save(sess, os.path.join(root_logdir, "my_model"), global_step=epoch)
            print("Epoch", epoch, "MSE = %.3f" % sess.run(mse, {X: data, y: target}), os.path.basename(path))
        sess.run(training_op, feed_dict={X: data, y: target})
    best_theta = theta.eval()
    final = saver.save(sess, root_logdir + "/final.ckpt")
file_writer.flush()
file_writer.close()
print(type(summary_str), len(summary_str) > 5)
print(sorted(os.path.basename(f) for f in glob.glob(root_logdir + '/*.index')))
print(len(glob.glob(os.path.join(logdir, 'events.out.tfevents.*'))))
print(os.path.basename(tf.train.latest_checkpoint(root_logdir)))

reset_graph()
saver = tf.train.import_meta_graph(final + ".meta")
theta = tf.get_default_graph().get_tensor_by_name("theta:0")
for op in tf.get_default_graph().get_operations()[:6]:
    print(op.name)
with tf.Session() as sess:
    saver.restore(sess, final)
    print((sess.run(theta) == best_theta).all())
state = tf.train.get_checkpoint_state(root_logdir)
print([os.path.basename(p) for p in state.all_model_checkpoint_paths])
shutil.rmtree(root_logdir)
print(os.path.exists(root_logdir))
