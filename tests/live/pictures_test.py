#!/usr/bin/env python3
"""Looks at the drawings of six graphs in a browser: nothing overlaps a text, and they look as they did.

    pictures_test.py --tensh build/tensh [--update] [--save FOLDER]

Each page is opened on a laptop, a projector and a phone, light and dark. In every picture, the geometry that the browser
reports is checked: a text lies in its own box, and no other box and no line crosses it. One picture of each graph, without
its texts, is compared with tests/live/pictures/NAME.txt: 96 columns of brightness in hexadecimal, so that the fonts and the
version of the browser do not matter. --update writes these files, and --save writes the pictures as PNG files, to be looked
at. A picture of a drawing that changed on purpose is looked at before its file is updated.

The browser is Debian's chromium. Without it the test is skipped (exit status 77).
"""
import argparse
import base64
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from browser import Browser

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
COLUMNS, BLOCK = 96, 4
# The mean of a block of cells, of 15. A box that is missing, or a drawing that moves by 6 pixels, makes more.
MOST_DIFFERENCE = 0.6
SIZES = {'laptop': (1280, 800), 'projector': (1920, 1080), 'phone': (390, 844)}

DEVICES = '''
with tf.device("/cpu:0"): x = tf.placeholder(tf.float32, [2, 2], name="x"); w = tf.Variable([[1., 2.], [3., 4.]], name="w")
with tf.device("/cpu:1"): y = tf.matmul(x, w, name="y"); z = tf.nn.relu(y, name="z")
run w.initializer
explain analyze z feed x=[[1., 2.], [3., 4.]] --html > page.html
'''
MLP = '''
x = tf.placeholder(tf.float32, [None, 784], name="x")
t = tf.placeholder(tf.int64, [None], name="labels")
h = tf.layers.dense(x, 128, tf.nn.relu, name="hidden")
o = tf.layers.dense(h, 10, name="logits")
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=t, logits=o), name="loss")
train = tf.train.AdamOptimizer(0.001).minimize(loss)
init = tf.global_variables_initializer()
graph --html > page.html
'''
RESNET = '''
def conv(x, filters, size, stride): return tf.layers.conv2d(x, filters, size, stride, padding='same', use_bias=False)
def norm(x): return tf.layers.batch_normalization(x, training=False)
def block(x, filters, stride, project, name):
    with tf.variable_scope(name):
        short = norm(conv(x, 4 * filters, 1, stride)) if project else x
        y = tf.nn.relu(norm(conv(x, filters, 1, stride)))
        y = tf.nn.relu(norm(conv(y, filters, 3, 1)))
        return tf.nn.relu(norm(conv(y, 4 * filters, 1, 1)) + short)

x = tf.placeholder(tf.float32, [None, 224, 224, 3], name="images")
y = tf.layers.max_pooling2d(tf.nn.relu(norm(conv(x, 64, 7, 2))), 3, 2, padding='same')
for stage, (filters, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
    for i in range(blocks):
        y = block(y, filters, 2 if i == 0 and stage > 0 else 1, i == 0, "stage%d_block%d" % (stage + 1, i + 1))

logits = tf.layers.dense(tf.reduce_mean(y, [1, 2]), 1000, name="logits")
graph --html > page.html
'''
RNN = '''
x = tf.placeholder(tf.float32, [4, 10, 8], name="x")
o, s = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(16), x, dtype=tf.float32)
loss = tf.reduce_mean(o)
graph --html > page.html
'''
LARGE = '''
x = tf.constant([1., 2.], name="x")
for b in range(20):
    with tf.name_scope("part%d" % b):
        for s in range(20):
            with tf.name_scope("layer%d" % s):
                y = x
                for k in range(250): y = tf.add(y, y)
                x = y

graph --html > page.html
'''
CLUSTER = '''
spec = tf.train.ClusterSpec({"ps": ["127.0.0.1:%d", "127.0.0.1:%d"], "worker": ["127.0.0.1:%d", "127.0.0.1:%d"]})
servers = [tf.train.Server(spec, job_name=j, task_index=i) for j in ("ps", "worker") for i in (0, 1)]
with tf.device("/job:ps/task:0"): w = tf.Variable(tf.ones([64, 64]), name="w")
with tf.device("/job:ps/task:1"): b = tf.Variable(tf.zeros([64]), name="b")
x = tf.placeholder(tf.float32, [None, 64], name="x")
with tf.device("/job:worker/task:0"): y0 = tf.nn.relu(tf.matmul(x, w) + b, name="y0")
with tf.device("/job:worker/task:1"): y1 = tf.nn.relu(tf.matmul(x * 2., w) + b, name="y1")
with tf.device("/job:ps/task:0"): total = tf.add(y0, y1, name="total")
connect grpc://127.0.0.1:%d
run tf.global_variables_initializer()
explain analyze total feed x=np.ones([4, 64]) --html > page.html
'''
FILM = '''
x = tf.placeholder(tf.int32, [], name="x")
with tf.device("/cpu:1"): i = tf.while_loop(lambda i: i < x, lambda i: i + 2, [0], name="loop")
with tf.device("/cpu:0"): y = tf.cond(i > 3, lambda: tf.square(i), lambda: tf.negative(i), name="choice")
step y feed x=5
step --html > page.html
'''
# Name: (script, size, theme and action of the picture that is compared). The action runs in the page first.
GRAPHS = {
    'devices': (DEVICES, 'laptop', 'light', ''),
    'mlp': (MLP, 'projector', 'light', ''),
    'mlp_open': (MLP, 'laptop', 'dark', "drawing.show('Adam')"),
    'resnet': (RESNET, 'laptop', 'dark', "drawing.show('stage2_block1')"),
    'rnn': (RNN, 'projector', 'light', "drawing.show('rnn/while')"),
    'large': (LARGE, 'phone', 'light', "drawing.show('part7/layer3/Add_77')"),
    'cluster': (CLUSTER, 'projector', 'dark', ''),
    'film': (FILM, '', '', 'film.go(10)'),  # not compared: the order of the events on two devices varies
}

# Returns what is wrong with the drawing, or nothing. The labels of the film's values move with the run, and are not part of
# the layout.
GEOMETRY = r'''(() => {
  const root = drawing.root, wrong = [], box = e => { const b = e.getBBox(); return [b.x, b.y, b.x + b.width, b.y + b.height]; };
  const meet = (a, b, by) => a[0] < b[2] - by && b[0] < a[2] - by && a[1] < b[3] - by && b[1] < a[3] - by;
  const texts = [...root.querySelectorAll('.box text, .title text, .machine-name')].map(e => ({e, at: box(e), own: e.closest('g')}));
  const closed = [...root.querySelectorAll('.box:not(.open)')].map(g => ({g, at: box(g.querySelector('rect:last-of-type'))}));
  const machines = [...root.querySelectorAll('.machine')].map(box);
  machines.forEach((m, i) => machines.slice(i + 1).forEach(n => {
    if (meet(m, n, 0)) wrong.push('two machines meet');
  }));
  for (const t of texts) {
    const own = closed.find(b => b.g === t.own);
    if (own && (t.at[0] < own.at[0] - 1 || t.at[2] > own.at[2] + 1 || t.at[1] < own.at[1] - 1 || t.at[3] > own.at[3] + 1))
      wrong.push('leaves its box: ' + t.e.textContent);
    for (const b of closed)
      if (b.g !== t.own && meet(t.at, b.at, 1)) wrong.push('a box is over the text ' + t.e.textContent);
    for (const u of texts)
      if (u !== t && meet(t.at, u.at, 2)) wrong.push('two texts meet: ' + t.e.textContent + ' and ' + u.e.textContent);
  }
  // The values of a film lie between the layers.
  for (const e of root.querySelectorAll('text.value'))
    for (const b of closed) if (meet(box(e), b.at, 3)) wrong.push('the value ' + e.textContent + ' is over a box');
  for (const path of root.querySelectorAll('path.line')) {
    const length = path.getTotalLength(), up = path.classList.contains('up');
    for (let at = 0, before = -1e9; at < length; at += 3) {
      const p = path.getPointAtLength(at);
      if (!up && p.y < before - .5) {
        wrong.push('an edge runs upward, and is not of a loop');
        break;
      }
      before = p.y;
      for (const t of texts)
        if (p.x > t.at[0] + 1 && p.x < t.at[2] - 1 && p.y > t.at[1] + 2 && p.y < t.at[3] - 2) {
          wrong.push('a line crosses the text ' + t.e.textContent);
          at = length;
          break;
        }
    }
  }
  return {wrong: [...new Set(wrong)], texts: texts.length, lines: root.querySelectorAll('path.line').length};
})()'''

# Returns the brightness of a picture as rows of digits.
BRIGHTNESS = '''new Promise((done, fail) => {
  const image = new Image();
  image.onerror = fail;
  image.onload = () => {
    const w = %d, h = Math.round(w * image.height / image.width), canvas = document.createElement('canvas');
    canvas.width = w; canvas.height = h;
    const c = canvas.getContext('2d');
    c.imageSmoothingQuality = 'high';
    c.drawImage(image, 0, 0, w, h);
    const p = c.getImageData(0, 0, w, h).data, rows = [];
    for (let y = 0; y < h; ++y) {
      let row = '';
      for (let x = 0; x < w; ++x) {
        const at = 4 * (y * w + x);
        row += Math.round((p[at] + p[at + 1] + p[at + 2]) / 3 / 17).toString(16);
      }
      rows.push(row);
    }
    done(rows.join('\\n') + '\\n');
  };
  image.src = 'data:image/png;base64,%s';
})'''


def free_ports(count):
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def make_page(tensh, script, folder):
    if '%d' in script and 'grpc' in script:
        ports = free_ports(4)
        script %= tuple(ports + ports[2:3])
    done = subprocess.run([tensh], input=script.encode(), cwd=folder, capture_output=True, timeout=120)
    page = pathlib.Path(folder, 'page.html')
    if done.returncode or not page.exists():
        raise AssertionError('no page: %s' % done.stderr.decode())
    return page.as_uri()


def look(browser, url, size, theme, action):
    width, height = SIZES[size]
    browser.call('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=size == 'phone')
    browser.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': theme}])
    browser.call('Page.navigate', url='about:blank')
    browser.call('Page.navigate', url=url)
    browser.until("document.readyState==='complete'&&document.querySelector('.drawing-host[data-ready]')")
    if action:
        browser.value('Promise.resolve(%s).then(()=>1)' % action)
    return browser.call('Page.captureScreenshot', format='png')['data']


def shapes(browser):
    """Returns a picture of the drawing alone, without its texts."""
    clip = browser.value("""(() => {
      const style = document.createElement('style');
      style.textContent = '.drawing text,.drawing-bar,.small-map{visibility:hidden}';
      document.head.append(style);
      document.querySelector('.drawing-host').scrollIntoView();
      const r = document.querySelector('.drawing-host').getBoundingClientRect();
      return {x: r.left + scrollX, y: r.top + scrollY, width: r.width, height: r.height, scale: 1};
    })()""")
    return browser.call('Page.captureScreenshot', format='png', clip=clip)['data']


def difference(a, b):
    """Returns the largest mean difference of a block of cells."""
    a, b = a.split(), b.split()
    if [len(row) for row in a] != [len(row) for row in b]:
        return 15.0
    largest = 0
    for y in range(0, len(a), BLOCK):
        for x in range(0, COLUMNS, BLOCK):
            cells = [abs(int(p, 16) - int(q, 16)) for i in range(y, min(y + BLOCK, len(a)))
                     for p, q in zip(a[i][x:x + BLOCK], b[i][x:x + BLOCK])]
            largest = max(largest, sum(cells) / len(cells))
    return largest


def compare(name, brightness, options):
    path = os.path.join(HERE, 'pictures', name + '.txt')
    if options.update:
        with open(path, 'w') as f:
            f.write(brightness)
    with open(path) as f:
        apart = difference(f.read(), brightness)
    if apart > MOST_DIFFERENCE:
        return ['%s: differs from tests/live/pictures/%s.txt by %.2f; look at it: pictures_test.py --save /tmp' %
                (name, name, apart)]
    return []


def check(name, browser, options):
    script, *compared = GRAPHS[name]
    action = compared[2]
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        url = make_page(options.tensh, script, folder)
        for size in SIZES:
            for theme in ('light', 'dark'):
                picture = look(browser, url, size, theme, action)
                found = browser.value(GEOMETRY)
                if not found or found['texts'] < 5 or found['lines'] < 2:
                    problems.append('%s: no drawing: %r' % (name, found))
                    continue
                problems += ['%s on a %s: %s' % (name, size, each) for each in found['wrong']]
                if options.save:
                    with open(os.path.join(options.save, '%s_%s_%s.png' % (name, size, theme)), 'wb') as f:
                        f.write(base64.b64decode(picture))
                if [size, theme] == compared[:2]:
                    problems += compare(name, browser.value(BRIGHTNESS % (COLUMNS, shapes(browser))), options)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--update', action='store_true')
    parser.add_argument('--save')
    parser.add_argument('names', nargs='*', default=list(GRAPHS))
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    if not shutil.which('chromium'):
        print('pictures: no chromium; apt-get install chromium')
        return SKIPPED
    profile = tempfile.mkdtemp()
    browser = Browser(profile)
    try:
        problems = [each for name in options.names for each in check(name, browser, options)]
    finally:
        browser.end()
        shutil.rmtree(profile, ignore_errors=True)
    for problem in problems:
        print(problem)
    print('pictures: %d graphs, %d problems' % (len(options.names), len(problems)))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
