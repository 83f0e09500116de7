#!/usr/bin/env python3
"""Runs the TensorFlow 1.x scripts below some folders under tensh and under TensorFlow, and compares their output.

    ./dev corpus FOLDER…

Each repository (a folder directly below a FOLDER, or the FOLDER itself) is copied twice, and its scripts run in order,
once in each copy, with the same edits on both sides:
  * for loops over a range, and numbers whose names or flags speak of epochs, steps or iterations, are capped (--loops);
  * absolute paths are relative to the folder of the script;
  * the generators of TensorFlow, numpy and Python are seeded, those of TensorFlow also in graphs that a script makes;
  * folders from which a script reads MNIST contain a small set of made-up digits.
TensorFlow runs in processes forked from one that has loaded it, with the shims of tests/golden/make_golden.py and of
beside.py. It needs: pip install tensorflow-cpu 'numpy<2' tf-slim tf-keras matplotlib pillow, and
pip install --no-deps tensorflow-estimator==2.15.0. Scripts may use other packages that this Python has.

TensorFlow 2 counts the nodes of some functions differently from 1.15, and so it gives the random ops that follow them
other seeds. If the output differs, TensorFlow therefore runs the script up to three times more, with other seeds for
these ops. A difference counts as random if TensorFlow's outputs differ in the same lines.

The answers are counted:
  same       the output is the same, byte for byte, apart from times, addresses, the folder of the copy, the order of
             maps in messages, and the name of the class of tensors in TensorFlow 2
  close      the same text, and numbers within 0.2 %
  random     the same number of lines, and only those differ that depend on the seeds under TensorFlow too
  numbers    the same text, and other numbers
  different  the text differs
  tensh      tensh stopped and TensorFlow finished
  TensorFlow TensorFlow stopped and tensh finished: a name that TensorFlow 2 no longer has
  both alike, both otherwise    both stopped, with the same class of error or another one
  slow       one of them reached the limit of time
  skipped    no TensorFlow 1.x, a package that neither has, or not valid Python
The last line is the share of same, close and random among the scripts that TensorFlow finishes within the limit.
"""
import argparse
import ast
import collections
import concurrent.futures
import gzip
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings

from beside import ended

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTED = re.compile(r'(epoch|iter|step|episode|max_.*train|num_train|training_(iters|steps)|updates)', re.I)
SIZE = re.compile(r'step_?size|(^|_)(n|num|time|seq\w*|max|unroll\w*|rnn|truncated|input|output|lstm)_?steps?$|timestep|length',
                  re.I)  # such names are sizes of tensors
NEWER = re.compile(r'GradientTape|tf\.function\b|tf\.data\.experimental\.AUTOTUNE|enable_eager_execution|'
                   r'tf\.config\.(list_physical|experimental)|tf\.random\.set_seed|tf\.io\.read_file\(')
OLDER = re.compile(r'Session\(|placeholder|tf\.compat\.v1|get_variable|tf\.contrib|tf\.app\.|tf\.train\.|'
                   r'tf\.layers|tf\.estimator|initialize_all|global_variables_init|tf\.Graph\(')
# Packages of which the scripts are skipped unless the Python of TensorFlow has them. tensh uses them from there.
ELSEWHERE = {'cv2', 'gym', 'sklearn', 'pandas', 'scipy', 'nltk', 'gensim', 'jieba', 'tflearn', 'tensorlayer', 'keras',
             'IPython', 'skimage', 'seaborn', 'librosa', 'torch', 'requests', 'bs4', 'pygame', 'prettytensor', 'sonnet',
             'edward', 'tensorflow_hub', 'tensorflow_datasets', 'tensorflow_probability', 'imageio', 'h5py', 'psutil',
             'flask', 'Tkinter', 'tkinter', 'redis', 'pymongo', 'wget', 'yaml', 'joblib', 'tensorforce', 'mxnet',
             'sugartensor', 'object_detection', 'lxml', 'selenium', 'statsmodels', 'tushare', 'xlrd', 'PyQt5', 'moviepy',
             'scapy', 'pyspark', 'input_data_from_elsewhere', 'tensorboard', 'tensorboardX', 'pydub', 'zmq', 'mpi4py'}
FINISHED = ('same', 'close', 'random', 'numbers', 'different')  # on both sides
TIMED = ('user time', 'elapsed', 'took', ' sec', 'seconds', 'duration', 'Time')


def repositories(folders):
    for folder in folders:
        inner = sorted(e.path for e in os.scandir(folder) if e.is_dir() and not e.name.startswith('.'))
        direct = any(e.name.endswith('.py') for e in os.scandir(folder))
        yield from [folder] if direct or not inner else inner


def imports(tree):
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or '')
    return names


def number(node):
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def capped_numbers(tree, cap):
    """Yields the literals that are loop lengths above the cap."""
    def of_call(call):
        name = getattr(call.func, 'id', getattr(call.func, 'attr', ''))
        return name in ('range', 'xrange', 'trange', 'arange')
    for node in ast.walk(tree):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and of_call(node.iter):
            args = node.iter.args
            if len(args) == 1 and (number(args[0]) or 0) > cap:
                yield args[0], cap
            elif len(args) == 2 and number(args[0]) in (0, 1) and (number(args[1]) or 0) > cap:
                yield args[1], cap
        elif isinstance(node, ast.Assign) and (number(node.value) or 0) > cap:
            names = [getattr(t, 'id', getattr(t, 'attr', '')) for t in node.targets]
            if any(COUNTED.search(name) and not SIZE.search(name) for name in names):
                yield node.value, cap
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            flag = node.args[0].value
            if isinstance(flag, str) and COUNTED.search(flag) and not SIZE.search(flag):
                for value in node.args[1:2] + [k.value for k in node.keywords if k.arg == 'default']:
                    if (number(value) or 0) > cap:
                        yield value, cap
        elif isinstance(node, ast.keyword) and node.arg in ('epochs', 'nb_epoch', 'num_epochs', 'steps', 'max_steps'):
            if (number(node.value) or 0) > cap:
                yield node.value, cap


ABSOLUTE = re.compile(r'''(?P<quote>['"])(/(?=(tmp|home|data|root|Users|mnt|opt|media|var|path|usr|content)\b)|'''
                      r'''[A-Za-z]:(\\\\|\\|/)+)(?P<rest>[^'"\n]*)(?P=quote)''')


def seeds(tree, lines):
    """Yields the lines to insert, as (index, text), that seed the program and the graphs that it makes."""
    first = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if docstring or isinstance(node, ast.ImportFrom) and node.module == '__future__':
            first = node.end_lineno
        else:
            break
    yield first, ('import tensorflow as _t, numpy as _n, random as _r; '
                  '_t.set_random_seed(7); _n.random.seed(7); _r.seed(7)')
    for node in ast.walk(tree):
        if not isinstance(node, ast.With) or node.body[0].lineno == node.lineno:
            continue
        calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
        owners = [ast.unparse(c.func.value) for c in calls if getattr(c.func, 'attr', '') == 'as_default']
        if any(not re.search('sess', owner, re.I) for owner in owners):
            begin = node.body[0]
            line = min([begin.lineno] + [d.lineno for d in getattr(begin, 'decorator_list', [])]) - 1
            indent = re.match(r'\s*', lines[line])[0]
            yield line, indent + '__import__("tensorflow").set_random_seed(7)'


def edited(text, cap):
    """Returns the text with the edits that both sides get, or None if it is not Python 3."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None, None
    lines = text.split('\n')
    for node, value in sorted(capped_numbers(tree, cap), key=lambda pair: (pair[0].lineno, -pair[0].col_offset)):
        raw = lines[node.lineno - 1].encode('utf-8')
        if node.end_lineno == node.lineno:
            raw = raw[:node.col_offset] + str(value).encode() + raw[node.end_col_offset:]
            lines[node.lineno - 1] = raw.decode('utf-8')
    for line, added in sorted(seeds(tree, lines), reverse=True):
        lines.insert(line, added)
    text = re.sub(r'([\w.]+\.reset_default_graph\(\))', r'(\1, __import__("tensorflow").set_random_seed(7))',
                  '\n'.join(lines))
    return ABSOLUTE.sub(lambda m: m['quote'] + m['rest'].replace('\\\\', '/').replace('\\', '/') + m['quote'], text), tree


def digits(path):
    """Writes made-up MNIST files."""
    os.makedirs(path, exist_ok=True)
    draw = random.Random(1)
    for name, count in (('train', 6000), ('t10k', 1000)):
        labels = bytes(draw.randrange(10) for _ in range(count))
        images = bytearray(784 * count)
        for i, label in enumerate(labels):
            for k in range(40):
                images[784 * i + (label * 67 + k * 17 + draw.randrange(5)) % 784] = draw.randrange(128, 256)
        for kind, magic, sizes, body in (('images-idx3', 2051, (count, 28, 28), bytes(images)),
                                         ('labels-idx1', 2049, (count,), labels)):
            with gzip.GzipFile(os.path.join(path, '%s-%s-ubyte.gz' % (name, kind)), 'wb', 1, mtime=0) as f:
                f.write(struct.pack('>%dI' % (1 + len(sizes)), magic, *sizes) + body)


def place_digits(text, folder, made):
    if 'read_data_sets' not in text:
        return
    for path in re.findall(r'''['"]([^'"\n]*)['"]''', text):
        wanted = re.search(r'mnist|data', path, re.I) and not re.search(r'\.\w{1,5}$|[ :,%{]|^tensorflow', path)
        target = os.path.join(folder, path)
        inside = os.path.realpath(target).startswith(os.path.realpath(folder) + os.sep) or path.startswith('..')
        if wanted and inside and not os.path.exists(os.path.join(target, 'train-images-idx3-ubyte.gz')):
            try:
                os.makedirs(target, exist_ok=True)
                for name in os.listdir(made):
                    shutil.copy(os.path.join(made, name), target)
            except OSError:
                pass


class TensorFlow:
    """A process that has loaded TensorFlow and forks one for each script."""
    def __init__(self, python):
        env = dict(os.environ, TF_ENABLE_ONEDNN_OPTS='0', TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='',
                   PYTHONHASHSEED='0', PYTHONIOENCODING='utf-8', TF_USE_LEGACY_KERAS='1', MPLBACKEND='Agg')
        self.command, self.env, self.process = [python, os.path.join(HERE, 'beside.py')], env, None

    def run(self, folder, name, limit, stem, again=0):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.env,
                                            text=True)
        request = {'folder': folder, 'name': name, 'limit': limit, 'out': stem + '.out', 'err': stem + '.err',
                   'again': again}
        self.process.stdin.write(json.dumps(request) + '\n')
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return answer['code'], answer['seconds'], contents(stem + '.out'), contents(stem + '.err')

    def close(self):
        if self.process is None:
            return
        self.process.stdin.close()
        self.process.wait()


def contents(path):
    with open(path, 'rb') as f:
        return f.read().decode('utf-8', 'replace')


def run_tensh(args, folder, name, stem):
    with open(stem + '.out', 'wb') as out, open(stem + '.err', 'wb') as err:
        env = dict(os.environ, HOME=os.path.dirname(stem), TENSH_HISTORY='', TENSH_PYTHON=args.python)
        process = subprocess.Popen([args.tensh, name], cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   env=env, start_new_session=True)
        code, seconds = ended(process.pid, args.limit)
    return code, seconds, contents(stem + '.out'), contents(stem + '.err')


def explained(ours, theirs, others):
    """Returns true if tensh's output differs from TensorFlow's only in lines that TensorFlow prints differently with
    some other seeds."""
    lines = [text.split('\n') for text in (ours, theirs, *others)]
    if len({len(each) for each in lines}) != 1:
        return False
    return all(compare(a, b) in ('same', 'close') or any(b != c for c in more) for a, b, *more in zip(*lines))


NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|\bnan\b|\binf\b)')


def compare(ours, theirs):
    if ours == theirs:
        return 'same'
    clean = [re.sub(r'0x[0-9a-f]{6,}', '0x', '\n'.join(line for line in text.split('\n')
                                                     if not any(word in line for word in TIMED)))
             for text in (ours, theirs)]
    if clean[0] == clean[1]:
        return 'same'
    if 'key: "' in ours and sorted(clean[0].split('\n')) == sorted(clean[1].split('\n')):
        return 'same'  # Newer versions of protobuf print maps in another order.
    words = [re.sub(r'[\s,]+', ' ', NUMBER.sub('#', text)).replace('# ', '#').replace(' #', '#') for text in clean]
    if words[0] != words[1]:
        return 'different'
    for a, b in zip(*(NUMBER.findall(text) for text in clean)):
        a, b = float(a), float(b)
        if a != b and not (a != a and b != b) and abs(a - b) > 2e-3 * max(abs(a), abs(b), 1e-3):
            return 'numbers'
    return 'close'


ERROR = re.compile(r'(?:^|: )([A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt|StopIteration|Warning))\b:? ?(.*)')


def last_error(text):
    """Returns the class and the message of the error that a program ended with."""
    found = ('', '')
    for line in text.split('\n'):
        match = ERROR.search(line) if not line.startswith(' ') else None
        if match:
            found = (match[1].split('.')[-1], match[2])
    return found


def cause_of(text):
    kind, message = last_error(text)
    message = re.sub(r"'/[^']*'|\"[^\"]*\"", '…', message)
    message = re.sub(r'0x[0-9a-f]+|\d+', '#', message)
    return ('%s: %s' % (kind, message))[:150] if kind else text.strip().split('\n')[-1][:150] or 'no message'


def judge(ours, theirs):
    """Returns the answer and, if tensh is to blame, the cause."""
    (our_code, _, our_out, our_err), (code, _, out, err) = ours, theirs
    if our_code is None or code is None:
        return 'slow', 'tensh reached the limit' if our_code is None and code == 0 else ''
    if our_code == 0 and code == 0:
        return compare(our_out, out), ''
    if our_code and code:
        alike = last_error(our_err)[0] == last_error(err)[0]
        return 'both alike' if alike else 'both otherwise', '' if alike else cause_of(our_err) + '  |  ' + cause_of(err)
    return ('tensh', cause_of(our_err)) if our_code else ('TensorFlow', cause_of(err))


def missing(python):
    """Returns the packages that the Python of TensorFlow does not have."""
    code = 'import importlib.util as u, sys; print(*[n for n in sys.argv[1:] if not u.find_spec(n)])'
    return set(subprocess.run([python, '-c', code, *sorted(ELSEWHERE)], stdout=subprocess.PIPE, text=True,
                              check=True).stdout.split()) | {'keras'}


def skipped(text, tree, folder, elsewhere):
    if tree is None:
        return 'not Python 3'
    names = imports(tree)
    if not any(name.split('.')[0] == 'tensorflow' for name in names):
        return 'no TensorFlow'
    if NEWER.search(text) and not re.search(r'compat\.v1|Session\(', text) or not OLDER.search(text):
        return 'no TensorFlow 1.x'
    for name in names:
        first = name.split('.')[0]
        beside = os.path.exists(os.path.join(folder, first)) or os.path.exists(os.path.join(folder, first + '.py'))
        if first in elsewhere and not beside:
            return 'package ' + first
    return ''


def choose(args):
    """Yields each repository with its scripts, as paths relative to it."""
    seen = set()
    for repository in repositories(args.folder):
        chosen = []
        for folder, folders, files in os.walk(repository):
            folders[:] = sorted(f for f in folders if not f.startswith('.'))
            for name in sorted(files):
                path = os.path.join(folder, name)
                if not name.endswith('.py') or args.only and not re.search(args.only, path):
                    continue
                with open(path, 'rb') as f:
                    data = f.read()
                key = hashlib.sha1(data).digest()
                if b'tensorflow' in data and key not in seen:
                    seen.add(key)
                    chosen.append(os.path.relpath(path, repository))
        if args.most and len(chosen) > args.most:
            chosen = sorted(random.Random(1).sample(chosen, args.most))
        if chosen:
            yield repository, chosen


def prepare(repository, target, cap, elsewhere):
    """Copies a repository with edited scripts. Returns why scripts are skipped, by path."""
    ignore = shutil.ignore_patterns('.git', '*.pyc', '*.mp4', '*.zip', '*.tar.gz', '*.ipynb')
    shutil.copytree(repository, target, ignore=ignore, ignore_dangling_symlinks=True)
    reasons = {}
    for folder, _, files in os.walk(target):
        for name in files:
            if not name.endswith('.py'):
                continue
            path = os.path.join(folder, name)
            with open(path, 'rb') as f:
                text = f.read().decode('utf-8', 'replace').replace('\r\n', '\n').lstrip('\ufeff')
            new, tree = edited(text, cap)
            reason = skipped(text, tree, folder, elsewhere)
            reasons[os.path.relpath(path, target)] = reason
            if new is not None and 'tensorflow' in text:
                with open(path, 'w', encoding='utf-8') as f:
                    f.write(new)
    return reasons


def run_both(args, sides, path, stem, tensorflow, made):
    """Runs a script on both sides. Returns (answer, cause, seconds of tensh, seconds of TensorFlow)."""
    results = []
    for k, side in enumerate(sides):
        folder, script = os.path.split(os.path.join(side, path))
        with open(os.path.join(folder, script), encoding='utf-8') as f:
            place_digits(f.read(), folder, made)
        if k == 0:
            code, seconds, out, err = run_tensh(args, folder, script, stem + '-tensh')
            if args.stops and code == 0:
                return 'finished', '', seconds, 0
        else:
            code, seconds, out, err = tensorflow.run(folder, script, args.limit, stem + '-tensorflow')
        results.append((code, seconds, out.replace(side, 'COPY').replace('ops.SymbolicTensor', 'ops.Tensor'), err))
    answer, cause = judge(*results)
    others = []
    while answer in ('numbers', 'different') and len(others) < 3:
        again = tensorflow.run(folder, script, args.limit, stem + '-again', again=len(others) + 1)
        if again[0] != 0:
            break
        others.append(again[2].replace(side, 'COPY').replace('ops.SymbolicTensor', 'ops.Tensor'))
        if explained(results[0][2], results[1][2], others):
            answer = 'random'
    return answer, cause, results[0][1], results[1][1]


def run_repository(args, repository, chosen, work, tensorflow, made):
    """Runs the scripts of a repository on both sides. Yields (path, answer, cause, seconds of both)."""
    name = os.path.basename(os.path.realpath(repository))
    sides = [os.path.join(work, side, name) for side in ('tensh', 'tensorflow')]
    reasons = {}
    for side in sides:
        reasons = prepare(repository, side, args.loops, args.elsewhere)
    for i, path in enumerate(chosen):
        if reasons[path]:
            yield path, 'skipped', reasons[path], 0, 0
        else:
            stem = os.path.join(args.out, '%s-%03d' % (name, i))
            yield path, *run_both(args, sides, path, stem, tensorflow, made)
    for side in sides:
        shutil.rmtree(side, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('folder', nargs='+', help='a repository, or a folder of repositories')
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', default=os.environ.get('TENSH_TF_PYTHON'), help='a Python with TensorFlow')
    parser.add_argument('--out', help='where the outputs of all scripts are kept')
    parser.add_argument('--limit', type=float, default=30, help='wall time for each script, in seconds (30)')
    parser.add_argument('--loops', type=int, default=5, help='the most rounds of a loop (5)')
    parser.add_argument('--most', type=int, help='the most scripts of a repository, chosen at random')
    parser.add_argument('--only', help='a regular expression that paths must match')
    parser.add_argument('--stops', action='store_true', help='run TensorFlow only for scripts that tensh stops in')
    parser.add_argument('--jobs', type=int, default=1, help='repositories at a time (1)')
    args = parser.parse_args()
    args.tensh = os.path.abspath(args.tensh)
    args.out = os.path.abspath(args.out or tempfile.mkdtemp(prefix='corpus-'))
    os.makedirs(args.out, exist_ok=True)
    if not args.python:
        parser.error('set TENSH_TF_PYTHON, or give --python')
    args.elsewhere = missing(args.python)
    counts, causes, skips = collections.Counter(), collections.defaultdict(list), collections.Counter()
    slower = []
    with tempfile.TemporaryDirectory(prefix='corpus-') as work:
        made = os.path.join(work, 'mnist')
        digits(made)

        def one(item):
            repository, chosen = item
            tensorflow = TensorFlow(args.python)
            name = os.path.basename(os.path.realpath(repository))
            for path, answer, cause, ours, theirs in run_repository(args, repository, chosen, work, tensorflow, made):
                counts[answer] += 1
                if answer == 'skipped':
                    skips[cause] += 1
                    continue
                if cause or answer in ('numbers', 'different'):
                    causes[answer, cause].append(name + '/' + path)
                if ours > theirs and ours > 0.3 and answer in FINISHED:
                    slower.append((ours, theirs, name + '/' + path))
                print('%-14s %6.2f s %6.2f s  %s/%s%s' % (answer, ours, theirs, name, path,
                                                         '\n      ' + cause if cause else ''), flush=True)
            tensorflow.close()
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(one, choose(args)))
    report(counts, causes, skips, slower, args.out)


def report(counts, causes, skips, slower, out):
    print('\nSkipped: ' + ', '.join('%d %s' % (n, reason) for reason, n in skips.most_common(12)))
    print('\nCauses')
    for (answer, cause), paths in sorted(causes.items(), key=lambda item: -len(item[1])):
        if answer in ('tensh', 'both otherwise', 'slow', 'different'):
            print('%4d  %-14s %s   (%s)' % (len(paths), answer, cause, paths[0]))
    print('\nSlower than TensorFlow without its start: %d' % len(slower))
    for ours, theirs, path in sorted(slower, reverse=True):
        print('%6.1f s %6.1f s  %s' % (ours, theirs, path))
    print('\nScripts')
    for answer in ('finished', *FINISHED, 'tensh', 'TensorFlow', 'both alike', 'both otherwise', 'slow', 'skipped'):
        if counts[answer]:
            print('%6d  %s' % (counts[answer], answer))
    print('The outputs are in ' + out)
    alone = len(causes['slow', 'tensh reached the limit'])
    total = sum(counts[answer] for answer in (*FINISHED, 'tensh')) + alone
    alike = sum(counts[answer] for answer in FINISHED[:3])
    print('TensorFlow finishes %d scripts; tensh prints the same for %d (%.1f %%)' %
          (total, alike, 100 * alike / (total or 1)))


if __name__ == '__main__':
    sys.exit(main())
