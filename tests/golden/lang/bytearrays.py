# bytearray and memoryview.
import sys

b = bytearray(b'hello')
print(b, repr(b), type(b), len(b), b[0], b[-1], b[1:3], list(b), bytes(b), bytearray(3), bytearray([1, 2]), bytearray('é', 'utf-8'), bytearray())
b[0] = 72
b.append(33)
b += b'??'
b.extend([65, 66])
b.extend(bytearray(b'z'))
b.insert(0, 62)
print(b, b.pop(), b.pop(0), b)
b[1:3] = b'EL--'
del b[-1]
b[::2] = bytes(len(b[::2]))
print(b, b.count(0), b.find(b'-'), 45 in b, b'L' in b)
b.remove(0)
b.reverse()
print(b, b.copy() == b, b is b.copy(), b == bytes(b), bytes(b) == b, b != b'x', b < b'zz', bytearray(b'a') <= bytearray(b'b'))
print(b'a' + bytearray(b'b'), bytearray(b'a') + b'b', bytearray(b'ab') * 2, 2 * bytearray(b'x'), bytearray(b'%d') % 5)
print(bytearray(b'a,b').split(b','), bytearray(b'Ab').upper(), bytearray(b' x ').strip(), bytearray(b'ab').hex(), bytearray(b'ab').decode(), bytearray.fromhex('00ff'))
print(bytearray(b'abc').replace(b'b', b'--'), bytearray(b'abc').startswith(b'a'), bytearray(b'-').join([b'a', bytearray(b'b')]), bytearray(b'a-b').partition(b'-'))
print(isinstance(b, bytes), isinstance(b, bytearray), int.from_bytes(bytearray(b'\x01\x00'), 'big'), sum(bytearray(b'ab')), [x for x in reversed(bytearray(b'ab'))])
b.clear()
print(b, not b)
data = bytearray(range(8))
view = memoryview(data)
print(len(view), view[1], view[2:4].tolist(), view[::2].tobytes(), view.readonly, view.nbytes, view.shape, view.format, view.itemsize, view == data, view.hex())
view[0] = 255
view[2:4] = b'xy'
print(data, view[-1], [v for v in view][:2], bytes(view[1:3]), memoryview(b'ab').readonly, view.obj is data, view.ndim, view.contiguous, view.strides)
with memoryview(b'abc') as m:
    print(m[0], bytes(m))
for wrong in (lambda: data.append(256), lambda: data[99], lambda: bytearray('x'), lambda: data + 'x', lambda: hash(data), lambda: data.remove(200), lambda: bytearray().pop(),
              lambda: memoryview('x'), lambda: memoryview(b'a')[3], lambda: data['a'], lambda: data.__setitem__(0, 'a'), lambda: data.pop(99), lambda: data.nosuch,
              lambda: memoryview(b'a').__setitem__(0, 1), lambda: data.extend(5)):
    try:
        print(wrong())
    except Exception as e:
        print(type(e).__name__, e)
view.release()
