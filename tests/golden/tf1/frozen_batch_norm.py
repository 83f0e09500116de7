# Repairs of frozen graphs that many scripts apply: ops on references become ops on values, attributes and devices
# are removed.
import copy
import tensorflow as tf


def build():
    g = tf.GraphDef()
    g.versions.producer = 134
    n = g.node.add(name='x', op='Placeholder', device='/device:GPU:0')
    n.attr['dtype'].type = tf.float32.as_datatype_enum
    n.attr['shape'].shape.dim.add(size=1)
    n.attr['shape'].shape.dim.add(size=2)
    n = g.node.add()
    n.name, n.op = 'pred', 'Const'
    n.attr['dtype'].type = tf.bool.as_datatype_enum
    n.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(True))
    n = g.node.add()
    n.name = 'cond/Switch'
    n.op = 'RefSwitch'
    n.input.extend(['moving/read', 'pred'])
    n.attr['T'].type = 1
    n = g.node.add(name='moving', op='Const')
    n.attr['dtype'].type = 1
    n.attr['value'].tensor.CopyFrom(tf.make_tensor_proto([4., 6.]))
    n = g.node.add(name='moving/read', op='Identity', input=['moving'])
    n.attr['T'].type = 1
    n.attr['_class'].list.s.append(b'loc:@moving')
    n = g.node.add(name='delta', op='Identity', input=['x'])
    n.attr['T'].type = 1
    n = g.node.add(name='update', op='AssignSub', input=['cond/Switch:1', 'delta'])
    n.attr['T'].type = 1
    n.attr['use_locking'].b = True
    n.attr['_class'].list.s.extend([b'loc:@moving', b'loc:@x'])
    g.node.add(name='junk', op='NoOp')
    return g


gd = build()
print([(n.name, n.op) for n in gd.node])
for node in gd.node:
    if node.op == 'RefSwitch':
        node.op = 'Switch'
        for index in range(len(node.input)):
            if 'moving' in node.input[index] and 'read' not in node.input[index]:
                node.input[index] = node.input[index] + '/read'
    elif node.op == 'AssignSub':
        node.op = 'Sub'
        if 'use_locking' in node.attr:
            del node.attr['use_locking']
    elif node.op == 'AssignAdd':
        node.op = 'Add'
        if 'use_locking' in node.attr:
            del node.attr['use_locking']
    elif node.op == 'Assign':
        node.op = 'Identity'
        if 'use_locking' in node.attr:
            del node.attr['use_locking']
        if 'validate_shape' in node.attr:
            del node.attr['validate_shape']
    if '_class' in node.attr:
        node.attr.pop('_class')
    node.device = ''
for n in gd.node:
    print(n.name, n.op, list(n.input), sorted(n.attr), repr(n.device))

junk = [n for n in gd.node if n.op == 'NoOp']
for n in junk:
    gd.node.remove(n)
print(len(gd.node), junk[0].name)

# The batch may have any size.
for n in gd.node:
    if n.op == 'Placeholder':
        n.attr['shape'].shape.dim[0].size = -1
        print([d.size for d in n.attr['shape'].shape.dim], tf.TensorShape(n.attr['shape'].shape).as_list())
with tf.Graph().as_default() as g:
    tf.import_graph_def(gd, name='')
    with tf.Session() as sess:
        print(sess.run('update:0', {'x:0': [[1., 2.], [3., 4.]]}).tolist())
    print(g.get_tensor_by_name('x:0').shape.as_list())

# A constant becomes a placeholder, an input is cut off.
other = copy.deepcopy(gd)
for i, n in enumerate(other.node):
    if n.name == 'pred':
        n.Clear()
        n.name, n.op = 'pred', 'PlaceholderWithDefault'
        n.input.append('pred/default')
        n.attr['dtype'].type = tf.bool.as_datatype_enum
        n.attr['shape'].shape.CopyFrom(tf.TensorShape([]).as_proto())
        at = i
first = tf.NodeDef()
first.CopyFrom([n for n in gd.node if n.name == 'pred'][0])
first.name = 'pred/default'
other.node.insert(at, first)
first.name = 'not in the graph'
print([n.name for n in other.node], other == gd, gd == copy.copy(gd))
with tf.Graph().as_default():
    out, = tf.import_graph_def(other, return_elements=['update:0'], name='again')
    with tf.Session() as sess:
        print(sess.run(out, {'again/x:0': [[1., 2.]]}).tolist())
for n in gd.node:
    if n.name == 'update':
        kept = list(n.input)
        del n.input[:]
        print(len(n.input), kept)
        n.input.extend(kept)
        print(n.input.pop(), n.input.pop(0), len(n.input))
        n.input[:] = ['a', 'b', 'c', 'd']
        del n.input[1]
        del n.input[::2]
        print(n.input)
