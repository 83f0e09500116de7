#!/usr/bin/env python3
"""./dev bench nets [CASE …] [--threads 1,2] [--rounds N] [--cpu] [--memory] [--write]

Runs the nets and kernels of net_steps.py, the same program in tensh and in TensorFlow ($TENSH_TF_PYTHON, otherwise
.venv/bin/python), in turn. Shows the fastest step of each side, because other load on a shared machine only adds time, and
the ratio of TensorFlow's time to tensh's. With --cpu, the steps of one thread are measured by the median time of the
CPU, for a busy machine. With --memory, shows instead the peak memory of a process that runs some steps of one case, and by
how much the case raised it: the rest is the program and its libraries. CASE selects the cases whose names contain it.
--write updates the section "Nets" of docs/performance.md.
"""
import argparse
import datetime
import os
import platform
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TENSH = os.path.join(os.environ.get('TENSH_BUILD', os.path.join(ROOT, 'build')), 'tensh')
SCRIPT = os.path.join(HERE, 'net_steps.py')
PAGE = os.path.join(ROOT, 'docs', 'performance.md')
NETS = ['%s %s' % (net, mode) for net in ('LeNet', 'ResNet-14', 'MobileNetV2', 'U-Net', 'LSTM', 'transformer', 'GRU', 'word2vec',
                                          'wide and deep', 'factorisation', 'VAE', 'DCGAN', 'DQN')
        for mode in ('train', 'infer')] + ['ResNet-50 infer']


def kernels():
    """The names of the kernels, in the order of net_steps.py."""
    with open(SCRIPT, encoding='utf-8') as f:
        body = f.read().split('KERNELS = {')[1].split('\n}')[0]
    return [line.split("'")[1] for line in body.split('\n') if line.startswith("    '")]


class Side:
    """A process that runs net_steps.py."""

    def __init__(self, program, threads, clock):
        env = dict(os.environ, TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', PYTHONWARNINGS='ignore')
        self.process = subprocess.Popen([program, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env,
                                        stderr=subprocess.DEVNULL if 'python' in program else None)
        self.tell('%d\n%s' % (threads, clock))

    def tell(self, line):
        self.process.stdin.write(line + '\n')
        self.process.stdin.flush()

    def measure(self, case, milliseconds):
        self.tell('%s %d' % (case, milliseconds))
        line = self.process.stdout.readline()
        if not line:
            sys.exit('nets: %s ended during "%s"' % (self.process.args[0], case))
        return float(line)

    def peak(self):
        """The peak memory of the process so far, in MB."""
        with open('/proc/%d/status' % self.process.pid, encoding='utf-8') as f:
            return next(int(line.split()[1]) for line in f if line.startswith('VmHWM')) / 1024

    def end(self):
        try:
            self.tell('end')
        except BrokenPipeError:
            pass
        self.process.wait()


def duration(us):
    return '%.0f µs' % us if us < 1000 else '%.2f ms' % (us / 1e3) if us < 100e3 else '%.0f ms' % (us / 1e3)


def table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    out = ['| %s |' % ' | '.join(cell.ljust(w) for cell, w in zip(line, widths)) for line in lines]
    out.insert(1, '|%s|' % '|'.join('-' * (w + 2) for w in widths))
    return '\n'.join(out)


def cpu_name():
    with open('/proc/cpuinfo', encoding='utf-8') as f:
        names = [line.split(':')[1].strip() for line in f if line.startswith('model name')]
    return '%s, %d CPUs, Linux %s' % (names[0], len(names), platform.release())


def measure(sides, cases, rounds, milliseconds):
    """Returns {(case, side): fastest step in µs}. The sides alternate within a round."""
    best = {}
    for _ in range(rounds):
        for case in cases:
            for key, side in sides:
                us = side.measure(case, milliseconds)
                best[case, key] = min(us, best.get((case, key), us))
    return best


def memory(programs, cases):
    """The lines of a table: for each case, the peak of each program and how much of it the case took."""
    lines = [['peak memory of'] + [head for name, _ in programs for head in (name, 'by the case')]]
    for case in cases:
        line = [case]
        for _, program in programs:
            side = Side(program, 1, 'perf_counter')
            side.measure('nothing', 1)
            before = side.peak()
            side.measure(case, 50)
            line += ['%.0f MB' % side.peak(), '%.0f MB' % (side.peak() - before)]
            side.end()
        lines.append(line)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('case', nargs='*')
    parser.add_argument('--threads', default='1,2')
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--milliseconds', type=int, default=150)
    parser.add_argument('--before', help='another build of tensh, which takes the place of TensorFlow')
    parser.add_argument('--cpu', dest='clock', action='store_const', const='process_time', default='perf_counter')
    parser.add_argument('--memory', action='store_true')
    parser.add_argument('--no-tensorflow', action='store_true')
    parser.add_argument('--write', action='store_true')
    args = parser.parse_args()
    cases = [c for c in NETS + kernels() if not args.case or any(part.lower() in c.lower() for part in args.case)]
    threads = [int(n) for n in args.threads.split(',')]
    other = args.before or os.environ.get('TENSH_TF_PYTHON', os.path.join(ROOT, '.venv', 'bin', 'python'))
    both = not args.no_tensorflow and os.path.exists(other)
    if args.memory:
        programs = [('tensh', TENSH)] + ([('before' if args.before else 'TensorFlow', other)] if both else [])
        print(table(memory(programs, cases)))
        return
    best = {}
    heads = ['step of']
    for n in threads:
        heads += ['tensh, %d thread%s' % (n, 's' * (n > 1))] + (['TensorFlow', 'ratio'] if both else [])
        clock = args.clock if n == 1 else 'perf_counter'
        sides = [(('tensh', n), Side(TENSH, n, clock))] + ([(('other', n), Side(other, n, clock))] if both else [])
        best.update(measure(sides, cases, args.rounds, args.milliseconds))
        for _, side in sides:
            side.end()
    rows = []
    for case in cases:
        row = [case]
        for n in threads:
            ours = best[case, ('tensh', n)]
            row.append(duration(ours))
            if both:
                theirs = best[case, ('other', n)]
                row += [duration(theirs), '%.2fx' % (theirs / ours)]
        rows.append(row)
    text = table([heads] + rows)
    if args.before:
        text = text.replace('TensorFlow', 'before    ')
    print(text)
    if args.write:
        write(text, tensorflow_version(other) if both else 'without TensorFlow')


def tensorflow_version(python):
    code = 'import importlib.metadata as m; print(m.version(m.packages_distributions()["tensorflow"][0]))'
    return 'TensorFlow ' + subprocess.run([python, '-c', code], capture_output=True, text=True, check=False).stdout.strip()


def write(text, version):
    with open(PAGE, encoding='utf-8') as f:
        page = f.read()
    begin, end = '<!-- nets: begin -->', '<!-- nets: end -->'
    head, tail = page.split(begin)[0], page.split(end)[1]
    about = 'Measured %s on %s; load average %.1f; %s.' % (datetime.date.today().isoformat(), cpu_name(), os.getloadavg()[0], version)
    with open(PAGE, 'w', encoding='utf-8') as f:
        f.write('%s%s\n%s\n\n%s\n%s%s' % (head, begin, about, text, end, tail))


if __name__ == '__main__':
    main()
