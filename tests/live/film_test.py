#!/usr/bin/env python3
"""Tests the live page in a browser: the film of a run, the machines of a cluster, and values to look at.

    film_test.py --tensh build/tensh [--save FOLDER] [NAME …]

Each test types cells into a session whose page is open, and checks what the page shows. --save writes a picture of the page
after each test. The browser is Debian's chromium. Without it the test is skipped (exit status 77).
"""
import argparse
import base64
import os
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from browser import Browser
from pictures_test import GEOMETRY, free_ports

SKIPPED = 77
DEVICES = '''
with tf.device("/cpu:0"): x = tf.placeholder(tf.float32, [2], name="x"); a = tf.constant([1., 2.], name="a")
with tf.device("/cpu:1"): h = tf.add(a, x, name="h")
y = tf.multiply(h, 2., name="y"); unused = tf.exp(a, name="unused")
'''
FLOW = '''
n = tf.placeholder(tf.int32, [], name="n")
i = tf.while_loop(lambda i: i < n, lambda i: i + 2, [0], name="loop")
y = tf.cond(i > 3, lambda: tf.square(i), lambda: tf.negative(i), name="choice")
eval y feed n=5
'''
VALUES = '''
m = tf.constant([[0., 1., 2.], [float("nan"), 4., float("inf")]], name="m"); half = tf.multiply(m, .5, name="half")
pixels = np.zeros([1, 8, 8, 3], np.float32); pixels[0, 0, 0] = [1., 0., 0.]
picture = tf.identity(tf.constant(pixels), name="picture")
v = tf.Variable(1., name="v"); run v.initializer
double = tf.assign(v, v * 2., name="double")
eval half, picture
'''
CLUSTER = '''
with tf.device("/job:ps/task:0"): w = tf.Variable(tf.ones([64, 64]), name="w")
x = tf.placeholder(tf.float32, [None, 64], name="x")
with tf.device("/job:worker/task:0"): y0 = tf.matmul(x, w, name="y0")
with tf.device("/job:worker/task:1"): y1 = tf.matmul(x * 2., w, name="y1")
with tf.device("/job:ps/task:0"): total = tf.add(y0, y1, name="total")
connect grpc://127.0.0.1:%d
run tf.global_variables_initializer()
explain analyze total feed x=np.ones([4, 64])
'''


class Page:
    """A session at a prompt, whose page is open in the browser."""

    def __init__(self, tensh, browser):
        self.browser, self.lines, self.text = browser, 0, ''
        self.terminal, inside = pty.openpty()
        environment = dict(os.environ, TERM='dumb', TENSH_HISTORY='')
        self.process = subprocess.Popen([tensh, '-X'], stdin=inside, stdout=inside, stderr=inside, env=environment,
                                        start_new_session=True)
        os.close(inside)
        threading.Thread(target=self.drain, daemon=True).start()
        self.open()

    def drain(self):
        try:
            while data := os.read(self.terminal, 65536):
                self.text += data.decode(errors='replace')
        except OSError:  # the session has ended
            pass

    def open(self):
        """Opens the page with a new link."""
        begin = len(self.text)
        self.type('view')
        for _ in range(300):
            link = re.search(r'http://127[^\s]*token=[0-9a-f]{64}', self.text[begin:])
            if link:
                break
            time.sleep(.1)
        else:
            raise AssertionError('view printed no link: %r' % self.text[begin:])
        self.browser.call('Page.navigate', url='about:blank')
        self.browser.call('Page.navigate', url=link.group(0))
        self.until("document.body.dataset.version!==undefined")

    def type(self, text):
        os.write(self.terminal, (text.strip('\n') + '\n').encode())

    def cell(self, text):
        """Types cells, and waits until the page has the snapshot after them."""
        self.lines += 1
        mark = 'mark%d = %d' % (self.lines, self.lines)
        self.type(text + '\n' + mark)
        self.until("document.getElementById('command').textContent.endsWith('%s')" % mark)
        self.until("!state.run_id||(films.run&&films.run.id===state.run_id&&films.run.drawing.names)")

    def value(self, expression):
        return self.browser.value(expression)

    def until(self, expression):
        self.browser.until(expression)

    def texts(self, selector):
        return self.value("[...document.querySelectorAll('%s')].map(e=>e.textContent)" % selector)

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)


def expect(what, got, want):
    if got != want:
        raise AssertionError('%s: %r, not %r' % (what, got, want))


def has(what, text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError('%s: no %r in %r' % (what, part, text))


def key(page, name):
    page.value("document.body.dispatchEvent(new KeyboardEvent('keydown',{key:'%s',bubbles:true,cancelable:true}))" % name)


def what(page):
    return page.value("document.querySelector('#run .what').textContent")


def check_film(page):
    page.cell(DEVICES + 'eval y feed x=[3., 4.]')
    stages = []
    page.value('films.run.go(0)')
    for _ in range(4):
        stages.append(what(page))
        key(page, 'PageDown')
    expect('stage 1', stages[0], '① the graph @4: 6 nodes')
    expect('stage 2', stages[1], '② pruned: 1 node is left out, because no fetch needs it: unused')
    has('stage 3', stages[2], '③ placed: ', '1 node on cpu:1')
    has('stage 4', stages[3], '④ cut into 2 partitions: 3 Send/Recv pairs, 24 B')
    # The stages hide what is decided later.
    shown = "getComputedStyle(document.querySelector('#run %s')).visibility"
    for frame, areas, sends in ((0, 'hidden', 'hidden'), (2, 'visible', 'hidden'), (3, 'visible', 'visible')):
        page.value('films.run.go(%d)' % frame)
        expect('areas of frame %d' % frame, page.value(shown % '.area'), areas)
        expect('sends of frame %d' % frame, page.value(shown % '.send rect'), sends)
    moments = page.value('films.run.shots.moments.map(m=>m.what)')
    for text in ('cpu:1 runs h (AddV2) = [4. 6.]', 'cpu:0 runs y (Mul) = [ 8. 12.]', 'cpu:0 sends a:0, 8 B', 'cpu:1 receives a:0, 8 B'):
        expect('the moment ' + text, moments.count(text), 1)
    at = {text: i + 4 for i, text in enumerate(moments)}
    # While a value is in the rendezvous, the edge between the two devices holds it.
    page.value('films.run.go(%d)' % at['cpu:0 sends a:0, 8 B'])
    expect('a value in the rendezvous', page.value("document.querySelectorAll('#run .wire.held').length") >= 1, True)
    has('the rendezvous', page.value("films.run.part.rendezvous.textContent"), 'a:0 cpu:0 → cpu:1 8 B: sent, in the rendezvous')
    expect('the Send is marked', page.value("!!document.querySelector('#run .send.now')"), True)
    page.value('films.run.go(%d)' % at['cpu:1 receives a:0, 8 B'])
    expect('the Recv is marked', page.value("!!document.querySelector('#run .recv.now')"), True)
    has('values on edges', ' '.join(page.texts('#run text.value')), '[1. 2.]')
    # At the end, every value is on its edge.
    page.value('films.run.go(films.run.frames.length-1)')
    expect('all values', sorted(page.texts('#run text.value')), ['2.0', '[1. 2.]', '[3. 4.]', '[4. 6.]'])
    # The drawing, the timeline and the slider move together.
    page.value("document.querySelector('#run .bar[data-name=\"h\"]:not(.waits):not(.moves)').click()")
    has('a click on the timeline', what(page), 'cpu:1 runs h (AddV2)')
    expect('its node', page.texts('#run .node.now title')[0].split('\n')[0], 'h')
    page.value("document.querySelector('#run .node[data-name=\"y\"]').dispatchEvent(new MouseEvent('click',{bubbles:true}))")
    has('a click on the drawing', what(page), 'cpu:0 runs y (Mul)')
    expect('its bar', page.value("document.querySelector('#run .bar.now').dataset.name"), 'y')
    waits = page.value("films.run.shots.events.filter(e=>e[1]===4).map(e=>e[5])")
    expect('waits are named', all(text.startswith('send ') for text in waits) and len(waits) > 0, True)
    key(page, 'Home')
    expect('Home', page.value('films.run.now'), 0)
    key(page, 'ArrowRight')
    key(page, 'ArrowRight')
    key(page, 'PageUp')
    expect('arrows', page.value("document.querySelector('#run .slide').value"), '1')
    # The page that is saved has the same film.
    saved = page.value("promise({save:films.run.id}).then(a=>a.page)")
    has('the saved page', saved, 'cpu:1 runs h (AddV2) = [4. 6.]', 'new Film(')
    saved_page = os.path.join(tempfile.mkdtemp(), 'step.html')
    with open(saved_page, 'w') as f:
        f.write(saved)
    expect('no other host', [u for u in re.findall(r'https?://[^"\' )]*', saved) if 'w3.org' not in u], [])

    # `step` in the terminal moves the film.
    page.cell('step y feed x=[3., 4.]')
    page.until("films.run.id===2")
    expect('before the step', page.value("films.run.frames[films.run.now].moment"), 0)
    page.cell('step 3')
    expect('three moments later', page.value("films.run.frames[films.run.now].moment"), 3)
    page.browser.call('Page.navigate', url='file://' + saved_page)
    page.until("typeof film!=='undefined'&&document.querySelector('.drawing-host[data-ready]')")
    page.value("dispatchEvent(new KeyboardEvent('keydown',{key:'End'}))")
    has('the saved film', page.value("document.querySelector('.what').textContent"), 'cpu:0 runs y (Mul) = [ 8. 12.]')
    shutil.rmtree(os.path.dirname(saved_page))


def check_error(page):
    page.cell('a = tf.constant([1., 2.], name="a"); i = tf.placeholder(tf.int32, [], name="i"); g = tf.gather(a, i, name="g")')
    page.cell('eval g feed i=1')
    page.type('eval g feed i=5')
    page.until("!el('error').hidden")
    has('the error', page.value("el('error').textContent"), 'InvalidArgumentError')
    page.until("document.querySelector('#run .node.failed[data-name=\"g\"]')")
    page.value("document.querySelector('#error button').click()")
    page.until("document.querySelector('#detail strong')&&document.querySelector('#detail strong').textContent==='g'")
    page.cell('eval g feed i=0')
    expect('no longer', page.value("document.querySelectorAll('.node.failed').length"), 0)


def check_flow(page):
    page.cell(FLOW)
    moments = page.value('films.run.shots.moments.map(m=>m.what)')
    for number in (1, 2, 3):
        expect('iteration %d' % number, sum('runs loop/add (AddV2), iteration %d of 3' % number in text for text in moments), 1)
    # Inside of a loop, the film opens the scopes around the node that runs.
    page.value('films.run.drawing.fold()')
    at = [i for i, text in enumerate(moments) if 'runs loop/add' in text][1]
    page.value("films.run.part.inside.click()")
    page.value('films.run.go(%d)' % (at + 4))
    page.until("document.querySelector('#run .node.now[data-name=\"loop/add\"]')")
    page.value("films.run.part.inside.click()")
    page.value('films.run.drawing.show("choice/Neg")')
    page.value('films.run.go(films.run.frames.length-1)')
    expect('the branch', page.value("films.run.drawing.names.get('choice/Neg').g.classList.contains('nottaken')"), True)
    has('not taken', page.value("films.run.part['not taken'].textContent"), 'choice/Neg')


def check_beside(page):
    page.cell(DEVICES + 'explain analyze y feed x=[3., 4.]')
    page.cell('place h on /cpu:0\nexplain analyze y feed x=[3., 4.]')
    expect('the runs', len(page.texts('#beside option')), 2)
    page.value("el('beside').value='1';el('beside').onchange({target:el('beside')})")
    page.until("films.other&&films.other.drawing.names&&document.querySelector('#other .node[data-name=\"h\"]')")
    has('the difference', page.value("el('difference').textContent"), '0 transfers', '3 transfers, 24 B')
    page.until("document.querySelector('#run .node[data-name=\"h\"].differs')")
    expect('the same', page.value("document.querySelector('#run .node[data-name=\"a\"]').classList.contains('differs')"), False)
    page.value("films.run.seek('h')")
    expect('both at h', page.value("films.other.frames[films.other.now].node"), 'h')
    page.value('films.run.go(2)')
    expect('both at a stage', page.value('films.other.now'), 2)
    page.value("el('beside').value='';el('beside').onchange({target:el('beside')})")
    page.cell('late = tf.exp(y, name="late")\nexplain analyze y feed x=[3., 4.]')
    page.cell('explain diff @4 @5')
    page.until("films.other&&films.other.shots.version===4&&films.run.shots.version===5")


def cells(page, selector):
    """Returns the colours of the pixels of a canvas."""
    return page.value("""(()=>{const c=document.querySelector('%s'),d=c.getContext('2d').getImageData(0,0,c.width,c.height).data;
      const out=[];for(let i=0;i<d.length;i+=4)out.push([d[i],d[i+1],d[i+2]].join());return [c.width,c.height,out]})()""" % selector)


def check_values(page):
    page.cell(VALUES)
    page.value("about('half')")
    page.until("document.querySelector('#detail canvas')")
    width, height, colours = cells(page, '#detail canvas')
    expect('cells', (width, height), (3, 2))
    expect('NaN', colours[3], '255,0,200')
    expect('Inf', colours[5], '255,120,0')
    expect('the least and the largest', (colours[0], colours[4]), ('68,1,84', '253,231,37'))
    expect('counted', page.texts('#detail .bad'), ['1 NaN', '1 Inf'])
    has('facts', ' '.join(page.texts('#detail .facts')), 'f32[2,3]', 'min 0', 'max 2', 'mean 0.875')
    # The value of an edge.
    page.value("""(()=>{const line=films.run.drawing.lines.find(l=>(l.edge.v||[]).includes('m:0'));
      line.g.dispatchEvent(new MouseEvent('click',{bubbles:true}))})()""")
    page.until("document.querySelector('#detail strong').textContent==='m:0'&&document.querySelector('#detail canvas')")
    page.value("about('picture')")
    page.until("document.querySelector('#detail canvas')&&document.querySelector('#detail canvas').width===8")
    _, _, colours = cells(page, '#detail canvas')
    expect('an image', colours[:2], ['255,0,0', '0,0,0'])
    page.cell('plot [1, 4, 9, 16]')
    page.until("document.querySelector('#plot svg')")


def check_pins(page):
    page.cell(VALUES)
    page.value("about('double')")
    page.until("document.querySelector('#detail button[title^=watch]')")
    page.value("document.querySelector('#detail button[title^=watch]').click()")
    for want in ('2.0', '4.0'):
        page.cell('eval double')
        page.until("document.querySelector('#pins .number')&&document.querySelector('#pins .number').textContent==='%s'" % want)
    expect('its curve', page.value("pins.get('double:0').history"), [2, 4])
    page.cell('run double times 3')
    page.until("document.querySelector('#pins .number').textContent==='32.0'")
    # A loop sends the values while it runs.
    events = int(page.value("document.body.dataset.events||0"))
    page.type('run double times 100000000')
    page.until("+document.body.dataset.events>%d" % (events + 2))
    page.value("document.querySelector('#pins .close').click()")
    expect('no longer watched', page.value("el('pins').hidden"), True)


def check_reset(page):
    page.cell(DEVICES + 'eval y feed x=[3., 4.]')
    page.value("about('h')")
    page.until("!el('detail').hidden")
    page.value("graph.search.value='h';graph.next(1)")
    page.until("graph.matches.textContent==='1 of 1'")
    page.cell('reset\nb = tf.constant(1., name="b")')
    expect('the card is closed', page.value("el('detail').hidden"), True)
    expect('nothing is found', page.value("graph.matches.textContent+graph.search.value"), '')
    expect('no run', page.value("document.querySelectorAll('#run .node').length"), 0)


def wait_for(port):
    for _ in range(300):
        try:
            return socket.create_connection(('127.0.0.1', port)).close()
        except OSError:
            time.sleep(.1)


def check_machines(page, tensh):
    ports = free_ports(3)
    cluster = 'ps=127.0.0.1:%d;worker=127.0.0.1:%d,127.0.0.1:%d' % tuple(ports)

    def serve(job, task):
        return subprocess.Popen([tensh, 'serve', '--cluster', cluster, '--job', job, '--task', str(task)],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    servers = [serve('ps', 0), serve('worker', 0), serve('worker', 1)]
    try:
        for port in ports:
            wait_for(port)
        page.cell(CLUSTER % ports[1])
        expect('machines', sorted(page.texts('#run .machine-name')), ['ps:0', 'worker:0', 'worker:1'])
        inside = page.value("""[...document.querySelectorAll('#run .area:not(.machine):not(.aside)')].every(a=>
          [...document.querySelectorAll('#run .machine')].some(m=>{const x=a.getBBox(),y=m.getBBox();
            return x.x>y.x&&x.x+x.width<y.x+y.width&&x.y>y.y&&x.y+x.height<y.y+y.height}))""")
        expect('machines contain their devices', inside, True)
        pills = ' '.join(page.texts('#run .send text') + page.texts('#run .recv text'))
        expect('bytes and time of transfers', bool('Send w 16.0 KB' in pills and re.search(r'Recv w \d+(\.\d)? [µmn]?s', pills)), True)
        expect('all answer', page.texts('#run .machine-name.dead'), [])
        servers[2].kill()
        servers[2].wait()
        page.type('eval total feed x=np.ones([4, 64])')
        page.until("document.querySelector('#run .machine-name.dead')")
        expect('the dead machine', page.texts('#run .machine-name.dead'), ['worker:1 ✕ does not answer'])
        # It answers again after a restart.
        servers[2] = serve('worker', 1)
        wait_for(ports[2])
        page.cell('run tf.global_variables_initializer()')
        page.cell('explain analyze total feed x=np.ones([4, 64])')
        page.until("document.querySelector('#run .machine-name')&&!document.querySelector('.machine-name.dead')")
    finally:
        for server in servers:
            server.kill()
            server.wait()


TESTS = {'film': check_film, 'error': check_error, 'flow': check_flow, 'beside': check_beside, 'values': check_values, 'pins': check_pins,
         'reset': check_reset, 'machines': check_machines}


def run(name, browser, options):
    page = Page(options.tensh, browser)
    try:
        TESTS[name](*([page, options.tensh] if name == 'machines' else [page]))
        wrong = page.value(GEOMETRY.replace('drawing.root', 'films.run.drawing.root')) if page.value("typeof films!=='undefined'&&!!films.run") else None
        return wrong['wrong'] if wrong else []
    except AssertionError as error:
        return ['%s\nthe terminal: %s' % (str(error)[:500], page.text[-800:])]
    finally:
        if options.save:
            with open(os.path.join(options.save, 'film_%s.png' % name), 'wb') as f:
                f.write(base64.b64decode(browser.call('Page.captureScreenshot', format='png')['data']))
        page.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--save')
    parser.add_argument('names', nargs='*', default=list(TESTS))
    options = parser.parse_args()
    options.tensh = os.path.abspath(options.tensh)
    if not shutil.which('chromium'):
        print('film: no chromium; apt-get install chromium')
        return SKIPPED
    profile = tempfile.mkdtemp()
    browser = Browser(profile)
    problems = []
    try:
        for name in options.names:
            problems += ['%s: %s' % (name, each) for each in run(name, browser, options)]
    finally:
        browser.end()
        shutil.rmtree(profile, ignore_errors=True)
    for problem in problems:
        print(problem)
    print('film: %d tests, %d problems' % (len(options.names), len(problems)))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
