"""Work on ops in processes of their own: some calls end TensorFlow's, and what is left then goes on in another."""
import subprocess
import sys


def in_workers(script, options, ops):
    """Runs `script --here OPTIONS OPS`, which prints a line an op when it is done, until all are."""
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
