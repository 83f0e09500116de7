#!/usr/bin/env python3
"""Runs the example that `help NAME` shows for each public name of tf and np, and for names of Python's modules, and compares what it prints.

    python3 tests/examples/names_test.py --tensh build/tensh [--update] [--rotate] [NAME ...]

The names are those of docs/names.md. Each name of tf has an example, also the aliases; a module has a list of its names
instead. A name of np has one if the samples or the lessons use it.
--update rewrites the results in the examples files with those of tensh. With --rotate, if TENSH_TENTH is a digit, only
every tenth name is tried, starting with that one.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 120
TOGETHER = 200  # names in one process that prints help
GROUP = 40      # examples in one process
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ENV = dict({k: v for k, v in os.environ.items() if not k.startswith('TENSH_') and k != 'COLUMNS'},
           NO_COLOR='1', TERM='dumb', LC_ALL='C.UTF-8')


def tensh_c(tensh, text):
    """Runs in a folder of its own, because examples write files. Returns stdout, stderr and the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([tensh, '-c', text], capture_output=True, text=True, timeout=TIMEOUT_S, cwd=folder, env=ENV)
    return done.stdout, done.stderr, done.returncode


def public_names():
    """Returns the public names of tf and np on the page of names."""
    with open(os.path.join(ROOT, 'docs/names.md'), encoding='utf-8') as f:
        rows = re.findall(r'^\* `((?:tf|np)\.[\w.]+)(?![\w.*])([^`]*)`:? ?(.*)', f.read(), re.M)
    return [name for name, _, doc in rows if '._' not in name and 'not part of tensh' not in doc]


def names_of_python():
    """Returns the names of Python's own modules that have an example."""
    with open(os.path.join(ROOT, 'shell/python/names/python.examples'), encoding='utf-8') as f:
        return re.findall(r'^== (.+)$', f.read(), re.M)


def used_names_of_numpy():
    """Returns the names of np that the samples and the lessons use."""
    text = ''
    for path in glob.glob(os.path.join(ROOT, 'samples', '**'), recursive=True):
        if path.endswith(('.py', '.lesson')):
            with open(path, encoding='utf-8') as f:
                text += f.read()
    return set(re.findall(r'\bnp\.[\w.]*\w', text))


def helps(tensh, names):
    """Yields each name with the text that help prints about it. `help set` would describe the verb."""
    for at in range(0, len(names), TOGETHER):
        group = names[at:at + TOGETHER]
        out, err, code = tensh_c(tensh, '\n'.join("print('@@ %s')\nhelp%s" % (n, ' ' + n if '.' in n else '(%s)' % n) for n in group))
        if code:
            sys.exit(err)
        for part in out.split('@@ ')[1:]:
            name, _, text = part.partition('\n')
            yield name, text


def example_of(text):
    """Returns the typed lines and the printed lines of a help text; ('', '') if it has no example."""
    _, found, rest = text.partition('\nexample\n')
    lines = [line[2:] for line in rest.split('\n')] if found else []
    typed = [line for line in lines if line[:4] in ('>>> ', '... ')]
    return '\n'.join(line[4:] for line in typed), '\n'.join(lines[len(typed):]).rstrip('\n')


def is_module(text):
    return bool(re.match(r'(?:tf|np)\.[\w.]+\n\n(.+\n\n)*\w+( \w+)*\n', text))


def run_alone(tensh, example):
    """Returns what is wrong with an example, or ''."""
    typed, printed = example
    out, err, code = tensh_c(tensh, typed)
    if not code and out.rstrip('\n') == printed:
        return ''
    return '%s\nprinted\n%s%s\nnot\n%s' % (typed, out, err, printed)


def run_group(tensh, group):
    """Runs examples of one line in one process, because its start takes longer than they do. If one of them differs,
    each runs in a process of its own. Returns what is wrong with each."""
    if len(group) == 1:
        return [run_alone(tensh, group[0])]
    text = '\n\n'.join("tf.reset_default_graph()\nprint('@@')\n" + typed for typed, _ in group)
    out, _, code = tensh_c(tensh, text + '\n')
    parts = [part.strip('\n') for part in out.split('@@')[1:]]
    if code == 0 and parts == [printed.strip('\n') for _, printed in group]:
        return [''] * len(group)
    return [run_alone(tensh, example) for example in group]


def update(tensh, pool):
    for path in sorted(glob.glob(os.path.join(ROOT, 'shell/*/names/*.examples'))):
        with open(path, encoding='utf-8') as f:
            blocks = re.split(r'(?m)^== ', f.read())[1:]
        typed = [re.findall(r'^(?:>>> |\.\.\. )(.*)$', block, re.M) for block in blocks]
        done = list(pool.map(lambda lines: tensh_c(tensh, '\n'.join(lines)), typed))
        with open(path, 'w', encoding='utf-8') as f:
            for block, (out, _, _) in zip(blocks, done):
                kept = [line for line in block.split('\n') if line[:4] in ('>>> ', '... ')]
                f.write('\n'.join(['== ' + block.split('\n')[0]] + kept) + '\n' + (out.rstrip('\n') + '\n' if out.strip() else ''))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--rotate', action='store_true')
    parser.add_argument('names', nargs='*')
    options = parser.parse_args()
    tensh = os.path.abspath(options.tensh)
    problems, examples, modules, used = [], {}, 0, used_names_of_numpy()
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        if options.update:
            update(tensh, pool)
            return 0
        names = options.names or public_names() + names_of_python()
        if options.rotate and os.environ.get('TENSH_TENTH', '').isdigit():
            names = names[int(os.environ['TENSH_TENTH'])::10]
        for name, text in helps(tensh, names):
            typed, printed = example_of(text)
            if typed:
                examples.setdefault((typed, printed), name)
            elif is_module(text):
                modules += 1
            elif not name.startswith('np.') or name in used:
                problems.append('%s has no example:\n%s' % (name, text))
        # Longer examples may leave flags, log levels, sessions or threads behind.
        short = [e for e in examples if e[0].startswith('eval ') and '\n' not in e[0]]
        groups = [short[at:at + GROUP] for at in range(0, len(short), GROUP)] + [[e] for e in examples if e not in short]
        wrong = sum(pool.map(lambda group: run_group(tensh, group), groups), [])
        problems += [examples[e] + '\n' + text for e, text in zip(sum(groups, []), wrong) if text]
    print('\n'.join(problems + ['names: %d examples, %d modules, %d problems' % (len(examples), modules, len(problems))]))
    return 1 if problems or not examples else 0


if __name__ == '__main__':
    sys.exit(main())
