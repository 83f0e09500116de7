"""A Jupyter kernel for tensh, and the cell magic %%tensh for notebooks of Python.

`tensh kernel install` writes this file beside kernel.json. It needs ipykernel and talks to `tensh --stdio` (docs/stdio.md).
"""
import html
import json
import os
import queue
import shutil
import subprocess
import threading

PROTOCOL = 1
# The height of a page follows from its content. The frame keeps its styles and scripts apart from the notebook's.
FRAME = ('<iframe srcdoc="%s" style="width:100%%;height:420px;border:0" '
         'onload="this.style.height=this.contentDocument.documentElement.scrollHeight+16+\'px\'"></iframe>')


class TenshEnded(Exception):
    """The process of tensh ended without a reply."""


class Client:
    """A session of tensh in a process of its own.

    Used by one thread. A KeyboardInterrupt while a request is answered interrupts the running cell; then the reply follows.
    """

    def __init__(self, program=None, options=()):
        program = program or os.environ.get('TENSH') or shutil.which('tensh')
        if not program:
            raise FileNotFoundError('no program tensh on PATH; name it in the environment: TENSH=/path/to/tensh')
        # A session of its own, so that Ctrl-C in the terminal of the notebook server does not reach tensh twice.
        self.process = subprocess.Popen([program, '--stdio', *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        start_new_session=True, env=dict(os.environ, COLUMNS='100'))
        self._lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()
        self._last = 0
        greeting = self._next()
        if greeting.get('protocol') != PROTOCOL:
            self.close()
            raise RuntimeError('%s speaks protocol %s, this kernel %d; run: tensh kernel install' %
                               (program, greeting.get('protocol'), PROTOCOL))
        self.version = greeting['tensh']

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def _next(self):
        got = self._lines.get()
        if got is None:
            code = self.process.wait()
            raise TenshEnded('tensh ended %s; the next cell starts a new session' %
                             ('by signal %d' % -code if code < 0 else 'with exit code %d' % code))
        return got

    def _send(self, **request):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b'\n')
            self.process.stdin.flush()
        except OSError:
            pass  # It has ended; reading its replies tells how.

    def ask(self, do, on_event=lambda event: None, **fields):
        """Sends a request and returns its reply. Calls on_event for each event before that."""
        self._last += 1
        request = self._last
        self._send(id=request, do=do, **fields)
        while True:
            try:
                got = self._next()
                if got.get('id') == request and 'done' in got:
                    return got
                if 'event' in got:
                    on_event(got)
            except KeyboardInterrupt:
                self._send(id='interrupt', do='interrupt')

    def close(self):
        try:
            self.process.stdin.close()  # writes what an earlier request left in the buffer
        except OSError:
            pass  # It has ended.
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def notebook_data(data):
    """Returns the forms of an output as a notebook shows them: a whole page is put into a frame."""
    page = data.get('text/html', '')
    if page.lstrip()[:9].lower() != '<!doctype':
        return data
    return dict(data, **{'text/html': FRAME % html.escape(page)})


def failure_of(reply):
    """Returns the error of a reply to `execute` as (name, message, text), or None if the cell worked."""
    if reply['done'] in ('ok', 'exit'):
        return None
    error = reply.get('error', {})
    name = error.get('name', 'TenshError')
    message = error.get('message') or reply.get('message', '')
    return name, message, error.get('text', message).rstrip('\n')


def load_ipython_extension(ipython):
    """Adds %%tensh: `%load_ext tensh_kernel`. The cells share one session, which the first one starts."""
    from IPython.display import display
    session = []

    def tensh(line, cell=None):
        if not session:
            session.append(Client())

        def show(event):
            if event['event'] in ('stdout', 'stderr'):
                print(event['text'], end='')
            elif 'data' in event:
                display(notebook_data(event['data']), raw=True)

        try:
            reply = session[0].ask('execute', show, code=line if cell is None else cell)
        except TenshEnded:
            session.clear()
            raise
        failure = failure_of(reply)
        if failure:
            print(failure[2])
        if reply['done'] == 'exit':
            session.clear()

    ipython.register_magic_function(tensh, 'line_cell')


def main():
    from ipykernel.kernelapp import IPKernelApp
    from ipykernel.kernelbase import Kernel

    class TenshKernel(Kernel):
        implementation = 'tensh'
        implementation_version = str(PROTOCOL)
        banner = 'tensh: a shell for dataflow graphs. Type help'
        language_info = {'name': 'tensh', 'mimetype': 'text/x-python', 'file_extension': '.tsh', 'version': '1',
                         'pygments_lexer': 'python3', 'codemirror_mode': {'name': 'python', 'version': 3}}
        client = None

        def _ask(self, do, on_event=lambda event: None, **fields):
            if self.client is None:
                self.client = Client()
            try:
                return self.client.ask(do, on_event, **fields)
            except TenshEnded:
                self.client = None
                raise

        def _show(self, event):
            kind = event['event']
            if kind in ('stdout', 'stderr'):
                self.send_response(self.iopub_socket, 'stream', {'name': kind, 'text': event['text']})
            elif 'data' in event:
                content = {'data': notebook_data(event['data']), 'metadata': {}}
                if kind == 'result':
                    content['execution_count'] = self.execution_count
                self.send_response(self.iopub_socket, 'execute_result' if kind == 'result' else 'display_data', content)

        def do_execute(self, code, silent, store_history=True, user_expressions=None, allow_stdin=False, **_):
            try:
                reply = self._ask('execute', (lambda event: None) if silent else self._show, code=code)
                failure = failure_of(reply)
                if reply['done'] == 'exit':
                    self.client = None  # The next cell begins a new session.
            except (TenshEnded, OSError, RuntimeError) as error:
                failure = type(error).__name__, str(error), '%s: %s' % (type(error).__name__, error)
            if failure is None:
                return {'status': 'ok', 'execution_count': self.execution_count, 'payload': [], 'user_expressions': {}}
            content = {'ename': failure[0], 'evalue': failure[1], 'traceback': failure[2].split('\n')}
            if not silent:
                self.send_response(self.iopub_socket, 'error', content)
            return dict(content, status='error', execution_count=self.execution_count)

        def do_complete(self, code, cursor_pos):
            reply = self._ask('complete', code=code, cursor=cursor_pos)
            return {'status': 'ok', 'matches': reply['candidates'], 'cursor_start': reply['from'],
                    'cursor_end': reply['to'], 'metadata': {}}

        def do_inspect(self, code, cursor_pos, detail_level=0, omit_sections=()):
            reply = self._ask('inspect', code=code, cursor=cursor_pos)
            data = {'text/plain': reply['text']} if reply['found'] else {}
            return {'status': 'ok', 'found': reply['found'], 'data': data, 'metadata': {}}

        def do_is_complete(self, code):
            state = self._ask('is_complete', code=code)['state']
            last = code.rstrip('\n').rsplit('\n', 1)[-1]
            indent = ' ' * (len(last) - len(last.lstrip()) + (4 if last.rstrip().endswith(':') else 0))
            return {'status': state, 'indent': indent} if state == 'incomplete' else {'status': state}

        def do_shutdown(self, restart):
            if self.client is not None:
                self.client.close()
                self.client = None
            return {'status': 'ok', 'restart': restart}

    IPKernelApp.launch_instance(kernel_class=TenshKernel)


if __name__ == '__main__':
    main()
