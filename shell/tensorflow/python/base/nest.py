"""tf.nest: nested lists, tuples and dicts with values as leaves. Leaves of dicts are ordered by key."""


def is_nested(seq):
    """Returns True for a list, a tuple or a dict."""
    return isinstance(seq, (list, tuple, dict))


is_sequence = is_nested


def _parts(structure):
    if isinstance(structure, dict):
        return [structure[k] for k in sorted(structure)]
    return list(structure)


def _like(structure, parts):
    if isinstance(structure, dict):
        by_key = dict(zip(sorted(structure), parts))
        items = [(k, by_key[k]) for k in structure]
        factory = getattr(structure, 'default_factory', None)
        return type(structure)(items) if factory is None else type(structure)(factory, items)
    if hasattr(structure, '_fields'):
        return type(structure)(*parts)
    return type(structure)(parts)


def flatten(structure, expand_composites=False):
    """Returns the leaves in order."""
    if not is_nested(structure):
        return [structure]
    leaves = []
    for part in _parts(structure):
        leaves += flatten(part)
    return leaves


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    """Raises ValueError or TypeError unless both have the same structure."""
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError("The two structures don't have the same nested structure.\n\nFirst structure: %s\n\n"
                         'Second structure: %s' % (nest1, nest2))
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError("The two structures don't have the same sequence type. First structure has type %s, while "
                        'second structure has type %s.' % (type(nest1), type(nest2)))
    if isinstance(nest1, dict) and sorted(nest1) != sorted(nest2):
        raise ValueError("The two dictionaries don't have the same set of keys. First structure has keys %s, while "
                         'second structure has keys %s.' % (sorted(nest1), sorted(nest2)))
    if len(nest1) != len(nest2):
        raise ValueError("The two structures don't have the same number of elements.\n\nFirst structure (%d "
                         'elements): %s\n\nSecond structure (%d elements): %s'
                         % (len(flatten(nest1)), nest1, len(flatten(nest2)), nest2))
    for a, b in zip(_parts(nest1), _parts(nest2)):
        assert_same_structure(a, b, check_types)


def _pack(structure, leaves):
    if not is_nested(structure):
        return next(leaves)
    return _like(structure, [_pack(part, leaves) for part in _parts(structure)])


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    """Returns the structure with the leaves of flat_sequence."""
    flat_sequence = list(flat_sequence)
    if not is_nested(structure):
        if len(flat_sequence) != 1:
            raise ValueError('Structure is a scalar but len(flat_sequence) == %d > 1' % len(flat_sequence))
        return flat_sequence[0]
    wanted = len(flatten(structure))
    if wanted != len(flat_sequence):
        raise ValueError('Could not pack sequence. Structure had %d elements, but flat_sequence had %d elements.  '
                         'Structure: %s, flat_sequence: %s.' % (wanted, len(flat_sequence), structure, flat_sequence))
    return _pack(structure, iter(flat_sequence))


def map_structure(func, *structure, **kwargs):
    """Applies func to each leaf, or to the corresponding leaves of several structures."""
    if not callable(func):
        raise TypeError('func must be callable, got: %s' % (func,))
    if not structure:
        raise ValueError('Must provide at least one structure')
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=kwargs.get('check_types', True))
    leaves = [func(*x) for x in zip(*[flatten(s) for s in structure])]
    return pack_sequence_as(structure[0], leaves)
