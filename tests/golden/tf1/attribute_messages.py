# Attributes as messages: maps, oneofs, lists, presence.
import copy
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2

n = tf.NodeDef(name='n', op='Op')
print(len(n.attr), 'x' in n.attr, n.attr.get('x'), n.attr.get('x', 5), len(n.attr))
n.attr['i'].i = -3
n.attr['f'].f = 0.1
n.attr['b'].b = False
n.attr['s'].s = b'bytes'
n.attr['t'].type = 'DT_INT32'
n.attr['l'].list.i.extend([1, 2, 1 << 40])
n.attr['fn'].func.name = 'F'
n.attr['fn'].func.attr['T'].type = 1
n.attr['p'].placeholder = 'T'
n.attr['empty'].list.SetInParent()
n.attr['shape'].shape.unknown_rank = True
n.attr['nothing']
print(sorted(n.attr), len(n.attr))
for key in sorted(n.attr):
    print(key, n.attr[key].WhichOneof('value'), n.attr[key].HasField('i'), n.attr[key].ByteSize())
print(n.attr['f'].f, n.attr['i'].i, n.attr['b'].b, n.attr['t'].type, list(n.attr['l'].list.i), n.attr['i'].f, n.attr['i'].s)
print(sorted((k, str(v)) for k, v in n.attr.items()))
print(len(n.attr.values()), sorted(k for k in n.attr.keys() if len(k) == 1), n.attr['fn'].func)

# One member of the oneof is set at a time. Reading another does not set it; changing it does.
a = tf.AttrValue(i=1)
tensor, listed = a.tensor, a.list
print(a.WhichOneof('value'), a.HasField('tensor'), a.HasField('list'), a.tensor.dtype, len(a.list.s))
tensor.dtype = 3
print(a.WhichOneof('value'), a.i)
listed.f.append(0.5)
print(a.WhichOneof('value'), a, a.tensor.dtype, tensor.dtype)
a.s = b''
print(a.WhichOneof('value'), a.HasField('s'), a.HasField('value'), len(listed.f))
a.ClearField('s')
print(a.WhichOneof('value'), a.HasField('value'), a.ByteSize(), repr(str(a)))
a.type = 7
a.ClearField('value')
print(a == tf.AttrValue(), tf.AttrValue(i=0) == tf.AttrValue(), tf.AttrValue(i=0).SerializeToString())
deep = tf.AttrValue()
deep.list.func.add().attr['x'].list.shape.add().dim.add(size=2, name='rows')
print(deep)
print(deep.list.func[0].attr['x'].list.shape[0].dim[0].name, deep.WhichOneof('value'))
x = deep.list.func[0]
deep.Clear()
x.name = 'by itself'
print(x.name, len(x.attr), deep.ByteSize())
inner = tf.NodeDef(name='dies').attr['kept']
inner.i = 7
print(inner)
m = copy.deepcopy(n)
m.attr['i'].i += 1
print(m == n, m != n, n.attr['i'].i, m.attr['i'].i)
m.attr['i'].i -= 1
print(m == n, m.attr == n.attr, m.attr['l'] == n.attr['l'], m.attr['l'] == n.attr['i'])
del m.attr['i']
print('i' in m.attr, m == n)
m.attr.MergeFrom(n.attr)
print(m == n)
m.attr['l'].CopyFrom(n.attr['f'])
print(m.attr['l'].WhichOneof('value'))
m.MergeFrom(n)
print(list(m.attr['l'].list.i), m.name)
m.MergeFrom(tf.NodeDef(name='merged', input=['a', 'b']))
m.MergeFrom(tf.NodeDef(input=['c'], attr={'i': tf.AttrValue(f=2.)}))
print(m.name, m.input, m.attr['i'].f, m.op)
print(tf.NodeDef.FromString(m.SerializeToString()) == m)
b = tf.AttrValue(list=tf.AttrValue.ListValue(s=[b'x', b'y'], b=[True, False], type=[1, 'DT_BOOL'],
                                             shape=[tf.TensorShape([2]).as_proto()], tensor=[tensor_pb2.TensorProto(dtype=1)]))
print(b)
print([(f.name, f.number) for f, _ in b.list.ListFields()], [f.name for f, _ in b.ListFields()])
print(type(b.list).__name__, isinstance(b.list, tf.AttrValue.ListValue), tf.AttrValue.DESCRIPTOR.full_name, tf.AttrValue.I_FIELD_NUMBER)
print(tf.AttrValue.DESCRIPTOR.fields_by_name['list'].message_type.name)
f = tf.NameAttrList(name='g', attr={'N': tf.AttrValue(i=2)})
print(f)
c = tf.AttrValue()
c.func.CopyFrom(f)
c.func.name = 'h'
print(c.func.name, f.name, c.func.attr['N'].i)
c.CopyFrom(c)
print(c)
