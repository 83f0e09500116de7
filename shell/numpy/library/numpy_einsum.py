"""numpy: np.einsum."""


def _labels(text, arrays):
    text = text.replace(' ', '')
    inputs, arrow, output = text.partition('->')
    inputs = inputs.split(',')
    if len(inputs) != len(arrays):
        raise ValueError('%s operands provided to einstein sum function than specified in the subscripts string'
                         % ('more' if len(arrays) < len(inputs) else 'fewer'))
    spare = [c for c in 'ZYXWVUTSRQPONMLKJIHGFEDCBA' if c not in text]
    most = max([a.ndim - len(s) + 3 for s, a in zip(inputs, arrays) if '...' in s] + [0])
    dots = ''.join(spare[:most])
    named = ''.join(inputs).replace('...', '')
    inputs = [s.replace('...', dots[most - (a.ndim - len(s) + 3):] if '...' in s else '') for s, a in zip(inputs, arrays)]
    if not arrow:
        output = '...' if dots else ''
        output += ''.join(sorted(c for c in set(named) if named.count(c) == 1))
    output = output.replace('...', dots)
    return inputs, output


def _diagonal(a, labels):
    """Reduces repeated labels to one axis, the diagonal."""
    for c in sorted(set(labels)):
        while labels.count(c) > 1:
            i = labels.index(c)
            j = labels.index(c, i + 1)
            if a.shape[i] != a.shape[j]:
                raise ValueError("dimensions in operand 0 for collapsing index '%s' don't match (%d != %d)" % (c, a.shape[i], a.shape[j]))
            a = np.diagonal(a, axis1=i, axis2=j)
            labels = labels[:i] + labels[i + 1:j] + labels[j + 1:] + c
    return a, labels


def einsum(subscripts, *operands, out=None, optimize=False, dtype=None):
    """Evaluate the Einstein summation of the operands."""
    if not isinstance(subscripts, str):
        raise NotImplementedError('np.einsum takes its subscripts as text here')
    arrays = [np.asarray(a) for a in operands]
    inputs, output = _labels(subscripts, arrays)
    for s, a in zip(inputs, arrays):
        if len(s) < a.ndim:
            raise ValueError('operand has more dimensions than subscripts given in einstein sum, but no \'...\' '
                             'ellipsis provided to broadcast the extra dimensions.')
        if len(s) > a.ndim:
            raise ValueError('einstein sum subscripts string contains too many subscripts for operand 0')
    for c in output:
        if c not in ''.join(inputs):
            raise ValueError("einstein sum subscripts string included output subscript '%s' which never appeared in an input" % c)
    total, have = None, ''
    for n, (a, s) in enumerate(zip(arrays, inputs)):
        a, s = _diagonal(a, s)
        later = set(output).union(*inputs[n + 1:])
        total, have = (a, s) if total is None else _contract(total, have, a, s, later)
        dead = tuple(i for i, c in enumerate(have) if c not in later)
        if dead:
            total = total.sum(axis=dead, dtype=total.dtype)
            have = ''.join(c for c in have if c in later)
    total = np.transpose(total, [have.index(c) for c in output]) if output else total[()]
    return total if dtype is None else total.astype(dtype)


def _contract(a, s, b, t, later):
    """Multiplies a and b. Labels that are not needed later are summed by a single matmul."""
    both = [c for c in s if c in t]
    for c in both:
        m, n = a.shape[s.index(c)], b.shape[t.index(c)]
        if m != n and 1 not in (m, n):
            raise ValueError('operands could not be broadcast together with remapped shapes')
    summed = [c for c in both if c not in later and a.shape[s.index(c)] == b.shape[t.index(c)]]
    if not summed or a.dtype.kind == 'b':
        result = ''.join(s) + ''.join(c for c in t if c not in s)
        left = a.reshape(a.shape + (1,) * (len(result) - len(s)))
        order = [t.index(c) for c in result if c in t]
        shape = [b.shape[t.index(c)] if c in t else 1 for c in result]
        return left * np.transpose(b, order).reshape(shape), result
    batch = [c for c in both if c not in summed]
    mine, other = [c for c in s if c not in t], [c for c in t if c not in s]
    sizes = dict(zip(t, b.shape))
    for c, k in zip(s, a.shape):
        sizes[c] = max(k, sizes.get(c, 1))

    def shaped(x, labels, rows, columns):
        x = np.broadcast_to(x, [sizes[c] for c in labels])
        x = np.transpose(x, [labels.index(c) for c in batch + rows + columns])
        count = [1, 1]
        for i, group in enumerate((rows, columns)):
            for c in group:
                count[i] *= sizes[c]
        return x.reshape([sizes[c] for c in batch] + count)
    made = np.matmul(shaped(a, s, mine, summed), shaped(b, t, summed, other))
    return made.reshape([sizes[c] for c in batch + mine + other]), ''.join(batch + mine + other)
