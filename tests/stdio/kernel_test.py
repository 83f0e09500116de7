#!/usr/bin/env python3
"""Checks the Jupyter kernel: installs it, and runs the notebooks of samples/notebooks with nbclient. Parts that need ipykernel
and nbclient are skipped without them.

    kernel_test.py --tensh build/tensh [--python PYTHON]

PYTHON, or $TENSH_TF_PYTHON, is a Python that has ipykernel and nbclient.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
NOTEBOOKS = os.path.join(HERE, '..', '..', 'samples', 'notebooks')
OPTIONS = None

# Runs in PYTHON: the notebooks, an interrupted cell, completion, and two kernels side by side.
CLIENT = r'''
import queue, sys, time
import nbclient, nbformat
from jupyter_client.manager import start_new_kernel

def reply_to(client, request):
    """Returns the reply to a request. A slow start leaves replies to earlier requests in the channel."""
    while True:
        message = client.get_shell_msg(timeout=60)
        if message["parent_header"].get("msg_id") == request:
            return message["content"]

def run(client, code, interrupt=None):
    """Returns the reply and the messages of a cell."""
    seen = []
    request = client.execute(code)
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != request:
            continue
        seen.append(message)
        if interrupt and message["msg_type"] == "stream":
            interrupt.interrupt_kernel()
            interrupt = None
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return reply_to(client, request), seen

def streams(seen):
    return "".join(m["content"]["text"] for m in seen if m["msg_type"] == "stream")

for path in sys.argv[1:]:
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, kernel_name="tensh", timeout=60).execute()
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    assert any("image/svg+xml" in o.get("data", {}) for o in outputs), path
    assert any("iframe" in o.get("data", {}).get("text/html", "") for o in outputs), path

manager, client = start_new_kernel(kernel_name="tensh")
other_manager, other = start_new_kernel(kernel_name="tensh")
try:
    assert run(client, "x = 5\nx + 1")[0]["status"] == "ok"
    assert run(other, "x = 7")[0]["status"] == "ok"
    assert streams(run(client, "print(x)")[1]) == "5\n"
    reply, seen = run(client, "print('on')\nwhile True: pass", manager)
    assert (reply["status"], reply["ename"]) == ("error", "KeyboardInterrupt"), reply
    assert streams(run(client, "print(x)")[1]) == "5\n"
    reply, seen = run(client, "tf.mat_mul(x)")
    assert "did you mean 'matmul'" in "".join(reply["traceback"]), reply
    assert "relu6" in reply_to(client, client.complete("tf.nn.rel", 9))["matches"]
    assert "matrix product" in reply_to(client, client.inspect("tf.matmul(", 10))["data"]["text/plain"]
    assert reply_to(client, client.is_complete("for i in x:")) == {"status": "incomplete", "indent": "    "}
    assert run(client, "quit")[0]["status"] == "ok"
    assert streams(run(client, "print(2)")[1]) == "2\n"
    assert streams(run(other, "print(x)")[1]) == "7\n"
finally:
    for each, of in ((manager, client), (other_manager, other)):
        of.stop_channels()
        each.shutdown_kernel()
print("passed")
'''


def install(*options, **env):
    return subprocess.run([OPTIONS.tensh, 'kernel', *options], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **env})


class Kernel(unittest.TestCase):
    def test_install(self):
        with tempfile.TemporaryDirectory() as home:
            done = install('install', '--prefix', home, '--python', '/usr/bin/python3')
            self.assertEqual((done.returncode, done.stderr), (0, ''))
            folder = os.path.join(home, 'share', 'jupyter', 'kernels', 'tensh')
            with open(os.path.join(folder, 'kernel.json'), encoding='utf-8') as file:
                spec = json.load(file)
            self.assertEqual(spec['argv'][0], '/usr/bin/python3')
            self.assertEqual(os.path.realpath(spec['env']['TENSH']), os.path.realpath(OPTIONS.tensh))
            with open(os.path.join(folder, 'tensh_kernel.py'), encoding='utf-8') as file:
                compile(file.read(), 'tensh_kernel.py', 'exec')
            done = install('install', HOME=home, JUPYTER_DATA_DIR='', XDG_DATA_HOME='')
            self.assertIn(home + '/.local/share/jupyter/kernels/tensh', done.stdout)
        self.assertEqual(install('install', '--prefix', '/proc/nothing').returncode, 3)
        self.assertEqual(install('instal').returncode, 2)
        self.assertEqual(install('--help').returncode, 0)

    def test_magic(self):
        """The client of %%tensh, without IPython."""
        with tempfile.TemporaryDirectory() as home:
            install('install', '--prefix', home)
            sys.path.insert(0, os.path.join(home, 'share', 'jupyter', 'kernels', 'tensh'))
            import tensh_kernel
            client = tensh_kernel.Client(OPTIONS.tensh)
            events = []
            self.assertEqual(client.ask('execute', events.append, code='print(1)\n2')['done'], 'ok')
            self.assertEqual([e['event'] for e in events], ['stdout', 'result'])
            self.assertEqual(tensh_kernel.failure_of(client.ask('execute', code='1/0'))[0], 'ZeroDivisionError')
            page = tensh_kernel.notebook_data({'text/html': '<!DOCTYPE html><p>"a"</p>'})['text/html']
            self.assertIn('srcdoc="&lt;!DOCTYPE html&gt;&lt;p&gt;&quot;a&quot;', page)
            client.process.kill()
            with self.assertRaisesRegex(tensh_kernel.TenshEnded, 'by signal 9'):
                client.ask('execute', code='1')
            client.close()

    def test_notebooks(self):
        have = subprocess.run([OPTIONS.python, '-c', 'import ipykernel, nbclient'], capture_output=True)
        if have.returncode != 0:
            self.skipTest('no ipykernel and nbclient; set TENSH_TF_PYTHON to a Python that has them')
        notebooks = sorted(glob.glob(os.path.join(NOTEBOOKS, '*.ipynb')))
        self.assertTrue(notebooks)
        with tempfile.TemporaryDirectory() as home:
            self.assertEqual(install('install', JUPYTER_DATA_DIR=home).returncode, 0)
            done = subprocess.run([OPTIONS.python, '-c', CLIENT, *notebooks], capture_output=True, text=True, timeout=240,
                                  env={**os.environ, 'JUPYTER_DATA_DIR': home, 'HOME': home})
        self.assertEqual(done.stdout, 'passed\n', done.stderr[-3000:])


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--python', default=os.environ.get('TENSH_TF_PYTHON') or sys.executable)
    OPTIONS = parser.parse_args()
    unittest.main(argv=['kernel_test'])
