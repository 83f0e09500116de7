# Arrays in files that are already open, big-endian numbers, and arrays in formats.
import gzip
import io
import struct

import numpy as np
from PIL import Image

with open('open_files.bin', 'wb') as f:
    f.write(struct.pack('>II', 2051, 3))
    np.save(f, np.arange(3))
    f.write(np.arange(5, dtype=np.uint8).tobytes())
with open('open_files.bin', 'rb') as f:
    magic, n = struct.unpack('>II', f.read(8))
    print(magic, n)
    f.read(152)
    print(np.fromfile(f, dtype=np.uint8, count=2), np.fromfile(f, dtype=np.uint8))
held = io.BytesIO()
np.save(held, np.array([[1.5, 2.5]]))
held.seek(0)
print(np.load(held))
with open('open_files.txt', 'w') as f:
    np.savetxt(f, np.array([[1., 2.], [3., 4.]]), fmt='%.1f')
with open('open_files.txt') as f:
    print(np.loadtxt(f))
print(np.loadtxt(io.StringIO('1,2\n3,4'), delimiter=','))

big = np.dtype(np.uint32).newbyteorder('>')
print(repr(big), big.byteorder, big.str, big == np.uint32, np.dtype('<i4').byteorder)
with gzip.open('open_files.gz', 'wb') as f:
    f.write(struct.pack('>III', 7, 1 << 24, 258))
with gzip.open('open_files.gz') as f:
    print(np.frombuffer(f.read(4), dtype=big)[0] + 1, np.frombuffer(f.read(8), dtype='>u4').tolist())
print(np.frombuffer(b'\x00\x01\x02\x03', np.dtype('>i2')).tolist(), np.frombuffer(b'\x3f\x80\x00\x00', '>f4').tolist())
print(np.dtype('u1').newbyteorder('>'), np.dtype('>f8').newbyteorder() == np.float64)

print('%d %d %s %.1f' % (np.array([3]), np.array(3.7), np.array([3]), np.array([2.25])))
image = Image.fromarray(np.arange(12, dtype=np.uint8).reshape(2, 2, 3))
print(np.array(image).shape, np.asarray(image, np.float32).dtype, np.array(image.convert('L')).dtype)
