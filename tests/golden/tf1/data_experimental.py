# tf.data.experimental and Dataset.reduce.
import tensorflow as tf, numpy as np
def t(f):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e)[:150])
def vals(ds, n=20):
    it = ds.make_one_shot_iterator() if hasattr(ds,'make_one_shot_iterator') else tf.data.make_one_shot_iterator(ds)
    nxt = it.get_next(); out=[]
    with tf.Session() as s:
        try:
            for _ in range(n): out.append(s.run(nxt))
        except tf.errors.OutOfRangeError: pass
    return [np.array(o).tolist() if not isinstance(o,(tuple,dict)) else str(o) for o in out]
D = tf.data.Dataset
t(lambda: tf.Session().run(D.range(10).reduce(np.int64(0), lambda a, x: a + x)))
t(lambda: tf.Session().run(D.range(10).reduce((np.int64(0), np.int64(1)), lambda s, x: (s[0] + x, s[1]*2))))
t(lambda: tf.data.experimental.AUTOTUNE)
t(lambda: vals(D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 3))))
t(lambda: vals(D.range(10).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, 3, drop_remainder=True, num_parallel_calls=2))))
t(lambda: len(vals(D.range(3).apply(tf.data.experimental.shuffle_and_repeat(10, 2)))))
t(lambda: vals(D.range(6).batch(2).apply(tf.data.experimental.unbatch())))
t(lambda: vals(D.range(6).batch(2).unbatch()))
t(lambda: vals(D.range(10).apply(tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, d: d.batch(3), window_size=3))))
t(lambda: vals(D.range(1, 8).map(lambda x: tf.fill([x], x)).apply(tf.data.experimental.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 5], [2, 2, 2]))))
t(lambda: vals(D.range(3).apply(tf.data.experimental.ignore_errors())))
t(lambda: vals(D.from_tensor_slices([1., 0., 2.]).map(lambda x: tf.check_numerics(1. / x, 'e')).apply(tf.data.experimental.ignore_errors())))
t(lambda: vals(D.range(4).apply(tf.data.experimental.enumerate_dataset(5))))
t(lambda: vals(D.range(4).enumerate()))
t(lambda: vals(D.range(6).apply(tf.data.experimental.parallel_interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2))))
t(lambda: vals(D.range(5).apply(tf.data.experimental.take_while(lambda x: x < 3))))
t(lambda: vals(D.range(10).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))))
t(lambda: vals(tf.data.experimental.choose_from_datasets([D.range(3), D.range(10,13)], D.from_tensor_slices(np.array([0,1,1,0],np.int64)))))
t(lambda: vals(D.range(5).apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s + x, s + x)))))
t(lambda: vals(D.from_tensor_slices([1,1,2,3,3]).apply(tf.data.experimental.unique())))
t(lambda: tf.Session().run(tf.data.experimental.get_single_element(D.from_tensors(5))))
t(lambda: vals(D.range(8).shard(3, 1)))
t(lambda: vals(D.range(4).prefetch(tf.data.experimental.AUTOTUNE).map(lambda x: x, num_parallel_calls=tf.data.experimental.AUTOTUNE)))
t(lambda: vals(tf.data.experimental.Counter(3).take(3)))
t(lambda: vals(D.range(4).apply(tf.data.experimental.copy_to_device('/cpu:0'))))
t(lambda: vals(D.range(4).apply(tf.data.experimental.prefetch_to_device('/cpu:0'))))
t(lambda: vals(D.range(10).interleave(lambda x: D.from_tensors(x).repeat(2), cycle_length=2, block_length=1, num_parallel_calls=2)))
t(lambda: tf.Session().run(D.from_generator(lambda: iter([[1, 2], [3]]), tf.int32, [None]).reduce(0, lambda total, x: total + tf.reduce_sum(x))))
t(lambda: vals(D.from_tensor_slices(['a', 'bb', 'ccc', 'd']).apply(tf.data.experimental.bucket_by_sequence_length(tf.strings.length, [2], [2, 1], no_padding=True))))
