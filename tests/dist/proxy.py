"""A TCP proxy on 127.0.0.1 whose connections can be cut, at once or after a number of bytes, or made to hang."""
import socket
import threading


class Proxy:
    """mode: 'pass'; 'hang' discards all bytes; 'cut' closes all connections, including new ones.

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
            self.sockets += [client, server]
            threading.Thread(target=self.pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.pump, args=(server, client, True), daemon=True).start()

    def pump(self, source, sink, back):
        sent = 0
        try:
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                if self.mode == 'hang':
                    continue
                passed = self.fault(data) if self.fault else len(data)
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
