#!/usr/bin/env python3
"""Scripts that use packages of CPython beside TensorFlow 1.x print the same in three ways.

    packages_test.py --tensh build/tensh [--module build/python/tensh/_tensh.abi3.so] [SCRIPT...]

The scripts are in packages/, with the output that TensorFlow 2.21 printed. Each runs as `tensh SCRIPT`, as `python -m tensh SCRIPT`
and, if it is installed, with TensorFlow. The first line of a script names its packages, and a line `# tensorflow needs …` those
that only TensorFlow needs. Uses the Python of TENSH_PACKAGES_PYTHON, TENSH_TF_PYTHON, or the one that runs this file. Scripts whose
packages it does not have are skipped; if none is left, the exit code is 77. If TENSH_TENTH is a digit, only every tenth script
runs in all ways; those of ALWAYS, one for each of the usual packages, run without TensorFlow as well.
"""
import argparse
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'shell', 'python_bridge', 'package', 'tensh')
PYTHON = os.environ.get('TENSH_PACKAGES_PYTHON') or os.environ.get('TENSH_TF_PYTHON') or sys.executable
SKIPPED = 77
ALWAYS = ('pandas_regression', 'iris_softmax', 'scipy_py_func', 'pil_edges', 'gym_policy', 'skip_gram', 'figures')
FIND = 'import sys, importlib.util as u\nprint(*[n for n in sys.argv[1:] if u.find_spec(n)])'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--module')
    parser.add_argument('scripts', nargs='*')
    options = parser.parse_args()
    scripts, theirs, needed = {}, {}, {'numpy', 'tensorflow'}
    for path in options.scripts or sorted(glob.glob(os.path.join(HERE, 'packages', '*.py'))):
        with open(path) as file:
            text = file.read()
        scripts[path] = re.match('# needs (.*)', text).group(1).split()
        theirs[path] = ['tensorflow'] + ' '.join(re.findall('^# tensorflow needs (.*)', text, re.M)).split()
        needed.update(scripts[path] + theirs[path])
    found = set(subprocess.run([PYTHON, '-c', FIND, *sorted(needed)], stdout=subprocess.PIPE,
                               universal_newlines=True).stdout.split())
    tenth = os.environ.get('TENSH_TENTH', '')
    in_turn = set(list(scripts)[int(tenth)::10] if tenth.isdigit() and not options.scripts else scripts)
    scripts = [path for path, packages in scripts.items() if found.issuperset(packages + ['numpy']) and
               (path in in_turn or os.path.basename(path)[:-3] in ALWAYS)]
    if not scripts:
        print('skipped: %s has none of the packages' % PYTHON)
        return SKIPPED
    env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
    env.update(TENSH_PYTHON=PYTHON, TF_CPP_MIN_LOG_LEVEL='3', OMP_NUM_THREADS='1', OPENBLAS_NUM_THREADS='1',
               TF_USE_LEGACY_KERAS='1', PYTHONDONTWRITEBYTECODE='1')
    wrong = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        ways = [([os.path.abspath(options.tensh)], env)]
        if options.module:
            package = shutil.copytree(PACKAGE, os.path.join(folder, 'tensh'))
            os.symlink(os.path.abspath(options.module), os.path.join(package, '_tensh.abi3.so'))
            ways.append(([PYTHON, '-m', 'tensh'], dict(env, PYTHONPATH=folder)))
        for path in scripts:
            with open(path[:-3] + '.out') as file:
                expected = file.read()
            with_tensorflow = [([PYTHON], env)] if path in in_turn and found.issuperset(theirs[path]) else []
            for command, environment in ways + with_tensorflow:
                runs += 1
                done = subprocess.run([*command, path], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      universal_newlines=True, timeout=200)
                if (done.returncode, done.stdout) == (0, expected):
                    continue
                wrong += 1
                print('%s %s: exit code %d' % (' '.join(command), path, done.returncode))
                print('\n'.join(difflib.unified_diff(expected.split('\n'), done.stdout.split('\n'), 'TensorFlow', 'got', lineterm='')))
                print(done.stderr)
    print('%d scripts, %d runs, %d wrong' % (len(scripts), runs, wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
