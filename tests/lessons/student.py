"""A student at the prompt: types lines into a pseudo-terminal, and reads what tensh prints."""
import glob
import os
import pty
import re
import select
import signal
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LESSONS = sorted(path for path in glob.glob(os.path.join(ROOT, 'samples', 'lessons', '*.lesson')) if re.match(r'\d', os.path.basename(path)))
PROMPT, MORE = r'\[\d+\]> $', r'(\[\d+\]|\.\.\.+)> $'


class Step:
    def __init__(self):
        self.asks, self.solution = False, []


class Lesson:
    """The parts of a lesson that a student types."""

    def __init__(self, path):
        self.number, self.name = re.match(r'(\d+)_(\w+)', os.path.basename(path)).groups()
        self.number = int(self.number)
        self.servers, self.steps = '', []
        with open(path, encoding='utf-8') as f:
            for line in f.read().split('\n'):
                if line.startswith('servers:'):
                    self.servers = line[8:].strip()
                if line.startswith('== '):
                    self.steps.append(Step())
                elif self.steps and line.startswith('ask:'):
                    self.steps[-1].asks = True
                elif self.steps and line.startswith('>>> '):
                    self.steps[-1].solution.append(line[4:])
                elif self.steps and line.startswith('...'):
                    self.steps[-1].solution[-1] += '\n' + line[4:]


class Student:
    def __init__(self, tensh, home, *args, folder=None, ready=PROMPT):
        env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_')}
        env.update(TERM='dumb', LC_ALL='C.UTF-8', HOME=home, XDG_STATE_HOME=home, XDG_CONFIG_HOME=home, COLUMNS='100', NO_COLOR='1')
        self.addresses = {}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder or home)
            os.execve(tensh, [tensh, *args], env)
        self.seen = ''
        self.banner = self.read(ready)

    def read(self, pattern, seconds=120):
        end = time.monotonic() + seconds
        while not re.search(pattern, self.seen):
            if time.monotonic() > end:
                raise AssertionError('no %s after %d s in %r' % (pattern, seconds, self.seen))
            if select.select([self.fd], [], [], 0.2)[0]:
                self.seen += os.read(self.fd, 65536).decode(errors='replace').replace('\r', '')
        said, self.seen = self.seen, ''
        self.prompt = said.rpartition('\n')[2].partition('>')[0]
        return said

    def send(self, keys):
        os.write(self.fd, keys.encode())

    def type(self, statement):
        """Types a statement, and returns what is printed until the next prompt. {ps0} stands for an address, as in a lesson."""
        for task, address in self.addresses.items():
            statement = statement.replace('{%s}' % task, address)
        said = ''
        for line in statement.split('\n'):
            self.send(line + '\n')
            said += self.read(MORE)
        if re.search(r'\.\.\.+> $', said):
            self.send('\n')
            said += self.read(PROMPT)
        return said.split('\n', 1)[-1]

    def learn(self, words):
        said = self.type('learn ' + words)
        found = re.findall(r'^  (\w+)  grpc://([\d.:]+) ', self.type('learn servers'), re.M)
        self.addresses = dict(found)
        return said

    def solve(self, step):
        """Does the task of a step, or answers its question. Returns what the check prints."""
        said = ''
        for statement in step.solution:
            said = self.type(statement)
        return said if step.asks else self.type('learn check')

    def end(self, how=signal.SIGHUP):
        if self.pid:
            os.kill(self.pid, how)
            self.wait()

    def leave(self):
        self.send('\x04')
        self.wait()

    def wait(self):
        while True:  # a program that writes to a terminal which nobody reads would not end
            try:
                if select.select([self.fd], [], [], 0.02)[0] and not os.read(self.fd, 65536):
                    break
            except OSError:
                break
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                self.pid = 0
                break
        if self.pid:
            os.waitpid(self.pid, 0)
        self.pid = 0
        os.close(self.fd)


def processes_with(text):
    """The numbers of the processes whose command lines contain a text."""
    found = []
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                with open('/proc/%s/cmdline' % name, 'rb') as f:
                    if text.encode() in f.read():
                        found.append(int(name))
            except OSError:
                pass
    return found
