# Nested lists of uneven depth as arrays of objects.
import numpy as np
h = [[np.zeros(4), 1, 0.5, np.ones(4)], [np.zeros(4), 0, 1.0, np.ones(4)]]
a = np.array(h, dtype=object); print(a.shape)
print(np.array([[1,[2,3]],[4,[5,6]]], dtype=object).shape)
print(np.array([[1,[2,3]],[4,[5]]], dtype=object).shape)
print(np.array([[1,2],[3]], dtype=object).shape)
print(np.array([np.zeros(2), np.zeros(3)], dtype=object).shape)
print(np.array([np.zeros(2), np.zeros(2)], dtype=object).shape)
print(np.array([[np.zeros(2), 1], [np.zeros(3), 2]], dtype=object).shape)
print(np.array([[[1], 2], [3, 4]], dtype=object).shape, np.array([['a', [1]], ['b', [2]]], dtype=object).shape)
print(np.array([None, 1, 'a'], dtype=object), np.array([[None, (1, 2)]], dtype=object).shape)
try: print(np.array(h).shape)
except Exception as e: print(type(e).__name__, e)
for v in ([[1,[2]],[3]], [1,[2]], [[[1,2],[3]],[[4,5],[6,7]]], [[[1],[2]],[[3],4]], [[1,2],[3,[4]],5], [[],[1]], [[[]],[1]]):
    print(np.array(v, dtype=object).shape, np.array(v, dtype=object).tolist())
    try: np.array(v)
    except ValueError as e: print(e)
