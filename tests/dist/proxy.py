"""A TCP proxy on 127.0.0.1 whose connections can be cut, at once or after a number of bytes, made to hang, or repeated."""
import queue
import socket
import threading
import time


def drain(s):
    try:
        while s.recv(1 << 16):
            pass
    except OSError:
        pass


class Proxy:
    """mode: 'pass'; 'hang' discards all bytes; 'hold' passes them on when the mode changes, as after a partition that
    heals; 'cut' closes all connections, including new ones.

    cut_after: closes a connection after this number of bytes from the server to the client.
    """

    def __init__(self, port, cut_after=None):
        self.port_behind, self.cut_after = port, cut_after
        self.mode, self.sockets, self.bytes_back = 'pass', [], 0
        # called with each response before it is passed on; if it returns False, the connection is
        # cut
        self.on_back = None
        # called with each piece of either direction; returns how many of its bytes are passed on, after which the
        # connection is cut if these are not all. It may sleep.
        self.fault = None
        # called for each new connection; if it returns a number of seconds, all bytes of the client are sent a second time,
        # that much later, over a connection whose responses are dropped
        self.repeat, self.repeated = None, 0
        self.rate = None  # the bytes per second that each connection passes on in each direction
        self.buffer = None  # the size of the buffers of the sockets, if it is not the system's
        self.listener = socket.create_server(('127.0.0.1', 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.mode == 'cut':
                client.close()
                continue
            try:
                server = socket.create_connection(('127.0.0.1', self.port_behind))
            except OSError:
                client.close()
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                for option in (socket.SO_RCVBUF, socket.SO_SNDBUF) if self.buffer else ():
                    s.setsockopt(socket.SOL_SOCKET, option, self.buffer)
            self.sockets += [client, server]
            later = self.repeat() if self.repeat else None
            again = queue.Queue() if later is not None else None
            if again:
                threading.Thread(target=self.send_again, args=(again, later), daemon=True).start()
            threading.Thread(target=self.pump, args=(client, server, False, again), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def send_again(self, again, later):
        """Sends the pieces of the queue to the server, up to None, each `later` seconds after it was put there."""
        try:
            with socket.create_connection(('127.0.0.1', self.port_behind)) as server:
                threading.Thread(target=drain, args=(server,), daemon=True).start()
                while (piece := again.get()) is not None:
                    time.sleep(max(0, piece[0] + later - time.monotonic()))
                    server.sendall(piece[1])
                    self.repeated += len(piece[1])
                time.sleep(0.5)
        except OSError:
            pass  # the server refuses the rest, which is allowed

    def pump(self, source, sink, back, again=None):
        sent = 0
        try:
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                while self.mode == 'hold':
                    time.sleep(0.02)
                if self.mode == 'hang':
                    continue
                if self.rate:
                    time.sleep(len(data) / self.rate)
                passed = self.fault(data) if self.fault else len(data)
                if again:
                    again.put((time.monotonic(), data[:passed]))
                if passed < len(data):
                    sink.sendall(data[:passed])
                    break
                if back:
                    if self.on_back and self.on_back(data) is False:
                        break
                    self.bytes_back += len(data)
                    if self.cut_after is not None and sent + len(data) > self.cut_after:
                        sink.sendall(data[:self.cut_after - sent])
                        break
                sink.sendall(data)
                sent += len(data)
        except OSError:
            pass
        if again:
            again.put(None)
        for s in (source, sink):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        self.mode = 'cut'
        for s in self.sockets:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        self.cut()
        for s in self.sockets:
            s.close()
