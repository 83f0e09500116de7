"""tf.keras: the table that model.summary() prints."""
import _library
from _library.tfk_base import as_list, _distinct


def _count(weights):
    return sum(int(np.prod(v.get_shape().as_list())) for v in _distinct(weights))


def _row(fields, ends):
    line = ''
    for i, field in enumerate(fields):
        line = (line[:-1] + ' ' if i else '') + field
        line = line[:ends[i]]
        line += ' ' * (ends[i] - len(line))
    return line


def _shape(layer):
    try:
        return str([layer.output_shape] if type(layer).__name__ == 'InputLayer' else layer.output_shape)
    except (AttributeError, IndexError):
        return 'multiple'


def _inbound(layer, names):
    from_layers = []
    for node in layer._nodes:
        for t in node.flat_inputs:
            found = _library.tfk_state.state(t.graph).history.get(t.name)
            if found is not None and found[0].layer.name in names:
                source, at = found[0].layer, found[1]
                index = [i for i, n in enumerate(source._nodes) if n is found[0]]
                from_layers.append('%s[%d][%d]' % (source.name, index[0] if index else 0, at))
    return from_layers


def print_summary(model, line_length=None, positions=None, print_fn=print):
    """Prints a table of the layers of a model."""
    consumed = {}
    for layer in model.layers:
        for node in layer._nodes[:1]:
            for t in node.flat_inputs:
                consumed[t.name] = consumed.get(t.name, 0) + 1
    plain = type(model).__name__ == 'Sequential' or not model._is_graph or (
        all(n <= 1 for n in consumed.values()) and all(len(layer._nodes[0].flat_inputs) <= 1 for layer in model.layers))
    if plain:
        length, ends, titles = line_length or 65, positions or [.45, .85, 1.], ['Layer (type)', 'Output Shape', 'Param #']
    else:
        length, ends = line_length or 98, positions or [.33, .55, .67, 1.]
        titles = ['Layer (type)', 'Output Shape', 'Param #', 'Connected to']
    if ends[-1] <= 1:
        ends = [int(length * p) for p in ends]
    print_fn('Model: "%s"' % model.name)
    print_fn('_' * length)
    print_fn(_row(titles, ends))
    print_fn('=' * length)
    names = [layer.name for layer in model._layers]
    for i, layer in enumerate(model.layers):
        number = layer.count_params() if layer.built else 0
        fields = [layer.name + ' (' + type(layer).__name__ + ')', _shape(layer), str(number)]
        more = [] if plain else _inbound(layer, names)
        print_fn(_row(fields + ([more[0] if more else ''] if not plain else []), ends))
        for source in more[1:]:
            print_fn(_row(['', '', '', source], ends))
        print_fn(('=' if i == len(model.layers) - 1 else '_') * length)
    trainable, fixed = _count(model.trainable_weights), _count(model.non_trainable_weights)
    print_fn('Total params: {:,}'.format(trainable + fixed))
    print_fn('Trainable params: {:,}'.format(trainable))
    print_fn('Non-trainable params: {:,}'.format(fixed))
    print_fn('_' * length)
