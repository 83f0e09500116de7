def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


for text in ('1+2j', 'j', '-j', ' (3-4j) ', '1e3', 'inf+nanj', '1_0j', '1 + 2j', '', 'x', '1+', '+1.5e-2J'):
    show(lambda: complex(text))
z = 3 - 4j
print(z.real, z.imag, abs(z), z.conjugate(), z == 3 - 4j, z * 1j, z / 2, 1 / z, z ** 2, z ** -1, z ** 0.5, (1 + 1j) ** (2 - 1j))
for spec in ('', '.2f', '>20', '*^20.1f', '+', 'e', 'g', '.3', '#g', '08', 'x', '=10'):
    show(lambda: format(z, spec))
show(lambda: z // 2)
show(lambda: z < 1)
show(lambda: z / 0)
show(lambda: 0j ** -1)
show(lambda: complex('1', 2))
show(lambda: complex(1, '2'))
a = {1, 2, 3}
a.difference_update([1])
print(sorted(a), a.issubset([2, 3, 4]), a.issuperset([2]), a.symmetric_difference([3, 4]) == {2, 4})
a.intersection_update([3, 9])
print(a, (5).bit_count(), (5).conjugate(), (5).numerator, (5).denominator, (5).imag, (2.5).imag, (2.5).conjugate())
print((-3).to_bytes(2, 'big', signed=True), (255).to_bytes(2, 'little'), int.from_bytes(b'\xff\xfe', 'big', signed=True))
show(lambda: (300).to_bytes(1, 'big'))
show(lambda: (128).to_bytes(1, 'big', signed=True))
print('{!a} {!r} {!s:>4}|'.format('é', 'é', 'é'), f'{"é"!a:*^10}', ascii(['é', '日']))
show(lambda: '{!x}'.format(1))
show(lambda: chr(2 ** 40))
show(lambda: ord(b'ab'))
show(lambda: divmod(1.0, 0.0))
show(lambda: [1].sort(1))
show(lambda: [1].insert(2 ** 70, 0))
show(lambda: '%c' % -1)
show(lambda: format(True, 'q'))
print(type(iter('a')).__name__, type(iter('é')).__name__, type(iter(b'')).__name__, type(reversed([])).__name__, type(reversed({})).__name__)
