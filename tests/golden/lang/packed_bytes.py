"""struct, hashlib, base64, binascii and pickle."""
import base64
import binascii
import hashlib
import pickle
import struct

print(struct.pack('<IhB', 7, -2, 255), struct.unpack('<IhB', b'\x07\x00\x00\x00\xfe\xff\xff'))
print(struct.calcsize('bi'), struct.calcsize('<bi'), struct.calcsize('@bqd'), struct.pack('bi', 1, 2))
print(struct.pack('>2f', 1.5, -2.0), struct.unpack('>IIII', bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 28])))
print(struct.pack('5s3x2p', b'abc', b'hello'), struct.unpack('<?c', b'\x01z'), struct.pack('e', 0.1), struct.unpack('!d', struct.pack('!d', 0.1)))
print(struct.unpack_from('<H', b'abcdef', 2), list(struct.iter_unpack('<H', b'abcdef')), struct.Struct('>I').size, struct.unpack('<10B', bytes(range(10))))
for wrong in (lambda: struct.pack('B', 256), lambda: struct.pack('<h', 70000), lambda: struct.unpack('<I', b'abc'), lambda: struct.pack('I', -1),
              lambda: struct.pack('ii', 1), lambda: struct.pack('z', 1), lambda: struct.pack('i', 'a'), lambda: struct.unpack_from('<I', b'abcd', 1)):
    try:
        wrong()
    except struct.error as e:
        print('struct.error:', e)
data = b'The quick brown fox jumps over the lazy dog'
for name in ('md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512'):
    h = getattr(hashlib, name)(data)
    print(name, h.digest_size, h.block_size, h.hexdigest())
for n in (0, 1, 55, 56, 63, 64, 111, 112, 119, 120, 127, 128, 1000):
    print(n, hashlib.md5(b'x' * n).hexdigest()[:12], hashlib.sha1(b'x' * n).hexdigest()[:12], hashlib.sha256(b'x' * n).hexdigest()[:12],
          hashlib.sha512(b'x' * n).hexdigest()[:12])
h = hashlib.new('sha256')
h.update(b'a')
c = h.copy()
h.update(b'b')
print(h.hexdigest() == hashlib.sha256(b'ab').hexdigest(), c.digest() == hashlib.sha256(b'a').digest(), h.name)
try:
    hashlib.md5('text')
except TypeError as e:
    print(e)
for s in (b'', b'a', b'ab', b'abc', bytes(range(250, 256)) + b'>?'):
    print(base64.b64encode(s), base64.urlsafe_b64encode(s), base64.b64decode(base64.b64encode(s)) == s, base64.b16encode(s))
print(base64.b64decode('aGVsbG8='), binascii.hexlify(b'\x01\xff'), binascii.unhexlify('01ff'), binascii.crc32(b'hello'), base64.encodebytes(b'x' * 60))
try:
    base64.b64decode('abc')
except binascii.Error as e:
    print('binascii.Error:', e)


class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)


same = [1, 2]
values = [None, True, 0, 255, 256, 65535, 65536, -1, -129, 2 ** 31, -2 ** 31, 2 ** 63, -2 ** 63, 10 ** 30, 1.5, -0.0, float('inf'), 'text', 'ünï', '', b'bytes', b'',
          (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], [1], [1, 'a', 'a'], {}, {'k': 1}, {'a': [1], 'b': (2, 'a')}, [same, same], 'x' * 300, b'y' * 300,
          list(range(1001)), {1}, frozenset([1]), 1j, range(3), Point(1, [2]), [Point(1, 2), Point(3, 4)], int, {'w': {'deep': [{}]}}]
for v in values:
    for protocol in (2, 3, 4):
        d = pickle.dumps(v, protocol)
        print(protocol, d if len(d) < 90 else (len(d), hashlib.md5(d).hexdigest()), pickle.loads(d) == v)
loop = []
loop.append(loop)
again = pickle.loads(pickle.dumps(loop))
print(again[0] is again)
twice = pickle.loads(pickle.dumps([same, same]))
print(twice[0] is twice[1])
print(pickle.loads(b"(lp0\nI1\naI01\naF2.5\naS'abc'\np1\nag1\na."), pickle.loads(b"(dp0\nVkey\np1\n(I1\nI2\ntp2\ns."))
print(pickle.loads(b'\x80\x02}q\x00U\x04dataq\x01U\x03\x00\xff\x01q\x02s.', encoding='bytes'), pickle.loads(b'\x80\x02U\x03\x00\xff\x01q\x02.', encoding='latin1'))
for wrong in (b'', b'\x80\x04', b'hello', b'\x80\x04\x95\x01'):
    try:
        pickle.loads(wrong)
    except (EOFError, pickle.UnpicklingError, KeyError, ValueError) as e:
        print(type(e).__name__)
try:
    pickle.dumps(lambda: 1)
except Exception as e:
    print('no lambdas')
