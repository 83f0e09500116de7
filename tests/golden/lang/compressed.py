import gzip, zlib, os

text = b'tensor ' * 200 + bytes(range(256))
for level in (0, 1, 6, 9, -1):
    packed = zlib.compress(text, level)
    print(level, zlib.decompress(packed) == text, packed[:2])
print(zlib.crc32(b'hello'), zlib.adler32(b'hello'), zlib.crc32(b'lo', zlib.crc32(b'hel')))
print(zlib.decompress(zlib.compress(b'')))
for bad in (b'nonsense', b'', zlib.compress(text)[:20]):
    try:
        zlib.decompress(bad)
    except zlib.error as e:
        print(type(e).__name__, e)
try:
    zlib.compress('text')
except TypeError as e:
    print(e)

print(gzip.decompress(gzip.compress(text) + gzip.compress(b'more'))[-8:])
for bad in (b'no gzip', gzip.compress(text)[:30]):
    try:
        gzip.decompress(bad)
    except (OSError, EOFError) as e:
        print(type(e).__name__, e)

with gzip.open('a.gz', 'wb') as f:
    f.write(b'first line\n')
    f.write(b'second line\n')
with gzip.open('a.gz') as f:
    print(f.read(5), f.readline(), f.read())
with gzip.open('a.gz', 'rt') as f:
    print([line for line in f])
with open('a.gz', 'rb') as raw, gzip.GzipFile(fileobj=raw) as f:
    print(f.readlines())
with open('plain', 'wb') as f:
    f.write(b'plain')
try:
    gzip.open('plain').read()
except OSError as e:
    print(type(e).__name__, e)
try:
    gzip.open('missing.gz')
except FileNotFoundError as e:
    print(e)
os.remove('a.gz'), os.remove('plain')
