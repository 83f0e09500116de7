# needs tqdm
"""Progress bars on the error output, results on the other."""
import sys
import time
from functools import partial

import numpy as np
import tensorflow.compat.v1 as tf
from tqdm import tqdm, trange

tf.disable_v2_behavior()


def run_epoch(session, model, data, train_op=None, verbose=False):
    start, costs, iters = time.time(), 0., 0
    for step, batch in enumerate(tqdm(data, desc='batch', leave=False, disable=not verbose)):
        fetches = {'cost': model['cost']}
        if train_op is not None:
            fetches['train'] = train_op
        values = session.run(fetches, {model['x']: batch})
        costs += values['cost']
        iters += len(batch)
    assert time.time() >= start
    return costs / max(iters, 1)


x = tf.placeholder_with_default(np.zeros(3, np.float32), [None])
center = tf.Variable(5., use_resource=True)
cost = tf.reduce_sum(tf.abs(x - center))
rate = tf.train.exponential_decay(0.1, tf.train.get_or_create_global_step(), 4, 0.5, staircase=True)
train = tf.train.GradientDescentOptimizer(rate).minimize(cost, global_step=tf.train.get_global_step())
batches = np.split(np.linspace(-1., 1., 12), 4)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    epochs = trange(5, file=sys.stderr, ncols=60)
    for epoch in epochs:
        epochs.set_description('epoch %d' % epoch)
        loss = run_epoch(sess, dict(x=x, cost=cost), batches, train, verbose=epoch == 0)
        epochs.set_postfix(loss='%.3f' % loss, rate=float(sess.run(rate)))
        tqdm.write('epoch %d: %.4f, step %d' % (epoch, loss, sess.run(tf.train.get_global_step())))
    with tqdm(total=10, file=sys.stderr) as bar:
        for n in (3, 7):
            bar.update(n)
        print(bar.n, bar.total)
    print(list(map(partial(round, ndigits=2), tqdm(map(float, sess.run([center, rate, cost])), unit='tensor'))))
    pairs = tqdm(zip('ab', range(2)), total=2)
    print([p for p in pairs])
