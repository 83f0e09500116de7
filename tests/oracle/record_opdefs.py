#!/usr/bin/env python3
"""Records the installed TensorFlow's definitions of the ops in ops.txt in opdefs.json.

    python tests/oracle/record_opdefs.py            writes tests/oracle/opdefs.json
    python tests/oracle/record_opdefs.py --text     prints the definitions as text instead
"""
import json
import os
import sys

os.environ.update(TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='')
HERE = os.path.dirname(os.path.abspath(__file__))


def dtype_name(enum):
    from tensorflow.python.framework import dtypes
    name = dtypes.as_dtype(enum).name
    return {'float32': 'float', 'float64': 'double', 'float16': 'half'}.get(name, name)


def attr_value(value):
    kind = value.WhichOneof('value')
    if kind is None:
        return None
    if kind == 'list':
        lists = value.list
        if lists.type:
            return [dtype_name(t) for t in lists.type]
        for field in ('s', 'i', 'f', 'b'):
            got = list(getattr(lists, field))
            if got:
                return [x.decode() if isinstance(x, bytes) else x for x in got]
        return []
    if kind == 'type':
        return dtype_name(value.type)
    if kind == 's':
        return value.s.decode()
    if kind == 'shape':
        if value.shape.unknown_rank:
            return '<unknown>'
        return [d.size for d in value.shape.dim]
    if kind == 'func':
        return value.func.name
    if kind == 'tensor':
        return None
    return getattr(value, kind)


def arg(a):
    if a.type_list_attr:
        kind = a.type_list_attr
    else:
        kind = a.type_attr or dtype_name(a.type)
    if a.number_attr:
        kind = '%s * %s' % (a.number_attr, kind)
    if a.is_ref:
        kind = 'Ref(%s)' % kind
    return {'name': a.name, 'type': kind}


def attr(a):
    row = {'name': a.name, 'type': a.type}
    if a.HasField('default_value'):
        row['default'] = attr_value(a.default_value)
    if a.HasField('allowed_values'):
        row['allowed'] = attr_value(a.allowed_values)
    if a.has_minimum:
        row['minimum'] = a.minimum
    return row


def cpu_kernels(name):
    """Returns [{attr: [dtype, ...]}] of the CPU kernels, one entry per registration, without duplicates."""
    from tensorflow.python.framework import kernels
    rows = []
    for kernel in kernels.get_registered_kernels_for_op(name).kernel:
        if kernel.device_type not in ('CPU', 'DEFAULT'):
            continue
        row = {c.name: sorted(attr_value(c.allowed_values)) for c in kernel.constraint
               if c.allowed_values.list.type}
        if row not in rows:
            rows.append(row)
    return merge(rows)


def merge(rows):
    """Merges registrations that differ in one attribute only."""
    changed = True
    while changed:
        changed = False
        for i in range(len(rows)):
            for j in range(i + 1, len(rows)):
                a, b = rows[i], rows[j]
                differ = [k for k in a if a.get(k) != b.get(k)] if a.keys() == b.keys() else None
                if differ is not None and len(differ) <= 1:
                    for k in differ:
                        a[k] = sorted(set(a[k]) | set(b[k]))
                    rows.pop(j)
                    changed = True
                    break
            if changed:
                break
    return sorted(rows, key=json.dumps)


def record(name):
    import tensorflow  # noqa: F401  registers the gradients
    from tensorflow.python.framework import op_def_registry, ops
    op = op_def_registry.get(name)
    try:
        # None means declared as not differentiable
        grad = ops.gradient_registry.lookup(name) is not None
    except LookupError:
        grad = False
    return {
        'name': name,
        'inputs': [arg(a) for a in op.input_arg],
        'outputs': [arg(a) for a in op.output_arg],
        'attrs': [attr(a) for a in op.attr],
        'stateful': op.is_stateful,
        'commutative': op.is_commutative,
        'aggregate': op.is_aggregate,
        'uninitialized_inputs': op.allows_uninitialized_input,
        'gradient': grad,
        'kernels': cpu_kernels(name),
    }


def text(row):
    def args(xs):
        return ', '.join('%(name)s: %(type)s' % x for x in xs)
    lines = ['## ' + row['name'], '(%s) -> (%s)' % (args(row['inputs']), args(row['outputs']))]
    for a in row['attrs']:
        line = '- attr %(name)s: %(type)s' % a
        if 'allowed' in a:
            line += ' in {%s}' % ', '.join(map(str, a['allowed']))
        if 'minimum' in a:
            line += ' >= %d' % a['minimum']
        if 'default' in a:
            line += ' = %s' % json.dumps(a['default'])
        lines.append(line)
    flags = [f for f in ('stateful', 'commutative', 'aggregate', 'uninitialized_inputs') if row[f]]
    flags.append('differentiable' if row['gradient'] else 'not differentiable')
    lines.append('- ' + ', '.join(flags))
    for k in row['kernels']:
        lines.append('- CPU kernel: ' + ('; '.join(
            '%s in {%s}' % (n, ', '.join(v)) for n, v in sorted(k.items())) or 'any type'))
    if not row['kernels']:
        lines.append('- CPU kernel: none')
    return '\n'.join(lines)


def main():
    names = open(os.path.join(HERE, 'ops.txt')).read().split()
    rows = [record(name) for name in names]
    if '--text' in sys.argv:
        print('\n\n'.join(text(row) for row in rows))
        return
    body = ',\n'.join(json.dumps(row) for row in rows)
    with open(os.path.join(HERE, 'opdefs.json'), 'w') as f:
        f.write('[\n%s\n]\n' % body)


if __name__ == '__main__':
    main()
