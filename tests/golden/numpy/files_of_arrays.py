# Files of arrays: .npy, .npz, and np.fromfile, which read the elements from the file when they are needed.
import os
import numpy as np

here = './tmp%d_arrays' % os.getpid()
a = np.arange(70000, dtype=np.float32).reshape(700, 100)
np.save(here + '.npy', a.T)
print(np.array_equal(np.load(here + '.npy'), a.T), np.load(here + '.npy').shape)
np.savez(here + '.npz', w=a, b=np.array([1, 2]), text=np.array(['x', 'longer']), empty=np.zeros([0, 3]))
np.savez_compressed(here + 'c.npz', w=a, b=np.array([1, 2]))
for name in (here + '.npz', here + 'c.npz'):
    with np.load(name) as f:
        print(sorted(f.files), 'w' in f, 'v' in f, len(f))
        print(np.array_equal(f['w'], a), f['b'].tolist(), f['w'].dtype)
        print(sorted(k for k in f), [v.shape for k, v in sorted(f.items())])
        try:
            f['v']
        except KeyError as e:
            print(e)
f = np.load(here + '.npz')
print(f['text'].tolist(), f['empty'].shape)
with open(here + '.bin', 'wb') as out:
    out.write(a.tobytes() + b'abc')
print(np.fromfile(here + '.bin', np.float32, 3), np.fromfile(here + '.bin', dtype=np.float32).shape)
print(np.fromfile(here + '.bin', '<i2', count=2, offset=4), np.fromfile(here + '.bin', np.uint8, offset=280001).tolist())
print(np.fromfile(here + '.bin', np.float64, 1000000).shape)
try:
    np.fromfile(here + '.none', np.uint8)
except FileNotFoundError as e:
    print('not found')
with open(here + '.npz', 'rb') as file:
    print(file.read(2), file.read(0), len(file.read(10)))
    file.seek(0)
    print(file.read(4))
    whole = file.read()
    print(len(whole) == os.path.getsize(here + '.npz') - 4, file.read(), file.read(5))
    file.seek(1)
    print(file.read(1))
with open(here + '.lines', 'wb') as out:
    out.write(b'one\ntwo\nthree')
with open(here + '.lines', 'rb') as file:
    print(file.read(1), file.readline(), list(file), file.read())
for name in os.listdir('.'):
    if name.startswith(here[2:]):
        os.remove(name)
