# Graphs in text form: text_format in both directions, files of write_graph.
import os
import tempfile
import tensorflow as tf
from google.protobuf import text_format

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    y = tf.multiply(x, [[2., 3.]], name='y')
gd = g.as_graph_def()
text = text_format.MessageToString(gd)
again = text_format.Parse(text, tf.GraphDef())
print(again == gd, text_format.MessageToString(again) == text)
for n in again.node:
    if n.name == 'y':
        n.name = 'z'
        n.device = '/cpu:0'
        print(text_format.MessageToString(n))
node = text_format.Parse('''
  # A node.
  name: "a" "b"  op: 'Const'
  input: ["p", "q:1"]
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: -1 } }
                                       float_val: [1.5, -2, 1e-3, inf] tensor_content: "\\001\\x02\\n" } } }
  attr { key: "list" value < list { type: [DT_INT32, DT_BOOL] b: true b: false s: "x" i: 0x10 i: -5 } >; }
''', tf.NodeDef())
print(node.name, node.op, list(node.input), list(node.attr['value'].tensor.float_val), node.attr['value'].tensor.tensor_content)
print(node.attr['list'])
print(text_format.MessageToString(node.attr['value'].tensor.tensor_shape, as_one_line=True))
text_format.Merge('input: "more" device: "/gpu:1"', node)
print(list(node.input), node.device)
for wrong in ('nothing: 1', 'attr { key: "x" value { nothing: 1 } }', 'name "x"', 'name: "x', '}'):
    try:
        text_format.Parse(wrong, tf.NodeDef())
    except text_format.ParseError as e:
        print('ParseError', str(e).split(' : ')[-1] if 'nothing' in wrong else '')
folder = tempfile.mkdtemp()
again.node[0].attr['shape'].shape.dim[0].size = 5
print(tf.train.write_graph(again, folder, 'g.pbtxt') == os.path.join(folder, 'g.pbtxt'))
tf.train.write_graph(again, folder, 'g.pb', as_text=False)
with open(os.path.join(folder, 'g.pbtxt')) as f:
    read = text_format.Parse(f.read(), tf.GraphDef())
binary = tf.GraphDef()
with tf.gfile.GFile(os.path.join(folder, 'g.pb'), 'rb') as f:
    binary.ParseFromString(f.read())
print(read == again, binary == again, binary == gd, [d.size for d in binary.node[0].attr['shape'].shape.dim])
print([(n.name, n.device) for n in binary.node])
attr = tf.AttrValue(f=1. / 3)
print(attr, text_format.MessageToString(attr))
attr.list.f.extend([1., 1e10, 123456.789, 1e-10, 16777217., float('nan'), float('-inf')])
print(attr, text_format.MessageToString(attr))
print(tf.AttrValue(s=b'\x00\xff\n"\'\\'), tf.AttrValue(type=101), tf.AttrValue(b=True), tf.AttrValue(i=-1))
