"""The verb about: what was opened, as text and as JSON."""
import json
import _library
from _library.model import Arrays, Checkpoint, Datasets, Model, sample, shape_text, short, size_text

_LISTED = 10  # arrays or outputs that are listed


def _count(n, word):
    return '%s %s%s' % ('{:,}'.format(n), word, '' if n == 1 else 's')


class _Lines(object):
    """Lines with a label each; long ones are continued below their text."""

    def __init__(self, width):
        self.width, self.lines = max(40, width or 100), []

    def add(self, label, pieces, between=' · '):
        label = ' %-12s' % label
        line = label
        for i, piece in enumerate(pieces):
            more = (between if i else '') + piece
            if len(line) + len(more) > self.width and line.strip():
                self.lines.append(line.rstrip())
                line, more = ' ' * 13, piece
            line += more
        self.lines.append(line.rstrip())

    def command(self, label, text):
        """A line to paste stays in one piece."""
        self.lines.append(' %-12s%s' % (label, text))


def _infos(infos):
    return ['%s %s' % (k, i.text()) for k, i in list(infos.items())[:_LISTED]] + (
        ['%d more' % (len(infos) - _LISTED)] if len(infos) > _LISTED else [])


def _feed(infos):
    """Returns the feed clause of a graph without signatures."""
    names = ['%s=%s' % (k if k.isidentifier() else k + ':0', sample(i)) for k, i in infos.items()]
    return ' feed ' + ', '.join(names) if names else ''


def _first_line(value):
    about = value._about
    parts = []
    if about.get('tags'):
        parts.append('tags ' + ' '.join(about['tags']))
    if about.get('producer'):
        parts.append(about['producer'])
    if about.get('tensorflow'):
        parts.append('TensorFlow ' + about['tensorflow'])
    elif value._lines is None and _library.opening.version_of(value):
        parts.append('graph version %d' % _library.opening.version_of(value))
    return ['%s: %s%s' % (value._name, value._kind, ' ' + value._path if value._path else '')] + parts


def _number(n):
    for unit in ('', 'k', 'M', 'G', 'T'):
        if n < 1000 or unit == 'T':
            return '%d' % n if unit == '' else '%.1f %s' % (n, unit)
        n /= 1000.0


def _work(work, out, label='  work'):
    """The work of one run. Sizes that the model leaves open count as 1."""
    if work and (work['flops'] or work['bytes']):
        least = '' if work['whole'] else 'at least '
        pieces = ['%s%sFLOP in products' % (least, _number(work['flops']) + ('' if work['flops'] >= 1000 else ' '))] if work['flops'] else []
        out.add(label, pieces + ['%s%s of tensors, for a batch of 1' % ('' if pieces else least, size_text(work['bytes']))])


def _twin(value, name):
    """Returns the name of an earlier signature with the same inputs and outputs, or ''. Keras exports each one twice."""
    def form(s):
        return [[(k, i.text()) for k, i in part.items()] for part in (s.inputs, s.outputs)]
    for earlier, signature in value._signatures.items():
        if earlier == name:
            return ''
        if form(signature) == form(value._signatures[name]):
            return earlier
    return ''


def _model(value, out):
    about = value._about
    for name, signature in value._signatures.items():
        twin = _twin(value, name)
        out.add('signature', [name + ('  (blocked, see below)' if name in about['blocks'] else '') + (
            '  (the inputs and outputs of %s)' % twin if twin else '')])
        if twin:
            continue
        out.add('  in', _infos(signature.inputs) or ['nothing'])
        out.add('  out', _infos(signature.outputs))
        out.command('  run', 'eval ' + signature.sample())
        _work(_library.opening.work_of(value).get(name), out)
    if value._signatures and about['functions']:
        name = 'serving_default' if 'serving_default' in value._signatures else list(value._signatures)[0]
        out.add('inside', ["%s.%s['NAME'] is a tensor of its function; Tab lists them" % (value._name, name)])
    if about.get('feeds') is not None:
        scope = value._prefix
        out.add('feeds', _infos(about['feeds']) or ['none'])
        out.add('fetches', _infos(about['fetches']) or ['none'])
        if about['fetches']:
            feeds = {scope + k: i for k, i in about['feeds'].items()}
            out.command('run', 'eval %s:0%s' % (scope + list(about['fetches'])[0], _feed(feeds)))
            _work(_library.opening.work_of(value).get('fetches'), out)
    for word in ('variables', 'constants'):
        held = about[word]
        if held['count']:
            out.add(word, ['%s with %s, %s' % ('{:,}'.format(held['count']), _count(held['numbers'], 'number'), size_text(held['bytes']))])
    out.add('nodes', [_count(about['nodes'], 'node')] + (['%s in %s' % (
        '{:,}'.format(about['in_functions']), _count(about['functions'], 'function'))] if about['functions'] else []))
    ops = list(about['ops'].items())
    out.add('ops', ['%s %s' % ('{:,}'.format(n), op) for op, n in ops[:_LISTED]] + (
        ['%s' % _count(len(ops) - _LISTED, 'other op')] if len(ops) > _LISTED else []))
    if about.get('assets'):
        out.add('assets', about['assets'])
    _problems(value, out)


def _problems(value, out):
    about = value._about
    if about['missing']:
        out.add('missing', ['%s (%s)' % (op, _count(n, 'node')) for op, n in sorted(about['missing'].items())])
        out.add('', [('tensh does not have %s; ' % ('this op' if len(about['missing']) == 1 else 'these ops')) + (
            'blocked: ' + ', '.join(about['blocks']) if about['blocks'] else 'no signature needs it' if value._signatures else
            'everything else runs')])
    if about.get('moved'):
        for device, n in about['moved'].items():
            out.add('devices', ['%s requested %s, which is not here: they run where they can' % (_count(n, 'node'), device)])
    if about.get('unrestored'):
        out.add('values', ['the variables have no values: %s does not exist' % about['unrestored']])
    if about.get('lost_assets'):
        out.add('assets', ['missing: ' + ', '.join(about['lost_assets'])])
    if about.get('not_initialized'):
        name, why = about['not_initialized']
        out.add('tables', ['the initializer was not run: %s' % why])
        out.command('', 'run ' + name)
    if about.get('others'):
        out.add('also', ['tags ' + ' '.join(t) for t in about['others']])
        out.command('', 'open %s tags %s' % (value._path, ' '.join(about['others'][0])))
    for line in about.get('next', []):
        out.command('values', line)


def _array_lines(value, out):
    total = 0
    names = list(value)
    for name in names:
        total += value._fact(name)[2]
    for name in names[:_LISTED]:
        dtype, shape, _ = value._fact(name)
        dtype = 'str' if dtype in ('object', 'str') or dtype.startswith(('bytes', 'str')) else short(dtype)
        out.add('array' if name == names[0] else '', ['%s  %s%s' % (name, dtype, shape_text(tf.TensorShape(shape)))])
    if len(names) > _LISTED:
        out.add('', ['%s more; %s in all' % ('{:,}'.format(len(names) - _LISTED), size_text(total))])
    if names:
        out.command('use', 'eval %s[%r]' % (value._name, names[0]))
    for note in getattr(value, '_about', {}).get('note', []):
        out.add('note', [note])


def _checkpoint_lines(value, out):
    names = [n for n in value.keys() if not n.startswith('_CHECKPOINTABLE')]
    numbers = sum(tf.TensorShape(value._shapes[n]).num_elements() for n in names)
    size = sum(tf.TensorShape(value._shapes[n]).num_elements() * max(1, value._types[n].size) for n in names)
    out.add('tensors', ['%s with %s, %s' % ('{:,}'.format(len(names)), _count(numbers, 'number'), size_text(size))])
    for i, name in enumerate(names[:_LISTED]):
        out.add('', ['%s  %s%s' % (name, short(value._types[name]), shape_text(tf.TensorShape(value._shapes[name])))])
    if len(names) > _LISTED:
        out.add('', ['%s more: list(%s)' % ('{:,}'.format(len(names) - _LISTED), value._name)])
    out.command('use', 'load ' + value._path)
    if names:
        out.command('', 'eval %s[%r]' % (value._name, names[0]))


def text(value, width):
    """Returns the report as text."""
    out = _Lines(width)
    if isinstance(value, Model):
        head = _first_line(value)
        if value._lines is None:
            out.lines.append(' ' + ' · '.join(head))
            _model(value, out)
        else:
            lines = value._lines(value) if callable(value._lines) else value._lines
            for line in head[:1] + lines:  # a text, or a label and pieces
                if isinstance(line, tuple):
                    out.add(*line)
                else:
                    out.lines.append(' ' + line)
            works = _library.opening.work_of(value)
            for name in works:
                _work(works[name], out, 'work' if len(works) == 1 else 'work ' + name)
    elif isinstance(value, Checkpoint):
        out.lines.append(' %s: a checkpoint %s: values, without a graph' % (value._name, value._path))
        _checkpoint_lines(value, out)
    elif isinstance(value, (Arrays, Datasets)):
        out.lines.append(' %s: %s %s' % (value._name, value._kind, value._path))
        _array_lines(value, out)
    else:
        raise TypeError('about needs something that was opened, got %s' % type(value).__name__)
    return '\n'.join(line.replace('\n', '\\n') for line in out.lines) + '\n'


def _info_json(infos):
    return {k: {'tensor': i.name, 'dtype': tf.as_dtype(i.dtype).name,
                'shape': None if i.shape.dims is None else i.shape.as_list()} for k, i in infos.items()}


def as_json(value):
    """Returns the report as JSON."""
    if isinstance(value, Model):
        _library.opening.work_of(value)
        _first_line(value)
        about = dict(value._about)
        made = {'name': value._name, 'kind': value._kind, 'path': value._path, 'scope': value._prefix.rstrip('/')}
        made['signatures'] = {n: {'inputs': _info_json(s.inputs), 'outputs': _info_json(s.outputs), 'run': 'eval ' + s.sample()}
                              for n, s in value._signatures.items()}
        for key in ('feeds', 'fetches'):
            if about.get(key) is not None:
                about[key] = _info_json(about[key])
        made.update(about)
    elif isinstance(value, Checkpoint):
        made = {'name': value._name, 'kind': 'a checkpoint', 'path': value._path, 'tensors': {
            n: {'dtype': value._types[n].name, 'shape': list(value._shapes[n])} for n in value.keys()}}
    else:
        made = {'name': value._name, 'kind': value._kind, 'path': value._path, 'arrays': {
            n: {'dtype': value._fact(n)[0], 'shape': list(value._fact(n)[1])} for n in value}}
        made.update(getattr(value, '_facts', {}))
    return json.dumps(made, default=str)
