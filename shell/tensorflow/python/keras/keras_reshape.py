"""Keras layers: changes of the shape."""
from _library.keras_rules import Refused, dims, is_first, layer, rank


@layer('Flatten')
def _flatten(n, x):
    if is_first(n) and rank(x) > 2:
        x = tf.transpose(x, [0] + list(range(2, rank(x))) + [1])
    if rank(x) == 1:
        return tf.expand_dims(x, -1)
    size = 1
    for d in x.shape.as_list()[1:]:
        size = size * d if d is not None and size is not None else None
    if size is not None:
        return tf.reshape(x, [-1, size])
    return tf.reshape(x, tf.stack([tf.shape(x)[0], -1]))


@layer('Reshape')
def _reshape(n, x):
    target = [int(d) if d is not None else -1 for d in n.get('target_shape', [])]
    known = x.shape.as_list()
    if -1 in target and None not in known[1:]:
        rest = total = 1
        for d in target:
            rest *= d if d >= 0 else 1
        for d in known[1:]:
            total *= d
        if not rest or total % rest:
            raise Refused('%s does not reshape to %s' % (known[1:], target))
        target = [total // rest if d < 0 else d for d in target]
    y = tf.reshape(x, [-1] + target) if -1 not in target else tf.reshape(x, tf.stack([tf.shape(x)[0]] + target))
    y.set_shape([known[0]] + [d if d >= 0 else None for d in target])
    return y


@layer('Permute')
def _permute(n, x):
    return tf.transpose(x, [0] + list(n.get('dims', [])))


@layer('RepeatVector')
def _repeat_vector(n, x):
    return tf.tile(tf.expand_dims(x, 1), [1, n.get('n', 1), 1])


def _child(n):
    return [('layer', n.child_of(n.get('layer')))]


@layer('TimeDistributed', None, _child, keeps_mask=True)
def _time_distributed(n, x):
    """Applies the inner layer to all times at once: they become part of the batch."""
    shape, inner = dims(x), n.children['layer']
    known = x.shape.as_list()
    flat = tf.reshape(x, tf.stack([-1] + shape[2:]))
    flat.set_shape([None] + known[2:])
    y = inner.apply(flat)
    y = y[0] if isinstance(y, (list, tuple)) else y
    made = tf.reshape(y, tf.stack(shape[:2] + dims(y)[1:]))
    made.set_shape(known[:2] + y.shape.as_list()[1:])
    return made


@layer('Wrapper', None, _child)
def _wrapper(n, *args, **kwargs):
    return n.children['layer'].apply(*args, **kwargs)
