#!/usr/bin/env python3
"""Breaks every rule of every op's contract, and expects an error that names the input.

    contracts.py --tensh build/tensh [--ops A,B] [--seed N]

The cases are derived from the contracts (`ops --json`, runtime/core/contract.h). For each rule, they contain an input
with too low and too high a rank, a wrong last dimension, an empty tensor, or a value out of range. Each is tried as a
constant, so that the error occurs during graph construction, and as a feed of unknown shape, so that it occurs before
the kernel runs. The other inputs follow the contract. The test fails if a broken rule is not reported, or if a rule
could not be tried.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from ops_hostile import COMMON, HEAD, NUMPY, Call, name, tf_type

MAX_RANK = 254
TRIES = 100  # random attributes are often refused before the inputs are checked
# Values for attributes for which few random values are valid.
USUAL = {'set_operation': "'union'", 'pooling_ratio': '[1., 1., 1., 1.]', 'unigrams': '[1., 1.]', 'num_reserved_ids': '0',
         'num_shards': '1', 'shard': '0', 'vocab_file': None}
RUNNER = HEAD + '''
def t(n, f):
    tf.reset_default_graph()
    feed = {}
    try:
        with tf.Session(config=config) as s:
            out = f(feed)
            s.run([o for o in out] if isinstance(out, (list, tuple)) else out, feed)
        print(n, 'ok')
    except Exception as e:
        print(n, type(e).__name__, str(e).splitlines()[0] if str(e) else '')
'''


class BrokenCall(Call):
    """A call whose inputs follow the contract, except for one: `broken` is its position and (shape, value)."""

    def __init__(self, r, op, argument, broken, fed):
        super().__init__(r, op)
        self.rules = {rule['input']: rule for rule in op['contract']}
        self.argument, self.broken, self.fed = argument, broken, fed
        self.free = r.choice([(2,), (2, 2), self.shape])  # inputs without requirements
        # empty lists are preferred, because long ones must match each other
        self.bare = r.random() < 0.3

    def text(self):
        for a in self.op['attrs']:
            self.attr(a)
        parts = []
        for i in self.op['inputs']:
            self.rule = self.rules.get(i['name'])
            self.breaks = i['name'] == self.argument
            parts.append('%s=%s' % (name(i['name']), self.input(i['type'])))
        parts += ['%s=%s' % (name(k), v) for k, v in self.attrs.items() if v is not None]
        return 'tf.raw_ops.%s(%s)' % (self.op['name'], ', '.join(parts))

    def attr(self, a):
        """Returns attributes that ops refuse less often than random ones."""
        r, kind = self.r, a['type']
        broken = next(i['type'] for i in self.op['inputs'] if i['name'] == self.argument)
        # an element of an empty list cannot be broken
        counts = a['name'] in re.findall(r'\w+', broken)
        if self.bare and not counts and a.get('minimum') == 0 and (kind == 'int' or kind.startswith('list')):
            (self.types if kind == 'list(type)' else self.numbers)[a['name']] = [] if kind == 'list(type)' else 0
            of_inputs = any(a['name'] in re.findall(r'\w+', i['type']) for i in self.op['inputs'])
            self.attrs[a['name']] = None if of_inputs else '0' if kind == 'int' else '[]'
            return
        if kind == 'type' and not (self.types and r.random() < 0.3):
            same = [t for t in self.types.values() if t in a.get('allowed', COMMON)]
            a = dict(a, allowed=same[:1] or a.get('allowed') or COMMON)
        super().attr(a)
        while counts and kind == 'list(type)' and not self.types[a['name']]:
            super().attr(a)
        if a['name'] in USUAL:
            self.attrs[a['name']] = USUAL[a['name']]
        if self.attrs.get(a['name']) is None or a['name'] in USUAL:
            return
        if kind == 'list(int)':
            self.attrs[a['name']] = repr([1] * max(a.get('minimum', 0), r.choice([1, 4, 4, 5])))
        elif kind == 'int':
            self.attrs[a['name']] = repr(max(a.get('minimum', 1), r.choice([1, 2, 4])))
        elif kind == 'list(shape)':
            lists = [t for t in self.types.values() if isinstance(t, list)]
            self.attrs[a['name']] = repr([[2]] * len(r.choice(lists or [[0]])))
        elif kind == 'string' and 'VALID' in a.get('allowed', ''):
            self.attrs[a['name']] = "'VALID'"

    def tensor(self, t):
        if t in ('resource', 'variant'):
            if not self.breaks:
                return super().tensor(t)
            return 'tf.placeholder(%s, %r)' % (tf_type(t), list(self.broken[0]))
        shape, value = self.broken if self.breaks else self.fitting()
        array = self.filled(t, shape, value)
        # The shape function must not see an input that only the run can refuse.
        return ('p(feed, %s, %s)' if self.fed else 'c(%s, %s)') % (tf_type(t), array)

    def ref(self, t):
        shape = self.broken[0] if self.breaks else self.fitting()[0]
        return 'tf.raw_ops.VariableV2(shape=%r, dtype=%s)' % (list(shape), tf_type(t))

    def fitting(self):
        if not self.rule:
            return self.free, None
        return fitting(self.rule)

    def filled(self, t, shape, value):
        if t == 'string':
            return 'np.full(%r, %r, object)' % (tuple(shape), 'a')
        return 'np.full(%r, %s).astype(np.%s)' % (tuple(shape), 1 if value is None else value, NUMPY.get(t, 'float32'))


def fitting(rule, rank=None):
    """Returns a shape and a value that the rule allows."""
    rank = rule['ranks'][0] if rank is None else rank
    shape = [2] * rank
    if shape and 'last_dim' in rule:
        shape[-1] = rule['last_dim']
    return tuple(shape), max(rule['values'][0], min(1, rule['values'][1])) if 'values' in rule else None


def breaches(rule):
    """Returns shapes and values that the rule does not allow."""
    low, high = rule['ranks']
    for rank in {low - 1, 0} if low > 0 else ():
        yield (2,) * rank, None
    if high < MAX_RANK:
        yield (2,) * (high + 1), None
    shape, value = fitting(rule, max(low, 1) if high > 0 else 0)
    if 'last_dim' in rule:
        yield shape[:-1] + (rule['last_dim'] + 1,), value
        yield shape[:-1] + (0,), value
    if 'not_empty' in rule:
        yield (0,) + shape[1:], value
    if 'values' in rule:
        shape, _ = fitting(rule)
        least, most = rule['values']
        for value in ([least - 1] if least > -2**31 else []) + ([most + 1] if most < 2**31 - 1 else []):
            yield shape, value


def cases(ops, seed):
    """Returns (op, input, text of the rule, phase, tries). At least one of the tries must be reported."""
    for op in ops:
        types = {i['name']: i['type'] for i in op['inputs']}
        for rule in op['contract']:
            handle = re.search(r'Ref|resource|variant', types[rule['input']])
            for broken in breaches(rule):
                for fed in (False, True):
                    if (fed and (not rule['at_run'] or handle)) or (not fed and handle and not rule['at_build']):
                        continue
                    if not fed and not rule['at_build']:
                        continue
                    r = random.Random('%s %s %r %r %d' % (op['name'], rule['input'], broken, fed, seed))
                    yield (op['name'], rule, broken, fed,
                           [BrokenCall(r, op, rule['input'], broken, fed).text() for _ in range(TRIES)])


def answers(tensh, calls):
    with tempfile.TemporaryDirectory() as folder:  # some calls write files
        script = os.path.join(folder, 'calls.py')
        with open(script, 'w') as f:
            f.write('SLOW = 10**9\n' + RUNNER)
            for i, call in enumerate(calls):
                f.write('t(%d, lambda feed: %s)\n' % (i, call))
        p = subprocess.run([tensh, '--sandbox', script], capture_output=True, text=True, timeout=600, cwd=folder)
    if p.returncode != 0:
        sys.exit('tensh ended with %d: %s' % (p.returncode, p.stderr[-500:]))
    found = dict(line.split(' ', 1) for line in p.stdout.splitlines() if re.match(r'\d+ ', line))
    return [found.get(str(i), 'nothing') for i in range(len(calls))]


def reported(answer, rule, fed):
    kind = answer.split(' ', 1)[0]
    if kind not in ('ValueError', 'InvalidArgumentError'):
        return False
    says = r'\b%s(\[\d+\])* must ' % re.escape(rule['input'])
    return bool(re.search(says, answer) or (not fed and re.search(r'(Shape|Dimension) must be ', answer)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--ops', default='')
    parser.add_argument('--rotate', action='store_true', help='if TENSH_TENTH is a digit, try only this tenth of the ops')
    parser.add_argument('--seed', type=int, default=0)
    args = parser.parse_args()
    listing = json.loads(subprocess.run([args.tensh, '-c', 'ops --json'], capture_output=True, text=True).stdout)
    only = set(filter(None, args.ops.split(',')))
    ops = [op for op in listing if op['contract'] and (not only or op['name'] in only)]
    tenth = os.environ.get('TENSH_TENTH', '')
    if args.rotate and tenth.isdigit():
        ops = ops[int(tenth)::10]
    todo, bad, tried = list(cases(ops, args.seed)), [], 0
    # Most calls work with their first attributes. Others are tried only for the remaining ones.
    last = {}
    for attempt in range(TRIES):
        got = answers(args.tensh, [case[4][attempt] for case in todo])
        tried += len(got)
        left = []
        for case, answer in zip(todo, got):
            op, rule, broken, fed, calls = case
            if reported(answer, rule, fed):
                continue
            if answer == 'ok':
                bad.append('%s: %s is broken and nobody says so\n    %s' % (op, rule['text'], calls[attempt]))
                continue
            last[id(case)] = '%s: %s: not reached\n    %s\n    %s' % (op, rule['text'], calls[attempt], answer)
            left.append(case)
        todo = left
        if not todo:
            break
    bad += [last[id(case)] for case in todo]
    rules = sum(len(op['contract']) for op in ops)
    print('%d ops, %d rules, %d calls, %d wrong' % (len(ops), rules, tried, len(bad)))
    print('\n'.join(bad))
    sys.exit(1 if bad or not ops else 0)


if __name__ == '__main__':
    main()
