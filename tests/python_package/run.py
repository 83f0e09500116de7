#!/usr/bin/env python3
"""Makes the wheel of a build, installs it in fresh environments with numpy 1.26 and 2, and runs the tests there.

    run.py --build build [PYTEST-ARGUMENT...]

An environment without the wheel is kept in build/python_package, because it takes longer than the tests. Without PyPI, the
tests are skipped with exit code 77.
"""
import argparse
import glob
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
NUMPY = ['1.26.*', '2.*']
SKIPPED = 77


def environment(folder, numpy):
    """Returns the Python of an environment with this numpy, or None if it cannot be installed."""
    python = os.path.join(folder, 'bin', 'python')
    done = os.path.join(folder, 'complete')
    if os.path.exists(done):
        return python
    subprocess.run([sys.executable, '-m', 'venv', '--clear', folder], check=True)
    pip = [python, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--retries', '1', '--timeout', '20']
    installed = subprocess.run(pip + ['numpy==' + numpy, 'pytest'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               universal_newlines=True)
    if installed.returncode != 0:
        print(installed.stdout)
        return None
    with open(done, 'w'):
        return python


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    options, arguments = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([sys.executable, os.path.join(ROOT, 'cmake', 'wheel.py'), '--build', options.build, '--out', out, '--fast'],
                       check=True)
        wheel, = glob.glob(os.path.join(out, '*.whl'))
        for numpy in NUMPY:
            folder = os.path.join(options.build, 'python_package', 'numpy-' + numpy.rstrip('.*'))
            python = environment(folder, numpy)
            if python is None:
                print('skipped: numpy %s cannot be installed' % numpy)
                return SKIPPED
            subprocess.run([python, '-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-index', '--force-reinstall',
                            '--no-deps', wheel], check=True)
            print('numpy', numpy, flush=True)
            # In another folder, so that only the installed package can be imported.
            tests = subprocess.run([python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', HERE] + arguments, cwd=out)
            if tests.returncode != 0:
                return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
