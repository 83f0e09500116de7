# Dicts keep their order in results of tf.nest, and their leaves are ordered by key.
import collections

import tensorflow as tf

nested = {'b': 1, 'a': (2, 3)}
print(tf.nest.flatten(nested), tf.nest.map_structure(lambda v: v * 10, nested))
print(tf.nest.pack_sequence_as(nested, [7, 8, 9]))
counts = collections.defaultdict(int, {'y': 1, 'x': 2})
doubled = tf.nest.map_structure(lambda v: 2 * v, counts)
print(dict(doubled), doubled['z'])
print(tf.nest.map_structure(str, collections.OrderedDict([('k', 1), ('j', 2)])))
