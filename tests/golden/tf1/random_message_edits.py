# Random edits of messages, of parts that are held, and of parts that were cleared meanwhile: the state after each tenth edit.
import copy
import random
import tensorflow as tf
from google.protobuf import text_format


def show(m):
    return text_format.MessageToString(m, as_one_line=True)


def edit(k, roots, attrs, lists, tensors, shapes, nodes, funcs):
    """Makes one of the edits with random parts. An edit of a list without parts does nothing."""
    def pick(parts):
        return random.choice(parts) if parts else None
    n, a, l, t, s, f = pick(nodes), pick(attrs), pick(lists), pick(tensors), pick(shapes), pick(funcs)
    key = random.choice('abc')
    if k == 0:
        attrs.append(n.attr[key])
    elif k == 1:
        tensors.append(a.tensor)
    elif k == 2:
        lists.append(a.list)
    elif k == 3:
        shapes.append(a.shape)
    elif k == 4:
        funcs.append(a.func)
    elif k == 5:
        a.i = random.randrange(3)
    elif k == 6:
        a.s = random.choice((b'', b'x'))
    elif k == 7:
        a.b = random.random() < .5
    elif k == 8:
        a.f = random.choice((0., 1.5, -0.))
    elif k == 9:
        a.type = random.choice((0, 1, 3))
    elif k == 10:
        a.placeholder = random.choice(('', 'p'))
    elif k == 11 and t:
        t.dtype = random.choice((0, 1, 3))
    elif k == 12 and t:
        t.float_val.extend([1., 2.])
    elif k == 13 and t:
        shapes.append(t.tensor_shape)
    elif k == 14 and s:
        s.dim.add(size=random.randrange(3))
    elif k == 15 and s:
        s.unknown_rank = random.random() < .5
    elif k == 16 and l:
        l.i.append(random.randrange(5))
    elif k == 17 and l:
        tensors.append(l.tensor.add())
    elif k == 18 and l:
        shapes.append(l.shape.add())
    elif k == 19 and l and len(l.shape):
        del l.shape[random.randrange(len(l.shape))]
    elif k == 20 and l and len(l.tensor):
        l.tensor.pop()
    elif k == 21 and f:
        attrs.append(f.attr[key])
    elif k == 22 and f:
        f.name = random.choice(('', 'f'))
    elif k == 23:
        n.attr.pop(key, None)
    elif k == 24:
        a.ClearField('value')
    elif k == 25:
        random.choice(roots).Clear()
    elif k == 26:
        b = pick(attrs)
        if b.ByteSize() < 3000:
            a.CopyFrom(copy.deepcopy(b))
    elif k == 27:
        b = pick(attrs)
        if b.ByteSize() + a.ByteSize() < 3000:
            a.MergeFrom(copy.deepcopy(b))
    elif k == 28:
        m = pick(nodes)
        if m.ByteSize() + n.ByteSize() < 3000:
            n.MergeFrom(copy.deepcopy(m))
    elif k == 29:
        n.name = random.choice(('', 'n'))
        n.input.append('i')
    elif k == 30:
        n.ParseFromString(n.SerializeToString())
    elif k == 31 and l:
        l.SetInParent()
    elif k == 33 and t:
        t.CopyFrom(tf.make_tensor_proto([1., 2.]))


for seed in range(40):
    random.seed(seed)
    roots = [tf.NodeDef(), tf.NodeDef(), tf.AttrValue()]
    parts = [roots[2]], [], [], [], roots[:2], []
    for step in range(60):
        edit(random.randrange(34), roots, *parts)
        if step % 10 == 9:
            attrs, lists, tensors, shapes, _, funcs = parts
            held = attrs[-3:] + lists[-2:] + tensors[-2:] + shapes[-2:] + funcs[-2:]
            print(seed, step, [show(m) for m in roots + held], [a.WhichOneof('value') for a in attrs[-3:]])
