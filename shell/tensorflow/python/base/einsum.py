"""tf.einsum."""


def _sizes(tensor, labels):
    """Returns the extent of each label: a number, or a scalar tensor if it is unknown."""
    known = tensor.get_shape()
    if known.ndims is not None and known.ndims != len(labels):
        raise ValueError('Invalid equation: %s axes for a tensor of shape %s' % (labels, known))
    sizes, dynamic = {}, None
    for i, label in enumerate(labels):
        size = known[i].value if known.ndims is not None else None
        if size is None:
            if dynamic is None:
                dynamic = tf.shape(tensor)
            size = dynamic[i]
        sizes[label] = size
    return sizes


def _product(sizes):
    total = 1
    for size in sizes:
        total = size * total if total != 1 or isinstance(total, tf.Tensor) else size
    return total


def _ordered(tensor, labels, wanted):
    perm = [labels.index(label) for label in wanted]
    return tensor if perm == list(range(len(perm))) else tf.transpose(tensor, perm)


def _multiply(x, x_labels, y, y_labels, output):
    """Computes two operands as one product of batches of matrices."""
    sizes = _sizes(y, y_labels)
    sizes.update(_sizes(x, x_labels))
    both = [a for a in x_labels if a in y_labels]
    summed = [a for a in both if a not in output]
    batch = [a for a in both if a in output]
    left = [a for a in x_labels if a not in both]
    right = [a for a in y_labels if a not in both]
    extents = [sizes[a] for a in batch]
    inner = _product([sizes[a] for a in summed])
    x = tf.reshape(_ordered(x, x_labels, batch + left + summed),
                   extents + [_product([sizes[a] for a in left]), inner])
    y = tf.reshape(_ordered(y, y_labels, batch + summed + right),
                   extents + [inner, _product([sizes[a] for a in right])])
    product = tf.matmul(x, y)
    labels = batch + left + right
    return tf.reshape(product, [sizes[a] for a in labels]), ''.join(labels)


def _parse(equation, count):
    text = equation.replace(' ', '')
    parts = text.split('->')
    letters = ''.join(parts[:1]).replace(',', '') + ''.join(parts[1:])
    if len(parts) > 2 or not all('a' <= c <= 'z' for c in letters):
        raise ValueError('Indices have incorrect format: %s' % equation)
    labels = parts[0].split(',')
    if len(labels) != count:
        raise ValueError('Got %d arguments for equation "%s", expecting %d' % (count, equation, len(labels)))
    for label in labels:
        if len(set(label)) != len(label):
            raise ValueError('Subscript not supported: an axis appears more than once: %s' % label)
    joined = ''.join(labels)
    if len(parts) == 2:
        output = parts[1]
    else:
        output = ''.join(a for a in sorted(set(joined)) if joined.count(a) == 1)
    for a in output:
        if a not in joined:
            raise ValueError('Unknown output axis: %s in equation %s' % (a, equation))
    return labels, output


def _is_general(text):
    """Returns true if the simple method above does not support it: an ellipsis, a diagonal, or capital letters."""
    inputs = text.split('->')[0].split(',')
    return '.' in text or text != text.lower() or any(len(set(part)) != len(part) for part in inputs)


def _resolve(equation, count):
    """Returns the subscripts of each input and of the output; '.' alone is an ellipsis."""
    text = equation.replace(' ', '').replace('...', '.')
    parts = text.split('->')
    letters = ''.join(parts).replace(',', '').replace('.', '')
    if len(parts) > 2 or (letters and not (letters.isalpha() and letters.isascii())):
        raise ValueError('Indices have incorrect format: %s' % equation)
    labels = parts[0].split(',')
    if len(labels) != count:
        raise ValueError('Got %d inputs for equation "%s", expecting %d' % (count, equation, len(labels)))
    if len(parts) == 2:
        output = parts[1]
    else:
        joined = ''.join(labels)
        output = ''.join(a for a in sorted(set(joined)) if joined.count(a) == 1)
    for label in labels + [output]:
        if label.count('.') > 1:
            raise ValueError('Expected at most one ellipsis in each subscript: %s' % equation)
    if len(set(output)) != len(output):
        raise ValueError('Output subscripts contain a label appearing more than once: %s' % equation)
    return labels, output


def _einsum_op(inputs, labels, output):
    equation = (','.join(labels) + '->' + output).replace('.', '...')
    return tf.raw_ops.Einsum(inputs=inputs, equation=equation)


def _general(equation, inputs):
    """Uses Einsum ops on two inputs at a time."""
    labels, output = _resolve(equation, len(inputs))
    inputs = [tf.convert_to_tensor(t) for t in inputs]
    while len(inputs) > 2:
        later = output + ''.join(labels[2:])
        both = labels[0] + labels[1]
        kept = ('.' if '.' in both else '') + ''.join(
            a for i, a in enumerate(both) if a != '.' and a in later and both.index(a) == i)
        inputs = [_einsum_op(inputs[:2], labels[:2], kept)] + inputs[2:]
        labels = [kept] + labels[2:]
    return _einsum_op(inputs, labels, output)


def einsum(equation, *inputs, **kwargs):
    """Sums products of tensors as the equation says: einsum('ij,jk->ik', a, b) is a matrix product."""
    name = kwargs.pop('name', None)
    if kwargs:
        raise TypeError('invalid keyword arguments for this function: ' + ', '.join(sorted(kwargs)))
    if len(inputs) == 1 and isinstance(inputs[0], (list, tuple)):
        inputs = tuple(inputs[0])
    with tf.name_scope(name, 'einsum', list(inputs)):
        if _is_general(equation.replace(' ', '')):
            return _general(equation, inputs)
        labels, output = _parse(equation, len(inputs))
        made, made_labels = tf.convert_to_tensor(inputs[0]), labels[0]
        _sizes(made, made_labels)
        for i in range(1, len(inputs)):
            later = output + ''.join(labels[i + 1:])
            made, made_labels = _multiply(made, made_labels, tf.convert_to_tensor(inputs[i]), labels[i], later)
        missing = [i for i, a in enumerate(made_labels) if a not in output]
        if missing:
            made = tf.reduce_sum(made, missing)
            made_labels = ''.join(a for a in made_labels if a in output)
        if sorted(made_labels) != sorted(output):
            raise ValueError('Invalid equation: %s' % equation)
        return _ordered(made, made_labels, output)
