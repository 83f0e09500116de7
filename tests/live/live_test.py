#!/usr/bin/env python3
"""Tests the live page: access control, updates after each command, its content, and the display in a real browser.

    live_test.py --tensh build/tensh [--screenshot FILE.png]

The browser is Debian's chromium, if it is installed. The program under test waits at files that the test fills.
Therefore, messages can only arrive because the server sent them, not because they were requested.
"""
import argparse
import base64
import http.client
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile

from browser import Browser
from websocket import Refused, WebSocket

SCRIPT = '''view
with tf.device("/cpu:0"): a = tf.constant([1., 2.], name="a")
with tf.device("/cpu:1"): b = tf.multiply(a, 2., name="be")
explain analyze b --stage 1
open("GATE0").read()
c = tf.exp(b, name="later")
open("GATE1").read()
boom
open("GATE2").read()
x = tf.placeholder(tf.float32, [2], name="x")
i = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], name="w")
v = tf.Variable([1., 1.], name="v")
run v.initializer
y = tf.multiply(x + v, tf.cast(i, tf.float32), name="y")
eval y feed x=[1., 3.]
open("GATE3").read()
s = tf.Variable(1., name="s")
run s.initializer
watch s
run s.assign(s * 2.) times 5
open("GATE4").read()
with tf.name_scope("big"):
  with tf.name_scope("inner"): inner = [tf.add(a, float(k), name="n%d" % k) for k in range(40)]
  for k in range(10000): tf.no_op()

open("GATE5").read()
'''
GATES = 6
SCRIPTS = ('/drawing.js', '/film.js', '/values.js', '/live.js')


class Session:
    """A tensh whose script waits at gates."""

    def __init__(self, tensh, folder):
        self.folder = folder
        for i in range(GATES):
            os.mkfifo(os.path.join(folder, 'GATE%d' % i))
        self.process = subprocess.Popen([tensh, '--keep-going', '-c', SCRIPT], cwd=folder, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        link = self.process.stdout.readline().decode().strip()
        match = re.fullmatch(r'http://127\.0\.0\.1:(\d+)(/\?token=[0-9a-f]{64})', link)
        if not match:
            self.end()
            sys.exit('no link: %r' % link)
        self.link, self.port, self.token, self.cookie = link, int(match.group(1)), match.group(2), None

    def get(self, path, cookie=True, method='GET', **headers):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=30)
        headers = {k.replace('_', '-'): v for k, v in headers.items()}
        if cookie and self.cookie:
            headers['Cookie'] = self.cookie
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body, answer

    def socket(self, origin='http://127.0.0.1:%d', cookie=None):
        origin = origin % self.port if origin and '%d' in origin else origin
        return WebSocket(self.port, '/ws', Origin=origin, Cookie=cookie if cookie is not None else self.cookie)

    def open_gate(self, number):
        with open(os.path.join(self.folder, 'GATE%d' % number), 'w') as f:
            f.write('go')

    def end(self):
        self.process.kill()
        self.process.wait()


def expect(what, got, want):
    if got != want:
        raise AssertionError('%s: %r, not %r' % (what, got, want))


def has(what, text, *parts):
    for part in parts:
        if part not in text:
            raise AssertionError('%s: no %r in %r' % (what, part, text[:2000]))


def check_access(page):
    for path in ('/', '/state', '/ws', '/style.css') + SCRIPTS:
        expect('no cookie ' + path, page.get(path)[0], 403)
    expect('a wrong token', page.get('/?token=' + '0' * 64)[0], 403)
    expect('another host', page.get(page.token, Host='evil.example')[0], 403)
    for origin, cookie in (('http://127.0.0.1:%d', ''), ('http://127.0.0.1:%d', 'tensh=' + '0' * 64)):
        try:
            page.socket(origin, cookie)
            raise AssertionError('a socket without the cookie')
        except Refused as refused:
            expect('a socket without the cookie', refused.args[0], 403)
    status, _, answer = page.get(page.token)
    expect('the token', status, 303)
    page.cookie = answer.getheader('Set-Cookie').split(';')[0]
    for word in ('HttpOnly', 'SameSite=Strict'):
        expect(word, word in answer.getheader('Set-Cookie'), True)
    expect('the token again', page.get(page.token, cookie=False)[0], 403)
    expect('another host', page.get('/', Host='evil.example:%d' % page.port)[0], 403)
    expect('another origin', page.get('/state', Origin='http://evil.example')[0], 403)
    for origin in ('http://evil.example', None):
        try:
            page.socket(origin)
            raise AssertionError('a socket of %s' % origin)
        except Refused as refused:
            expect('a socket of %s' % origin, refused.args[0], 403)
    expect('our origin', page.get('/state', Origin='http://127.0.0.1:%d' % page.port)[0], 200)
    expect('a POST', page.get('/', method='POST')[0], 405)
    expect('no upgrade', page.get('/ws')[0], 426)
    expect('no such page', page.get('/etc/passwd')[0], 404)
    status, body, answer = page.get('/')
    expect('the page', status, 200)
    expect('only ours', re.findall(r'(?:src|href)="([^"]*)"', body), ['/style.css', *SCRIPTS])
    for path in ('/style.css', *SCRIPTS):
        status, body, _ = page.get(path)
        expect(path, (status, 'http:' in body.replace('http://www.w3.org/2000/svg', '')), (200, False))
    expect('a policy', "default-src 'none'" in answer.getheader('Content-Security-Policy'), True)


def changed(rng, data):
    """Returns the bytes with a few of them replaced, removed, repeated or inserted."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5])):
        at, n = rng.randrange(len(data) + 1), rng.choice([1, 1, 2, 8, 200])
        piece = rng.choice([bytes(rng.randrange(256) for _ in range(n)), bytes(data[at:at + n]) * 2, b'', b'\r\n', b': ', b'\0' * n])
        data[at:at + n] = piece
    return bytes(data)


def check_hostile(page, seed=1, count=300):
    """Damaged requests, and damaged frames and questions on sockets with the cookie. The page still answers others."""
    rng = random.Random(seed)
    secret = '%s\r\nHost: 127.0.0.1:%d' % (page.cookie, page.port)
    requests = [('%s HTTP/1.1\r\nCookie: %s\r\n%s\r\n' % (line, secret, more)).encode() for line, more in (
        ('GET /', ''), ('GET /state', ''), ('HEAD /live.js', 'Content-Length: 99999999999999999999\r\n'),
        ('POST /', 'Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n'), ('GET /%s' % ('a' * 9000), ''), ('GET /%00%ff%', ''),
        ('GET /', 'X: y\r\n' * 3000), ('GET /ws', 'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n'
                                     'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nOrigin: http://127.0.0.1:%d\r\n' % page.port))]
    questions = [b'{"id":1,"graph":{"open":["big"]}}', b'{"id":2,"value":"a:0"}', b'[' * 100000, b'{"id":1e999}', b'"\\ud800"', b'{}', b'\xff\xfe']
    for i in range(count):
        with socket.create_connection(('127.0.0.1', page.port), timeout=30) as s:
            try:
                s.sendall(changed(rng, rng.choice(requests)))
                s.shutdown(socket.SHUT_WR)
                while s.recv(1 << 16):
                    pass
            except TimeoutError:
                raise AssertionError('request %d is not answered and the connection stays open' % i)
            except OSError:
                pass  # the server may close it before it has read everything
        if i % 3 == 0:
            web = page.socket()
            try:
                for _ in range(4):
                    payload = changed(rng, rng.choice(questions)) if rng.random() < 0.7 else rng.choice(questions)
                    if rng.random() < 0.5:
                        web.frame(rng.choice([1, 1, 1, 2, 0, 8, 9, 10, 3, 15]), payload)
                    else:
                        web.socket.sendall(changed(rng, b'\x81\x85\1\2\3\4' + payload[:200]))
            except OSError:
                pass  # the server closes it
            web.close()
        if i % 50 == 0:
            expect('the page after damaged requests', page.get('/')[0], 200)
    expect('the state after damaged requests', page.get('/state')[0], 200)
    expect('the process', page.process.poll(), None)


def ask_raw(page, request):
    """Sends bytes and returns everything that comes back until the server closes the connection or is silent for a moment."""
    with socket.create_connection(('127.0.0.1', page.port), timeout=30) as s:
        answer = b''
        try:
            s.sendall(request)
            s.shutdown(socket.SHUT_WR)
            while data := s.recv(1 << 16):
                answer += data
        except OSError:
            pass  # closed before it was read
        return answer


def check_shapes(page):
    """Requests that two servers would read differently, foreign hosts and paths. None receives the page or its state."""
    ours = 'Host: 127.0.0.1:%d' % page.port
    cookie = 'Cookie: ' + page.cookie
    state = ask_raw(page, ('GET /state HTTP/1.1\r\n%s\r\n%s\r\n\r\n' % (ours, cookie)).encode())
    expect('the state', (state[:12], b'"version"' in state), (b'HTTP/1.1 200', True))
    hosts = ['evil.example', 'evil.example:%d' % page.port, '127.0.0.1:%d.evil.example' % page.port, '127.0.0.1:%d@evil.example' % page.port,
             '127.0.0.1', '127.0.0.1:1', '[::1]:%d' % page.port, '', 'localhost.evil.example:%d' % page.port, '0.0.0.0:%d' % page.port]
    shapes = ['GET /state HTTP/1.1\r\nHost: %s\r\n%s\r\n\r\n' % (host, cookie) for host in hosts]
    shapes += ['GET /state HTTP/1.1\r\n%s\r\n\r\n' % head for head in (
        cookie, '%s\r\nHost: evil.example\r\n%s' % (ours, cookie), 'Host: evil.example\r\n%s\r\n%s' % (ours, cookie),
        '%s\r\n%s\r\nOrigin: null' % (ours, cookie), '%s\r\n%s\r\nOrigin: https://127.0.0.1:%d' % (ours, cookie, page.port),
        '%s\r\n%s\r\nOrigin: http://127.0.0.1' % (ours, cookie), '%s\r\nCookie: tensh=' % ours, '%s\r\nCookie: %s0' % (ours, page.cookie),
        '%s\r\nX: %s\r\nY: a' % (ours, cookie), '%s\r\n%s\r\nContent-Length: 5\r\nContent-Length: 6' % (ours, cookie),
        '%s\r\n%s\r\nContent-Length: -1' % (ours, cookie), '%s\r\n%s\r\nContent-Length: 5\r\nTransfer-Encoding: chunked' % (ours, cookie),
        '%s\r\n%s\r\nTransfer-Encoding: chunked' % (ours, cookie), '%s\r\n%s\r\nContent-Length: 9999999' % (ours, cookie),
        '%s\r\nCookie : %s' % (ours, page.cookie), '%s\r\nCookie:\0%s' % (ours, page.cookie),
        '%s\r\n%s\r\nX: %s' % (ours, cookie, 'y' * (1 << 20)), '%s\r\n%s\r\n%s' % (ours, cookie, 'X: y\r\n' * 100000))]
    shapes += ['%s\r\n%s\r\n%s\r\n\r\n' % (line, ours, cookie) for line in (
        'GET http://evil.example/state HTTP/1.1', 'GET //state HTTP/1.1', 'GET /../state HTTP/1.1', 'GET /./state HTTP/1.1', 'GET /%73tate HTTP/1.1',
        'GET /state/../../../../etc/passwd HTTP/1.1', 'GET /..%2f..%2f..%2fetc%2fpasswd HTTP/1.1', 'GET /state%00 HTTP/1.1', 'GET /state\\ HTTP/1.1',
        'get /state HTTP/1.1', 'POST /state HTTP/1.1', 'CONNECT /state HTTP/1.1', 'TRACE /state HTTP/1.1', 'GET /state HTTP/9.9', 'GET /state',
        'GET  /state  HTTP/1.1', 'GET /%s HTTP/1.1' % ('a' * 100000), 'PRI * HTTP/2.0')]
    for shape in shapes:
        answer = ask_raw(page, shape.encode('latin-1'))
        if b'"version"' in answer or b'root:' in answer or answer[9:12] == b'200':
            raise AssertionError('%r: %r' % (shape[:200], answer[:200]))
    # The second of two requests in one packet is checked like the first.
    both = ask_raw(page, ('GET /state HTTP/1.1\r\n%s\r\n%s\r\nContent-Length: 3\r\n\r\nabcGET /state HTTP/1.1\r\n%s\r\n\r\n'
                          % (ours, cookie, ours)).encode())
    expect('two requests', [line[9:12] for line in re.findall(rb'HTTP/1.1 \d+', both)], [b'200', b'403'])


def check_floods(page):
    """Connections that send nothing, that send a header slowly, and browsers that do not read. The page answers in between."""
    silent = []
    for i in range(1000):
        silent.append(socket.create_connection(('127.0.0.1', page.port), timeout=30))
        if i % 3:
            try:
                silent[-1].sendall(b'GET /state HTTP/1.1\r\nHost: 127.0.0.1\r\nX: y' if i % 3 == 1 else b'GET ')
            except ConnectionError:
                pass
        if i % 100 == 99:
            expect('the page beside %d silent connections' % len(silent), page.get('/')[0], 200)
    expect('the page beside 1,000 silent connections', [page.get('/state')[0] for _ in range(20)], [200] * 20)
    for each in silent:
        each.close()
    readers = []
    while len(readers) < 100:  # there is a limit, beyond which the server closes new connections
        try:
            readers.append(page.socket())
        except (EOFError, OSError):
            break
    if not 8 <= len(readers) < 100:
        raise AssertionError('%d sockets at once' % len(readers))
    for reader in readers:
        try:
            for _ in range(200):  # their answers are not read
                reader.frame(1, b'{"id":1,"level":"","of":"graph"}')
        except OSError:
            pass
    for reader in readers[1:]:
        reader.close()
    for _ in range(100):  # the server has seen that they are gone
        try:
            expect('the page after sockets that did not read', page.get('/')[0], 200)
            break
        except (ConnectionError, http.client.HTTPException):
            pass
    readers[0].send({'id': 2, 'node': 'a'})
    readers[0].until(lambda message: message.get('id') == 2)
    readers[0].close()
    expect('the process', page.process.poll(), None)


def drawn(drawing):
    """Returns the names of the nodes and scopes in the levels of a drawing."""
    return {item.get('name', item.get('scope')) for level in drawing['levels'].values() for item in level['items']}


class Follower:
    """Receives messages and sends requests like a browser."""

    def __init__(self, page):
        self.socket = page.socket()
        self.asked = 0
        self.last = None  # the last state, even if it arrived while waiting for something else

    def until(self, wanted):
        def look(message):
            self.last = message.get('state', self.last)
            return wanted(message)
        return self.socket.until(look)

    def state(self, wanted):
        if self.last is None or not wanted(self.last):
            self.until(lambda m: 'state' in m and wanted(m['state']))
        return self.last

    def event(self):
        return self.until(lambda m: 'event' in m)['event']

    def ask(self, **question):
        self.asked += 1
        self.socket.send(dict(question, id=self.asked))
        return self.until(lambda m: m.get('id') == self.asked)['answer']


def check_following(page):
    follower = Follower(page)
    state = follower.state(lambda s: s.get('request') == 'b')
    expect('drawn', {'a', 'be'} <= drawn(state['graph']), True)
    expect('drawn', {'a', 'be'} <= drawn(state['run']), True)
    kinds = [item['k'] for item in state['run']['levels']['']['items']]
    expect('a Send and a Recv', (kinds.count(2), kinds.count(3)), (1, 1))
    film = follower.ask(film=state['run_id'])
    expect('the timeline', 'be' in [event[4] for event in film['events']], True)
    has('a moment', [m['what'] for m in film['moments'] if m['node'] == 'be'][0], 'cpu:1 runs be (Mul) = [2. 4.]')
    expect('no such film', follower.ask(film=99), {})
    node = follower.ask(node='be')
    expect('a value', follower.ask(value='be:0')['text'], '[2. 4.]')
    has('why', node['why'], 'you requested it')
    expect('inputs', node['inputs'], ['a', 'be/y'])
    expect('a constant', follower.ask(value='a:0')['text'], '[1. 2.]')
    expect('consumers', follower.ask(node='a')['consumers'], ['be'])
    expect('no node', follower.ask(node='gone')['missing'], True)
    # The session is stopped at a gate, so the event can only come from the finished command, not
    # from a request.
    page.open_gate(0)
    state = follower.state(lambda s: 'later' in drawn(s['graph']))
    has('the command', state['command'], 'tf.exp')
    page.open_gate(1)
    state = follower.state(lambda s: s['error'])
    has('an error', state['error'], "NameError: name 'boom' is not defined")
    return follower


def check_values(page, follower):
    page.open_gate(2)
    follower.state(lambda s: s['command'].startswith('eval y'))
    for name, want, times in (('x', '[1. 3.]', 1), ('v', '[1. 1.]', 1), ('y', '[10. 20.]', 1), ('w/add', '5', 5),
                              ('w/Less', 'False', 6), ('w/Exit', '5', 1)):
        value = follower.ask(value=name + ':0')
        expect('the value of ' + name, (value['text'], value['times']), (want, times))
    has('why', follower.ask(node='later')['why'], 'did not run')
    page.open_gate(3)
    has('a curve', follower.event()['plot'], '<svg')
    follower.state(lambda s: '<svg' in s['plot'])
    page.open_gate(4)
    state = follower.state(lambda s: s['graph_nodes'] > 10000)
    keys = follower.ask(path='big/inner/n7', of='graph')['keys']
    levels = [follower.ask(level=key, of='graph') for key in keys]
    expect('folded', drawn(state['graph']) >= {'big'}, True)
    expect('not open at first', 'big/inner/n7' in drawn(state['graph']), False)
    expect('a scope in a scope', 'big/inner' in drawn({'levels': {'': levels[0]}}), True)
    expect('the parts around a node', 'big/inner/n7' in drawn({'levels': {'': levels[-1]}}), True)
    for level in levels:
        expect('a level that a browser can hold', len(level['items']) < 200, True)
    expect('no such level', follower.ask(level='gone', of='graph'), {})
    found = follower.ask(find='inner/n3')
    expect('found', (found['count'], found['names'][0]), (22, 'big/inner/n3/y'))
    for nonsense in ('', 'x', '[]', '{"id":1}', '{"node":7}', '{"level":[],"of":7}', '{"film":"x"}', '{"value":7}', '{"pins":7}', '{"path":"","of":"run"}', '{"find":""}'):
        follower.socket.frame(1, nonsense.encode())
    expect('it is still there', follower.ask(node='a')['name'], 'a')
    follower.socket.close()


CLICK = "document.querySelector('%s').dispatchEvent(new MouseEvent('click',{bubbles:true}))"


def look_around(page, browser, screenshot):
    browser.call('Page.navigate', url=page.link)
    browser.until("document.querySelector('#run g.node[data-name=\"be\"]')")
    browser.value(CLICK % '#run g.node[data-name="be"]')
    browser.until("document.getElementById('detail').innerText.includes('[2. 4.]')")
    has('why', browser.value("document.getElementById('detail').innerText"), 'you requested it')
    page.open_gate(0)
    browser.until("document.querySelector('#graph g.node[data-name=\"later\"]')")
    page.open_gate(1)
    browser.until("!document.getElementById('error').hidden")
    page.open_gate(2)
    browser.until("document.getElementById('run-head').innerText.includes('y')")
    page.open_gate(3)
    browser.until("document.querySelector('#plot svg')")
    if screenshot:
        picture = browser.call('Page.captureScreenshot', format='png')['data']
        with open(screenshot, 'wb') as f:
            f.write(base64.b64decode(picture))
    page.open_gate(4)
    browser.until("document.querySelector('#graph g.scope[data-scope=\"big\"]')")
    expect('10,000 nodes folded', browser.value("document.querySelectorAll('g.node').length") < 200, True)
    browser.value(CLICK % '#graph g.scope[data-scope="big"]')
    browser.until("document.querySelector('#graph g.scope.open[data-scope=\"big\"]')")
    browser.value(CLICK % '#graph g.closes')
    browser.until("!document.querySelector('#graph g.scope.open[data-scope=\"big\"]')")
    browser.value("const f=document.querySelector('#graph input');f.value='inner/n3';"
                  "f.dispatchEvent(new KeyboardEvent('keydown',{key:'Enter'}))")
    browser.until("document.querySelector('#graph .matches').innerText.includes('1 of 22')")
    browser.until("document.getElementById('detail').innerText.includes('big/inner/n3')")
    browser.until("document.querySelector('#graph g.node.on[data-name^=\"big/inner/n3\"]')")
    expect('a link to the node', browser.value('location.hash').startswith('#node=big%2Finner%2Fn3'), True)
    expect('no error in the page', browser.value("document.getElementById('lost').hidden"), True)
    page.end()
    browser.until("!document.getElementById('lost').hidden")


def check_browser(tensh, screenshot):
    if not shutil.which('chromium'):
        print('live: no chromium: no browser was tried')
        return
    profile = tempfile.mkdtemp()
    with tempfile.TemporaryDirectory() as folder:
        page = Session(tensh, folder)
        browser = Browser(profile)
        try:
            look_around(page, browser, screenshot)
        finally:
            page.end()
            browser.end()
            shutil.rmtree(profile, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--screenshot')
    options = parser.parse_args()
    tensh = os.path.abspath(options.tensh)
    with tempfile.TemporaryDirectory() as folder:
        page = Session(tensh, folder)
        try:
            check_access(page)
            check_hostile(page)
            check_shapes(page)
            check_floods(page)
            follower = check_following(page)
            check_values(page, follower)
        finally:
            page.end()
    check_browser(tensh, options.screenshot)
    print('live: as wanted')


if __name__ == '__main__':
    main()
