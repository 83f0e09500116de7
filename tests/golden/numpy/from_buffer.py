# np.frombuffer reads a part of a buffer.
import numpy as np

data = bytes(range(10))
print(np.frombuffer(data, np.uint8, 3, 2), np.frombuffer(data, dtype='<u2', count=2, offset=1), np.frombuffer(data, np.uint16))
print(np.frombuffer(data, np.uint8, 0), np.frombuffer(data, np.uint8, offset=8))
for count, offset in ((11, 0), (-1, 11), (-1, -1), (5, 1)):
    try:
        print(np.frombuffer(data, np.uint16, count, offset))
    except ValueError as e:
        print(e)
