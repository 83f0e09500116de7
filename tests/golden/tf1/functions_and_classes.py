# Graph building from Python functions, closures, comprehensions and a class.
import tensorflow as tf


class Layer(object):
    """y = activation(x w + b), with fixed weights."""
    count = 0

    def __init__(self, n_in, n_out, activation=None, name='layer'):
        Layer.count += 1
        self.name = '%s%d' % (name, Layer.count)
        self.activation = activation
        with tf.name_scope(self.name):
            self.w = tf.Variable(tf.fill([n_in, n_out], 0.5), name='w')
            self.b = tf.Variable(tf.zeros([n_out]), name='b')

    def __call__(self, x):
        with tf.name_scope(self.name + '/'):
            y = tf.matmul(x, self.w) + self.b
            return self.activation(y) if self.activation else y

    @property
    def variables(self):
        return [self.w, self.b]


def compose(*layers):
    def run(x):
        for layer in layers:
            x = layer(x)
        return x
    return run


net = [Layer(2, 3, tf.nn.relu), Layer(3, 2, lambda t: t * 2.0), Layer(2, 1)]
model = compose(*net)
x = tf.placeholder(tf.float32, [None, 2])
out = model(x)
print(out.name, out.shape, [v.name for layer in net for v in layer.variables])
powers = {n: x ** float(n) for n in range(1, 4)}
terms = [tf.reduce_sum(powers[n]) / n for n in sorted(powers)]


def evaluate(sess, *fetches, **options):
    feed = {x: options.get('data', [[1.0, 2.0]])}
    return [sess.run(f, feed_dict=feed) for f in fetches]


with tf.Session() as sess:
    sess.run([v.initializer for layer in net for v in layer.variables])
    print(evaluate(sess, out), evaluate(sess, *terms, data=[[2.0, 0.0]]))
    total, = evaluate(sess, tf.add_n(terms))
    print('total %.3f' % total, sum(float(t) for t in evaluate(sess, *terms)) - total < 1e-5)
    try:
        evaluate(sess, out, data=[[1.0]])
    except ValueError:
        print('refused')
    finally:
        print(Layer.count, 'layers')


def batches(items, size):
    for start in range(0, len(items), size):
        yield items[start:start + size]


with tf.Session() as sess:
    doubled = tf.placeholder(tf.int32, [None]) * 2
    ph = doubled.op.inputs[0]
    print([sess.run(doubled, {ph: batch}).tolist() for batch in batches([1, 2, 3, 4, 5], 2)])
