#!/usr/bin/env python3
"""Random programs with branches and loops: all views of a step must tell the same, and the truth.

    flow_test.py --tensh build/tensh [--programs N] [--seed N]

A program is a tree of additions, conditionals, cases, loops and maps over numbers. The test computes its value, its
derivative, and how often each of its additions runs, in Python. Then it runs the program in tensh, placed on one or two
devices, and compares these numbers with `eval`, `explain analyze --json` (not_taken, steps, loop_times), `events`,
`profile`, `why not` and `step`. Also compares the views with each other about all nodes, those of gradients included.
A failure prints the program, which can be pasted, and its seed.

If $TENSH_TF_PYTHON names a Python with TensorFlow, that also turns some of the programs into graphs with functions (If,
While, Case), which tensh opens.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TF_PYTHON = os.environ.get('TENSH_TF_PYTHON', '')
# Writes the graph of each program of stdin, a list of [text, path], with functions for its branches and loops.
FUNCTIONS = '''
import json, os, sys
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow.compat.v1 as tf
tf.enable_control_flow_v2()
for text, path in json.load(sys.stdin):
    with tf.Graph().as_default() as graph:
        exec(text, {'tf': tf})
        open(path, 'wb').write(graph.as_graph_def().SerializeToString())
'''
# Ops that have no kernel, and so no events, although they take part in a step.
WITHOUT_KERNEL = {'Const', 'Enter', 'Exit', 'Merge', 'Switch', 'NextIteration', 'LoopCond', 'Placeholder', 'NoOp'}

MAX_RUNS = 300  # of all additions of a program: only the first 1,000 events in loops are kept
LIMIT = 1000    # values are kept below it


class Dual:
    """A number with its derivative with respect to p."""

    def __init__(self, value, slope=0):
        self.value, self.slope = value, slope

    def plus(self, other):
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual((self.value + other.value) % LIMIT, self.slope + other.slope)


class Program:
    """Generates the text of a program while it evaluates it."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []     # of the program
        self.marks = 0      # the number of additions
        self.devices = self.random.random() < 0.4
        self.floating = self.random.random() < 0.5
        self.variables = 0
        self.decided = {}   # the values of each predicate

    def name(self):
        self.marks += 1
        return 'm%d' % self.marks

    # ---- trees ----

    def tree(self, depth, args):
        """Returns a random tree: (kind, …). `args` is the number of variables in scope."""
        r = self.random.random()
        if depth == 0 or r < 0.2:
            return ('arg', self.random.randrange(args)) if self.random.random() < 0.7 else ('number', self.random.randrange(5))
        if r < 0.45:
            return ('add', self.name(), self.tree(depth - 1, args), self.tree(depth - 1, args), self.device())
        if r < 0.68:
            return ('cond', self.random.randrange(1, 8), self.tree(depth - 1, args), self.tree(depth - 1, args),
                    self.tree(depth - 1, args), self.name(), self.name())
        if r < 0.75:
            return ('case', self.tree(depth - 1, args), [self.tree(depth - 1, args) for _ in range(3)],
                    [self.name() for _ in range(3)])
        if r < 0.93:
            return ('loop', self.random.randrange(4), self.tree(depth - 1, args), self.tree(depth - 1, args + 2),
                    self.name(), self.name())
        return ('map', self.random.randrange(1, 4), self.tree(depth - 1, args), self.tree(depth - 1, args + 1), self.name())

    def device(self):
        return self.random.choice((None, None, '/cpu:0', '/cpu:1')) if self.devices else None

    # ---- values ----

    def value(self, tree, args, runs):
        """Evaluates a tree, and counts the runs of each addition in `runs`."""
        kind = tree[0]

        def count(name):
            runs[name] = runs.get(name, 0) + 1
        if kind == 'arg':
            return args[tree[1]]
        if kind == 'number':
            return Dual(tree[1])
        if kind == 'add':
            a, b = self.value(tree[2], args, runs), self.value(tree[3], args, runs)
            count(tree[1])
            return a.plus(b)
        if kind == 'cond':
            taken = self.value(tree[2], args, runs).value % 8 > tree[1]
            self.decided.setdefault('q' + tree[5][1:], []).append(taken)
            inside = self.value(tree[3] if taken else tree[4], args, runs)
            count(tree[5] if taken else tree[6])
            return inside.plus(1)
        if kind == 'case':
            which = min(self.value(tree[1], args, runs).value % 4, 2)
            for q, name in enumerate(tree[3][:2]):
                self.decided.setdefault('q' + name[1:], []).append(which == q)
            inside = self.value(tree[2][which], args, runs)
            count(tree[3][which])
            return inside.plus(2)
        if kind == 'loop':
            total = self.value(tree[2], args, runs)
            for i in range(tree[1]):
                count(tree[4])
                total = self.value(tree[3], args + [Dual(i), total], runs)
                count(tree[5])
                total = total.plus(3)
            count(tree[4])
            return total
        start, total = self.value(tree[2], args, runs), Dual(0)
        for i in range(tree[1]):
            element = start.plus(i)
            one = self.value(tree[3], args + [element], runs)
            count(tree[4])
            total = total.plus(one.plus(element))
        return total

    # ---- text ----

    def number(self, value):
        return '%d.' % value if self.floating else '%d' % value

    def wrapped(self, a, b, name):
        """The text of a named addition."""
        return 'tf.floormod(tf.add(%s, %s, name="%s"), %s)' % (a, b, name, self.number(LIMIT))

    def emit(self, tree, args, indent, lines):
        """Appends the lines that compute a tree, and returns the expression of its value."""
        pad, kind = '  ' * indent, tree[0]
        self.variables += 1
        fresh = 'v%d' % self.variables
        if kind == 'arg':
            return args[tree[1]]
        if kind == 'number':
            return 'tf.constant(%s)' % self.number(tree[1])
        if kind == 'add':
            a, b = self.emit(tree[2], args, indent, lines), self.emit(tree[3], args, indent, lines)
            device = '' if tree[4] is None else 'with tf.device("%s"): ' % tree[4]
            lines.append('%s%s%s = %s' % (pad, device, fresh, self.wrapped(a, b, tree[1])))
            return fresh
        if kind in ('cond', 'case'):
            decides = self.emit(tree[2] if kind == 'cond' else tree[1], args, indent, lines)
            bodies, marks = (tree[3:5], tree[5:7]) if kind == 'cond' else (tree[2], tree[3])
            lines.append('%s%s_d = tf.floormod(%s, %s)' % (pad, fresh, decides, self.number(8 if kind == 'cond' else 4)))
            for branch, (inside, mark) in enumerate(zip(bodies, marks)):
                lines.append('%sdef %s_%d():' % (pad, fresh, branch))
                result = self.emit(inside, args, indent + 1, lines)
                lines.append('%s  return %s' % (pad, self.wrapped(result, self.number(len(bodies) - 1), mark)))
            if kind == 'cond':
                lines.append('%s%s = tf.cond(tf.greater(%s_d, %s, name="q%s"), %s_0, %s_1)' % (
                    pad, fresh, fresh, self.number(tree[1]), marks[0][1:], fresh, fresh))
            else:
                pairs = ', '.join('(tf.equal(%s_d, %s, name="q%s"), %s_%d)' % (fresh, self.number(i), marks[i][1:], fresh, i)
                                  for i in range(2))
                lines.append('%s%s = tf.case([%s], default=%s_2)' % (pad, fresh, pairs, fresh))
            return fresh
        start = self.emit(tree[2], args, indent, lines)
        if kind == 'loop':
            lines.append('%sdef %s_c(i, t): return tf.less(tf.add(i, %s, name="%s"), %s)' % (
                pad, fresh, self.number(0), tree[4], self.number(tree[1])))
            lines.append('%sdef %s_b(%s_i, %s_t):' % (pad, fresh, fresh, fresh))
            result = self.emit(tree[3], args + [fresh + '_i', fresh + '_t'], indent + 1, lines)
            lines.append('%s  return %s_i + %s, %s' % (pad, fresh, self.number(1), self.wrapped(result, self.number(3), tree[5])))
            lines.append('%s%s = tf.while_loop(%s_c, %s_b, [tf.constant(%s), %s])[1]' % (
                pad, fresh, fresh, fresh, self.number(0), start))
            return fresh
        lines.append('%sdef %s_f(%s_e):' % (pad, fresh, fresh))
        result = self.emit(tree[3], args + [fresh + '_e'], indent + 1, lines)
        lines.append('%s  return %s' % (pad, self.wrapped(result, fresh + '_e', tree[4])))
        lines.append('%s%s = tf.floormod(tf.reduce_sum(tf.map_fn(%s_f, tf.floormod(%s + tf.range(%s), %s))), %s)' % (
            pad, fresh, fresh, start, self.number(tree[1]), self.number(LIMIT), self.number(LIMIT)))
        return fresh


class Case:
    """A program of moderate size, with its true numbers."""

    def __init__(self, seed):
        self.seed = seed
        for attempt in range(1000):
            program = Program(seed * 1000 + attempt)
            tree = program.tree(program.random.randrange(2, 5), 1)
            p, self.runs = program.random.randrange(10), {}
            self.y = program.value(tree, [Dual(p, 1)], self.runs)
            has_flow = re.search("'(cond|case|loop|map)'", repr(tree))
            if has_flow and sum(self.runs.values()) < MAX_RUNS and program.marks < 60:
                break
        for mark in range(1, program.marks + 1):
            self.runs.setdefault('m%d' % mark, 0)
        self.decided, self.floating = program.decided, program.floating
        lines = ['p = tf.placeholder(tf.%s, [], name="p")' % ('float32' if self.floating else 'int32')]
        result = program.emit(tree, ['p'], 0, lines)
        lines.append('y = tf.identity(%s, name="y")' % result)
        self.text = '\n'.join(lines) + '\n'
        self.feed = ' feed p=' + program.number(p)
        self.value = '%d.0' % self.y.value if self.floating else '%d' % self.y.value


class Tensh:
    def __init__(self, path):
        self.path = path

    def run(self, text, *verbs):
        """Runs a program and verbs, and returns the output of each verb."""
        script = text
        for verb in verbs:
            script += 'print("\\x01")\n%s\n' % verb
        done = subprocess.run([self.path, '--keep-going', '-'], input=script, capture_output=True, text=True, timeout=300)
        parts = done.stdout.split('\x01\n')[1:]
        if len(parts) != len(verbs) or done.returncode != 0:
            raise AssertionError('exit code %d: %s' % (done.returncode, done.stderr))
        return parts


def base(name):
    """The name of an addition without its scopes: m7 for while/cond/m7."""
    return name.split('/')[-1]


def is_mark(name):
    return re.fullmatch(r'm\d+', base(name)) is not None


def count(events):
    """How often each node was computed, in a list of events."""
    counts = {}
    for event in events:
        if event['kind'] == 'compute':
            counts[event['node']] = counts.get(event['node'], 0) + 1
    return counts


def marks_of(counts):
    return {base(name): n for name, n in counts.items() if is_mark(name)}


class Check:
    """Compares what the views say of one step of a program."""

    def __init__(self, tensh, case, text, fetch):
        self.tensh, self.case, self.text = tensh, case, text
        self.feed = fetch + case.feed
        self.wrong = []

    def want(self, what, got, wanted):
        if got != wanted:
            self.wrong.append('%s: got %r, the truth is %r' % (what, got, wanted))

    def run(self):
        feed = self.feed
        value, report, events, profile = self.tensh.run(
            self.text, 'eval ' + feed, 'explain analyze %s --json' % feed, 'events --all --json',
            'profile %s times 1 --all --json' % feed)
        self.value = value.strip()
        self.report = json.loads(report)
        self.nodes = {n['name']: n for n in self.report['nodes'] + self.report.get('called', []) if n['state'] != 'pruned'}
        # The optimizer leaves out nodes, and computes nodes in the first step only.
        self.optimized = {name for part in self.report['partitions'] for name in part.get('once', [])}
        self.optimized |= {name for name, n in self.nodes.items() if n['state'] == 'merged' or n.get('once')}
        self.times = count(self.report['steps'])
        for each in self.report.get('loop_times', []):
            self.times[each['node']] = each['calls']
        self.events = count(json.loads(events))
        self.calls = {}
        for row in json.loads(profile):
            self.calls[row['node']] = self.calls.get(row['node'], 0) + (row['calls'] if row['kind'] == 'compute' else 0)
        self.check_nodes()
        return self

    def check_nodes(self):
        """Every node: the views agree with each other."""
        # A loop is one event on each device, and its calls are its iterations.
        loops = [e for e in self.report['steps'] if e['op'] in ('LoopCond', 'While', 'StatelessWhile')]
        rounds = {e['node']: 0 for e in loops}
        for event in loops:
            rounds[event['node']] += max(event.get('iterations', 0), 1) if event['kind'] == 'compute' else 0
        few = len(self.report.get('in_loops', [])) < 1000
        for name, node in self.nodes.items():
            times = self.times.get(name, 0)
            if node.get('not_taken'):
                self.want('runs of %s, which is not taken' % name, times, 0)
            elif name in self.optimized:
                self.want('runs of %s, which the optimizer leaves out' % name, times, 0)
            elif times == 0 and node['op'] not in WITHOUT_KERNEL and node['state'] not in ('fed', 'unused'):
                self.wrong.append('%s (%s) has no event, but is not "not taken"' % (name, node['op']))
            if few:
                self.want('events of ' + name, self.events.get(name, 0), times)
            if node['op'] == 'LoopCond':
                self.want('iterations of %s in profile' % name, self.calls.get(name, 0), rounds.get(name, 0))
            else:
                self.want('calls of %s in profile' % name, self.calls.get(name, 0), times)

    def check_truth(self):
        """The additions: the views agree with the program."""
        case = self.case
        self.want('eval', self.value, case.value)
        names = {base(name): name for name in self.nodes if is_mark(name)}
        asked = sorted(case.runs, key=lambda m: int(m[1:]))
        self.want('additions in the report', sorted(names), sorted(asked))
        asked = [m for m in asked if m in names]
        times = marks_of(self.times)
        whys = self.tensh.run(self.text, 'explain analyze %s --json' % self.feed, *['why not ' + names[m] for m in asked])
        for m, answer in zip(asked, whys[1:]):
            self.want('not_taken of ' + names[m], bool(self.nodes[names[m]].get('not_taken')), case.runs[m] == 0)
            if names[m] not in self.optimized:
                self.want('runs of %s in explain' % names[m], times.get(m, 0), case.runs[m])
            self.check_why(names[m], answer, case.runs[m])
        self.check_step({m: names[m] for m in asked})

    def check_why(self, name, answer, runs):
        self.want('why not ' + name, 'does run' in answer, runs > 0)
        because = re.search(r'because (\S+) was (True|False)', answer)
        if because and re.fullmatch(r'q\d+', base(because[1])):
            self.want('values of %s in why not %s' % (because[1], name), {because[2] == 'True'},
                      set(self.case.decided.get(base(because[1]), ())))
        said = re.search(r'(\d+) times?:', answer)
        if said and name not in self.optimized:
            self.want('times in why not ' + name, int(said[1]), runs)

    def check_step(self, names):
        """Walks through the step: each addition that ran is the node of as many moments as it ran."""
        runs = self.case.runs
        last, page = self.tensh.run(self.text, 'step %s\nstep 2000' % self.feed, 'step %s --html' % self.feed)
        self.want('the end of step', last.rstrip().split(': ')[-1], 'y = ' + self.case.value)
        moments = json.loads(re.search(r'^const shots=(\{.*?\});$', page, re.S | re.M)[1])['moments']
        shown, ran = {}, set()
        for moment in moments:
            shown[base(moment['node'])] = shown.get(base(moment['node']), 0) + 1
            ran.update(base(name) for name in moment['ran'])
        not_taken = {base(name) for name in moments[-1]['nottaken']}
        self.want('ready when the step has ended', moments[-1]['ready'], [])
        for m, name in names.items():
            self.want('moments of %s in step' % name, shown.get(m, 0), runs[m])
            self.want('%s has run in step' % name, m in ran, runs[m] > 0)
            if runs[m] > 0:
                self.want('%s is not taken at the end of step' % name, m in not_taken, False)


def check(tensh, case, text, fetch='y'):
    """Returns the disagreements of a program."""
    check = Check(tensh, case, text, fetch).run()
    check.check_truth()
    if case.floating and text == case.text:
        text += 'g = tf.gradients(y, p)[0]\n'
        if 'None' in tensh.run(text, 'print(g)')[0]:
            check.want('the derivative, without a gradient', 0, case.y.slope)
        else:
            backward = Check(tensh, case, text, 'g').run()
            backward.want('the derivative', backward.value, '%d.0' % case.y.slope)
            check.wrong += ['gradient: ' + each for each in backward.wrong]
    return check.wrong


def with_functions(cases, folder):
    """Turns programs into graphs with functions. Returns the texts that open them."""
    files = [os.path.join(folder, '%d.pb' % case.seed) for case in cases]
    done = subprocess.run([TF_PYTHON, '-c', FUNCTIONS], input=json.dumps([[c.text, f] for c, f in zip(cases, files)]),
                          capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(done.stderr)
    return ['open %s\n' % file for file in files]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--programs', type=int, default=40)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--show', action='store_true', help='print the programs only')
    options = parser.parse_args()
    tensh, failed = Tensh(os.path.abspath(options.tensh)), 0
    cases = [Case(seed) for seed in range(options.seed, options.seed + options.programs)]
    if options.show:
        print('\n'.join(case.text for case in cases))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        todo = [(case, case.text) for case in cases]
        if TF_PYTHON:
            todo += zip(cases, with_functions(cases, folder))
        for case, text in todo:
            try:
                wrong = check(tensh, case, text)
            except AssertionError as error:
                wrong = [str(error)]
            if wrong:
                failed += 1
                print(''.join('seed %d%s: %s\n' % (case.seed, '' if text == case.text else ', with functions', each)
                              for each in wrong) + '\n' + case.text + 'explain analyze y' + case.feed + '\n')
    print('%d programs, %d with a disagreement' % (len(todo), failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
