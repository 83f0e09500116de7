print('%5d|%-5d|%05d|%+d|%x|%X|%o|%#x|%e|%.3e|%g|%G|%10.3f|%-10.2f|%s|%r|%c|%c|%%|%5s|%-5s|%.2s' % (42,42,42,42,255,255,8,255,12345.678,0.00012,1e10,1e-10,3.14159,2.5,'s','r','a',65,'ab','ab','abcdef'))
print('%(a)s %(b)05.1f' % {'a': 1, 'b': 2.25}, '%s' % (1,), '%s' % [1,2], '%*d' % (5, 3), '%d' % 3.99, '%i' % True, '%s %s' % ('a', None))
print('{:>10}|{:<10}|{:^10}|{:*^10}|{:+d}|{: d}|{:,}|{:_}|{:05d}|{:x}|{:#x}|{:#b}|{:o}|{:b}|{:c}|{:e}|{:.2f}|{:10.3f}|{:<10.3f}|{:%}|{:.1%}|{:g}|{:n}'.format('a','b','c','d',5,5,1234567,1234567,42,255,255,5,8,5,65,1234.5,3.14159,2.71828,1.5,0.5,0.256,1e-7,12))
print('{0} {1} {0} {name} {l[0]} {d[k]} {o.real}'.format('a','b',name='n',l=[1],d={'k':2},o=3), '{{}}'.format(), '{!r:>5}'.format('a'), '{:{w}.{p}f}'.format(3.14159, w=10, p=2))
x = 3.14159; n = 42; s = 'str'; d = {'k': 'v'}; l = [1,2]
print(f'{x:.2f} {n:05d} {s!r} {s:>6} {d["k"]} {l[0]} {n*2} {x=} {n = } {s!s:^7} {n:#x} {"nested " + s} {{}} {n:{n//10}d}|')
print(f"{'a' if n > 3 else 'b'} {len(l)} {[i for i in l]} {(lambda q: q*2)(3)} {n:,} {1e6:,.2f} {-5:+} {True} {None} {True:d}")
print(1.0, 1e16, 1e15, 123456789.123456789, 0.1, 1e-5, 0.0001, 1e22, 1.5e300, 5e-324, 1.7976931348623157e308, -0.0, 1/3, 2/3, 100.0, 1e100, float('inf'), float('-inf'), float('nan'))
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234.5678, -2), round(5, -1), round(15, -1), round(0.5), round(1e20), round(2.0), type(round(2.5, 0)))
print(10**20, 2**100, -2**63, 2**64 // 3, -7 // 2, -7 % 3, 7 % -3, 7.5 // 2, -7.5 % 2, 10**30 % 7, 2**0.5, 4**-1, 0**0, (-8)**(1/3), divmod(-7, 3), divmod(7.5, 2))
print(int('0x1f', 16), int('0b11', 0), int('  12  '), int('-5'), int(1e20), int('1_000'), float('1e3'), float(' 2.5 '), complex(1,2), 3+4j, (1+2j)*(3-1j), abs(3+4j), (1j)**2)
print(0xff, 0o17, 0b101, 1_000_000, 1e3, .5, 5., 1j, 1e-3)
print(hex(255), oct(8), bin(5), hex(-255), chr(8364), ord('é'), ascii('é'), repr('é\n\t\\\'"\x00\x7f\u200b'))
print("it's", 'a"b', "a'b\"c", '\u00e9\U0001F600\x41\101', r'\n', b'\x00\xffab\'', 'a\
b', '''tri
ple''', """q"q""", 'a' 'b' "c")
s = 'Hello, World'
print(s.upper(), s.lower(), s.swapcase(), s.title(), s.capitalize(), s.center(20,'*'), s.ljust(15,'.'), s.rjust(15), s.zfill(15), '-42'.zfill(6))
print(s.find('o'), s.rfind('o'), s.find('z'), s.index('W'), s.count('l'), s.replace('l','L'), s.replace('l','L',1), s.startswith('He'), s.endswith(('x','ld')), s.split(', '), s.split(), 'a,b,,c'.split(','), 'a b  c '.split(), 'a b c'.split(' ',1), 'a b c'.rsplit(' ',1), s.partition(', '), s.rpartition('o'))
print('  x '.strip()+'|', '  x '.lstrip()+'|', '  x '.rstrip()+'|', 'xxaxx'.strip('x'), 'a\nb\r\nc'.splitlines(), '-'.join(['a','b']), 'abc'.isalpha(), '12'.isdigit(), 'a1'.isalnum(), ' '.isspace(), 'Ab'.islower(), 'AB'.isupper(), 'Ab Cd'.istitle(), 'a_1'.isidentifier())
print('abc'[1], 'abc'[-1], 'abcdef'[1:4], 'abcdef'[::-1], 'abcdef'[::2], 'é日本'[1], len('é日本'), 'é日本'[::-1], 'a' in 'abc', 'abc' < 'abd', 'a'*3, 'ab'.translate(str.maketrans('ab','xy')), 'a\tb'.expandtabs(4), 'abc'.encode(), b'abc'.decode(), 'é'.encode('utf-8'), b'\xc3\xa9'.decode('utf-8'))
print(bytes([65,66]), b'abc'[0], b'abc'[1:], b'a'+b'b', list(b'ab'), b'a,b'.split(b','), b'abc'.upper(), b'%d' % 5, bytes(3), 'x'.encode('ascii'), b'ab' == b'ab')
print([1,'a',None,True,1.5,(1,),{2},{'k':[]}], (), (1,), {}, set(), frozenset([1]), [[]], {'a':{}}, range(3), range(1,10,2), slice(1,2), type(1), type('a'), type(None), int, len, print.__name__, Ellipsis, NotImplemented)
print(sorted({'b':1,'a':2}), sorted('bca'), sorted([(2,'a'),(1,'b')]), sorted([3,1,2], key=lambda v: -v), sorted(['B','a'], key=str.lower), list(reversed([1,2])), min(3,1,2), max('abc'), min([4,2], key=lambda v: -v), max([], default=0), sum([1.5,2]), any([]), all([]), list(zip([1,2],'ab',[True,False])), list(enumerate('ab',1)), list(filter(lambda v: v>1,[1,2,3])), list(map(int,'123')))
d = {'a':1,'b':2}
print(d.get('a'), d.get('z'), d.get('z',0), d.keys(), d.values(), d.items(), d.pop('a'), d, d.setdefault('c',3), d, d.update({'e':5}, f=6), d, len(d), 'c' in d, list(d), d.copy(), dict(a=1), dict([('x',1)]), dict.fromkeys('ab',0), {**d,'z':1} , d == {'b':2,'c':3,'e':5,'f':6}, d | {'q':1})
s1 = {1,2,3}; s2 = {2,3,4}
print(s1|s2, s1&s2, s1-s2, s1^s2, s1<=s2, {1}<{1,2}, s1.union([9]), s1.intersection(s2), s1.isdisjoint({7}), {3,1,2,10,5,100}, set(range(20)), {x*7%31 for x in range(10)}, set('a'), len(s1), frozenset({1,2}) == {1,2})
s1.add(5); s1.discard(1); s1.remove(2); s1.update([7,8]); print(s1, sorted(s1))
l = [3,1,2]; l.sort(); print(l, l.sort(reverse=True), l, l.index(1), l.count(3), l.copy(), l+[4], l*2, [0]*3, l==[3,2,1], [1,2]<[1,3], [] or 'empty'); l.reverse(); print(l); l.insert(1,'x'); print(l, l.pop(0), l); l.clear(); print(l)
print(1 == 1.0, True == 1, hash(1) == hash(1.0), 1 is 1, None is None, 'a' != 'b', not None, 3 & 5, 3 | 5, 3 ^ 5, ~3, 1 << 10, -1 >> 1, 5 // -2, True + True, isinstance(True, int), type(True), bool('False'), int(True), float(3), str(3.0), bool(0.0))
print(callable(len), callable(3), id(3) == id(3), divmod(7,2), pow(2,10), pow(3,4,5), abs(-3.5), type(3).__name__, isinstance(3,(int,str)), list('abc'), tuple([1,2]), dict(zip('ab',(1,2))), str([1,'a']), repr('a'), format(3.14159,'.2f'), format(255,'x'), format('a','>5'))
print(*[1,2,3], sep=', ', end='!\n'); print(); print('a', end=''); print('b'); print(1, 'a', None, sep='-')
print((1).bit_length(), (255).to_bytes(2,'big'), int.from_bytes(b'\x01\x00','big'), (3.0).is_integer(), 3.5.as_integer_ratio(), (0.1).hex(), 5 .real)
