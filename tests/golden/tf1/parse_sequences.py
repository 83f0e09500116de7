# Sequences of features: written as tf.train.SequenceExample, parsed in the graph.
import tensorflow as tf


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def words(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def message(length, tokens, labels):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={'length': ints(length), 'tags': words(*[b'tag'] * length)}),
        feature_lists=tf.train.FeatureLists(feature_list={
            'tokens': tf.train.FeatureList(feature=[ints(t, t + 1) for t in tokens]),
            'labels': tf.train.FeatureList(feature=[words(*l) for l in labels])})).SerializeToString()


one = message(3, [1, 2, 3], [[b'a'], [], [b'b', b'c']])
two = message(1, [7], [[b'd', b'e', b'f']])
context = {'length': tf.FixedLenFeature([], tf.int64), 'tags': tf.VarLenFeature(tf.string),
           'weight': tf.FixedLenFeature([2], tf.float32, default_value=[0.5, 1.5])}
lists = {'tokens': tf.FixedLenSequenceFeature([2], tf.int64), 'labels': tf.VarLenFeature(tf.string),
         'missing': tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True)}
sess = tf.Session()
got_context, got_lists = tf.parse_single_sequence_example(one, context_features=context, sequence_features=lists)
for found in (got_context, got_lists):
    for key in sorted(found):
        print(key, found[key].get_shape(), sess.run(found[key]))
found, rows, lengths = tf.io.parse_sequence_example([one, two], context_features=context, sequence_features=lists,
                                                    example_names=['one', 'two'])
for part in (found, rows, lengths):
    for key in sorted(part):
        print(key, part[key].get_shape(), sess.run(part[key]))

serialized = tf.placeholder(tf.string, [])
tokens = tf.io.parse_single_sequence_example(serialized, sequence_features={'tokens': tf.FixedLenSequenceFeature([2], tf.int64)})[1]['tokens']
print(sess.run(tokens, {serialized: two}), sess.run(tf.reduce_sum(tokens, 1), {serialized: one}))
for bad in (b'no message', tf.train.SequenceExample().SerializeToString()):
    try:
        print(sess.run(tokens, {serialized: bad}))
    except tf.errors.InvalidArgumentError as e:
        print(type(e).__name__)
for give in ({}, {'context_features': {'a': 3}}):
    try:
        tf.parse_single_sequence_example(one, **give)
    except ValueError as e:
        print('ValueError')
