# needs joblib
# What a program leaves in files: pickles, checkpoints, records, JSON.
import collections
import copy
import json
import os
import pickle
import shutil
import sys
import tempfile
import joblib
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


class Vocabulary(collections.OrderedDict):
    def __missing__(self, word):
        self[word] = len(self)
        return self[word]


class Batch(object):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __len__(self):
        return len(self.x)

    def __getitem__(self, at):
        return Batch(self.x[at], self.y[at])

    def __iter__(self):
        return iter(zip(self.x, self.y))

    def __repr__(self):
        return '<Batch of %d>' % len(self)


folder = tempfile.mkdtemp(prefix='pickled')
vocabulary = Vocabulary()
ids = np.array([vocabulary[w] for w in 'to be or not to be'.split()])
print(ids, list(vocabulary.items())[-1], copy.copy(vocabulary) == vocabulary)
batch = Batch(ids.reshape(3, 2), ids[::2] % 2)
print(batch[1:], len(batch), [(a.tolist(), int(b)) for a, b in batch][-1])
path = os.path.join(folder, 'data.pkl')
with open(path, 'wb') as f:
    pickle.dump({'ids': ids, 'words': dict(vocabulary), 'f': np.float32(1.5)}, f, protocol=2)
with open(path, 'rb') as f:
    loaded = pickle.load(f, encoding='latin1') if sys.version_info[0] > 2 else pickle.load(f)
print(sorted(loaded), np.array_equal(loaded['ids'], ids), loaded['f'], type(loaded['f']).__name__)
joblib.dump([ids, {'a': 1}], os.path.join(folder, 'x.joblib'))
print(joblib.load(os.path.join(folder, 'x.joblib'))[0].tolist(), joblib.Parallel(n_jobs=1)(joblib.delayed(pow)(i, 2) for i in range(4)))
writer = tf.python_io.TFRecordWriter(os.path.join(folder, 'train.tfrecord'))
for a, b in batch:
    feature = {'x': tf.train.Feature(int64_list=tf.train.Int64List(value=a)),
               'raw': tf.train.Feature(bytes_list=tf.train.BytesList(value=[a.astype(np.int32).tobytes()])),
               'y': tf.train.Feature(float_list=tf.train.FloatList(value=[float(b)]))}
    writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
writer.close()


def parse(text):
    f = tf.parse_single_example(text, {'x': tf.FixedLenFeature([2], tf.int64), 'raw': tf.FixedLenFeature([], tf.string),
                                       'y': tf.FixedLenFeature([], tf.float32)})
    return f['x'], tf.decode_raw(f['raw'], tf.int32), f['y']


dataset = tf.data.TFRecordDataset(os.path.join(folder, 'train.tfrecord')).map(parse).batch(2)
x, raw, y = tf.data.make_one_shot_iterator(dataset).get_next()
table = tf.get_variable('table', [len(vocabulary), 2], initializer=tf.constant_initializer(np.arange(8)))
rows = tf.nn.embedding_lookup(table, x)
saver = tf.train.Saver({'embedding': table})
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print(*[v.tolist() for v in sess.run([x, raw, y])])
    print(sess.run(rows).shape, os.path.basename(saver.save(sess, os.path.join(folder, 'model'), global_step=7, write_meta_graph=False)))
    sess.run(table.assign(tf.zeros_like(table)))
    saver.restore(sess, tf.train.latest_checkpoint(folder))
    np.savez(os.path.join(folder, 'w.npz'), table=sess.run(table), ids=ids)
with np.load(os.path.join(folder, 'w.npz')) as z:
    print(sorted(z.files), z['table'].sum(), z['ids'].dtype)
example = tf.train.Example.FromString(next(tf.python_io.tf_record_iterator(os.path.join(folder, 'train.tfrecord'))))
print(list(example.features.feature['x'].int64_list.value), json.dumps({'a': ids.tolist(), 'b': None}))
print(sorted(os.listdir(folder)))
shutil.rmtree(folder)
