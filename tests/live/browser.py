"""Chromium without a window, for tests of pages."""
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time

from websocket import WebSocket


class Browser:
    """Chromium without a window, controlled through its DevTools."""

    def __init__(self, folder):
        self.process = subprocess.Popen(
            [shutil.which('chromium'), '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0',
             '--window-size=1600,1000', '--user-data-dir=' + folder, 'about:blank'],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        place = os.path.join(folder, 'DevToolsActivePort')
        for _ in range(600):
            if os.path.exists(place) and open(place).read().count('\n') >= 1:
                break
            time.sleep(.1)
        port = int(open(place).read().split('\n')[0])
        connection = http.client.HTTPConnection('127.0.0.1', port, timeout=30)
        for _ in range(100):
            connection.request('GET', '/json/list')
            pages = [p for p in json.loads(connection.getresponse().read()) if p['type'] == 'page']
            if pages:
                break
            time.sleep(.1)
        self.socket = WebSocket(port, re.sub(r'^ws://[^/]*', '', pages[0]['webSocketDebuggerUrl']), timeout=60)
        self.count = 0

    def call(self, method, **params):
        self.count += 1
        self.socket.send({'id': self.count, 'method': method, 'params': params})
        return self.socket.until(lambda m: m.get('id') == self.count).get('result', {})

    def value(self, expression):
        result = self.call('Runtime.evaluate', expression=expression, returnByValue=True, awaitPromise=True)
        return result.get('result', {}).get('value')

    def until(self, expression):
        """Waits until the condition is true, which only the scripts of the page can achieve."""
        for _ in range(300):
            if self.value('!!(%s)' % expression):
                return
            time.sleep(.1)
        raise AssertionError('in the browser: %s\n%s' % (expression, self.value('document.body.innerText')))

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
