"""tf.saved_model: written, read, with a table and its file; and graphs as text."""
import os
import shutil

import numpy as np
import tensorflow as tf
from google.protobuf import text_format

here = './tmp%d_' % os.getpid()
mine, mine2, vocab = here + 'mine', here + 'mine2', here + 'vocab.txt'
with tf.Session(graph=tf.Graph()) as sess:
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    w = tf.get_variable('w', initializer=np.arange(12, dtype='float32').reshape(4, 3))
    y = tf.identity(tf.matmul(x, w), name='y')
    sess.run(tf.global_variables_initializer())
    sess.run(w.assign_add(tf.ones([4, 3])))
    tf.saved_model.simple_save(sess, mine, inputs={'x': x}, outputs={'y': y})
print(sorted(os.listdir(mine)), sorted(os.listdir(mine + '/variables')))
print(tf.saved_model.loader.maybe_saved_model_directory(mine))
with tf.Session(graph=tf.Graph()) as sess:
    mg = tf.saved_model.loader.load(sess, ['serve'], mine)
    print(mg.signature_def['serving_default'])
    print(sess.run('y:0', {'x:0': np.ones((1, 4))}))
try:
    tf.saved_model.loader.load(tf.Session(), ['train'], mine)
except RuntimeError as e:
    print(str(e).replace(here, ''))
try:
    tf.saved_model.loader.load(tf.Session(), ['serve'], 'nothing')
except IOError as e:
    print(str(e).replace(here, ''))
try:
    tf.saved_model.builder.SavedModelBuilder(mine)
except AssertionError as e:
    print(str(e).replace(here, ''))
g = tf.Graph()
with tf.Session(graph=g) as sess:
    x = tf.placeholder(tf.string, [None], name='x')
    with open(vocab, 'w') as f:
        f.write('a\nb\nc\n')
    table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(vocab, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
    y = tf.identity(table.lookup(x), name='y')
    sess.run(tf.tables_initializer())
    b = tf.saved_model.builder.SavedModelBuilder(mine2)
    sig = tf.saved_model.signature_def_utils.build_signature_def(inputs={'x': tf.saved_model.utils.build_tensor_info(x)}, outputs={'y': tf.saved_model.utils.build_tensor_info(y)}, method_name=tf.saved_model.signature_constants.PREDICT_METHOD_NAME)
    b.add_meta_graph_and_variables(sess, [tf.saved_model.tag_constants.SERVING], signature_def_map={'serving_default': sig}, assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS), main_op=tf.tables_initializer())
    b.save()
print(sorted(os.listdir(mine2)), [n[-9:] for n in os.listdir(mine2 + '/assets')])
os.remove(vocab)
with tf.Session(graph=tf.Graph()) as sess:
    tf.saved_model.loader.load(sess, ['serve'], mine2)
    print(sess.run('y:0', {'x:0': ['b', 'zz', 'c']}))
shutil.rmtree(mine)
shutil.rmtree(mine2)

g = tf.Graph()
with g.as_default():
    a = tf.constant([[1., float('nan')], [3., -float('inf')]], name='a')
    s = tf.constant(['x"\n\0\xe9', ''], name='s')
    c = tf.constant(1 + 2j, name='c')
    n = tf.while_loop(lambda n: n < 3, lambda n: n + 1, [0], name='n')
text = str(g.as_graph_def())
graph_def = tf.GraphDef()
text_format.Merge(text, graph_def)
with tf.Graph().as_default():
    tf.import_graph_def(graph_def, name='')
    print(tf.Session().run(['a:0', 's:0', 'c:0', 'n/Exit:0']))
for text in ['node < name: "q" "r" op: \'NoOp\' > # comment\nversions: { producer: 0x10 }',
             'node { name: "a" op: "Const" '
             'attr { key: "value" value { tensor { dtype: 1 tensor_shape { dim { size: 2 } } float_val: [1.5f, -inf] } } } }']:
    graph_def = tf.GraphDef()
    text_format.Parse(text, graph_def)
    print(graph_def)
for text in ['node {', 'node { name: }', 'node { name: "a }', 'node { name: "a" op: 3 }', 'x', 'node: 3', '}']:
    try:
        text_format.Merge(text, tf.GraphDef())
        print('fine')
    except text_format.ParseError:
        print('no text')

graph_def = tf.GraphDef()
text_format.Merge("node { name: 'x' op: 'NoSuchOp' }", graph_def)
try:
    tf.import_graph_def(graph_def)
except tf.errors.NotFoundError as e:
    print(e.message.split(' in binary')[0])

# The shapes of signatures are messages.
x = tf.placeholder(tf.float32, [None, 3], name='sized')
info = tf.saved_model.utils.build_tensor_info(x) if hasattr(tf.saved_model, 'utils') else tf.saved_model.build_tensor_info(x)
print([d.size for d in info.tensor_shape.dim], info.tensor_shape.unknown_rank, [d.size for d in x.shape.as_proto().dim])
print(tf.TensorShape(info.tensor_shape).as_list(), tf.TensorShape(None).as_proto().unknown_rank)
