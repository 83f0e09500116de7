# needs pandas
# tf.data over pieces of a table.
import io
import itertools
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

text = 'date,store,sales\n' + '\n'.join('2021-01-%02d,%s,%d' % (d, s, d * 10 + i) for d in range(1, 8) for i, s in enumerate('ab'))
table = pd.read_csv(io.StringIO(text), parse_dates=['date'], dtype={'store': 'category'})
table['dow'] = table.date.dt.day_of_week
table['code'] = table.store.cat.codes
table['lag'] = table.groupby('store', observed=True)['sales'].shift(1)
table = table.dropna().reset_index(drop=True)
print(table.dtypes.astype(str).to_dict()['code'], table.shape, table.iloc[0].to_dict()['lag'], table.tail(1).values.tolist()[0][1:])


def generator(frame, columns):
    def inner():
        for index, row in frame.iterrows():
            yield {c: row[c] for c in columns}, float(row['sales'])
    return inner


columns = ['dow', 'code', 'lag']
types = ({'dow': tf.int32, 'code': tf.int32, 'lag': tf.float32}, tf.float32)
shapes = ({c: tf.TensorShape([]) for c in columns}, tf.TensorShape([]))
ds = tf.data.Dataset.from_generator(generator(table, columns), types, shapes)
ds = ds.filter(lambda f, y: f['dow'] < 5).map(lambda f, y: (dict(f, log=tf.math.log(f['lag'])), y)).batch(3).prefetch(1)
iterator = tf.data.make_initializable_iterator(ds)
features, sales = iterator.get_next()
predicted = tf.cast(features['code'], tf.float32) + features['lag']
mae = tf.reduce_mean(tf.abs(predicted - sales))
with tf.Session() as sess:
    for epoch in range(2):
        sess.run(iterator.initializer)
        seen = 0
        while True:
            try:
                f, s, m = sess.run([features, sales, mae])
                seen += len(s)
            except tf.errors.OutOfRangeError:
                break
        print('epoch', epoch, seen, f['dow'], f['log'].round(3), '%.3f' % m, sorted(f))
    windows = np.lib.stride_tricks.sliding_window_view(table[table.store == 'a'].sales.values, 3)
    print(windows.shape, windows[-1])
    w = tf.data.Dataset.from_tensor_slices(table[table.store == 'a'].sales.values).window(3, 1, drop_remainder=True)
    w = w.flat_map(lambda x: x.batch(3)).map(lambda x: (x[:-1], x[-1]))
    print(*sess.run(tf.data.make_one_shot_iterator(w.skip(3)).get_next()))
    pieces = pd.read_csv(io.StringIO(text), chunksize=5, usecols=['sales'])
    chunk = tf.data.Dataset.from_generator(lambda: (c.values for c in itertools.islice(pieces, 2)), tf.int64, [None, 1])
    item = tf.data.make_one_shot_iterator(chunk.map(lambda c: (tf.shape(c)[0], tf.reduce_sum(c)))).get_next()
    print(*sess.run(item), *sess.run(item))
    cube = table.set_index(['store', 'dow'])['sales'].unstack()
    print(cube.shape, sess.run(tf.reduce_max(cube.values, 1)), cube.columns.tolist(), cube.loc['a', 3])
    py = tf.data.Dataset.range(3).map(lambda i: tf.py_func(lambda i: table.store.iloc[int(i)], [i], tf.string))
    print(sess.run(tf.data.make_one_shot_iterator(py.batch(3)).get_next()))
    merged = table.merge(pd.DataFrame({'store': ['a', 'b'], 'city': ['X', 'Y']}), on='store').groupby('city')['sales'].agg(['sum', 'max'])
    print(merged.to_dict('index'))
