"""Random graphs as TF-1.x programs with fetches and feeds, which run in TensorFlow and in tensh.

Only those parts are random for which both must make the same decision: data and control edges, the device of each
node (one of three CPUs), fetches, targets and feeds. Constants have 32 elements, because current TensorFlow copies
constants of up to 16 elements to each device that needs them. Loops and branches stay on one device, because
TensorFlow partitions a loop with additional nodes (_cloop).
"""
import random

DEVICES = ['', '/cpu:0', '/cpu:1', '/cpu:2']


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.values, self.ops, self.inits = [], [], [], []
        self.placeholders = []

    def add(self, line, device=None, after=()):
        place = []
        if device:
            place.append('tf.device("%s")' % device)
        if after:
            place.append('tf.control_dependencies([%s])' % ', '.join(after))
        self.lines.append('with %s: %s' % (', '.join(place), line) if place else line)

    def device(self):
        return self.rng.choice(DEVICES)

    def pick(self):
        # Prefers recent values, so that paths get long.
        at = max(self.rng.randrange(len(self.values)), self.rng.randrange(len(self.values)))
        return self.values[at]

    def after(self):
        everything = self.values + self.ops
        return [self.rng.choice(everything)] if everything and self.rng.random() < .25 else []

    def value(self, i):
        name = 'n%d' % i
        kind = self.rng.choice(['const', 'placeholder', 'binary', 'binary', 'binary', 'unary', 'split', 'addn',
                                'variable', 'group', 'cond', 'loop'])
        if not self.values and kind not in ('const', 'placeholder', 'variable'):
            kind = 'const'
        getattr(self, kind)(name)

    def const(self, name):
        self.add('%s = tf.constant(2., shape=[32], name="%s")' % (name, name), self.device(), self.after())
        self.values.append(name)

    def placeholder(self, name):
        self.add('%s = tf.placeholder(tf.float32, [32], name="%s")' % (name, name), self.device())
        self.values.append(name)
        self.placeholders.append(name)

    def binary(self, name):
        op = self.rng.choice(['add', 'multiply', 'maximum', 'subtract'])
        self.add('%s = tf.%s(%s, %s, name="%s")' % (name, op, self.pick(), self.pick(), name), self.device(), self.after())
        self.values.append(name)

    def unary(self, name):
        op = self.rng.choice(['exp', 'negative', 'identity', 'stop_gradient', 'square'])
        self.add('%s = tf.%s(%s, name="%s")' % (name, op, self.pick(), name), self.device(), self.after())
        self.values.append(name)

    def addn(self, name):
        inputs = ', '.join(self.pick() for _ in range(self.rng.randint(2, 4)))
        self.add('%s = tf.add_n([%s], name="%s")' % (name, inputs, name), self.device(), self.after())
        self.values.append(name)

    def split(self, name):
        """Two outputs, one of which may remain unused."""
        self.add('%s, %sb = tf.split(tf.concat([%s, %s], 0, name="%sc"), 2, name="%s")' % (
            name, name, self.pick(), self.pick(), name, name), self.device())
        self.values += [name, name + 'b']

    def variable(self, name):
        device = self.device() or '/cpu:0'
        self.add('%s = tf.Variable(tf.zeros([32]), name="%s", use_resource=False)' % (name, name), device)
        self.add('%su = tf.assign_add(%s, tf.ones([32]), name="%su")' % (name, name, name), device, self.after())
        self.values.append(name)
        self.ops.append(name + 'u')
        self.inits.append(name)

    def group(self, name):
        inputs = [self.rng.choice(self.values + self.ops) for _ in range(self.rng.randint(1, 3))]
        self.add('%s = tf.no_op(name="%s")' % (name, name), self.device(), inputs)
        self.ops.append(name)

    def cond(self, name):
        device = self.rng.choice(DEVICES[1:])
        x, y = self.pick(), self.pick()
        self.add('%s = tf.cond(tf.less(tf.reduce_sum(%s, 0), 5.), lambda: tf.exp(%s), lambda: tf.add(%s, %s))' % (
            name, x, x, x, y), device)
        self.values.append(name)

    def loop(self, name):
        device = self.rng.choice(DEVICES[1:])
        self.add('%s = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.), [0, %s])[1]' % (name, self.pick()),
                 device)
        self.values.append(name)

    def make(self):
        for i in range(self.rng.randint(3, 22)):
            self.value(i)
        fetches = self.rng.sample(self.values, min(len(self.values), self.rng.randint(1, 2)))
        if self.ops and self.rng.random() < .4:
            fetches.append(self.rng.choice(self.ops))
        feeds = list(self.placeholders)
        plain = [v for v in self.values if v not in self.inits + feeds]
        if plain and self.rng.random() < .4:
            feeds.append(self.rng.choice(plain))
        return {'lines': self.lines, 'fetches': fetches, 'feeds': feeds}


def program(seed):
    return Program(seed).make()
