# Encoding and decoding UTF-16, with and without a byte-order mark, and invalid input.
for codec in ('utf-16', 'UTF_16', 'utf-16-le', 'utf-16-be', 'utf-16le', 'u16'):
    b = 'aé日\U0001f600'.encode(codec)
    print(codec, b, b.decode(codec) == 'aé日\U0001f600')
print(b'\xfe\xff\x00a'.decode('utf-16'), b'a\x00'.decode('utf-16'), repr(b''.decode('utf-16')), ''.encode('utf-16'), b'\xff\xfea\x00'.decode('utf-16-le') == '\ufeffa')
for data in (b'a\x00b', b'\x00\xd8', b'\x00\xd8a\x00', b'\x00\xdca\x00', b'a\x00\x00\xd8b'):
    for codec in ('utf-16', 'utf-16-be'):
        try:
            print(repr(data.decode(codec)))
        except UnicodeDecodeError as e:
            print(e)
        print(repr(data.decode(codec, 'replace')), repr(data.decode(codec, 'ignore')))
with open('utf16_demo.txt', 'wb') as f:
    f.write('one\ntwo\n'.encode('utf-16'))
with open('utf16_demo.txt', encoding='utf-16') as f:
    print(f.read().split())
import os
os.remove('utf16_demo.txt')
# bytes() of an iterator stops at what does not fit.
it = iter([65, 300, 66])
try:
    bytes(it)
except ValueError as e:
    print(e, list(it), bytes(iter([65, 66])), bytes(range(3)))
