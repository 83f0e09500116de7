#!/usr/bin/env python3
"""What a person sees: the prompt on a terminal of 60, 100 and 160 columns, with colour, without, in ASCII.

    screen_test.py --tensh build/dev/tensh [--update]

A terminal emulator (pyte) draws what the shell writes to a pseudo-terminal (pexpect); the screens are in
tests/screen/*.txt, times as <time>. Needs Debian's python3-pyte and python3-pexpect, and passes without them.
"""
import argparse
import os
import re
import sys

try:
    import pexpect
    import pyte
except ImportError:
    if sys.executable != '/usr/bin/python3' and os.path.exists('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    print('screen: python3-pyte or python3-pexpect is not installed: nothing was tested')
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
TIME = re.compile(r'\d+(\.\d+)? ?(ns|µs|us|ms|s)\b')
BAR = re.compile(r'[▓░·#.]{4,}')
LINES = [
    'with tf.device("/cpu:0"): a = tf.constant([1., 2.], name="a")',
    'x = tf.placeholder(tf.float32, [2], name="x")',
    'with tf.device("/cpu:1"): add = tf.add(a, x, name="add")',
    'p = tf.Print(add, [add], name="p"); mul = tf.multiply(add, 2., name="日本/mul" if 0 else "mul")',
    'explain mul feed x=[3,4]',
    'eval mul feed x=[3,4]',
    'why not p',
    'nodes',
    'plot [1., 4., 9.]',
    'Out[6]?',
    'mul.nothing',
]
CASES = [(columns, options, env) for columns in (60, 100, 160) for options, env in
         (([], {}), ([], {'NO_COLOR': '1'}), (['--ascii'], {'NO_COLOR': '1'}))]


def screen(tensh, columns, options, extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_') and k not in ('COLUMNS', 'NO_COLOR')}
    env.update(TERM='xterm-256color', LC_ALL='C.UTF-8', HOME='/nonexistent', **extra)
    child = pexpect.spawn(tensh, options, dimensions=(200, columns), env=env, encoding='utf-8', timeout=60)
    terminal = pyte.Screen(columns, 200)
    stream = pyte.Stream(terminal)

    def wait_for_prompt():
        """Until the last line is an empty prompt."""
        for _ in range(600):
            try:
                stream.feed(child.read_nonblocking(65536, 0.1))
            except pexpect.TIMEOUT:
                shown = [line.rstrip() for line in terminal.display if line.strip()]
                if shown and shown[-1] == '>>>':
                    return
            except pexpect.EOF:
                return
        raise SystemExit('screen: no prompt\n' + '\n'.join(terminal.display))

    wait_for_prompt()
    for line in LINES:
        child.sendline(line)
        wait_for_prompt()
    child.close(force=True)
    colours = {c.fg for row in terminal.buffer.values() for c in row.values() if c.data.strip()}
    lines = [line.rstrip() for line in terminal.display]
    return '\n'.join(lines).rstrip() + '\n', colours - {'default'}


def normal(text):
    # An echo's tail is set to the right: how far depends on the time in it.
    text = re.sub(r' +@', ' @', BAR.sub('<bar>', TIME.sub('<time>', text)))
    return re.sub(r'\n +@', ' @', text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--update', action='store_true')
    options = parser.parse_args()
    wrong = []
    for columns, flags, extra in CASES:
        name = 'screen_%d%s%s.txt' % (columns, '_ascii' if flags else '', '' if extra else '_color')
        text, colours = screen(os.path.abspath(options.tensh), columns, flags, extra)
        text = normal(text)
        if extra and colours:
            wrong.append('%s: colour in spite of NO_COLOR: %s' % (name, colours))
        if flags and not text.replace('日本', '').isascii():
            wrong.append('%s: not ASCII: %s' % (name, sorted({c for c in text if ord(c) > 126})))
        if not extra and not colours:
            wrong.append('%s: no colour at all' % name)
        path = os.path.join(HERE, name)
        if options.update:
            with open(path, 'w') as f:
                f.write(text)
        with open(path) as f:
            want = f.read()
        if want != text:
            wrong.append('%s differs; it is now\n%s' % (name, text))
    if wrong:
        sys.exit('\n'.join(wrong))
    print('screen: %d screens as wanted' % len(CASES))


if __name__ == '__main__':
    main()
