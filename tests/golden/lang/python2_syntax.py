# options: --python2
# -*- coding: utf-8 -*-
"""Statements and literals of Python 2."""
import sys
print "a", 1, 2.5, None, True
print
print "tuple:", (1, 2)
print ("one"), "two"
print ("a", "b")
print "no newline",
print "same line"
print "ends in newline\n",
print "starts a line"
print "tab\t",
print "no space"
for i in range(3): print i,
print
print >>sys.stdout, "to a file", 3
print >>sys.stdout
print "%d of %s" % (3, "x"), "%.2f" % 1.5
print 7 / 2, -7 / 2, 7 / 2.0, 7 // 2, 7 % 3
x = 9
x /= 2
print x
class Box:
    v = 5
box = Box()
box.v /= 2
numbers = [7, 8]
numbers[0] /= 2
print box.v, numbers
print 0777, 0x1FL, 10L, 0, 00, 0o17
print `1.5`, `"text"`, `1, 2`
print 1 <> 2, 1 <> 1
print ur"\d", u"\u00e9", U"z", r"\n", "\u0041", "C:\users"
try:
    raise ValueError, "a message"
except ValueError, e:
    print "caught", e, e.message
try:
    raise KeyError, ("k",)
except (KeyError, IndexError), e:
    print "caught", e
try:
    raise RuntimeError("made"), None
except RuntimeError, e:
    print e
try:
    raise TypeError
except TypeError, e:
    print repr(e.message)
def distance((x1, y1), (x2, y2)=(0, 0), scale=1):
    return ((x1 - x2) ** 2 + (y1 - y2) ** 2) * scale
print distance((3, 4)), distance((1, 1), (2, 3), 2)
print map(lambda (k, (a, b)), c=1: (b, a, k, c), [("k", (1, 2))])
async = 1; await = 2; nonlocal = 3
print async, await, nonlocal
if True:
        print "eight spaces"
	print "one tab"
class Count(object):
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def next(self):
        if self.n == 0: raise StopIteration
        self.n -= 1
        return self.n
    def __nonzero__(self): return self.n > 0
    def __div__(self, other): return "divided by %s" % other
print list(Count(3)), bool(Count(0)), Count(1) / 2, Count(5).next()
class Meta(type):
    def __new__(mcs, name, bases, attrs):
        attrs["made_by"] = "Meta"
        return type.__new__(mcs, name, bases, attrs)
class Made(object):
    __metaclass__ = Meta
print Made.made_by
print "the last line ends at the end of the program",
