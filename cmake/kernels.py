#!/usr/bin/env python3
"""The budget of GPU kernels: devices/cuda/kernels.budget says what the kernels of each .cu file use at most.

    python3 cmake/kernels.py compile LOG COMMAND…   runs nvcc with -Xptxas -v and keeps what ptxas says in LOG
    python3 cmake/kernels.py check [BUILD]          compares the files that were compiled in BUILD with the budget
    python3 cmake/kernels.py write [BUILD]          writes the budget from a build of all files

A stack frame is memory of the GPU: a kernel that gets one, because a variable has an address or registers ran out,
loses a part of its speed that no test sees. `check` exits with 1 if a file is over its budget. It compares only code for
the architecture and by the release of nvcc that the budget names, because others count differently.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUDGET = os.path.join(ROOT, 'devices', 'cuda', 'kernels.budget')
ARCH = 'sm_90'
COLUMNS = ('kernels', 'registers', 'shared', 'framed', 'frame')
HEADER = '''# What the kernels of each .cu file use at most, as ptxas reports it for %(arch)s: cmake/kernels.py checks it and writes it.
#   kernels    number of kernels
#   registers  of a thread
#   shared     bytes of shared memory of a block
#   framed     number of kernels with a stack frame
#   frame      bytes of the largest stack frame
nvcc %(release)s
'''


def release_of(nvcc):
    text = subprocess.run([nvcc, '--version'], capture_output=True, text=True).stdout
    found = re.search(r'release (\d+\.\d+)', text)
    return found.group(1) if found else 'unknown'


def compile_file(log, command):
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    with open(log, 'w', encoding='utf-8') as out:
        out.write(done.stderr)
    for line in done.stderr.split('\n'):
        if line and not re.match(r'ptxas info|\s+\d+ bytes stack frame', line):
            print(line, file=sys.stderr)
    return done.returncode


def usage(log):
    """Returns the values of COLUMNS for the kernels in a log, or None if it has none for ARCH."""
    with open(log, encoding='utf-8') as f:
        parts = re.split(r"Compiling entry function '\S+' for '(\w+)'", f.read())
    registers, shared, frames = [], [], []
    for arch, text in zip(parts[1::2], parts[2::2]):
        used = re.search(r'Used (\d+) registers', text)
        if arch != ARCH or not used:
            continue
        smem = re.search(r'(\d+) bytes smem', text)
        registers.append(int(used.group(1)))
        shared.append(int(smem.group(1)) if smem else 0)
        frames.append(int(re.search(r'(\d+) bytes stack frame', text).group(1)))
    if not registers:
        return None
    return len(registers), max(registers), max(shared), sum(n > 0 for n in frames), max(frames)


def logs(build):
    """Yields (file, log) for each .cu file that was compiled."""
    folder = os.path.join(build, 'cuda')
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        if name.endswith('.ptxas'):
            with open(os.path.join(folder, name[:-len('.ptxas')] + '.o.d'), encoding='utf-8') as f:
                source = re.search(r':\s+(\S+\.cu)\s', f.read()).group(1)
            yield os.path.relpath(source, ROOT), os.path.join(folder, name)


def read_budget():
    release, rows = '', {}
    with open(BUDGET, encoding='utf-8') as f:
        for line in f:
            words = line.split('#')[0].split()
            if len(words) == 2:
                release = words[1]
            elif words:
                rows[words[0]] = tuple(int(n) for n in words[1:])
    return release, rows


def nvcc_of(build):
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as f:
        return re.search(r'^NVCC:FILEPATH=(.*)$', f.read(), re.M).group(1)


def check(build):
    release, rows = read_budget()
    have = release_of(nvcc_of(build))
    if have != release:
        print('kernels: not checked: the budget is for nvcc %s, and this is %s' % (release, have))
        return 0
    problems = files = 0
    for file, log in logs(build):
        used = usage(log)
        if used is None:
            continue
        files += 1
        if file not in rows:
            print('%s: has no budget; add: %s %s' % (file, file, ' '.join(map(str, used))))
            problems += 1
            continue
        for name, n, most in list(zip(COLUMNS, used, rows[file]))[1:]:
            if n > most:
                print('%s: %s: %d, the budget is %d' % (file, name, n, most))
                problems += 1
    for file in rows:
        if not os.path.exists(os.path.join(ROOT, file)):
            print('%s: has a budget, but it is not there' % file)
            problems += 1
    print('kernels: %d files compiled for %s, %d problems' % (files, ARCH, problems))
    if problems:
        print('If it has to be so, write the budget from a build of all files: '
              'ninja -C build tensh_cuda && python3 cmake/kernels.py write')
    return 1 if problems else 0


def write(build):
    rows = [(file,) + used for file, used in ((file, usage(log)) for file, log in logs(build)) if used]
    wide = max(len(row[0]) for row in rows)
    with open(BUDGET, 'w', encoding='utf-8') as out:
        out.write(HEADER % {'arch': ARCH, 'release': release_of(nvcc_of(build))})
        out.write(('# %-*s' % (wide - 1, 'file') + ' %9s' * len(COLUMNS) % COLUMNS).rstrip() + '\n')
        for row in rows:
            out.write('%-*s' % (wide + 1, row[0]) + ' %9d' * len(COLUMNS) % row[1:] + '\n')
    return 0


def main():
    if len(sys.argv) > 3 and sys.argv[1] == 'compile':
        return compile_file(sys.argv[2], sys.argv[3:])
    build = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'build')
    if len(sys.argv) < 2 or sys.argv[1] not in ('check', 'write'):
        print(__doc__)
        return 2
    return check(build) if sys.argv[1] == 'check' else write(build)


if __name__ == '__main__':
    sys.exit(main())
