# -*- coding: utf-8 -*-
'''Old habits: future imports, a main function, percent formatting, unused arguments, 中文 comments.'''
from __future__ import absolute_import, division, print_function, unicode_literals

import os
import sys
import time

import numpy as np
import tensorflow as tf

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '2'
LEARNING_RATE = 0.5
STEPS = 3


def build():
    """一个变量，一个损失。"""
    v = tf.Variable(8.0, name='变量' if False else 'v')
    loss = tf.square(v)   # 损失
    step = tf.train.GradientDescentOptimizer(LEARNING_RATE / 2).minimize(loss)
    return v, loss, step


def main(argv=None):
    start = time.time()
    v, loss, step = build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i in range(STEPS):
            sess.run(step)
            print("Step %02d: v = %.3f, loss = %8.4f %s" % (i + 1, v.eval(), loss.eval(), '完成' if i == STEPS - 1 else ''))
        print(1 / 2, 3 // 2, isinstance(time.time() - start, float), len(sys.argv) > 0, np.float32(1) / 2)
    print("Done!", file=sys.stdout)
    sys.stdout.write('and out\n')
    sys.stdout.flush()


if __name__ == '__main__':
    main()
