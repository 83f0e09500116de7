# needs pandas
# Batches of a table through tf.data and a generator.
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

frame = pd.DataFrame({'user': [1, 2, 1, 3, 2, 1], 'item': [5, 6, 7, 5, 5, 6], 'rating': np.arange(6) / 2.})
frame['when'] = pd.date_range('2020-01-01', periods=6, freq='D')
print(frame['when'].dt.day_name().tolist()[:2], frame.when.max())
print(frame.pivot_table(index='user', columns='item', values='rating').fillna(0.).values.tolist())
print(frame.groupby('user').agg({'rating': ['mean', 'count']}).round(2).values.tolist())
users = {u: i for i, u in enumerate(frame['user'].unique())}


def rows():
    for row in frame.itertuples():
        yield users[row.user], row.item, row.rating


data = tf.data.Dataset.from_generator(rows, (tf.int32, tf.int32, tf.float32)).batch(4)
user, item, rating = data.make_one_shot_iterator().get_next()
sums = tf.math.unsorted_segment_sum(rating, user, 3)
with tf.Session() as sess:
    while True:
        try:
            print(sess.run([user, sums]))
        except tf.errors.OutOfRangeError:
            break
    sliced = tf.data.Dataset.from_tensor_slices((frame['item'].values, frame['rating'].values.astype(np.float32)))
    step = sliced.map(lambda i, r: tf.cast(i, tf.float32) * r).reduce(0., lambda a, b: a + b)
    print(sess.run(step))
    out = pd.concat([frame[['user']], pd.Series(sess.run(tf.sqrt(tf.constant(frame['rating']))), name='root').round(2)], axis=1)
    print(out.sort_values('root', ascending=False).head(3).to_string())
    print(frame.apply(lambda r: r['rating'] * 2 if r['user'] == 1 else 0., axis=1).tolist())
