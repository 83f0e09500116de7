"""A gRPC client on a plain socket, with the few protocol buffers that the tests need. The caller controls everything
that is sent, down to the frames. Uses only the standard library."""
import socket
import struct

PREFACE = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW = 0, 1, 3, 4, 6, 7, 8


def varint(n):
    n &= (1 << 64) - 1
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def pb(*fields):
    """Encodes a message: pb((1, 5), (2, b'x'), (3, 'text'), ...). Numbers are varints."""
    out = b''
    for number, value in fields:
        if isinstance(value, str):
            value = value.encode()
        if isinstance(value, bytes):
            out += varint(number << 3 | 2) + varint(len(value)) + value
        else:
            out += varint(number << 3) + varint(value)
    return out


def parse(message):
    """Decodes the fields of a message: [(number, value)]."""
    at, out = 0, []

    def read():
        nonlocal at
        n = shift = 0
        while True:
            byte = message[at]
            at += 1
            n |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return n
    while at < len(message):
        tag = read()
        if tag & 7 == 2:
            size = read()
            out.append((tag >> 3, message[at:at + size]))
            at += size
        elif tag & 7 == 1:
            out.append((tag >> 3, message[at:at + 8]))
            at += 8
        elif tag & 7 == 5:
            out.append((tag >> 3, message[at:at + 4]))
            at += 4
        else:
            out.append((tag >> 3, read()))
    return out


def field(message, number, default=None):
    found = [v for n, v in parse(message) if n == number]
    return found[-1] if found else default


def node(name, op, inputs=(), device='', **attrs):
    """Encodes a NodeDef. attrs are AttrValue messages."""
    entries = [(5, pb((1, k), (2, v))) for k, v in attrs.items()]
    return pb((1, name), (2, op), *[(3, i) for i in inputs], *([(4, device)] if device else []), *entries)


def graph(*nodes):
    return pb(*[(1, n) for n in nodes])


FLOAT = pb((6, 1))


def const(name, *values, device=''):
    """Encodes a Const of float with a vector of these values."""
    content = struct.pack('<%df' % len(values), *values)
    shape = pb((2, pb((1, len(values)))))
    return node(name, 'Const', device=device, dtype=FLOAT, value=pb((8, pb((1, 1), (2, shape), (4, content)))))


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__('%d %s' % (code, message))
        self.code, self.message = code, message


class Client:
    def __init__(self, port, window=1 << 30, timeout=20, host='127.0.0.1'):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream, self.buffer = -1, b''
        self.replies = {}  # stream: [headers, data, ended]
        # Bytes of DATA that the server accepts: on the connection, on a new stream, and on streams.
        self.window, self.first_window, self.windows = 65535, 65535, {}
        # no header table, so that responses are not compressed
        settings = struct.pack('>HIHI', 1, 0, 4, window)
        self.socket.sendall(PREFACE + self.frame(SETTINGS, 0, 0, settings) +
                            (self.frame(WINDOW, 0, 0, struct.pack('>I', window - 65535)) if window > 65535 else b''))

    @staticmethod
    def frame(kind, flags, stream, payload=b''):
        return struct.pack('>I', len(payload))[1:] + bytes([kind, flags]) + struct.pack('>I', stream) + payload

    def send(self, method, message, service='MasterService', headers=(), compressed=False):
        """Sends a request and returns its stream. `compressed` says that the message is, as grpc-encoding in headers."""
        first, *pieces = self.frames(method, message, service, headers, compressed)
        stream = self.stream
        self.windows[stream] = self.first_window
        self.socket.sendall(first)
        for piece in pieces:
            size = len(piece) - 9
            while min(self.window, self.windows[stream]) < size and not self.replies[stream][2]:
                self.read_frame()
            if self.replies[stream][2]:  # the server refused the request before its end
                break
            self.window -= size
            self.windows[stream] -= size
            self.socket.sendall(piece)
        return stream

    def encode(self, method, message, service='MasterService', headers=(), compressed=False):
        """Returns the frames of a request on the next stream, for a client that sends them without flow control."""
        return b''.join(self.frames(method, message, service, headers, compressed))

    def frames(self, method, message, service, headers, compressed):
        def literal(name, value):
            return b'\0' + bytes([len(name)]) + name + bytes([len(value)]) + value
        self.stream += 2
        path = ('/tensorflow.%s/%s' % (service, method)).encode()
        block = b'\x83\x86' + literal(b':path', path) + literal(b':authority', b'localhost')
        block += literal(b'content-type', b'application/grpc') + literal(b'te', b'trailers')
        for name, value in headers:
            block += literal(name.encode(), value.encode())
        body = bytes([compressed]) + struct.pack('>I', len(message)) + message
        frames = [self.frame(HEADERS, 4, self.stream, block)]
        pieces = [body[i:i + 16384] for i in range(0, len(body), 16384)]
        frames += [self.frame(DATA, int(i == len(pieces) - 1), self.stream, p) for i, p in enumerate(pieces)]
        self.replies[self.stream] = [{}, b'', False]
        return frames

    def read(self, n):
        while len(self.buffer) < n:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError('the server closed the connection')
            self.buffer += data
        out, self.buffer = self.buffer[:n], self.buffer[n:]
        return out

    def read_frame(self):
        head = self.read(9)
        payload = self.read(int.from_bytes(head[:3], 'big'))
        kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], 'big')
        if kind == SETTINGS and not flags & 1:
            for key, number in struct.iter_unpack('>HI', payload):
                if key == 4:  # the window of a stream
                    for each in self.windows:
                        self.windows[each] += number - self.first_window
                    self.first_window = number
            self.socket.sendall(self.frame(SETTINGS, 1, 0))
        elif kind == WINDOW:
            more = int.from_bytes(payload, 'big') & 0x7fffffff
            if stream == 0:
                self.window += more
            elif stream in self.windows:
                self.windows[stream] += more
        elif kind == PING and not flags & 1:
            self.socket.sendall(self.frame(PING, 1, 0, payload))
        elif kind == GOAWAY:
            raise EOFError('GOAWAY %r' % payload)
        reply = self.replies.get(stream)
        if reply is None:
            return
        if kind == HEADERS:
            reply[0].update(headers_of(payload))
        elif kind == DATA:
            reply[1] += payload
        if kind == RST or (kind in (HEADERS, DATA) and flags & 1):
            reply[2] = True

    def wait(self, stream):
        """Returns the message of the response. Raises Failed if the call failed."""
        while not self.replies[stream][2]:
            self.read_frame()
        headers, data, _ = self.replies.pop(stream)
        self.windows.pop(stream, None)
        code = int(headers.get('grpc-status', '13'))
        if code:
            raise Failed(code, headers.get('grpc-message', ''))
        return data[5:]

    def call(self, method, message=b'', service='MasterService', headers=(), compressed=False):
        return self.wait(self.send(method, message, service, headers, compressed))

    def reset(self, stream):
        """Returns the frame that cancels a call."""
        return self.frame(RST, 0, stream, struct.pack('>I', 8))

    def cancel(self, stream):
        self.socket.sendall(self.reset(stream))

    def close(self):
        self.socket.close()

    # ---- the master ----

    def session(self, graph_def=b'', config=b''):
        return field(self.call('CreateSession', pb((1, graph_def), (2, config))), 1).decode()

    def run(self, handle, fetches=(), targets=(), request_id=0):
        message = pb((1, handle), *[(3, f) for f in fetches], *[(4, t) for t in targets], (8, request_id))
        return self.call('RunStep', message)


def headers_of(block):
    """Decodes HPACK without a table and without Huffman codes, which gRPC's servers use if the client asks for it."""
    at, out = 0, {}

    def number(bits):
        nonlocal at
        mask = (1 << bits) - 1
        n = block[at] & mask
        at += 1
        if n == mask:
            shift = 0
            while True:
                byte = block[at]
                at += 1
                n += (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
        return n

    def text():
        nonlocal at
        size = number(7)
        out = block[at:at + size].decode('latin1')
        at += size
        return out
    while at < len(block):
        first = block[at]
        if first & 128:
            number(7)
        elif first & 0xe0 == 0x20:
            number(5)
        else:
            index = number(6 if first & 64 else 4)
            name = '#%d' % index if index else text()
            out[name] = text()
    return out
