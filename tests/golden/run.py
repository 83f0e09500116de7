#!/usr/bin/env python3
"""Runs tensh on scripts and compares the output byte for byte. Uses only the standard library.

    run.py --tensh build/tensh [--mode MODE] [--update] [PATH ...]

PATH is a script or a folder (default: this folder). Three kinds of golden file:

  NAME.py NAME.out    stdout of `tensh NAME.py`, recorded from real TensorFlow by make_golden.py (or from
                      CPython under lang/). stderr is compared when NAME.err is there, and the exit code
                      must be 0, or what a first line `# exit: N` says. `# options: --python2` in it
                      gives tensh this option; such output is reasoned from the documentation.
  NAME.tsh NAME.out   the same for a script with verbs; --update rewrites the .out.
  NAME.tsh alone      a transcript: `>>> ` (and `... `) lines are typed into a pipe with --keep-going, the
                      lines between are what comes back, stdout and stderr together. --update rewrites it.

Durations (`4.1 µs`) and timing bars differ from run to run, so .tsh files compare them as <time> and <bar>. Modes
(tests/modes/test_modes.cc) are passed in TENSH_MODE. The output of a .py must be the same in each mode, unless its
first line says `not under: MODE`. Only mode gpu uses a GPU of this machine. It allows other last digits, and leaves out what
fake-gpu leaves out. If TENSH_TENTH is a digit, a mode and --rotate run only every tenth script, starting with
that one; CI varies the digit from commit to commit.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIME = re.compile(r'<?\b\d+(\.\d+)?(e[+-]?\d+)? ?(ns|µs|us|ms|s)\b')
BAR = re.compile(r'[▓░·#.]{4,}')
NUMBER = re.compile(r'(?<![\w.])(-?\d+\.\d*(?:e[+-]?\d+)?)(?![\w.])')
ONCE = re.compile(r'^ once, before the step: .*\n', re.M)  # told if it took long enough
TIMEOUT_S = 120


def normal(text):
    return BAR.sub('<bar>', TIME.sub('<time>', ONCE.sub('', text)))


def close(want, got, relative=1e-3, absolute=1e-5):
    """Whether two texts differ only in numbers with a decimal point, and in these by little. numpy aligns columns, so
    that spaces may differ too. CUDA's functions, and the order of its sums, are not the CPU's."""
    want, got = NUMBER.split(want), NUMBER.split(got)
    if len(want) != len(got):
        return False
    for a, b in zip(want[0::2], got[0::2]):
        if a.split() != b.split():
            return False
    return all(abs(float(a) - float(b)) <= absolute + relative * abs(float(a)) for a, b in zip(want[1::2], got[1::2]))


class Case:
    def __init__(self, path):
        self.path = path
        self.name = os.path.relpath(path, os.getcwd())
        base = os.path.splitext(path)[0]
        self.out, self.err = base + '.out', base + '.err'
        self.transcript = path.endswith('.tsh') and not os.path.exists(self.out)
        self.timed = path.endswith('.tsh')
        self.update = path.endswith('.tsh')


def read(path):
    with open(path, 'rb') as f:
        return f.read().decode('utf-8', 'surrogateescape')


def write(path, text):
    with open(path, 'wb') as f:
        f.write(text.encode('utf-8', 'surrogateescape'))


def launch(options, args, folder, stdin='', merge=False):
    """Runs in a separate folder with the script and the files of data/, because modes run in parallel and scripts
    write files."""
    with tempfile.TemporaryDirectory() as own:
        for name in args:
            if os.path.isfile(os.path.join(folder, name)):
                shutil.copy(os.path.join(folder, name), own)
        for part in ('data', 'beside'):
            if os.path.isdir(os.path.join(folder, part)):
                shutil.copytree(os.path.join(folder, part), os.path.join(own, part))
        return launch_in(own, options, args, stdin, merge)


def launch_in(folder, options, args, stdin, merge):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_') or k == 'TENSH_FAKE_GPU_CHECKS'}
    env.update(TENSH_PYTHON='none', NO_COLOR='1', TERM='dumb', COLUMNS='80', LC_ALL='C.UTF-8')
    if options.mode:
        env['TENSH_MODE'] = options.mode
    if options.mode != 'gpu':
        env['CUDA_VISIBLE_DEVICES'] = ''
    try:
        done = subprocess.run(
            [options.tensh] + args, input=stdin.encode('utf-8', 'surrogateescape'), cwd=folder, env=env,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merge else subprocess.PIPE,
            timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as e:
        return -1, (e.stdout or b'').decode('utf-8', 'replace'), 'no end after %d s' % TIMEOUT_S
    return (done.returncode, done.stdout.decode('utf-8', 'surrogateescape'),
            (done.stderr or b'').decode('utf-8', 'surrogateescape'))


def differ(case, what, want, got):
    lines = list(difflib.unified_diff(want.split('\n'), got.split('\n'), what + ' wanted', what + ' got',
                                      lineterm='', n=2))
    cut = lines[:60] + (['... %d more lines' % (len(lines) - 60)] if len(lines) > 60 else [])
    return '%s: %s differs\n%s' % (case.name, what, '\n'.join(cut).encode('utf-8', 'replace').decode())


def run_script(case, options):
    source = read(case.path)
    code = re.match(r'#.*\bexit: (\d+)', source)
    code = int(code.group(1)) if code else 0
    folder, name = os.path.split(case.path)
    given = re.match(r'#.*\boptions: (\S+)', source)
    got_code, out, err = launch(options, ([given.group(1)] if given else []) + [name], folder)
    if options.update and case.update:
        write(case.out, out)
    problems = []
    if not os.path.exists(case.out):
        return ['%s: no .out; record it with ./dev golden %s' % (case.name, case.name)]
    fix = normal if case.timed else (lambda text: text)
    want = fix(read(case.out))
    if want != fix(out) and not (options.mode == 'gpu' and close(want, fix(out))):
        problems.append(differ(case, 'stdout', want, fix(out)))
    if os.path.exists(case.err) and normal(read(case.err)) != normal(err):
        problems.append(differ(case, 'stderr', normal(read(case.err)), normal(err)))
    if got_code != code:
        problems.append('%s: exit code %d, wanted %d' % (case.name, got_code, code))
    if problems and err and not os.path.exists(case.err):
        problems.append('  stderr: ' + '\n  '.join(err.strip().split('\n')[-8:]))
    return problems


def parse_transcript(text):
    """Returns [(input, output)]. Text before the first prompt is a comment and has no input."""
    cells = [['', '']]
    for line in text.splitlines(keepends=True):
        if line.startswith('>>> ') or line == '>>>\n':
            cells.append([line[4:] or '\n', ''])
        elif line.startswith('... ') or line == '...\n':
            cells[-1][0] += line[4:] or '\n'
        else:
            cells[-1][1] += line
    return cells


def format_cell(source, output):
    lines = source.splitlines()
    return ''.join(('>>> ' if i == 0 else '... ').strip() + (' ' + line if line else '') + '\n'
                   for i, line in enumerate(lines)) + output


def rewrite_transcript(case, options, cells, folder):
    # Runs each prefix of the cells, which shows where the output of a cell ends without typing
    # markers between them.
    text, before = cells[0][1], 0
    for i in range(1, len(cells)):
        _, out, _ = launch(options, ['--keep-going'], folder, ''.join(c[0] for c in cells[:i + 1]), merge=True)
        lines = out.splitlines(keepends=True)  # durations change the number of characters
        text += format_cell(cells[i][0], ''.join(lines[before:]))
        before = len(lines)
    write(case.path, text)


def run_transcript(case, options):
    folder = os.path.dirname(case.path)
    cells = parse_transcript(read(case.path))
    if options.update:
        rewrite_transcript(case, options, cells, folder)
        return []
    code, out, err = launch(options, ['--keep-going'], folder, ''.join(c[0] for c in cells), merge=True)
    problems = []
    want = normal(''.join(c[1] for c in cells[1:]))
    if want != normal(out):
        problems.append(differ(case, 'output', want, normal(out)))
    if code not in (0, 1):
        problems.append('%s: exit code %d %s' % (case.name, code, err))
    return problems


def cases_in(paths):
    for path in paths:
        if os.path.isfile(path):
            yield Case(path)
            continue
        for folder, folders, files in os.walk(path):
            folders.sort()
            for name in sorted(files):
                full = os.path.join(folder, name)
                stem, suffix = os.path.splitext(full)
                if suffix == '.tsh' or suffix == '.py' and os.path.exists(stem + '.out'):
                    yield Case(full)


def run_case(case, options):
    return (run_transcript if case.transcript else run_script)(case, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--mode', default='')
    parser.add_argument('--rotate', action='store_true')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('paths', nargs='*', default=[HERE])
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    cases = list(cases_in([os.path.abspath(p) for p in options.paths]))
    if options.mode:  # a transcript shows devices and plans, which a mode changes on purpose
        cases = [case for case in cases if not case.timed and
                 not re.match(r'#.*not under: [a-z, -]*\b' + options.mode, read(case.path))]
    if (options.mode or options.rotate) and os.environ.get('TENSH_TENTH', '').isdigit():
        cases = cases[int(os.environ['TENSH_TENTH'])::10]
    if not cases:
        print('golden: no scripts in', ' '.join(options.paths))
        return 1
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(1 if options.update else 2) as pool:
        for problems in pool.map(lambda case: run_case(case, options), cases):
            failed += bool(problems)
            for problem in problems:
                print(problem.encode('utf-8', 'backslashreplace').decode())
    print('golden: %d of %d as wanted%s' % (len(cases) - failed, len(cases),
                                            ' under ' + options.mode if options.mode else ''))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
