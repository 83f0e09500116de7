# Loops whose nodes ask for one of two tasks at random, on a cluster and in process: the same values, or an error that
# says why not. Run under TensorFlow: python random_loops.py grpc://… FIRST END
import random
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
TASKS = ['/job:worker/task:0', '/job:worker/task:1']


class Loop:
    """One loop; of a seed the same each time, with the devices asked for or without."""

    def __init__(self, seed, placed):
        tf.reset_default_graph()
        self.random, self.placed = random.Random(seed), placed
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
            op = self.random.choice([tf.add, tf.subtract, tf.maximum, lambda a, b: a * .5 + b])
            values.append(self.somewhere(lambda: op(a, b)))
        return [self.somewhere(lambda: i + 1)] + [self.next(self.random.choice(values)) for _ in xs]

    def next(self, value):
        return self.somewhere(lambda: tf.identity(value)) if self.random.random() < .3 else value

    def run(self, target):
        with tf.Session(target, config=tf.ConfigProto(operation_timeout_in_ms=20000)) as sess:
            return [float(value) for value in sess.run(self.outputs)]


def main():
    target, first, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    differ = 0
    for seed in range(first, end):
        want = Loop(seed, False).run('')
        try:
            got = Loop(seed, True).run(target)
        except tf.errors.OpError as error:
            got = error
        if got != want:
            differ += 1
            print('seed %d: %s, wanted %s' % (seed, got, want))
    print('%d loops, %d differ' % (end - first, differ))


main()
