"""Processes ops in separate processes. If a call crashes TensorFlow, the remaining ops continue in another process."""
import subprocess
import sys


def in_workers(script, options, ops):
    """Runs `script --here OPTIONS OPS` until all ops are done. The script prints a line for each finished op."""
    while ops:
        worker = subprocess.Popen([sys.executable, script, '--here'] + options + ops, stdout=subprocess.PIPE, text=True)
        done = 0
        for line in worker.stdout:
            print(line, end='', flush=True)
            done += 1
        if worker.wait() == 0:
            return
        print('%-36s ends TensorFlow: %d' % (ops[done], worker.returncode), flush=True)
        ops = ops[done + 1:]
