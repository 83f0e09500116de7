"""A minimal WebSocket client for the tests (RFC 6455, text frames)."""
import base64
import json
import os
import socket
import struct


class Refused(Exception):
    pass


class WebSocket:
    def __init__(self, port, path, timeout=30, **headers):
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=timeout)
        lines = ['GET %s HTTP/1.1' % path, 'Host: 127.0.0.1:%d' % port, 'Upgrade: websocket', 'Connection: Upgrade',
                 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: ' + base64.b64encode(os.urandom(16)).decode()]
        lines += ['%s: %s' % (k, v) for k, v in headers.items() if v]
        self.socket.sendall(('\r\n'.join(lines) + '\r\n\r\n').encode())
        self.buffer = b''
        while b'\r\n\r\n' not in self.buffer:
            self.more()
        head, self.buffer = self.buffer.split(b'\r\n\r\n', 1)
        status = int(head.split()[1])
        if status != 101:
            self.socket.close()
            raise Refused(status)
        self.kept = []

    def more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError('the server closed the connection')
        self.buffer += data

    def take(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def frame(self, opcode, payload):
        size = len(payload)
        head = bytes([0x80 | opcode])
        head += bytes([0x80 | size]) if size < 126 else (
            bytes([0x80 | 126]) + struct.pack('>H', size) if size < 65536 else bytes([0x80 | 127]) + struct.pack('>Q', size))
        mask = os.urandom(4)
        self.socket.sendall(head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(payload)))

    def send(self, message):
        self.frame(1, json.dumps(message).encode())

    def receive(self):
        """Returns the next message."""
        text = b''
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size = struct.unpack('>H', self.take(2))[0]
            elif size == 127:
                size = struct.unpack('>Q', self.take(8))[0]
            payload = self.take(size)
            opcode = first & 15
            if opcode == 9:
                self.frame(10, payload)
            elif opcode == 8:
                raise EOFError('the server said goodbye')
            elif opcode in (0, 1):
                text += payload
                if first & 0x80:
                    return json.loads(text.decode())

    def until(self, wanted):
        """Returns the first message that satisfies the condition, and drops the earlier ones."""
        while True:
            message = self.receive()
            if wanted(message):
                return message

    def close(self):
        self.socket.close()
