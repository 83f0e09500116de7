#!/usr/bin/env python3
"""TF-1.x scripts that TensorFlow's own Python client runs with sessions on a tensh server. They must print the same
as within one process.

    scripts_test.py --tensh build/tensh [NAME ...]

Needs $TENSH_TF_PYTHON. Without it, nothing is tested, and the exit code is 77. If TENSH_TENTH is a digit, only every
tenth script is run, starting with that one.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, '..', 'golden')
NAMES = ['graphs_and_sessions', 'hello_basics', 'linear_regression', 'placeholders_and_fetches', 'print_floats',
         'python_builtins', 'queues', 'scopes', 'tensor_names_and_reprs', 'variables_and_assign', 'while_loops',
         'xor_mlp']
ENV = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
ENV.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='', TF_ENABLE_ONEDNN_OPTS='0', PYTHONHASHSEED='0',
           PYTHONIOENCODING='utf-8', no_proxy='*')
# A session without a target uses the server, with isolated state as within a process.
DRIVER = '''
import runpy, sys
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.client import session
begin = session.BaseSession.__init__
def on_server(self, target='', graph=None, config=None):
    own = config_pb2.ConfigProto()
    own.CopyFrom(config or config_pb2.ConfigProto())
    own.isolate_session_state = True
    begin(self, target or sys.goal, graph, own)
session.BaseSession.__init__ = on_server
sys.goal = sys.argv[1]
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name='__main__')
'''


def main():
    at = sys.argv.index('--tensh')
    tensh = os.path.abspath(sys.argv[at + 1])
    tenth = os.environ.get('TENSH_TENTH', '')
    names = sys.argv[at + 2:] or (NAMES[int(tenth)::10] if tenth.isdigit() else NAMES)
    python = os.environ.get('TENSH_TF_PYTHON')
    if not python:
        print('$TENSH_TF_PYTHON names no Python with TensorFlow: skipped')
        sys.exit(77)
    server = subprocess.Popen([tensh, 'serve', '--port', '0'], stdout=subprocess.PIPE, env=ENV)
    bad = []
    try:
        target = server.stdout.readline().decode().split()[-1]
        for name in names:
            folder = next(f for f in ('tf1', 'lang', 'numpy') if os.path.exists(os.path.join(GOLDEN, f, name + '.py')))
            path = os.path.join(GOLDEN, folder, name)
            done = subprocess.run([python, '-c', DRIVER, target, os.path.join(GOLDEN, 'make_golden.py'),
                                   '--play', path + '.py'],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV, timeout=300)
            with open(path + '.out', encoding='utf8') as f:
                wanted = f.read()
            if done.stdout.decode() != wanted:
                bad.append(name)
                got, want = done.stdout.decode().split('\n'), wanted.split('\n')
                for i in range(max(len(got), len(want))):
                    a, b = (want[i] if i < len(want) else None), (got[i] if i < len(got) else None)
                    if a != b:
                        print('%s, line %d\n  want %r\n  got  %r\n%s' % (name, i + 1, a, b,
                                                                       done.stderr.decode()[-1500:]))
                        break
            else:
                print(name, 'the same')
    finally:
        server.terminate()
        server.wait(30)
        server.stdout.close()
    sys.exit('%d of %d differ: %s' % (len(bad), len(names), ', '.join(bad)) if bad else 0)


if __name__ == '__main__':
    main()
