# needs pandas
# A regression over the columns of a table.
import io
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

CSV = """size,rooms,city,price
50,2,A,110.5
70,3,B,150.0
90,3,A,205.0
,4,C,260.0
120,5,B,275.5
"""
df = pd.read_csv(io.StringIO(CSV))
print(df.head(2))
print(df.dtypes.astype(str).to_dict(), df.isnull().sum().sum())
df['size'] = df['size'].fillna(df['size'].median())
df = pd.get_dummies(df, columns=['city'], dtype=float)
print(list(df.columns), df.shape)
features = [c for c in df.columns if c != 'price']
for c in ('size', 'rooms'):
    df[c] = (df[c] - df[c].mean()) / df[c].std()
data = df[features].values.astype('float32')
label = df[['price']].values / 100.
print(df.groupby('city_A')['price'].mean().round(2).tolist(), data.dtype, label.shape)
for i, row in df.iterrows():
    if i < 2:
        print(i, round(row['size'], 3), row.price)

x = tf.placeholder(tf.float32, [None, len(features)])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.get_variable('w', [len(features), 1], initializer=tf.zeros_initializer())
loss = tf.losses.mean_squared_error(y, tf.matmul(x, w))
train = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    history = []
    for step in range(100):
        _, value = sess.run([train, loss], {x: data, y: label})
        history.append(value)
    log = pd.DataFrame({'step': range(100), 'loss': history})
    print(log[log['step'] % 40 == 0].round(2).to_string(index=False))
    print(pd.Series(sess.run(w)[:, 0], index=features).round(1).to_dict())
    print(sess.run(tf.reduce_sum(tf.constant(df['price']))), sess.run(tf.reduce_mean(x), {x: df[features]}).round(3))
