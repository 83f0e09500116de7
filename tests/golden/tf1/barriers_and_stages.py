# Barriers and staging areas, as ops.
import tensorflow as tf

raw = tf.raw_ops
with tf.Session() as sess:
    b = raw.Barrier(component_types=[tf.float32, tf.string], shapes=[[2], []])

    def sizes():
        return sess.run([raw.BarrierReadySize(handle=b), raw.BarrierIncompleteSize(handle=b)])

    print(sizes())
    sess.run(raw.BarrierInsertMany(handle=b, keys=['k1', 'k2', 'k3'], values=[[1., 2.], [3., 4.], [5., 6.]], component_index=0))
    print(sizes())
    sess.run(raw.BarrierInsertMany(handle=b, keys=['k2', 'k1'], values=['two', 'one'], component_index=1))
    print(sizes())
    take = raw.BarrierTakeMany(handle=b, num_elements=2, component_types=[tf.float32, tf.string])
    indices, keys, values = sess.run([take[0], take[1], list(take[2:]) if len(take) > 3 else list(take[2])])
    print((indices - indices[0]).tolist(), keys, values)
    for bad in (raw.BarrierInsertMany(handle=b, keys=['k3'], values=[[1., 2.]], component_index=0),
                raw.BarrierInsertMany(handle=b, keys=['k3'], values=[[1.]], component_index=0)):
        try:
            sess.run(bad)
        except tf.errors.InvalidArgumentError:
            print('InvalidArgumentError')
    sess.run(raw.BarrierClose(handle=b))
    for op in (raw.BarrierInsertMany(handle=b, keys=['new'], values=['x'], component_index=1),
               raw.BarrierTakeMany(handle=b, num_elements=2, component_types=[tf.float32, tf.string])[0]):
        try:
            sess.run(op)
        except (tf.errors.CancelledError, tf.errors.OutOfRangeError) as e:
            print(type(e).__name__)
    sess.run(raw.BarrierInsertMany(handle=b, keys=['k3'], values=['three'], component_index=1))
    print(sizes())
    small = raw.BarrierTakeMany(handle=b, num_elements=5, component_types=[tf.float32, tf.string], allow_small_batch=True)
    print(sess.run(small[1]))

    args = dict(shared_name='area')
    put = raw.Stage(values=[tf.constant([1., 2.]), tf.constant('a')], **args)
    sess.run(put)
    sess.run(put)
    types = [tf.float32, tf.string]
    print(sess.run(raw.StageSize(dtypes=types, **args)), sess.run(raw.StagePeek(index=1, dtypes=types, **args)))
    print(sess.run(raw.Unstage(dtypes=types, **args)), sess.run(raw.StageSize(dtypes=types, **args)))
    sess.run(raw.StageClear(dtypes=types, **args))
    print(sess.run(raw.StageSize(dtypes=types, **args)))
