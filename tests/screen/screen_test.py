#!/usr/bin/env python3
"""Compares the screens that a user sees: the prompt on terminals of 60, 100 and 160 columns, with color, without,
and in ASCII.

    screen_test.py --tensh build/tensh [--update] [SCENE ...]

A terminal emulator (pyte) draws the output of the shell on a pseudo-terminal (pexpect). The screens of each scene are
in tests/screen/SCENE_*.txt, with times as <time>. The test needs Debian's python3-pyte and python3-pexpect, and is
skipped without them.
"""
import argparse
import concurrent.futures
import difflib
import os
import re
import sys

try:
    import pexpect
    import pyte
except ImportError:
    if sys.executable != '/usr/bin/python3' and os.path.exists('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3'] + sys.argv)
    print('screen: skipped, python3-pyte or python3-pexpect is not installed')
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
TIME = re.compile(r'<?\d+(\.\d+)? ?(ns|µs|us|ms|s)\b')
RATE = re.compile(r'\d+(\.\d+)?(e[+-]?\d+)? ?%|\d+(\.\d+)? [KMGT]?(FLOP|B)/s')
BAR = re.compile(r'[▓░·#.]{4,}')
ROWS = 400
GRAPH = [
    'with tf.device("/cpu:0"): a = tf.constant([1., 2.], name="a")',
    'x = tf.placeholder(tf.float32, [2], name="x")',
    'with tf.device("/cpu:1"): add = tf.add(a, x, name="add")',
    'mul = tf.multiply(add, 2., name="mul")',
]
SCENES = {
    'screen': GRAPH[:3] + [
        'p = tf.Print(a, [a], name="p"); mul = tf.multiply(add, 2., name="日本/mul" if 0 else "mul")',
        'explain mul feed x=[3,4]',
        'eval mul feed x=[3,4]',
        'why not p',
        'nodes',
        'plot [1., 4., 9.]',
        'Out[6]?',
        'mul.nothing',
    ],
    'run': GRAPH + [
        'n = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], name="loop")',
        'explain analyze n',
        'explain n open=loop --stage 1',
        'explain mul feed x=[3,4] with add=/cpu:0',
        'apply',
        'place add on /cpu:1',
        'why add',
        'why add -> mul',
        'why not mul on /cpu:1',
        'step mul feed x=[3,4]',
        'step 2',
        'back',
        'explain diff @2 @4',
        'history',
    ],
    'graphs': [
        'with tf.Graph().as_default(): gx = tf.constant([1., 2.], name="gx"); gv = tf.Variable(3., name="gv"); gy = tf.multiply(gx, gv, name="gy")',
        'nodes',
        'run gv.initializer',
        'eval gy',
        'explain gy',
        'at g1 graph gy',
        'x = tf.placeholder(tf.float32, [None, 4], name="a_long_scope_name/another_scope/inputs"); w = tf.Variable(tf.zeros([4, 2]), name="w"); y = tf.matmul(x, w, name="y")',
        'explain y',
        'why x',
        'step y',
        'graph y',
        'loss = tf.reduce_sum(y * y); train = tf.train.AdamOptimizer().minimize(loss)',
        'explain y --pruned --stage 2',
        'explain y feed x=[[1., 2., 3., 4.]] --stage 2',
        'explain y feed again --stage 2',
    ],
    'tables': GRAPH + [
        'with tf.variable_scope("a_rather_long_scope"): w = tf.get_variable("weights", [20, 30]); b = tf.get_variable("bias", [30])',
        'nodes where op == Const order name',
        'edges limit 5',
        'explain analyze mul feed x=[3,4] --stage 4',
        'transfers',
        'events where kind == send limit 2',
        'profile where kind == send order node',
        'vars',
        'devices',
        'sessions',
        'graph mul',
        'ops MatMul',
        'undo',
        'redo',
    ],
    'plots': [
        'plot np.sin(np.arange(40) / 6.), np.cos(np.arange(40) / 6.)',
        'plot np.arange(30) % 7 --hist',
        'show np.arange(12).reshape(3, 4)',
        'show np.linspace(0, 1, 48).reshape(4, 4, 3)',
        'import matplotlib.pyplot as plt',
        'drawn = [plt.plot([1, 4, 9], label="squares"), plt.title("a title"), plt.legend(), plt.show()]',
        'v = tf.Variable(1., name="v")',
        'run v.initializer',
        'watch v',
        'run v.assign(v * 2.) times 6',
        'plot v',
    ],
    'teach': GRAPH + [
        'learn',
        'learn 1',
        'learn check',
        'learn hint',
        'learn quit',
        'help explain',
        'help shortcuts',
        'eval mul',
        'w = tf.get_variable("w", [2]); b = tf.get_variable("b", [2])',
        'eval w + b',
        'why error',
        'explian mul',
        'tf.mat_mul(a, x)',
        'with tf.device("/gpu:7"): far = tf.exp([1., 2.], name="far")',
        'eval far',
        'nodez',
        'MatMul?',
        'eval tf.matmul(a, a)',
    ],
}
# Pairs of texts that occur in the same line of the scene `screen`. The second only identifies the
# line. Each first text must be colored, and no two of them alike.
MEANINGS = [('cpu:0', '◆ fed'), ('cpu:1', '● runs'), ('● runs', 'cpu:1'), ('◆ fed', 'cpu:0'), ('★ fetch', 'cpu:0'),
            ('✂ pruned', 'Print'), ('f32[2]', '● runs'), ('╠', '═'), ('next:', 'explain'), ('why add', 'next:')]
CASES = [(columns, options, env) for columns in (60, 100, 160) for options, env in
         (([], {}), ([], {'NO_COLOR': '1'}), (['--ascii'], {'NO_COLOR': '1'}))]


def screen(tensh, lines, columns, options, extra):
    env = {k: v for k, v in os.environ.items() if not k.startswith('TENSH_') and k not in ('COLUMNS', 'NO_COLOR')}
    env.update(TERM='xterm-256color', LC_ALL='C.UTF-8', HOME='/dev/null', XDG_STATE_HOME='/dev/null/x', TENSH_HISTORY='', **extra)
    child = pexpect.spawn(tensh, options, dimensions=(ROWS, columns), env=env, encoding='utf-8', timeout=60)
    terminal = pyte.Screen(columns, ROWS)
    stream = pyte.Stream(terminal)

    def wait_for_prompt(before):
        """Waits until the last line is an empty prompt other than `before`, and returns it."""
        for _ in range(600):
            try:
                stream.feed(child.read_nonblocking(65536, 0.1))
            except pexpect.TIMEOUT:
                shown = [line.rstrip() for line in terminal.display if line.strip()]
                if shown and shown[-1] != before and re.fullmatch(r'\[\d+\]>', shown[-1]):
                    return shown[-1]
            except pexpect.EOF:
                return ''
        raise SystemExit('screen: no prompt\n' + '\n'.join(terminal.display))

    prompt = wait_for_prompt('')
    for line in lines:
        child.sendline(line)
        prompt = wait_for_prompt(prompt)
    try:
        child.close(force=True)
    except pexpect.ExceptionPexpect:  # it waits a tenth of a second after SIGKILL, which a busy machine may take
        child.wait()
    lines = [line.rstrip() for line in terminal.display]

    def colour_of(text, line_with):
        """Returns the color of a text in the last line that contains `line_with` as well."""
        row = max(r for r, line in enumerate(lines) if text in line and line_with in line)
        cell = terminal.buffer[row][lines[row].index(text)]
        return cell.fg, cell.bold
    colours = {c.fg for row in terminal.buffer.values() for c in row.values() if c.data.strip()}
    return '\n'.join(lines).rstrip() + '\n', colours - {'default'}, colour_of


def normal(scene, text):
    # Work of the process that took long enough to be told, which depends on the machine.
    text = re.sub(r'^ once, before the step: .*\n', '', text, flags=re.M)
    text = RATE.sub('<rate>', TIME.sub('<time>', text))
    # The width of a column of times and the indent of an echo's tail depend on the times.
    lines = [re.sub(r'([ ─━=-])\1+', r'\1', line) if '<time>' in line or ' time' in line or '<rate>' in line or set(line) <= set(' ─┬┼┴┌┐└┘├┤+-│|')
             else line for line in text.split('\n')]
    text = BAR.sub('<bar>', '\n'.join(lines))
    text = re.sub(r'\d+\.\d GB', '<memory>', text)  # of the machine
    if scene == 'tables':
        text = re.sub(r' +', ' ', text)
    return re.sub(r'\n +@(?=\d+ ·|\d+ \*)', ' @', re.sub(r' +@(?=\d+ )', ' @', text))


def check(tensh, scene, columns, flags, extra, update):
    """Returns a list of differences."""
    wrong = []
    name = '%s_%d%s%s.txt' % (scene, columns, '_ascii' if flags else '', '' if extra else '_color')
    text, colours, colour_of = screen(tensh, SCENES[scene], columns, flags, extra)
    text = normal(scene, text)
    if extra and colours:
        wrong.append('%s: colour in spite of NO_COLOR: %s' % (name, colours))
    if flags and not text.replace('日本', '').isascii():
        wrong.append('%s: not ASCII: %s' % (name, sorted({c for c in text if ord(c) > 126})))
    if not extra and not colours and scene in ('screen', 'teach'):  # scenes with errors
        wrong.append('%s: no colour at all' % name)
    if not extra and scene == 'screen':
        seen = {what: colour_of(what, line) for what, line in MEANINGS}
        if len(set(seen.values())) < len(seen) or ('default', False) in seen.values():
            wrong.append('%s: not a colour each: %s' % (name, seen))
    path = os.path.join(HERE, name)
    if update:
        with open(path, 'w') as f:
            f.write(text)
    with open(path) as f:
        want = f.read()
    if want != text:
        diff = difflib.unified_diff(want.splitlines(), text.splitlines(), name, 'now', lineterm='', n=2)
        wrong.append('\n'.join(diff))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('scenes', nargs='*')
    options = parser.parse_args()
    scenes = options.scenes or list(SCENES)
    tensh = os.path.abspath(options.tensh)
    todo = [(tensh, scene) + case + (options.update,) for scene in scenes for case in CASES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wrong = [w for ws in pool.map(lambda args: check(*args), todo) for w in ws]
    if wrong:
        sys.exit('\n'.join(wrong))
    print('screen: %d screens as wanted' % len(todo))


if __name__ == '__main__':
    main()
