# operator, os, os.path, sys, time, heapq, bisect: names that scripts use now and then.
import bisect
import heapq
import operator
import os
import sys
import tempfile
import time

print('--- operator')
a, b = [1, 2, 3], [1, 2, 4]
print(operator.eq(a, b), operator.ne(a, b), operator.ge(3, 2), operator.le(3, 2), operator.lt(1, 2), operator.gt(1, 2))
print(operator.and_(6, 3), operator.or_(6, 3), operator.xor(6, 3), operator.not_([]), operator.is_(a, a), operator.is_not(a, b))
print(operator.contains(a, 2), operator.getitem(a, 1), operator.truth([0]))
operator.setitem(a, 0, 9)
operator.delitem(a, 1)
print(a)


class Point(object):
    def __init__(self, x, y):
        self.x, self.y = x, y

    def scaled(self, by, plus=0):
        return (self.x * by + plus, self.y * by + plus)


p = Point(3, 4)
print(operator.attrgetter('x')(p), operator.attrgetter('x', 'y')(p), operator.methodcaller('scaled', 2, plus=1)(p))
print(sorted([Point(2, 1), Point(1, 2)], key=operator.attrgetter('y'))[0].x)

print('--- os')
folder = tempfile.mkdtemp()
inside = os.path.join(folder, 'inside')
os.mkdir(inside)
try:
    os.mkdir(inside)
except OSError as e:
    print(type(e).__name__)
path = os.path.join(inside, 'a.txt')
with open(path, 'w') as f:
    f.write('text')
os.rename(path, os.path.join(inside, 'b.txt'))
print(os.listdir(inside), os.path.islink(inside), os.path.lexists(path))
os.unlink(os.path.join(inside, 'b.txt'))
os.rmdir(inside)
os.rmdir(folder)
print(os.path.exists(folder), os.path.realpath('/tmp/../tmp') == os.path.realpath('/tmp'))
print(os.path.expanduser('no tilde'), os.path.expanduser('~') != '~')

print('--- sys and time')
sys.setrecursionlimit(900)
print(sys.getrecursionlimit())
moment = time.strptime('2016-02-29 12:30:05', '%Y-%m-%d %H:%M:%S')
print(time.mktime(moment) - time.mktime(time.strptime('2016-02-28', '%Y-%m-%d')), time.strftime('%j %a', moment))
print(isinstance(time.timezone, int), isinstance(time.altzone, int), time.daylight in (0, 1), len(time.tzname))
before = time.monotonic_ns()
print(time.monotonic_ns() >= before)

print('--- heapq and bisect')
heap = []
for n in [5, 1, 8, 3, 9, 2]:
    heapq.heappush(heap, n)
print(heap, heapq.heappop(heap), heapq.heappushpop(heap, 0), heapq.heapreplace(heap, 7), heap)
numbers = [9, 4, 7, 1, 8, 2, 6]
heapq.heapify(numbers)
print(numbers, heapq.nsmallest(3, numbers), heapq.nlargest(2, numbers, key=lambda n: -n))
print(list(heapq.merge([1, 4, 7], [2, 5], [0, 9])), list(heapq.merge([3, 1], [4, 2], reverse=True)))
try:
    heapq.heappop([])
except IndexError as e:
    print(e)
grades = [60, 70, 80, 90]
print(bisect.bisect(grades, 70), bisect.bisect_left(grades, 70), bisect.bisect_right(grades, 65))
bisect.insort(grades, 75)
bisect.insort_left(grades, 90)
print(grades, 'FDCBA'[bisect.bisect([60, 70, 80, 90], 85)])

print('--- what classes are made of')
print(list.mro(), bool.mro())


class Child(dict):
    pass


print([c.__name__ for c in Child.mro()])
s = {1, 2, 3}
s.symmetric_difference_update([3, 4])
print(sorted(s))
print(list[int], dict[str, int], type(list[int]).__name__, tuple[int, ...], set[str])
