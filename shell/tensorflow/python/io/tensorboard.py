"""The report and the timelines of traced steps in the messages that TensorBoard shows.

The fields are those of TensorFlow's RunMetadata, GraphDef and XSpace: https://github.com/tensorflow/tensorflow
"""
import struct
import time
from google.protobuf.internal.wire_format import field, fields


# The numbers of the types by their short names.
_TYPES = {'f32': 1, 'f64': 2, 'i32': 3, 'u8': 4, 'i16': 5, 'i8': 6, 'str': 7, 'c64': 8, 'i64': 9, 'bool': 10, 'bf16': 14, 'u16': 17,
          'c128': 18, 'f16': 19, 'res': 20, 'var': 21, 'u32': 22, 'u64': 23}


def _full_names(report):
    """The full names of devices by their short names."""
    return {each['short_device']: each['device'] for part in ('nodes', 'partitions', 'called')
            for each in report.get(part, ()) if each.get('device')}


def _transfers(report):
    """The transfers with the names of their Send and Recv, which have no nodes in the graph of the session: the value h
    is sent by h_send_1 and received by h_recv_1."""
    taken, named = set(n['name'] for n in report['nodes']), []
    for i, transfer in enumerate(report['transfers']):
        node, names = transfer['tensor'].lstrip('^').rpartition(':'), []
        for suffix in ('send', 'recv'):
            name = '%s_%s_%d' % (node[0] or node[2], suffix, i + 1)
            while name in taken:
                name += '_'
            names.append(name)
            taken.add(name)
        named.append((transfer, names[0], names[1]))
    return named


def _shape(shape):
    if shape is None:
        return field(3, 1)
    return b''.join(field(2, field(1, -1 if d is None else d)) for d in shape)


def run_metadata(report, begin_us):
    """A RunMetadata with the times and the memory of each node. Times are rounded up, because TensorBoard leaves out nodes
    that took 0 µs."""
    names, nodes, ends, devices = _full_names(report), {}, {}, {}
    for node in report['nodes'] + report.get('called', []):
        nodes[node['name']] = node
    for transfer, send, recv in _transfers(report):
        ends['send', transfer['tensor'], transfer['from']] = send
        ends['recv', transfer['tensor'], transfer['to']] = recv
    inside = report.get('in_loops', [])
    # The event of a whole loop is the sum of those inside of it.
    for event in inside + [e for e in report.get('steps', []) if not (inside and e['op'] == 'LoopCond')]:
        kind, device = event['kind'], event['device']
        if kind == 'wait':
            continue
        node = nodes.get(event['node'], {})
        label = '%s(%s)' % (event['op'], ', '.join(node.get('inputs', ())))
        name = event['node']
        if kind in ('send', 'recv'):
            name = ends.get((kind, event['tensor'], device), event['tensor'])
            label = '_%s(%s)' % (kind.title(), event['tensor'])
        ns = max(event['end_ns'] - event['start_ns'], 0)
        us, size = max(-(-ns // 1000), 1), event.get('bytes', 0)
        stats = field(1, name) + field(2, begin_us + event['start_ns'] // 1000) + field(4, us) + field(5, us)
        if size:
            stats += field(6, field(1, 'cpu' if 'GPU' not in names.get(device, '') else 'GPU_0_bfc') + field(2, size) + field(3, size))
        shape = node.get('shape')
        if isinstance(shape, list) and None not in shape and -1 not in shape:
            stats += field(7, field(3, field(1, _TYPES.get(node['dtype'], 0)) + field(2, _shape(shape)) + field(4, field(1, size) + field(2, size))))
        devices.setdefault(device, []).append(field(2, stats + field(8, name + ' = ' + label)))
    return field(1, b''.join(field(1, field(1, names.get(device, device)) + b''.join(devices[device])) for device in sorted(devices)))


def _attr(name, value):
    return field(5, field(1, name) + field(2, value))


def placed_graph(graph_def, report):
    """The GraphDef of a step: the nodes that take part in it, on their devices, and a _Send and a _Recv for each transfer."""
    names, out = _full_names(report), []
    nodes = {n['name']: n for n in report['nodes'] if n['state'] != 'pruned'}
    received = {(consumer, transfer['tensor']): recv for transfer, _, recv in _transfers(report) for consumer in transfer['consumers']}

    def shapes(node):
        return _attr('_output_shapes', field(1, field(7, _shape(node['shape'])))) if node.get('dtype') else b''
    for number, value in fields(graph_def):
        if number != 1:
            out.append(field(number, value))
            continue
        parts = list(fields(value))
        name = dict(parts)[1].decode()
        node = nodes.get(name)
        if not node:
            continue
        made = b''
        for part, text in parts:
            if part == 3:
                each = text.decode()
                producer = each.lstrip('^').partition(':')[0]
                recv = received.get((name, each if each[0] == '^' or ':' in each else each + ':0'))
                if node['state'] != 'fed' and producer in nodes:
                    made += field(3, each if not recv else '^' + recv if each[0] == '^' else recv)
            elif part != 4:
                made += field(part, text)
        out.append(field(1, made + field(4, node['device']) + shapes(node)))
    for transfer, send, recv in _transfers(report):
        tensor, node = transfer['tensor'], nodes.get(transfer['tensor'].lstrip('^').rpartition(':')[0], {})
        source, to = names.get(transfer['from'], transfer['from']), names.get(transfer['to'], transfer['to'])
        attrs = (_attr('tensor_name', field(2, tensor)) + _attr('send_device', field(2, source)) +
                 _attr('recv_device', field(2, to)) + (shapes(node) if node else b''))
        kind = field(6, _TYPES.get(node['dtype'], 0)) if node.get('dtype') else field(6, 1)
        value = tensor[:-2] if tensor.endswith(':0') else tensor
        out.append(field(1, field(1, send) + field(2, '_Send') + field(3, value) + field(4, source) + attrs + _attr('T', kind)))
        # The two ends are joined by a rendezvous. The control edge shows which belong together.
        out.append(field(1, field(1, recv) + field(2, '_Recv') + field(3, '^' + send) + field(4, to) + attrs +
                         _attr('tensor_type', kind)))
    return b''.join(out)


def timelines(trace, host):
    """An XSpace with a line for each device, from Chrome's trace events."""
    lines, ids = {}, {}
    for event in trace['traceEvents']:
        line = lines.setdefault(event['pid'], ['', []])
        if event['ph'] == 'M' and event['name'] == 'process_name':
            line[0] = event['args']['name']
        if event['ph'] == 'X':
            node = event.get('args', {}).get('node', '')
            # TensorFlow names the event of a node in this way, from which TensorBoard knows its op.
            name = node + ':' + event['name'] if node and ' ' not in event['name'] else event['name']
            number = ids.setdefault(name, len(ids) + 1)
            line[1].append(field(4, field(1, number) + field(2, int(event['ts'] * 1e6)) + field(3, int(event['dur'] * 1e6))))
    plane = field(1, 1) + field(2, '/host:CPU')
    for pid in sorted(lines):
        plane += field(3, field(1, pid) + field(2, lines[pid][0]) + b''.join(lines[pid][1]))
    for name, number in ids.items():
        plane += field(4, field(1, number) + field(2, field(1, number) + field(2, name)))
    return field(1, plane) + field(4, host)


def with_mean_times(report, rows, graph):
    """The report with the means of recorded steps as its events, for a step without recorded events."""
    steps = []
    for row in rows:
        if row['graph'] != graph:
            continue
        calls = max(row['calls'], 1)
        steps.append({'device': row['device'], 'node': row['node'], 'tensor': row['node'], 'op': row['op'], 'kind': row['kind'],
                      'start_ns': 0, 'end_ns': row['ns'] // calls, 'bytes': row['bytes'] // calls})
    return dict(report, steps=steps)


def _event(number, value):
    return struct.pack('<Bd', 9, time.time()) + field(number, value)


def events(report, graph_def, tag):
    """The records of an event file."""
    metadata = run_metadata(report, int(time.time() * 1e6))
    graph = [_event(4, placed_graph(graph_def, report))] if graph_def else []
    return [_event(3, 'brain.Event:2')] + graph + [_event(8, field(1, tag or 'step') + field(2, metadata))]
