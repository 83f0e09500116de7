# Messages from damaged bytes: what is refused, and that the rest can be read, changed and written.
import copy
import random
import tensorflow as tf
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from tensorflow.core.framework import function_pb2, tensor_pb2

random.seed(7)


def varint(n):
    out = []
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + [n])


def fields(depth):
    """Returns random fields, most of which contain others."""
    out = b''
    for _ in range(random.randint(0, 5)):
        number, kind = random.randint(1, 20), random.choice((0, 2, 2, 2, 2, 1, 5))
        out += varint(number << 3 | kind)
        if kind == 0:
            out += varint(random.choice((0, 1, 3, 127, 1 << 31, (1 << 64) - 1, 1 << 63)))
        elif kind == 2:
            leaf = random.choice((b'', b'abc', b'k', bytes(4), bytes(8), b'\x01\x02', b'\xff'))
            inner = fields(depth - 1) if depth and random.random() < .8 else leaf
            out += varint(len(inner)) + inner
        else:
            out += bytes(8) if kind == 1 else bytes([0, 0, 128, 63])
    return out


def walk(message):
    """Counts the values in a message."""
    count = 0
    for field, value in message.ListFields():
        if hasattr(value, 'ListFields'):
            count += walk(value)
        elif hasattr(value, 'keys'):
            for key in value:
                count += walk(value[key]) if hasattr(value[key], 'ListFields') else 1
        elif hasattr(value, 'append'):
            count += sum([walk(v) if hasattr(v, 'ListFields') else 1 for v in value])
        else:
            count += 1
    return count


for cls in (tf.GraphDef, tf.MetaGraphDef, tf.AttrValue, tensor_pb2.TensorProto, function_pb2.FunctionDef):
    good = bad = values = 0
    for i in range(400):
        try:
            m = cls.FromString(fields(4))
        except DecodeError:
            bad += 1
            continue
        good += 1
        values += walk(m)
        twice = cls()
        twice.MergeFrom(m)
        twice.MergeFrom(m)
        again = cls.FromString(m.SerializeToString())
        again.SetInParent()
        if again.SerializeToString() != cls.FromString(again.SerializeToString()).SerializeToString():
            print('not the same bytes', i)
        if walk(again) != walk(m) or walk(twice) < walk(m) or (m == m) != (again == m):
            print('not the same message', i)
        text_format.MessageToString(m)
        m.DiscardUnknownFields()
        for field, _ in m.ListFields():
            m.ClearField(field.name)
        if m.ByteSize():
            print('not empty', i)
    if cls in (tf.AttrValue, tensor_pb2.TensorProto):  # TensorFlow knows more fields of the others
        print(cls.__name__, good, bad, values)

with tf.Graph().as_default() as g:
    x = tf.placeholder(tf.float32, [2, None], name='x')
    y = tf.matmul(x, [[1., 2.]], transpose_b=True, name='y')
data = g.as_graph_def().SerializeToString()
for i in range(600):
    damaged = bytearray(data)
    at = random.randrange(len(damaged))
    if i % 4:
        damaged[at] = random.randrange(256)
    else:
        del damaged[at:at + random.randint(1, 9)]
    gd = tf.GraphDef()
    try:
        gd.ParseFromString(bytes(damaged))
    except DecodeError:
        continue
    other = copy.deepcopy(gd)
    for n in gd.node:
        n.device = '/cpu:0'
        n.attr['T'].type = 1
        if n.attr['value'].HasField('tensor'):
            n.attr['value'].tensor.float_val.append(1.)
    text_format.Parse(text_format.MessageToString(gd), tf.GraphDef())
    other.ParseFromString(gd.SerializeToString())
    if other != gd and gd == gd:
        print('not equal', i)
print('done')
