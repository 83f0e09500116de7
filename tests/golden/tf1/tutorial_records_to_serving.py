"""Records, hooks, checkpoints, summaries and a SavedModel, as scripts with flags had them."""
import os, sys, time, json, tempfile, shutil, math, random, logging
import numpy as np
import tensorflow as tf
FLAGS = tf.app.flags.FLAGS
flags = tf.app.flags
flags.DEFINE_string('data_dir', '/tmp', 'dir')
flags.DEFINE_enum('mode', 'train', ['train', 'eval'], 'Mode')
flags.DEFINE_list('layers', '1,2', 'Layers')
flags.DEFINE_multi_integer('ks', [3, 4], 'ks')
flags.DEFINE_bool('debug', False, 'dbg')
def model_fn(features, labels, mode, params):
    net = tf.layers.dense(features, params['n'], tf.nn.relu, kernel_initializer=tf.ones_initializer())
    logits = tf.layers.dense(net, 2, kernel_initializer=tf.ones_initializer())
    predictions = {'classes': tf.argmax(logits, 1), 'probabilities': tf.nn.softmax(logits, name='softmax_tensor')}
    loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 2), logits)
    return predictions, loss
def serving(x):
    return tf.saved_model.utils.build_tensor_info(x)
def main(_):
    print(FLAGS.mode, FLAGS.layers, FLAGS.ks, FLAGS.debug)
    tf.logging.set_verbosity(tf.logging.ERROR)
    d = tempfile.mkdtemp()
    path = os.path.join(d, 'a.tfrecord')
    with tf.python_io.TFRecordWriter(path) as w:
        for i in range(6):
            img = np.full((4, 4, 1), i, np.uint8)
            ex = tf.train.Example(features=tf.train.Features(feature={
                'image/encoded': tf.train.Feature(bytes_list=tf.train.BytesList(value=[img.tobytes()])),
                'image/class/label': tf.train.Feature(int64_list=tf.train.Int64List(value=[i % 2])),
                'w': tf.train.Feature(float_list=tf.train.FloatList(value=[i * .5, 1.]))}))
            w.write(ex.SerializeToString())
    def parse(rec):
        f = tf.parse_single_example(rec, {'image/encoded': tf.FixedLenFeature((), tf.string, ''), 'image/class/label': tf.FixedLenFeature([], tf.int64, -1), 'w': tf.VarLenFeature(tf.float32)})
        im = tf.reshape(tf.decode_raw(f['image/encoded'], tf.uint8), [4, 4, 1])
        im = tf.cast(im, tf.float32) * (1. / 255) - 0.5
        return im, tf.cast(f['image/class/label'], tf.int32), tf.sparse_tensor_to_dense(f['w'])
    ds = tf.data.TFRecordDataset([path]).map(parse, num_parallel_calls=2).apply(tf.contrib.data.shuffle_and_repeat(10) if False else tf.data.experimental.shuffle_and_repeat(1, 2)).batch(4).prefetch(1)
    it = ds.make_initializable_iterator()
    im, lab, w = it.get_next()
    preds, loss = model_fn(tf.layers.flatten(im), lab, 'train', {'n': 3})
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdagradOptimizer(0.1).minimize(loss, step)
    tf.summary.scalar('loss', loss)
    tf.summary.image('im', im, 1)
    acc, upd = tf.metrics.accuracy(lab, preds['classes'])
    info = serving(im)
    print(info.name, info.dtype == tf.float32.as_datatype_enum)
    hooks = [tf.train.StopAtStepHook(last_step=4), tf.train.NanTensorHook(loss),
             tf.train.CheckpointSaverHook(d, save_steps=2), tf.train.SummarySaverHook(save_steps=1, output_dir=d, summary_op=tf.summary.merge_all()),
             tf.train.LoggingTensorHook({'loss': loss}, every_n_iter=1)]
    with tf.train.SingularMonitoredSession(hooks=hooks[:1] + hooks[2:4]) as sess:
        sess.raw_session().run(it.initializer)
        while not sess.should_stop():
            try:
                _, l, a, g = sess.run([train, loss, upd, step])
                print(g, '%.4f' % l, a)
            except tf.errors.OutOfRangeError:
                print('end'); break
    print(sorted(f for f in os.listdir(d) if f.endswith('.index')), sum(f.startswith('events') for f in os.listdir(d)))
    ev = [f for f in sorted(os.listdir(d)) if f.startswith('events')][0]
    tags = []
    for e in tf.train.summary_iterator(os.path.join(d, ev)):
        for v in e.summary.value:
            tags.append((e.step, v.tag))
    print(tags)
    ckpt = tf.train.get_checkpoint_state(d)
    print(os.path.basename(ckpt.model_checkpoint_path), len(ckpt.all_model_checkpoint_paths), int(ckpt.model_checkpoint_path.split('/')[-1].split('-')[-1]))
    with tf.Session() as sess:
        tf.train.Saver().restore(sess, ckpt.model_checkpoint_path)
        print(sess.run(step), sess.run(tf.train.get_global_step()))
        tf.train.write_graph(sess.graph_def, d, 'graph.pbtxt', as_text=True)
        print(os.path.getsize(os.path.join(d, 'graph.pbtxt')) > 1000)
        builder = tf.saved_model.builder.SavedModelBuilder(os.path.join(d, 'export'))
        sig = tf.saved_model.signature_def_utils.predict_signature_def(inputs={'x': im}, outputs={'y': preds['classes']})
        builder.add_meta_graph_and_variables(sess, [tf.saved_model.tag_constants.SERVING], signature_def_map={tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY: sig})
        builder.save()
    with tf.Session(graph=tf.Graph()) as sess:
        meta = tf.saved_model.loader.load(sess, ['serve'], os.path.join(d, 'export'))
        s = meta.signature_def['serving_default']
        print(sess.run(s.outputs['y'].name, {s.inputs['x'].name: np.zeros((2, 4, 4, 1), np.float32)}), s.method_name)
if __name__ == '__main__':
    tf.app.run(main)
