#!/usr/bin/env python3
"""The live page: who may see it, what it says, and that a real browser draws it.

    live_test.py --tensh build/dev/tensh

The browser is Debian's chromium, where it is installed.
"""
import argparse
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SCRIPT = '''view
import time
a = tf.constant([1., 2.], name="a")
with tf.device("/cpu:1"): b = tf.multiply(a, 2., name="be<b>&")  if 0 else tf.multiply(a, 2., name="be")
explain analyze b --stage 1
time.sleep(%f)
c = tf.exp(b, name="later")
time.sleep(60)
'''


class Page:
    def __init__(self, port):
        self.port = port
        self.cookie = None

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


def start(tensh, pause):
    process = subprocess.Popen([tensh, '-c', SCRIPT % pause], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    link = process.stdout.readline().decode().strip()
    match = re.fullmatch(r'http://127\.0\.0\.1:(\d+)(/\?token=[0-9a-f]{64})', link)
    if not match:
        process.kill()
        sys.exit('no link: %r' % link)
    return process, Page(int(match.group(1))), match.group(2), link


def expect(what, got, want):
    if got != want:
        raise AssertionError('%s: %r, not %r' % (what, got, want))


def check_access(page, token):
    expect('no cookie', page.get('/')[0], 403)
    expect('no cookie', page.get('/state')[0], 403)
    expect('a wrong token', page.get('/?token=' + '0' * 64)[0], 403)
    expect('another host', page.get(token, Host='evil.example')[0], 403)
    status, _, answer = page.get(token)
    expect('the token', status, 303)
    page.cookie = answer.getheader('Set-Cookie').split(';')[0]
    for word in ('HttpOnly', 'SameSite=Strict'):
        expect(word, word in answer.getheader('Set-Cookie'), True)
    expect('the token again', page.get(token, cookie=False)[0], 403)
    expect('another host', page.get('/', Host='evil.example:%d' % page.port)[0], 403)
    expect('another origin', page.get('/state', Origin='http://evil.example')[0], 403)
    expect('our origin', page.get('/state', Origin='http://127.0.0.1:%d' % page.port)[0], 200)
    expect('a POST', page.get('/', method='POST')[0], 405)
    expect('no such page', page.get('/etc/passwd')[0], 404)
    status, body, answer = page.get('/')
    expect('the page', status, 200)
    expect('only ours', re.findall(r'(?:src|href)="(?!/live\.js")', body), [])
    expect('a policy', "default-src 'none'" in answer.getheader('Content-Security-Policy'), True)


def check_state(page):
    first = json.loads(page.get('/state')[1])
    state = first['state']
    expect('the request', state['request'], 'b')
    expect('the nodes', [n['name'] for n in state['nodes']], ['a', 'be/y', 'be'])
    expect('a value', state['nodes'][0]['value'], '[1. 2.]')
    expect('drawn', 'data-name="be"' in state['graph'] and 'Send' in state['run'], True)
    expect('why', 'you asked for it' in state['runs']['be'], True)
    began = time.time()
    then = first
    while then['state']['nodes'][-1]['name'] != 'later' and time.time() - began < 15:
        then = json.loads(page.get('/state?since=%d' % then['version'])[1])
    expect('it followed', [n['name'] for n in then['state']['nodes']][-1], 'later')
    expect('at once', time.time() - began < 15, True)


def check_browser(link):
    chromium = shutil.which('chromium')
    if not chromium:
        print('live: no chromium: the page was not drawn')
        return
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--user-data-dir=' + folder,
             '--virtual-time-budget=4000', '--timeout=8000', '--dump-dom', link + '&still=1'],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            dom = process.communicate(timeout=90)[0].decode()
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise AssertionError('chromium did not end')
    for what in ('data-name="be"', 'explain b', 'ran in', 'Graph @'):
        expect(what + ' in the DOM', what in dom, True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    options = parser.parse_args()
    tensh = os.path.abspath(options.tensh)
    process, page, token, link = start(tensh, 4)
    try:
        check_access(page, token)
        for _ in range(100):  # until the script has come to its pause
            if json.loads(page.get('/state')[1])['state'].get('request'):
                break
            time.sleep(.1)
        check_state(page)
    finally:
        process.kill()
        process.wait()
    process, page, token, link = start(tensh, 50)
    try:
        time.sleep(1)
        check_browser(link)
    finally:
        process.kill()
        process.wait()
    print('live: as wanted')


if __name__ == '__main__':
    main()
