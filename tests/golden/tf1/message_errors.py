# What messages refuse, and the errors they raise.
import tensorflow as tf
from google.protobuf.message import DecodeError, Message
from tensorflow.core.framework import tensor_pb2, versions_pb2

n, g, a = tf.NodeDef(name='n', input=['x', 'y']), tf.GraphDef(), tf.AttrValue()
t, v = tensor_pb2.TensorProto(), versions_pb2.VersionDef()
n.attr['k'].i = 1
STATEMENTS = '''n.name = 5
n.name = None
n.name = b'bytes'
n.name = b'\\xff'
a.s = 'text'
a.s = 5
a.i = 'x'
a.i = 1.5
a.i = 1 << 63
a.i = None
a.f = 'x'
a.f = 2
a.b = 'x'
a.b = 1
a.type = 'DT_FLOAT'
a.type = 'nothing'
a.type = 1 << 40
v.producer = 1 << 31
t.uint32_val.append(-1)
t.uint64_val.append(1 << 64)
t.int_val.append('x')
t.string_val.append('x')
t.float_val.extend([1, 'x'])
n.nothing = 1
del n.name
n.attr = {}
n.input = ['x']
a.tensor = t
g.node = []
n.attr['k'] = a
n.attr[5]
5 in n.attr
del n.attr['absent']
n.attr.setdefault('q')
n.input[5]
n.input[-3]
n.input[2] = 'x'
n.input['x']
n.input[0] = 5
n.input.append(5)
n.input.append(None)
n.input.extend(5)
n.input.extend([1])
n.input.remove('absent')
n.input.insert(0, 5)
del n.input[17]
g.node[0]
g.node.append(5)
g.node.append(a)
g.node.extend([a])
g.node[0] = n
g.node.add(nothing=1)
g.node.add(name=5)
g.node.add(n)
g.node.remove(n)
tf.NodeDef(nothing=1)
tf.NodeDef(name=5)
tf.NodeDef('x')
tf.NodeDef(attr=5)
tf.NodeDef(input=5)
tf.AttrValue(shape=5)
tf.AttrValue(tensor=a)
tf.GraphDef(node=[5])
n.HasField('nothing')
n.HasField('name')
n.HasField('attr')
n.HasField(5)
n.ClearField('nothing')
n.WhichOneof('value')
a.WhichOneof('nothing')
n.CopyFrom(a)
n.CopyFrom(5)
n.MergeFrom(None)
n.ParseFromString('x')
n.ParseFromString(b'\\xff\\xff')
n.ParseFromString(b'\\n\\x05ab')
n.ParseFromString(b'\\n\\x02\\xff\\xfe')
n.MergeFromString(b'\\xff')
tf.NodeDef.FromString(b'\\xff')
g.ParseFromString(b'\\n\\x04\\n\\x09ab')
hash(n)
n < n
len(n)
n[0]
for k in n.attr: del n.attr[k]'''
for s in STATEMENTS.split('\n'):
    try:
        exec(s)
        print('fine:', s)
    except Exception as e:
        print('%s: %s' % (type(e).__name__, e) if type(e) is not KeyError else 'KeyError', '|', s)
print(n, list(t.float_val), a.WhichOneof('value'))
print(issubclass(DecodeError, ValueError), isinstance(n, Message), isinstance(n, tf.GraphDef), n == 5, n != 5, n == a)
try:
    tf.import_graph_def(n)
except Exception as e:
    print(type(e).__name__)

# A message that nests deeper than 100 levels is refused.
def field(number, data):
    size, length = len(data), b''
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + data


for depth in (10, 33, 34, 1000):
    data = b''
    for i in range(depth):
        data = field(10, field(2, field(1, b'k') + field(2, data)))
    try:
        print(depth, tf.AttrValue.FromString(data).ByteSize() == len(data))
    except DecodeError as e:
        print(depth, type(e).__name__)
