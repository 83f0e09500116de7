"""The answers of `why nan` and `why inf`: where the first NaN or infinite number of a recorded step came from.

The report of the step (docs/json.md) lists the first NaN and the first Inf in the outputs of each node, in the order of
execution, with the values of its inputs.
"""
from _library.nonfinite_causes import _plain, cause_of

# Ops that pass on a value that they took from an input, or that another op stored.
_PASSING = ('Enter', 'Exit', 'Merge', 'Switch', 'RefEnter', 'RefExit', 'RefMerge', 'RefSwitch', 'LoopCond', 'NextIteration',
            'RefNextIteration', 'Identity', 'IdentityN', 'NoOp')
_ENDS = ('Exit', 'Merge', 'RefExit', 'RefMerge')
_MOST_NAMES, _MOST_INPUTS, _MOST_PATH = 4, 6, 8


def _stores(op):
    return op.startswith(('TensorArray', 'TensorList', 'Stack'))


def _takes(op):
    """True for ops whose values come from outside of the step."""
    return 'Dequeue' in op or op.startswith(('Unstage', 'Decode', 'Parse', 'Read'))


def _passes(op):
    return op in _PASSING or _stores(op)


def _node_of(tensor):
    return tensor.lstrip('^').rpartition(':')[0] or tensor.lstrip('^')


def _counted(n, noun):
    return '{:,} {}{}'.format(n, noun, '' if n == 1 else 's')


# ---- values that the step did not make ----

_BY_ELEMENT_NOT = ('MatMul', 'BatchMatMul', 'Softmax', 'LogSoftmax', 'Cum', 'Conv', 'Depthwise', 'Matrix', 'Cholesky', 'Einsum')


def _count(array, nan):
    """The number of NaN or infinite elements, and the index of the first; (0, []) for other types."""
    array = np.asarray(array)
    if array.dtype == tf.bfloat16.as_numpy_dtype:
        array = array.astype(np.float32)
    if array.dtype.kind not in 'fc':
        return 0, []
    bad = np.isnan(array) if nan else np.isinf(array)
    n = int(np.sum(bad))
    return n, [int(i) for i in np.argwhere(bad)[0]] if n and array.ndim else []


def _type(array):
    return '%s[%s]' % (tf.as_dtype(array.dtype).name.replace('bfloat', 'bf').replace('float', 'f').replace('complex', 'c').replace('int', 'i'),
                       ','.join(str(n) for n in array.shape))


def _looked(array, tensor):
    array = np.asarray(array)
    return {'tensor': tensor, 'type': _type(array), 'elements': int(array.size), 'nan': _count(array, True)[0],
            'inf': _count(array, False)[0]}


def _in_value(array, nan, node='', op='', inputs=()):
    """Looks for a NaN or an Inf in a value; the entry is like those of a report. inputs: (tensor, value or None)."""
    n, index = _count(array, nan)
    if not n:
        return None
    array = np.asarray(array)
    at = tuple(index)
    entry = {'node': node, 'op': op, 'device': '', 'kind': 'nan' if nan else 'inf', 'index': index, 'made': 1, 'inputs': []}
    entry['output'] = dict(_looked(array, node + ':0'), value=str(array[at]))
    for tensor, value in inputs:
        if value is None:
            entry['inputs'].append({'tensor': tensor})
            continue
        value = np.asarray(value)
        looked = _looked(value, tensor)
        if looked['nan'] or (looked['inf'] and not nan):
            entry['made'] = 0
        if value.shape in ((), array.shape) and not op.startswith(_BY_ELEMENT_NOT):
            looked['value'] = str(value[at if value.shape else ()])
        entry['inputs'].append(looked)
    return entry


def any_in(feeds, fetched, nan):
    """True if a value that was fed or fetched contains a NaN."""
    return any(_count(value, nan)[0] for _, value in feeds + fetched)


class NotRepeated:
    """The answer about a last run that was not recorded and cannot be run again, because it changes variables."""

    def __init__(self, session, nan, target, request):
        self.kind, self.target, self.request, self.variables = 'NaN' if nan else 'Inf', target, request, {}
        for op in session.graph.get_operations():
            read = op.type == 'ReadVariableOp'
            if not read and not op.type.startswith('Variable'):
                continue
            try:
                value = session.run(op.outputs[0])
            except (tf.errors.OpError, ValueError):
                continue
            n = _count(value, nan)[0]
            if n:
                self.variables[(op.inputs[0].op if read else op).name] = n, value.size

    def text(self):
        text = 'the last run, %s, was not recorded' % self.target
        verb = 'why %s %s' % (self.kind.lower(), self.request)
        if not self.variables:
            return text + ', and no variable contains %s now. Record one: %s\n' % (self.kind, verb)
        shown = ['%s (%s of %s)' % (name, '{:,}'.format(n), _counted(size, 'element')) for name, (n, size) in self.variables.items()]
        return (text + '. These variables contain %s now, so a run before it may have made it: ' % self.kind +
                ', '.join(shown[:8]) + (', …' if len(shown) > 8 else '') +
                '\n next: run tf.global_variables_initializer() · %s times 1000\n' % verb)

    def fields(self):
        return {'kind': self.kind.lower(), 'found': False}


def outside(fetches):
    """The floating-point tensors that fetches need and that can be fetched: those outside of branches and loops. Without
    the fetches themselves."""
    todo, needed = [getattr(f, 'op', f) for f in fetches], {}
    while todo:
        op = todo.pop()
        if op.name not in needed:
            needed[op.name] = op
            todo += [t.op for t in op.inputs] + list(op.control_inputs)
    depths, tensors = {}, []  # by node: how many loops and branches are around its outputs
    for op in list(needed.values())[0].graph.get_operations() if needed else ():
        if op.name not in needed:
            continue
        kind, inputs = op.type[3:] if op.type.startswith('Ref') else op.type, [t.op for t in op.inputs]
        around = [depths.get(each.name, (0, 0)) for each in inputs + list(op.control_inputs)] + [(0, 0)]
        loops, branches = max(d[0] for d in around), max(d[1] for d in around)
        loops += (kind == 'Enter') - (kind == 'Exit')
        branches += (kind == 'Switch' and inputs[1].type != 'LoopCond') - (kind == 'Merge' and not inputs[0].type.endswith('Enter'))
        depths[op.name] = loops, branches
        if not loops and not branches and op.type != 'Const' and not op.type.startswith(('Variable', 'VarHandle', 'Placeholder')):
            tensors += [t for t in op.outputs if (t.dtype.is_floating or t.dtype.is_complex) and t not in fetches]
    return tensors


def _add_values(report, values, feeds, fetched):
    """Adds what the values of a step that ran elsewhere contain. values: tensor → value."""
    ops, fed = {n['name']: n for n in report['nodes']}, dict(feeds)
    results = [_node_of(name) for name, _ in fetched]
    for node in report['nodes']:
        if node['state'] == 'fetch' and node['name'] not in results:
            node['state'] = 'runs'  # fetched only to look at it
    report['nonfinite'] = []
    order = {n['name']: i for i, n in enumerate(report['nodes'])}
    for tensor in sorted(values, key=lambda tensor: order.get(tensor.op.name, 0)):
        value = values[tensor]
        node = ops.get(_node_of(tensor.name), {})
        inputs = [(t.name, fed[t.name] if t.name in fed else values.get(t, tf.get_static_value(t))) for t in tensor.op.inputs]
        for nan in (True, False):
            entry = _in_value(value, nan, tensor.op.name, tensor.op.type, inputs)
            if entry:
                entry['device'] = node.get('short_device', '')
                entry['output']['tensor'] = tensor.name
                report['nonfinite'].append(entry)


# ---- the search ----

class _Search:
    def __init__(self, report, nan):
        self.report, self.kind = report, 'nan' if nan else 'inf'
        self.nodes = {n['name']: n for n in report['nodes'] + report.get('called', [])}
        self.entries = sorted(report.get('nonfinite', []), key=lambda entry: entry.get('at_ns', 0))
        for entry in self.entries:
            self.name_tensors(entry)
        self.found = {}
        for entry in self.entries:
            if entry['kind'] == self.kind:
                self.found.setdefault(entry['node'], entry)
        self.callers = set(call['caller'] for call in report.get('calls', []))
        self.reach()

    def name_tensors(self, entry):
        """Names the tensors of an entry. The read of a variable, which is not a node, has the name of the variable."""
        inputs = [i for i in self.nodes.get(entry['node'], {}).get('inputs', []) if i[0] != '^']
        for i, looked in enumerate(entry['inputs']):
            looked.setdefault('tensor', inputs[i] if i < len(inputs) else entry['node'])
        slot = entry['output'].pop('slot', 0)
        entry['output'].setdefault('tensor', '%s:%d' % (entry['node'], slot) if slot >= 0 else inputs[-1 - slot])

    def op(self, name):
        return self.nodes.get(name, {}).get('op', '')

    def called(self, name):
        """The nodes of functions that a node calls, and that had such a value."""
        return [inner for inner in self.found if inner.startswith(name + '/')] if name in self.callers else []

    def carries(self, name):
        return name in self.found or _passes(self.op(name)) and self.nodes[name]['state'] != 'pruned'

    def reach(self):
        """Finds the nodes through which the values reach a result, each with the next one on its way."""
        self.reached = {}
        todo = [n['name'] for n in self.report['nodes'] if n['state'] in ('fetch', 'target') and self.carries(n['name'])]
        for name in todo:
            self.reached[name] = None
        for name in todo:
            node = self.nodes[name]
            inputs = [_node_of(i) for i in node['inputs'] if i[0] != '^' or node['op'] == 'NoOp']
            for each in self.called(name) + [i for i in inputs if i in self.nodes and self.carries(i)]:
                if each not in self.reached:
                    self.reached[each] = name
                    todo.append(each)

    def path(self, name):
        path = []
        while name is not None and name in self.reached:
            path.append(name)
            name = self.reached[name]
        return path

    def behind(self, tensor):
        """Follows a tensor back over nodes that pass values on."""
        for _ in self.nodes:
            node = self.nodes.get(_node_of(tensor))
            if not node or _node_of(tensor) in self.found or not _passes(node['op']) or not node['inputs'] or node['state'] == 'fed':
                break
            known = [i for i in node['inputs'] if _node_of(i) in self.found]
            tensor = (known or node['inputs'])[0]
        return tensor

    def source(self, entry):
        """The tensor that had the value although no node of the step made it, and what was read of it; or None."""
        # The inside of a loop or branch ran in another process, or the value comes from a queue or a file.
        if entry['made'] and (entry['op'] in _ENDS or _takes(entry['op'])):
            return entry['output']['tensor'], entry['output']
        if entry['made'] and _passes(entry['op']) and entry['inputs']:
            tensor = self.behind(entry['inputs'][0]['tensor'])
            return None if _node_of(tensor) in self.found else (tensor, entry['output'])
        for looked in entry['inputs']:
            if looked.get(self.kind, 0) == 0:
                continue
            if _node_of(looked['tensor']) == entry['node']:  # the read of a variable has its name
                return looked['tensor'], looked
            tensor = self.behind(looked['tensor'])
            if _node_of(tensor) not in self.found:
                return tensor, looked
        return None

    def begins(self, entry):
        """True if the value begins here: the node made it, or read it from outside of the step."""
        if entry['kind'] != self.kind or entry['made'] and _stores(entry['op']) or self.called(entry['node']):
            return False
        return bool(entry['made'] and not _passes(entry['op']) or self.source(entry))

    def first(self):
        """The first origin, preferably one that reaches a result."""
        origins = [entry for entry in self.entries if self.begins(entry)]
        reaching = [entry for entry in origins if entry['node'] in self.reached]
        return (reaching or origins or [None])[0]

    def feeds(self, node, entry):
        """True if a value of `node` flows into an input of `entry`."""
        todo, seen = [_node_of(i['tensor']) for i in entry['inputs'] if i.get('inf', 0)], set()
        while todo:
            name = todo.pop()
            if name == node:
                return True
            if name not in seen and name in self.nodes and self.carries(name):
                seen.add(name)
                todo += [_node_of(i) for i in self.nodes[name]['inputs']]
        return False

    def inf_behind(self, entry):
        infs, first = _Search(self.report, False), None
        for each in self.entries:
            if each is entry:
                break
            if infs.begins(each):
                if infs.feeds(each['node'], entry):
                    return each
                first = first or each
        return first

    def source_of_inf(self, entry):
        source = _Search(self.report, False).source(entry)
        return source[0] if source else entry['node']

    def kind_of_source(self, tensor):
        node = self.nodes.get(_node_of(tensor), {'op': '', 'state': ''})
        op = node['op']
        if op in _ENDS:
            return 'inside'
        if op == 'PyFunc' or op.startswith('Iterator'):
            return 'value'
        if node['state'] == 'fed' or op.startswith('Placeholder'):
            # The runtime feeds the results of Python functions.
            made = [getattr(each, 'outputs', None) for each in tf.get_collection('__host')]
            names = [t.name for outputs in made if isinstance(outputs, (list, tuple)) for t in outputs]
            return 'value' if tensor in names else 'feed'
        if op.startswith('Variable') or op == 'VarHandleOp':
            return 'variable'
        return 'constant' if op == 'Const' else 'value'

    def forward(self, name):
        """The node whose gradient a node belongs to: log for gradients/log_grad/mul; or ''."""
        at = name.find('gradients')
        while at >= 0:
            begin = name.find('/', at) + 1
            end = name.find('_grad', begin) if begin else -1
            while end >= 0:
                if name[begin:end] in self.nodes:
                    return name[begin:end]
                end = name.find('_grad', end + 1)
            at = name.find('gradients', at + 1)
        return ''

    def loop(self, name):
        loop = self.nodes.get(name, {}).get('loop', '')
        loops = set(n.get('loop', '') for n in self.report['nodes']) - {'', loop}
        for other in loops:
            if loop.startswith('gradients') and loop.endswith('/' + other):
                return 'the backward loop %s of %s' % (loop, other)
        return loop and 'the loop ' + loop


# ---- the answer ----

def _share(looked, nan):
    return '' if looked['elements'] == 1 else '%s of %s' % ('{:,}'.format(looked['nan' if nan else 'inf']),
                                                           _counted(looked['elements'], 'element'))


def _described(entry):
    return '%s (%s, %s)' % (entry['node'], entry['op'], entry['output']['type'])


def _range(looked):
    text = looked['tensor'] + ' ' + looked['type']
    if 'least' in looked:
        text += ' = ' + looked['least'] if looked['least'] == looked['most'] else ' from %(least)s to %(most)s' % looked
    return text + ''.join(', {:,} {}'.format(looked[k], name) for k, name in (('nan', 'NaN'), ('inf', 'Inf')) if looked[k])


def _example(entry):
    """The values that the example was computed from."""
    inputs = [i for i in entry['inputs'][:_MOST_INPUTS] if 'type' in i]
    values = ['%s = %s' % (i['tensor'], i['value']) if 'value' in i else _range(i) for i in inputs]
    by_element = any('value' in i for i in inputs)
    result = '%s = %s' % (entry['output']['tensor'], entry['output']['value'])
    return (', ' if by_element else ' · ').join(values) + '  →  ' + result if values else result


def _where(index):
    return 'at %s' % index if index else 'value'


def _row(label, text):
    return '   %-12s %s\n' % (label, text)


def _finite(entry):
    return not any(i.get('nan', 0) or i.get('inf', 0) for i in entry['inputs'])


class Answer:
    """The origin of the first NaN (or Inf) of a step.

    report: the report as a dict; nan: False asks for Inf; request: the run as typed, or ''; step, steps: the last one that
    ran, and how many were allowed; feeds, fetched: (tensor name, value); values: of a step that ran elsewhere, by tensor.
    """

    def __init__(self, report, nan, request='', step=1, steps=1, feeds=(), fetched=(), values=None):
        if values is not None:
            _add_values(report, values, feeds, fetched)
        self.search = _Search(report, nan)
        self.report, self.nan, self.request, self.step, self.steps = report, nan, request, step, steps
        self.entry = self.search.first()
        self.source, self.read, self.index, self.inf, self.path, self.others, self.forward = '', None, [], None, [], [], ''
        if self.entry:
            self._follow()
        # A feed comes before every node. A fetched value that no node computed is that of a variable.
        for name, value in list(feeds) + ([] if self.entry else list(fetched)):
            entry = _in_value(value, nan)
            if entry:
                self.source, self.read, self.index = name, entry['output'], entry['index']
                break

    def _follow(self):
        entry, search = self.entry, self.search
        self.path, self.forward = search.path(entry['node']), search.forward(entry['node'])
        self.others = [e['node'] for e in search.entries
                       if e is not entry and e['made'] and not _passes(e['op']) and search.begins(e)]
        if not entry['made'] or _passes(entry['op']) or _takes(entry['op']):
            self.source, self.read = search.source(entry)
            if _node_of(self.source) == entry['node'] or entry['made']:
                self.index = entry['index']
        elif self.nan and not _finite(entry):
            self.inf = search.inf_behind(entry)

    def found(self):
        return bool(self.entry or self.source)

    def _kind(self):
        return 'NaN' if self.nan else 'Inf'

    def _maker(self):
        entry, kind = self.entry, self._kind()
        share = _share(entry['output'], self.nan)
        text = '%s on %s made the first %s%s%s, from %s\n' % (
            _described(entry), entry['device'], kind, ' in step {:,}'.format(self.step) if self.steps > 1 else '',
            share and ': ' + share, 'finite inputs' if _finite(entry) else 'inputs without ' + kind)
        text += _row(_where(entry['index']), _example(entry))
        if entry.get('iteration'):
            loop = self.search.loop(entry['node'])
            text += _row('iteration', '{:,}'.format(entry['iteration']) + (loop and ' of ' + loop) + (
                ', and {:,} of the loop inside'.format(entry['inner']) if entry.get('inner') else ''))
        if self.forward:
            text += _row('gradient of', '%s (%s)' % (self.forward, self.search.op(self.forward)))
        cause, instead = cause_of(entry)
        if cause:
            text += _row('cause', cause)
        if self.inf:
            at = _where(self.inf['index'])
            if self.inf['made']:
                text += _row('the Inf', '%s made it, %s%s' % (_described(self.inf), '' if at == 'value' else at + ': ', _example(self.inf)))
                cause, better = cause_of(self.inf)
                instead = better or instead
                if cause:
                    text += _row('', cause)
            else:
                source = self.search.source_of_inf(self.inf)
                kind = self.search.kind_of_source(source)
                text += _row('the Inf', '%s%s contained it before this step' % (
                    'the variable ' if kind == 'variable' else '', _plain(source)))
        return text + (_row('instead', instead) if instead else '')

    def _outside(self):
        """The first line about a value that existed before the step."""
        name, kind, source = _plain(self.source), self._kind(), self.search.kind_of_source(self.source)
        share = _share(self.read, self.nan)
        count = (share and ': ' + share) + (', the first at %s' % self.index if share and self.index else '')
        if source == 'inside':
            return '%s came out of %s%s; a node of the loop or branch that ends there made it, in another process\n' % (kind, name, count)
        if source == 'feed':
            return 'the value fed for %s contains %s%s\n' % (name, kind, count)
        if source == 'constant':
            return 'the constant %s contains %s%s\n' % (name, kind, count)
        if source == 'variable':
            when = 'step {:,}'.format(self.step) if self.steps > 1 else 'this step'
            return 'the variable %s contained %s before %s%s; an earlier run wrote it\n' % (name, kind, when, count)
        return 'the value of %s contained %s when it arrived in this step%s\n' % (name, kind, count)

    def _nothing(self):
        nodes = sum(n['state'] not in ('pruned', 'fed') for n in self.report['nodes'])
        text = 'no %s%s: no value of the %s that ran contains one. ' % (
            self._kind(), ' in ' + _counted(self.steps, 'step') if self.steps > 1 else '', _counted(nodes, 'node'))
        if any(e['kind'] == ('inf' if self.nan else 'nan') for e in self.search.entries):
            return text + ('But there is Inf: why inf\n' if self.nan else 'But there is NaN: why nan\n')
        return text + 'Look for it in a loop of steps: why %s %s times 100\n' % (self._kind().lower(), self.request or 'X')

    def _reaches(self):
        shown = [n for i, n in enumerate(self.path)
                 if i in (0, len(self.path) - 1) or not _passes(self.search.op(n))]
        if len(shown) > _MOST_PATH:
            shown[_MOST_PATH // 2:-_MOST_PATH // 2] = ['…']
        return ' → '.join(shown)

    def _in_graph(self, tensor):
        node = self.search.nodes.get(_node_of(tensor), {})
        return bool(node) and not node.get('within')

    def _can_be_fetched(self, tensor):
        """True if `eval` of the tensor works. Nodes of conditionals and loops cannot be fetched."""
        graph = tf.get_default_graph()
        try:
            return self._in_graph(tensor) and graph.is_fetchable(graph.get_operation_by_name(_node_of(tensor)))
        except KeyError:  # it is in another graph
            return False

    def _next(self):
        feeds = self.request[self.request.find(' feed '):] if ' feed ' in self.request else ''
        entry, commands, target = self.entry, [], self.request[:len(self.request) - len(feeds)]
        if not all(c.isalnum() or c in '_/:., ' for c in target):  # an expression, which would make new nodes
            target = ', '.join(n['name'] for n in self.report['nodes'] if n['state'] in ('fetch', 'target'))
        if self.source and self.search.kind_of_source(self.source) == 'variable' and self.request:
            commands = ['run tf.global_variables_initializer()', 'why %s %s times 100' % (self._kind().lower(), self.request)]
        elif self.source and self.search.kind_of_source(self.source) == 'inside':
            commands = ['connect default', 'why %s %s' % (self._kind().lower(), self.request)]
        elif self.source and self.search.kind_of_source(self.source) == 'value':  # another one would be taken
            commands = ['graph ' + _node_of(self.source)] if self._in_graph(self.source) else []
        elif self.source and self._can_be_fetched(self.source):
            commands = ['eval ' + self.source + feeds]
        elif self.request:
            commands = ['step ' + target + feeds]
        if entry and not self.source:
            node = self.search.nodes.get(entry['node'], {})
            if entry['inputs'] and not node.get('loop') and not node.get('within') and \
                    self._can_be_fetched(entry['inputs'][0]['tensor']):
                commands.append('eval ' + entry['inputs'][0]['tensor'] + feeds)
        if entry and self._in_graph(entry['node']) and 'graph ' + entry['node'] not in commands:
            commands.append('graph ' + entry['node'])
        return ' next: ' + ' · '.join(commands) + '\n' if commands else ''

    def text(self):
        if not self.found():
            return self._nothing()
        entry = self.entry
        text = self._outside() if self.source else self._maker()
        if self.source and entry and _node_of(self.source) != entry['node']:
            at = _where(entry['index'])
            text += _row('first read', 'by ' + _described(entry) + ('' if at == 'value' else ', ' + at))
        if len(self.path) > 1:
            text += _row('reaches', self._reaches())
        if entry and not self.path:
            text += _row('reaches', 'no result: a later node or branch leaves it out')
        if self.others:
            more = len(self.others) - _MOST_NAMES
            text += _row('made also by', ', '.join(self.others[:_MOST_NAMES]) + (' and {:,} more'.format(more) if more > 0 else ''))
        return text + self._next()

    def fields(self):
        """The members of the answer as JSON (docs/json.md)."""
        out = {'kind': self._kind().lower(), 'found': self.found()}
        if self.steps > 1:
            out['step'] = self.step
        if self.source:
            out['source'], out['source_kind'] = self.source, self.search.kind_of_source(self.source)
        if self.entry:
            at = {k: v for k, v in self.entry.items() if k not in ('kind', 'made', 'at_ns')}
            at['cause'], at['instead'] = cause_of(self.entry)
            out.update(made=not self.source, at=at, path=self.path, others=self.others)
        if self.forward:
            out['gradient_of'] = self.forward
        if self.inf:
            out['inf_made_by'] = self.inf['node']
        return out
