"""Regular expressions of bytes, as tokenizers of translation tutorials use them."""
import re

split = re.compile(b"([.,!?\"':;)(])")
digit = re.compile(br'\d')
print(split, split.groups, split.flags)
sentence = b'Hello, "world": 42 times! (yes)'
words = []
for piece in sentence.strip().split():
    words.extend(split.split(piece))
print([w for w in words if w])
print(re.sub(digit, b'0', sentence), digit.sub(b'<\\g<0>>', b'a1b22'), re.subn(b'[aeiou]', lambda m: m.group().upper(), b'banana'))
m = re.search(b'(?P<key>\\w+)=(\\w*)', b'\xff key=')
print(m, m.groups(), m.groupdict(), m.span(), m.expand(b'\\2-\\g<key>'))
print(re.findall(b'(a)|(b)', b'ab'), re.findall(b'[\xe0-\xff]+', b'x\xe9\xfay'), re.findall(b'\\w', b'\xe9a'))
print(re.escape(b'a.b'), re.fullmatch(b'a.', b'a\n'), re.compile(b'A', re.I | re.M), re.match(b'a', b'b'))
for pattern, text in ((b'a', 'a'), ('a', b'a'), (b'a', 3)):
    try:
        re.search(pattern, text)
    except TypeError as e:
        print(str(e).partition(', got')[0])
