#!/usr/bin/env python3
"""Runs the fuzz targets (tests/fuzz/targets) with libFuzzer.

    targets.py --build build/asan             the inputs that were kept, and a few new ones
    targets.py --build build/fuzz --search [--seconds N] [TARGET …]

The inputs that were kept (tests/fuzz/corpus/TARGET) once broke a target; a change that mends one adds its input there. The others
are made from the seeds of tests/models and from golden scripts. A search continues with what earlier ones found, in
BUILD/corpus, and writes inputs that break a target to BUILD/found. --rotate runs only two targets, which the commit chooses.
"""
import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'tests', 'models'))
import hostile_seeds  # noqa: E402

LIMITS = ['-rss_limit_mb=3000', '-malloc_limit_mb=1500', '-timeout=60', '-print_final_stats=0']
# Words that libFuzzer puts into its inputs.
WORDS = {'language': ['def ', 'class ', 'lambda: ', 'yield ', 'with ', 'try:\n', 'except', 'eval ', 'explain ', 'why ', 'nodes where ', 'run ', 'tf.constant(', 'np.zeros(',
                      'sql select ', "f'{", 'async ', 'await ', '[0] * ', ' feed ', 'graph ', 'place ', 'step ', 'set ', 'view ', 'plot '],
         'keys': ['\x1b[A', '\x1b[200~', '\x1b[201~', '\x1b[1;5C', '\x12', '\t', '\x1b', '\x1bd', '\x1b]0;', '\x18\x05', '\xe6\x97\xa5', '\x1f']}


def pieces(text, size):
    lines = text.split('\n')
    return ['\n'.join(lines[i:i + size]).encode() for i in range(0, len(lines), size)]


def seeds(target, folder):
    """Returns inputs that a target understands."""
    files = hostile_seeds.formats(folder)
    if target == 'open':
        return list(files.values())
    if target == 'decode':
        kinds = {'p.': 0, 'g.pb': 1, 'g.json': 3, 'index': 6, 'a.npz': 7, 'g.pbtxt': 8}
        made = [bytes([kind]) + data for name, data in files.items() for mark, kind in kinds.items()
                if name == mark or mark == 'index' and name.endswith(mark) or mark == 'p.' and name.startswith(mark)]
        example = hostile_seeds.f(1, hostile_seeds.f(1, hostile_seeds.f(1, 'x') + hostile_seeds.f(2, hostile_seeds.f(2, hostile_seeds.f(1, b'\0' * 8)))))
        tensor = hostile_seeds.f(1, 1) + hostile_seeds.f(2, b'') + hostile_seeds.f(4, b'\0\0\x80?')
        from wire import snappy
        return made + [b'\4' + example, b'\2' + tensor, b'\5' + snappy(b'abcabcabcabcabc' * 9)]
    if target == 'language':
        made = []
        for path in sorted(glob.glob(os.path.join(ROOT, 'tests/golden/lang/*.py')) + glob.glob(os.path.join(ROOT, 'tests/golden/shell/*.tsh'))):
            with open(path, encoding='utf-8') as file:
                text = file.read()
            if path.endswith('.tsh'):
                text = '\n'.join(line[4:] for line in text.split('\n') if line.startswith(('>>> ', '... ')))
            made += pieces(text, 12)[:4]
        return [m for m in made if b'quit' not in m and b'sleep' not in m]
    if target == 'keys':
        return [bytes([mode]) + b'for x in y:\r print(\x1b[D\x1b[A\t\x7f\r\x1b[200~a\nb\x1b[201~\x12pri\r\x1b[1;5D\x17\x19\x1f\x1b.' for mode in range(16)]
    rng = random.Random(1)
    return [bytes(rng.choice((1, 2, 3, 4, 0, rng.randrange(256))) for _ in range(120)) for _ in range(20)]


def write(folder, inputs):
    os.makedirs(folder, exist_ok=True)
    for i, data in enumerate(inputs):
        with open(os.path.join(folder, 'seed-%04d' % i), 'wb') as out:
            out.write(data)


def run(build, target, folders, options, limit):
    """Returns what is wrong, or ''."""
    binary = os.path.join(build, 'tests', 'fuzz_' + target)
    with tempfile.TemporaryDirectory(prefix='tensh-fuzz-') as scratch:
        words = os.path.join(scratch, 'words')
        with open(words, 'w') as out:
            out.write(''.join('"%s"\n' % ''.join('\\x%02x' % b for b in w.encode('latin-1')) for w in WORDS.get(target, [])))
        env = dict(os.environ, HOME=scratch, TENSH_HISTORY='')
        env['ASAN_OPTIONS'] = env.get('ASAN_OPTIONS', 'intercept_tls_get_addr=0') + ':allocator_may_return_null=1:detect_leaks=0'
        command = [binary] + LIMITS + options + (['-dict=' + words] if target in WORDS else []) + folders
        try:
            done = subprocess.run(command, cwd=scratch, env=env, capture_output=True, text=True, errors='backslashreplace', timeout=limit)
        except subprocess.TimeoutExpired:
            return '%s: still running' % target
    return '%s: exit code %d\n%s' % (target, done.returncode, done.stderr[-6000:]) if done.returncode else ''


def chosen(names):
    """Two of the targets. The commit chooses them."""
    done = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=ROOT, capture_output=True, text=True)
    first = int(done.stdout[:6] or '0', 16) % len(names)
    return [names[first], names[(first + 2) % len(names)]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--build', required=True)
    parser.add_argument('--search', action='store_true')
    parser.add_argument('--rotate', action='store_true')
    parser.add_argument('--seconds', type=int, default=120)
    parser.add_argument('--runs', type=int, default=400)
    parser.add_argument('targets', nargs='*')
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    every = sorted(os.path.basename(p)[len('fuzz_'):] for p in glob.glob(os.path.join(build, 'tests', 'fuzz_*')) if os.access(p, os.X_OK))
    absent = sorted(set(options.targets) - set(every)) or ([] if every else ['none'])
    if absent:
        sys.exit('targets.py: %s has no target %s; it has: %s' % (build, ', '.join(absent), ', '.join(every) or 'none'))
    wrong = 0
    fresh = chosen(every) if options.rotate and os.environ.get('TENSH_TENTH', '') != 'all' else every
    for target in options.targets or every:
        with tempfile.TemporaryDirectory(prefix='tensh-seeds-') as folder:
            made = os.path.join(folder, 'seeds')
            write(made, seeds(target, folder))
            kept = glob.glob(os.path.join(HERE, 'corpus', target, '*'))
            if options.search:
                corpus, found = os.path.join(build, 'corpus', target), os.path.join(build, 'found', '')
                os.makedirs(corpus, exist_ok=True)
                os.makedirs(found, exist_ok=True)
                problem = run(build, target, [corpus, made], ['-artifact_prefix=%s%s-' % (found, target), '-max_total_time=%d' % options.seconds],
                              options.seconds + 300)
            else:
                problem = run(build, target, kept, ['-seed=1'], 600) if kept else ''
                if not problem and target in fresh:
                    problem = run(build, target, [made], ['-seed=1', '-runs=%d' % options.runs, '-artifact_prefix=%s/' % folder], 600)
        wrong += bool(problem)
        print(problem or '%s: ok' % target, flush=True)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
