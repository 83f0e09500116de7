# Loops whose nodes request one of two tasks at random. A cluster must give the same values as a
# single process. `deep` adds branches and loops inside. Under TensorFlow: python random_loops.py
# grpc://… FIRST END [deep]
import random
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
TASKS = ['/job:worker/task:0', '/job:worker/task:1']


class Loop:
    """One loop. A seed always gives the same loop, with or without device requests."""

    def __init__(self, seed, placed, deep):
        tf.reset_default_graph()
        self.random, self.placed, self.deep = random.Random(seed), placed, 2 if deep else 0
        count = self.random.choice([1, 2, 3])
        self.iterations = self.random.choice([0, 1, 2, 5])
        values = [float(self.random.randint(-3, 3)) for _ in range(count)]
        self.outputs = self.somewhere(lambda: tf.while_loop(
            self.condition, self.body, [self.somewhere(lambda: tf.constant(0))] +
            [self.somewhere(lambda: tf.constant(value)) for value in values]))
        if self.random.random() < .3:
            self.outputs = [self.somewhere(lambda: tf.identity(output)) for output in self.outputs]

    def somewhere(self, make):
        device = self.random.choice(TASKS + TASKS + [None])
        if not self.placed or device is None:
            return make()
        with tf.device(device):
            return make()

    def condition(self, i, *xs):
        goes_on = self.somewhere(lambda: i < self.iterations)
        if self.random.random() < .4:
            goes_on = self.somewhere(lambda: tf.logical_and(goes_on, xs[0] < 1e6))
        return goes_on

    def body(self, i, *xs):
        values = list(xs)
        for _ in range(self.random.choice([1, 3, 6])):
            a, b = self.random.choice(values), self.random.choice(values)
            values.append(self.nested(a, b) if self.deep and self.random.random() < .5 else self.simple(a, b))
        return [self.somewhere(lambda: i + 1)] + [self.next(self.random.choice(values)) for _ in xs]

    def simple(self, a, b):
        op = self.random.choice([tf.add, tf.subtract, tf.maximum, lambda a, b: a * .5 + b])
        return self.somewhere(lambda: op(a, b))

    def some(self, a, b):
        """Adds a few ops on a and b, some of which may again be branches and loops."""
        value = self.nested(a, b) if self.deep and self.random.random() < .3 else self.simple(a, b)
        return self.simple(value, b) if self.random.random() < .5 else value

    def nested(self, a, b):
        self.deep -= 1
        try:
            if self.random.random() < .5:
                holds = self.somewhere(lambda: a < b)
                return self.somewhere(lambda: tf.cond(holds, lambda: self.some(a, b), lambda: self.some(b, a)))
            times = self.random.choice([0, 1, 3])
            return self.somewhere(lambda: tf.while_loop(
                lambda k, x: self.somewhere(lambda: k < times),
                lambda k, x: [self.somewhere(lambda: k + 1), self.some(x, b)],
                [self.somewhere(lambda: tf.constant(0)), a]))[1]
        finally:
            self.deep += 1

    def next(self, value):
        return self.somewhere(lambda: tf.identity(value)) if self.random.random() < .3 else value

    def run(self, target):
        config = tf.ConfigProto(operation_timeout_in_ms=20000)
        # the optimizer changes values: maximum(x + x, x)
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.Session(target, config=config) as sess:
            return [float(value) for value in sess.run(self.outputs)]


def main():
    target, first, end, deep = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), 'deep' in sys.argv[4:]
    differ = 0
    for seed in range(first, end):
        want = Loop(seed, False, deep).run('')
        try:
            got = Loop(seed, True, deep).run(target)
        except tf.errors.OpError as error:
            got = error
        if got != want:
            differ += 1
            print('seed %d: %s, wanted %s' % (seed, got, want))
    print('%d loops, %d differ' % (end - first, differ))


main()
