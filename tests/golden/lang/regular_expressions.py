# re: look-around, back-references, conditions, and the corners where regular-expression libraries differ.
import re


def show(pattern, text, flags=0):
    try:
        print(repr(pattern), [(m.span(), m.groups()) for m in re.finditer(pattern, text, flags)])
    except re.error:
        print(repr(pattern), 're.error')


# Look-around and back-references.
show(r'\w+(?=,)', 'one, two, three')
show(r'\d+(?!px)\b', '10px 20em 30')
show(r'(?<=\$)\d+', 'cost $30 or 40')
show(r'(?<!\$)\b\d+', 'cost $30 or 40')
show(r'(\w)\1', 'hello book')
show(r'(?P<quote>[\'"]).*?(?P=quote)', 'say "hi" or \'yo\'')
show(r'(a)?b(?(1)c|d)', 'abc bd abd bc')
print(re.sub(r'(?<=\d)(?=(\d{3})+$)', ',', '1234567'))
print(re.split(r'(?<=[.!?]) +', 'One. Two! Three?  Four'))
print(re.sub(r'\b(\w+) \1\b', r'<\1>', 'the the cat sat sat'))

# Empty matches, beside and after others.
show('x*', 'axxb')
show('|a', 'aa')
show('a|', 'ba')
show(r'\b', 'ab cd')
show('', 'é')
print(re.sub('a*?', '-', 'aa'), re.sub('$', '!', 'a\nb\n'), re.findall('(?m)^', 'a\nb\n'))

# Anchors and newlines.
show(r'a$', 'a\n')
show(r'a\Z', 'a\n')
show(r'^\w', 'a\nb\n\nc', re.M)
show(r'.', 'a\r\n\u2028b')
print(re.compile('b').match('abc', 1).span(), re.compile('^b').search('abc', 1), re.compile('c$').search('abcd', 0, 3).span())
print(re.compile('(?<=a)b').match('ab', 1), re.compile('b(?=c)').search('abc', 0, 2))

# Classes.
show(r'[]a]+', 'a]b')
show(r'[^]a]+', 'a]bc')
show(r'[\w.-]+@[\w-]+', 'mail: a.b-c@d-e.f')
show(r'\s', 'a\x1cb\x85c\xa0d\u2003e')
show(r'\S+', 'a\x1cb\xa0c')
show(r'[\s]', '\x1d \v')
show(r'[^\s]+', 'ab c')
show(r'\d+', '12 \u0663\u0664')
show(r'\d+', '12 \u0663\u0664', re.A)
show(r'\w+', 'naïve_1 東京', re.A)
show(r'\w+', 'naïve_1 東京')
show(r'\v+\x41\u00e9[\u4e00-\u9fff]', '\v\vAé東')
show('É', 'éÉ', re.I)
show(r'a{,2}b', 'aaab b')
show(r'[{,]+', 'a{,b')
show(r'''
    (\d+)   # digits
    [ #]    # a blank or a sharp
    \#? (\w)
''', '12 a 3##b', re.X)
show(r'a(?#a comment)b', 'ab')
show(r'(?i)b+', 'aBb')
show(r'(?:a|ab)(?:c|bcd)(d*)', 'abcd')
show(r'(a*)*', 'aab')
show(r'(a|b)*', 'ab')
show(r'a++b', 'aab') if hasattr(re, 'NOFLAG') else show('a+b', 'aab')

# Groups and their names.
m = re.match(r'(?P<z>a)(?P<y>b)?(?P<x>c)', 'ac')
print(m.groupdict(), m.lastgroup, m.lastindex, m.re.groupindex == {'z': 1, 'y': 2, 'x': 3}, list(m.re.groupindex))

# Patterns that Python refuses.
for pattern in ['(', ')', '[a', 'a**', '*a', r'\K', r'\z', r'\h', r'\Q', '(?P<a>b)(?P<a>c)', r'(?<=a*)b', r'\2', '(?P=no)', '(?<=', 'a\\',
                '(?P<1>a)', r'[b-a]', r'\N']:
    show(pattern, 'aaa')
