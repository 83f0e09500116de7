# needs matplotlib
# A regression whose figures are saved.
import os
import tempfile
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
import numpy as np
import tensorflow.compat.v1 as tf
from matplotlib import cm

tf.disable_v2_behavior()
tf.set_random_seed(1)
np.random.seed(1)

x = np.linspace(-1, 1, 100)[:, np.newaxis]
noise = np.random.normal(0, 0.1, size=x.shape)
y = np.power(x, 2) + noise
folder = tempfile.mkdtemp()


def save(name):
    path = os.path.join(folder, name)
    plt.savefig(path)
    plt.close()
    with open(path, 'rb') as f:
        head = f.read(8)
    print(name, head[:4] if name.endswith('.png') else head[:5], os.path.getsize(path) > 500)


plt.scatter(x, y)
save('data.png')
tf_x = tf.placeholder(tf.float32, x.shape)
tf_y = tf.placeholder(tf.float32, y.shape)
features = tf.concat([tf_x ** k for k in range(4)], 1)
w = tf.Variable(tf.zeros([4, 1]))
output = tf.matmul(features, w)
loss = tf.losses.mean_squared_error(tf_y, output)
train_op = tf.train.GradientDescentOptimizer(learning_rate=0.5).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())
losses = []
for step in range(100):
    _, l, pred = sess.run([train_op, loss, output], {tf_x: x, tf_y: y})
    losses.append(l)
    if step % 50 == 0:
        plt.cla()
        plt.scatter(x, y)
        plt.plot(x, pred, 'r-', lw=5)
        plt.text(0.5, 0, 'Loss=%.4f' % l, fontdict={'size': 20, 'color': 'red'})
        save('step%d.png' % step)
fig, axes = plt.subplots(2, 2, figsize=(6, 4))
axes[0, 0].plot(losses, label='loss')
axes[0, 0].set_title('Loss')
axes[0, 0].legend(loc='best')
axes[0, 1].imshow(sess.run(tf.random_uniform([4, 4], seed=3)), cmap='gray')
axes[1, 0].hist(noise.ravel(), bins=10, alpha=0.5)
axes[1, 1].bar(range(4), sess.run(w).ravel())
for ax in axes.flat:
    ax.set_xticks([])
fig.tight_layout()
save('all.png')
plt.figure()
plt.contourf(*np.meshgrid(np.arange(3), np.arange(3)), np.eye(3))
plt.xlabel('x'), plt.ylim(0, 2), plt.grid(True)
save('contour.pdf')
print(len(losses), losses[-1] < losses[0], '%.2f' % losses[-1], len(os.listdir(folder)))
