# needs pandas sklearn
# Windows of a time series, a recurrent net written with scan.
import datetime as dt
import numpy as np
import pandas as pd
import tensorflow.compat.v1 as tf
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.preprocessing import MinMaxScaler

tf.disable_v2_behavior()

index = pd.date_range(dt.datetime(2018, 1, 1), periods=120, freq='h')
df = pd.DataFrame({'close': np.sin(np.arange(120) / 6.) * 10 + 50}, index=index)
df['ma'] = df['close'].rolling(window=6).mean()
df['diff'] = df.close.pct_change().fillna(0)
daily = df.close.resample('D').agg(['min', 'max', 'last']).round(2)
print(daily.head(2).to_string())
print(df['2018-01-02':'2018-01-02 03:00'].round(3).values.tolist()[0], df.index[-1].isoformat(), df.index.is_monotonic_increasing)
print(df.between_time('05:00', '06:00').shape, df.ewm(span=3).mean().close.iloc[-1].round(4), df.isna().sum().to_dict())
df = df.bfill()
scaler = MinMaxScaler(feature_range=(0, 1))
data = scaler.fit_transform(df[['close', 'ma']])


def windows(data, steps):
    X, y = [], []
    for i in range(len(data) - steps):
        X.append(data[i:i + steps])
        y.append(data[i + steps, 0])
    return np.array(X), np.array(y)[:, None]


steps, units = 5, 4
X, y = windows(data, steps)
cut = int(len(X) * 0.8)
print(X.shape, y.shape, cut, X.dtype)
inputs = tf.placeholder(tf.float32, [None, steps, 2])
targets = tf.placeholder(tf.float32, [None, 1])
init = tf.random_uniform_initializer(-0.5, 0.5, seed=4)
Wx = tf.get_variable('Wx', [2, units], initializer=init)
Wh = tf.get_variable('Wh', [units, units], initializer=tf.orthogonal_initializer(seed=2))
Wo = tf.get_variable('Wo', [units, 1], initializer=init)
states = tf.scan(lambda h, x: tf.tanh(tf.matmul(x, Wx) + tf.matmul(h, Wh)), tf.transpose(inputs, [1, 0, 2]),
                 initializer=tf.zeros([tf.shape(inputs)[0], units]))
output = tf.matmul(states[-1], Wo)
loss = tf.losses.huber_loss(targets, output)
optimizer = tf.train.AdamOptimizer(0.03)
gradients, variables = zip(*optimizer.compute_gradients(loss))
gradients, norm = tf.clip_by_global_norm(gradients, 1.)
train = optimizer.apply_gradients(zip(gradients, variables))
saver = tf.train.Saver(max_to_keep=1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for epoch in range(40):
        for at in range(0, cut, 32):
            _, l = sess.run([train, loss], {inputs: X[at:at + 32], targets: y[at:at + 32]})
    p = sess.run(output, feed_dict={inputs: X[cut:]})
pad = np.hstack([p, np.zeros_like(p)])
price = scaler.inverse_transform(pad)[:, 0]
true = df.close.iloc[-len(price):]
result = pd.DataFrame({'true': true, 'predicted': price}, index=true.index)
result['error'] = (result.true - result.predicted).abs()
print(result.shape, result.error.max() < 5, r2_score(result.true, result.predicted) > 0.9)
print(mean_absolute_error([1, 2.], [2, 4.]), np.sqrt(mean_squared_error([0, 0.], [3, 3.])), (dt.timedelta(hours=2) + index[0]).strftime('%d.%m.%Y %H:%M'))
print(result.groupby(result.index.day).size().to_dict(), pd.Timestamp('2018-01-05') - index[0], pd.to_timedelta('1h') * 2)
