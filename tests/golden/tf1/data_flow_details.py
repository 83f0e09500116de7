# Details of queues, readers, tables, barriers and tensor arrays that scripts rarely show.
import os
import threading
import time

import numpy as np
import tensorflow as tf

R = tf.raw_ops


def error(f):
    try:
        return f()
    except (tf.errors.OpError, ValueError) as e:
        return type(e).__name__


print('-- a priority queue sorts a batch as a whole')
q = tf.PriorityQueue(10, [tf.int32], [()])
batch = q.dequeue_many(4)[0]
puts = [q.enqueue_many(([a, b], [0, 0])) for a, b in ((5, 1), (3, 2), (9, 7))]
with tf.Session() as s:
    got = []
    t = threading.Thread(target=lambda: got.append(s.run(batch)))
    t.start()
    time.sleep(.05)
    s.run(puts[0])
    time.sleep(.05)
    s.run(puts[1])
    t.join()
    print(got)
    s.run(puts[2])
    s.run(q.close())
    print(error(lambda: s.run(batch)), s.run(q.size()))

print('-- queues with a shared name must agree')
for kind, more in ((tf.FIFOQueue, {}), (tf.RandomShuffleQueue, {'min_after_dequeue': 2})):
    made = [kind(n, dtypes=[t], shapes=[shape], shared_name='shared' + kind.__name__, **dict(more, **other))
            for n, t, shape, other in ((10, tf.float32, (), {}), (15, tf.float32, (), {}), (10, tf.int32, (), {}),
                                       (10, tf.float32, (2,), {}),
                                       (10, tf.float32, (), {'min_after_dequeue': 3} if more else {}))]
    with tf.Session() as s:
        print([error(lambda: s.run(x.size())) for x in made])

print('-- readers')
for i, text in enumerate(['a\nb\nc\n', '', 'd\n', 'e\nf\n']):
    with open('part%d.txt' % i, 'w') as f:
        f.write(text)
NAMES = ['part%d.txt' % i for i in range(4)]


def read_all(reader, n, names=NAMES):
    q = tf.FIFOQueue(9, tf.string, shapes=())
    out = reader.read_up_to(q, n)
    with tf.Session() as s:
        s.run(q.enqueue_many([names]))
        s.run(q.close())
        for _ in range(5):
            got = error(lambda: [x.tolist() for x in s.run(out)])
            print(got, s.run(reader.num_work_units_completed()), s.run(reader.num_records_produced()))
            if got == 'OutOfRangeError':
                return


for n in (1, 2, 10):
    read_all(tf.TextLineReader(), n)
read_all(tf.WholeFileReader(), 3)
read_all(tf.IdentityReader(), 3)
read_all(tf.FixedLengthRecordReader(2), 2)
for kind in (tf.IdentityReader, tf.WholeFileReader):
    r = kind()
    q = tf.FIFOQueue(9, tf.string, shapes=())
    key, value = r.read(q)
    state, kept = r.serialize_state(), tf.placeholder(tf.string)
    restore = r.restore_state(kept)
    with tf.Session() as s:
        s.run(q.enqueue_many([NAMES]))
        s.run(value)
        old = s.run(state)
        print(old, s.run(key), s.run(key))
        s.run(q.enqueue_many([NAMES]))
        s.run(restore, {kept: old})
        print(s.run(r.num_records_produced()), s.run(key), s.run(r.num_records_produced()))
        s.run(r.reset())
        print(s.run(r.num_records_produced()), s.run(key), s.run(q.size()))

print('-- compressed records')
Options = tf.io.TFRecordOptions
for kind in ('', 'ZLIB', 'GZIP'):
    name = 'records' + kind
    with tf.io.TFRecordWriter(name, Options(kind)) as w:
        for i in range(3):
            w.write(b'record %d' % i)
    print(kind, [r for r in tf.io.tf_record_iterator(name, Options(kind))])
    read_all(tf.TFRecordReader(options=Options(kind)), 2, [name])
    element = tf.data.TFRecordDataset(name, compression_type=kind).make_one_shot_iterator().get_next()
    with tf.Session() as s:
        print(s.run(element), s.run(element))
    with tf.io.TFRecordWriter('wrong', kind) as w:
        w.write(b'x')
    for other in ('', 'ZLIB', 'GZIP'):
        print(other, error(lambda: [r for r in tf.io.tf_record_iterator('wrong', other)]), end=' ')
    print()
print(error(lambda: Options('LZ4')), Options.get_compression_type_string(Options(2)))
import gzip
with gzip.open('lines.gz', 'wb') as f:
    f.write(b'one\ntwo\nthree\n')
lines = tf.data.TextLineDataset(['lines.gz'], compression_type='GZIP').make_one_shot_iterator().get_next()
fixed = tf.data.FixedLengthRecordDataset(['lines.gz'], 4, header_bytes=4, footer_bytes=6,
                                         compression_type='GZIP').make_one_shot_iterator().get_next()
with tf.Session() as s:
    print(s.run(lines), s.run(lines), s.run(fixed))
read_all(tf.FixedLengthRecordReader(4, encoding='GZIP'), 9, ['lines.gz'])
text = tf.data.Dataset.from_tensors('text').make_one_shot_iterator().get_next()
with tf.Session() as s:
    print(s.run(text))

print('-- barriers number only the calls that bring new keys')
b = R.Barrier(component_types=[tf.float32, tf.float32], shapes=[(), ()])
put = [R.BarrierInsertMany(handle=b, keys=[k], values=[1.], component_index=i) for k in 'xyz' for i in (0, 1)]
take = R.BarrierTakeMany(handle=b, num_elements=3, component_types=[tf.float32, tf.float32])
with tf.Session() as s:
    for p in put:
        s.run(p)
    print((s.run(take[0]) - np.int64(-2**63)).tolist())

print('-- stacks of one name differ')
h = [R.Stack(elem_type=tf.float32, stack_name='foo') for _ in range(2)]
with tf.Session() as s:
    a, b = s.run(h)
    print(a.tolist() != b.tolist(), a[0])

print('-- the gradient of a split that grew later')
ta = tf.TensorArray(tf.float32, size=3, dynamic_size=True)
x = tf.constant([1., 2., 3.])
joined = ta.split(x, [1, 1, 1]).write(3, [4.]).write(4, [5.]).concat()
with tf.Session() as s:
    print(s.run(joined), s.run(tf.gradients(joined * [1., 2., 3., 4., 5.], x)))

print('-- a dense table exports its buckets')
table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1,
                                              initial_num_buckets=4)


def show(t):
    k, v = t.export()
    k, v = s.run([k, v])
    v = np.where(np.sum(k, axis=1, keepdims=True) <= 0, 0, v)
    print(k.tolist(), v.tolist(), s.run(t.size()))


with tf.Session() as s:
    show(table)
    for keys in ([11, 12], [3], [7, 19], [4, 8, 12]):
        s.run(table.insert(keys, [k * 10 for k in keys]))
        show(table)
    s.run(table.remove(tf.constant([19, 8], tf.int64)))
    show(table)
    s.run(table.insert([27], [5]))
    show(table)
    print(s.run(table.lookup(tf.constant([27, 19, 4], tf.int64))))
    other = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1)
    k, v = table.export()
    s.run(R.LookupTableImportV2(table_handle=other.resource_handle, keys=k, values=v))
    print(s.run([other.size(), other.lookup(tf.constant([27, 19, 4], tf.int64)), tf.shape(other.export()[0])]))
    pairs = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, default_value=[-1., -2.], empty_key=[0, 0],
                                                  deleted_key=[-1, -1], initial_num_buckets=4)
    s.run(pairs.insert([[1, 2], [2, 1]], [[1., 2.], [3., 4.]]))
    k, v = s.run(pairs.export())
    print(sorted(k.tolist()), k.shape, v.shape)
empty = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(tf.constant([], tf.string), tf.constant([], tf.int64)), -1)
with tf.Session() as s:
    print(error(lambda: s.run(tf.tables_initializer())))

print('-- indices out of range')
POLICIES = ('IGNORE', 'DEFAULT', 'ERROR', '')
bad = [[0], [7], [2], [-1]]
for p in POLICIES:
    v = tf.Variable([1, 2, 3], use_resource=False)
    ref = v._ref() if hasattr(v, '_ref') else v
    made = [R.GatherNd(params=[[1, 2], [3, 4], [5, 6]], indices=bad, bad_indices_policy=p),
            R.ScatterNd(indices=bad, updates=[1, 2, 3, 4], shape=[3], bad_indices_policy=p),
            R.TensorScatterUpdate(tensor=[1, 2, 3], indices=bad, updates=[6, 7, 8, 9], bad_indices_policy=p),
            R.TensorScatterAdd(tensor=[1, 2, 3], indices=bad, updates=[6, 7, 8, 9], bad_indices_policy=p),
            R.ScatterNdUpdate(ref=ref, indices=bad, updates=[6, 7, 8, 9], bad_indices_policy=p),
            R.ScatterNdAdd(ref=ref, indices=bad, updates=[6, 7, 8, 9], bad_indices_policy=p)]
    with tf.Session() as s:
        s.run(v.initializer)
        for m in made:
            print(error(lambda: s.run(m).tolist()), end=' ')
        print(s.run(v) if p == 'IGNORE' else '')  # TensorFlow applies the updates before the wrong one

for name in NAMES + ['records', 'recordsZLIB', 'recordsGZIP', 'wrong', 'lines.gz']:
    os.remove(name)
