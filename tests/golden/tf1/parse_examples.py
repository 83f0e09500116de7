import numpy as np
import tensorflow as tf

def feature(**lists):
    kinds = {'b': ('bytes_list', tf.train.BytesList), 'f': ('float_list', tf.train.FloatList), 'i': ('int64_list', tf.train.Int64List)}
    return {k: tf.train.Feature(**{kinds[k[0]][0]: kinds[k[0]][1](value=v)}) for k, v in lists.items()}

first = tf.train.Example(features=tf.train.Features(feature=feature(b_name=[b'x\n"'], f_w=[0.5, 1.25], i_n=[3], i_many=[1, -2, 300])))
second = tf.train.Example(features=tf.train.Features(feature=feature(b_name=[b''], f_w=[2.0, -1.0], i_many=[])))
print(tf.train.Example(features=tf.train.Features(feature=feature(b_name=[b'x\n"', b'\xff']))), feature(f_w=[0.1, 2]), feature(i_n=[]))
data = [e.SerializeToString() for e in (first, second)]
again = tf.train.Example.FromString(data[0])
print(again.features.feature['i_many'].int64_list.value, again == first, len(data[0]), again.features.feature['f_w'].WhichOneof('kind'))
print(sorted(again.features.feature), again.features.feature['b_name'].bytes_list.value[0])
features = {'b_name': tf.FixedLenFeature([], tf.string), 'f_w': tf.FixedLenFeature([2], tf.float32),
            'i_n': tf.FixedLenFeature([], tf.int64, default_value=7), 'i_many': tf.VarLenFeature(tf.int64)}
serialized = tf.placeholder(tf.string, [None])
parsed = tf.parse_example(serialized, features)
print([(k, parsed[k].get_shape()) for k in sorted(parsed)])
single = tf.parse_single_example(tf.constant(data[0]), features)
print([(k, single[k].get_shape()) for k in sorted(single) if k != 'i_many'])
rows = tf.parse_example(serialized, {'i_many': tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True, default_value=-9)})
with tf.Session() as sess:
    got = sess.run(parsed, {serialized: data})
    for k in sorted(got):
        print(k, got[k])
    print(sess.run(single['i_many']), sess.run([single['b_name'], single['i_n']]))
    print(sess.run(rows, {serialized: data}))
    print(sess.run(parsed['i_n'], {serialized: []}))
    for bad in ({'nosuch': tf.FixedLenFeature([], tf.int64)}, {'f_w': tf.FixedLenFeature([3], tf.float32)}, {'f_w': tf.FixedLenFeature([2], tf.int64)}):
        try:
            sess.run(tf.parse_single_example(data[0], bad))
        except tf.errors.InvalidArgumentError as e:
            print('InvalidArgumentError')
    try:
        sess.run(parsed, {serialized: [b'\x0a\x05']})
    except tf.errors.InvalidArgumentError as e:
        print('InvalidArgumentError', len(e.message) > 0)
for wrong in (lambda: tf.train.Int64List(value=[1.5]), lambda: tf.train.BytesList(value=['text']), lambda: tf.parse_single_example(b'', {})):
    try:
        wrong()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
