"""tf.contrib.layers.utils: named outputs of layers, statically known conditions, and sizes."""
import collections

NamedOutputs = collections.namedtuple('NamedOutputs', ['name', 'outputs'])
_aliases = {}  # aliases of tensors


def append_tensor_alias(tensor, alias):
    """Adds an alias to a tensor."""
    _aliases.setdefault(tensor, []).append(alias[:-1] if alias[-1] == '/' else alias)
    return tensor


def get_tensor_aliases(tensor):
    """Returns the aliases of a tensor, or its name."""
    return _aliases.get(tensor, [tensor.op.name if tensor.name[-2:] == ':0' else tensor.name])


def gather_tensors_aliases(tensors):
    """Returns the aliases of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def collect_named_outputs(collections, alias, outputs):
    """Adds outputs to collections under an alias, and returns them."""
    if collections:
        append_tensor_alias(outputs, alias)
        tf.add_to_collections(collections, outputs)
    return outputs


def convert_collection_to_dict(collection, clear_collection=False):
    """Returns {alias: tensor} for a collection."""
    found = collections.OrderedDict((alias, tensor) for tensor in tf.get_collection(collection)
                                    for alias in get_tensor_aliases(tensor))
    if clear_collection:
        tf.get_default_graph().clear_collection(collection)
    return found


def constant_value(value_or_tensor_or_var, dtype=None):
    """Returns the value if it is known before a run; otherwise None."""
    value = value_or_tensor_or_var
    if value is None:
        raise ValueError('value_or_tensor_or_var cannot be None')
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        return value
    if dtype and value.dtype != dtype:
        raise ValueError('It has the wrong type %s instead of %s' % (value.dtype, dtype))
    return None if isinstance(value, tf.Variable) else tf.get_static_value(value)


def static_cond(pred, fn1, fn2):
    """Returns fn1() or fn2(), depending on the Python value pred."""
    for name, fn in (('fn1', fn1), ('fn2', fn2)):
        if not callable(fn):
            raise TypeError('%s must be callable.' % name)
    return fn1() if pred else fn2()


def smart_cond(pred, fn1, fn2, name=None):
    """Like tf.cond, but calls only one function if pred is known."""
    known = constant_value(pred)
    return tf.cond(pred, fn1, fn2, name=name) if known is None else static_cond(known, fn1, fn2)


def get_variable_collections(variables_collections, name):
    """Returns the collections for a variable. `collections` is one list for all, or {name: list}."""
    return variables_collections.get(name) if isinstance(variables_collections, dict) else variables_collections


def _dimension(shape, at, min_rank):
    if shape.dims is None:
        raise ValueError('dims of shape must be known but is None')
    if len(shape.dims) < min_rank:
        raise ValueError('rank of shape must be at least %d not: %d' % (min_rank, len(shape.dims)))
    if shape.dims[at].value is None:
        raise ValueError('dimension %d of shape must be known but is None: %s' % (at, shape))
    return shape.dims[at].value


def channel_dimension(shape, data_format, min_rank=1):
    """Returns the number of channels."""
    return _dimension(shape, 1 if data_format == 'channels_first' else -1, min_rank)


def last_dimension(shape, min_rank=1):
    """Returns the size of the last dimension."""
    return _dimension(shape, -1, min_rank)


def two_element_tuple(int_or_tuple):
    """Returns (n, n) for n; a pair is returned unchanged."""
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if len(int_or_tuple) != 2:
        raise ValueError('Must be a list with 2 elements: %s' % int_or_tuple)
    return int(int_or_tuple[0]), int(int_or_tuple[1])


def n_positive_integers(n, value):
    """Repeats a value n times; a list of n values is returned unchanged."""
    values = (value,) * n if isinstance(value, int) else tuple(int(v) for v in value)
    if len(values) != n:
        raise ValueError('Expected sequence of %d positive integers, but received %r' % (n, value))
    for v in values:
        if v < 1:
            raise ValueError('expected positive integer, but received %d' % v)
    return values
