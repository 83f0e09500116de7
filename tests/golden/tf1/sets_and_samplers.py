# Sets in the last dimension, and classes drawn as examples.
import os
import tempfile

import numpy as np
import tensorflow as tf

a = tf.constant([[1, 2, 2, 3], [4, 4, 5, 6]])
b = tf.constant([[3, 1], [9, 5]])
s = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], tf.constant([3, 8, 4]), [2, 3])
words = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], ['b', 'a', 'b'], [2, 2])


def show(sess, *sets):
    for found in sets:
        indices, values, shape = sess.run(found)
        print(indices.tolist(), values.tolist(), shape.tolist(), found.indices.shape)


with tf.Session() as sess:
    show(sess, tf.sets.intersection(a, b), tf.sets.union(a, b), tf.sets.difference(a, b),
         tf.sets.difference(a, b, aminusb=False))
    show(sess, tf.sets.set_intersection(a, s), tf.sets.set_union(s, a), tf.sets.set_difference(s, a),
         tf.sets.set_difference(s, s), tf.sets.union(words, words))
    print(sess.run([tf.sets.size(s), tf.sets.set_size(words), tf.sets.size(tf.sets.union(a, s))]))
    for wrong in (lambda: tf.sets.size(a), lambda: tf.sets.union(a, words), lambda: tf.sets.union([1.], [2.])):
        try:
            wrong()
        except TypeError as e:
            print(type(e).__name__)
    try:
        sess.run(tf.sets.union(a, b, validate_indices=False).values)
        sess.run(tf.sets.size(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2])))
    except tf.errors.InvalidArgumentError:
        print('out of order')

tf.reset_default_graph()
tf.set_random_seed(5)
classes = tf.constant([[1, 3], [2, 2]], tf.int64)
learned = tf.nn.learned_unigram_candidate_sampler(classes, 2, 3, True, 8, seed=1)
fixed = tf.nn.fixed_unigram_candidate_sampler(classes, 2, 4, False, 5, distortion=.75, unigrams=[1., 5., 2., .5, 9.], seed=2)
rest = tf.random.fixed_unigram_candidate_sampler(classes, 2, 2, True, 4, num_reserved_ids=1, unigrams=[3., 1., 1.], name='rest')
every = tf.nn.all_candidate_sampler(classes, 2, 4, True)
with tf.Session() as sess:
    for _ in range(3):
        for drawn in (learned, fixed, rest, every):
            print([np.round(v, 4).tolist() for v in sess.run(drawn)])
print(learned[0].shape, learned.true_expected_count.shape, rest[0].name)
print(tf.random.learned_unigram_candidate_sampler(classes, 2, 3, True, 8).sampled_candidates.dtype,
      tf.random.all_candidate_sampler(classes, 2, 3, True).sampled_expected_count.shape)

# Weights from a file: the last field of each line, one class in two shards each.
folder = tempfile.mkdtemp()
path = os.path.join(folder, 'words')
with open(path, 'w') as f:
    f.write('the,word,12\na,7.5\nof,3\nin,1e1\n')
tf.set_random_seed(3)
shard = tf.nn.fixed_unigram_candidate_sampler([[0, 1]], 2, 3, False, 2, vocab_file=path, num_shards=2, shard=1, seed=4)
wrong = tf.nn.fixed_unigram_candidate_sampler([[0, 1]], 2, 3, False, 3, vocab_file=path, seed=4)
with tf.Session() as sess:
    print([np.round(v, 4).tolist() for v in sess.run(shard)])
    try:
        sess.run(wrong)
    except tf.errors.InvalidArgumentError:
        print('three classes of four')
os.remove(path)
os.rmdir(folder)
