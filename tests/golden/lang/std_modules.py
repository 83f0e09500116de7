import re, json, glob, os, shutil, tempfile, logging, csv, io, fnmatch
import datetime
from datetime import timedelta
from typing import List, Optional

# ---- re
print(re.findall(r'\d+', 'a1 b22 c333'))
print(re.sub(r'(\w+) (\w+)', r'\2 \1', 'hello world, big cat'))
print(re.sub('x*', '-', 'abxd'), re.split(r'[\s,]+', 'a, b  c,d'), re.split('(,)', 'a,b'))
m = re.match(r'(?P<year>\d{4})-(?P<month>\d\d)', '2017-05 rest')
print(m, m.group('year'), m.groups(), m.groupdict(), m.span('month'), m[2], m.lastgroup, m.lastindex)
print(re.search('nothing', 'text'), bool(re.fullmatch('a+', 'aaa')), re.match('a', 'ba'))
p = re.compile(r'step-(\d+)', re.IGNORECASE)
print(p.pattern, p.groups, [int(m.group(1)) for m in p.finditer('Step-1 step-20 STEP-300')])
print(p)
print(re.sub(r'[^a-z]', lambda m: '<%s>' % m.group(), 'a1b2'))
print(re.findall(r'(a)(b)?', 'abaa'), re.findall('(a|b)', 'cab'))
print(re.escape('a.b*c[d]'), re.subn('a', 'b', 'banana', count=2))
print(re.findall(r'\w+', 'naïve café — 東京'), re.search('é', 'café').span())
print(re.findall(r'^\w', 'ab\ncd', re.M), re.findall('a.c', 'a\nc', re.S))
print(re.compile(r'''
    (\d+)   # number
    \s* : \s*
    (\w+)   # word
''', re.X).search('12 : ab').groups())
try:
    re.compile('(')
except re.error as e:
    print('re.error')
print(re.findall('', 'ab'), re.sub('', '-', 'ab'), re.findall(r'a*', 'baac'))

def clean_str(string):
    string = re.sub(r"[^A-Za-z0-9(),!?\'\`]", " ", string)
    string = re.sub(r"\'s", " \'s", string)
    string = re.sub(r"n\'t", " n\'t", string)
    string = re.sub(r",", " , ", string)
    string = re.sub(r"\?", " \? ", string)
    string = re.sub(r"\s{2,}", " ", string)
    return string.strip().lower()
print(clean_str("It's a test, isn't it?  Yes (no)!"))

# ---- json
d = {'b': [1, 2.5, None, True], 'a': {'x': 'é"\n', 'y': []}, 'c': {}}
print(json.dumps(d), json.dumps(d, sort_keys=True, indent=2), json.dumps((1e10, 1e-7, float('nan'))))
print(json.dumps(d, separators=(',', ':'), ensure_ascii=False))
print(json.loads('{"a": [1, -2.5e3, "\\u00e9\\ud83d\\ude00", null, true], "b": {}}'), json.loads(' 3 '))
for bad in ['', '{', '[1,]', '{"a" 1}', '[1 2]', '"abc', 'nope', '{"a":1}x', '01', '"\\q"', '{a:1}', '-']:
    try:
        print(json.loads(bad))
    except json.JSONDecodeError as e:
        print(repr(bad), e)
try:
    json.dumps({1, 2})
except TypeError as e:
    print(e)
print(json.dumps({1: 2, None: 3, True: 4, 2.5: 1}))

# ---- datetime
t = datetime.datetime(2017, 3, 5, 14, 7, 9, 12345)
print(t, repr(t), t.strftime('%Y%m%d-%H%M%S %A %B %j %I:%M %p %a %b %y %% %f'), t.isoformat(), t.weekday())
print(t + timedelta(days=30, hours=12), t - datetime.datetime(2016, 2, 28), repr(timedelta(1.5)), timedelta(seconds=3661))
print(datetime.date(2020, 2, 29), repr(datetime.date(2020, 2, 29)), (datetime.date(2020, 3, 1) - datetime.date(2020, 2, 1)).days)
print(datetime.datetime.strptime('2018-01-02 03:04:05', '%Y-%m-%d %H:%M:%S'), timedelta(minutes=90).total_seconds())
print(datetime.datetime(2017, 1, 1), repr(datetime.datetime(2017, 1, 1)), t.replace(year=2001), t.date(), t.time())
print(str(timedelta(-1, 5)), timedelta(hours=1) / 2, timedelta(hours=1) > timedelta(minutes=59), -timedelta(1))
for bad in [(2017, 13, 1), (2017, 2, 30), (0, 1, 1), (2017, 1, 1, 24)]:
    try:
        datetime.datetime(*bad)
    except ValueError as e:
        print(e)
try:
    datetime.datetime.strptime('x', '%Y')
except ValueError as e:
    print(e)
print(isinstance(datetime.datetime.now(), datetime.datetime), datetime.datetime.now() - datetime.datetime.now() <= timedelta(1))
print('{:%Y-%m}'.format(t), '%s' % t, f'{t:%H:%M}', t < t + timedelta(1), sorted([t, datetime.datetime(2000, 1, 1)])[0])

# ---- files
d = tempfile.mkdtemp(dir=os.getcwd())
for n in ['b.txt', 'a.txt', 'c.csv', '.hid']:
    with open(os.path.join(d, n), 'w') as f:
        f.write('x,y\n1,"a ""q"", b"\n\n2,\n')
os.makedirs(os.path.join(d, 'sub', 'deep'))
shutil.copy(os.path.join(d, 'a.txt'), os.path.join(d, 'sub'))
print(sorted(os.path.relpath(p, d) if False else p[len(d) + 1:] for p in glob.glob(os.path.join(d, '*'))))
print(sorted(p[len(d) + 1:] for p in glob.glob(d + '/*/*.txt')), sorted(p[len(d):] for p in glob.glob(d + '/**/*.txt', recursive=True)))
print([(r[len(d):], sorted(ds), sorted(fs)) for r, ds, fs in sorted(os.walk(d))])
print(fnmatch.filter(['a.py', 'b.txt', 'c.py'], '*.py'), fnmatch.fnmatch('data_07.rec', 'data_[0-9]?.rec'), fnmatch.fnmatch('x', '[!x]'))
with open(os.path.join(d, 'c.csv')) as f:
    print(list(csv.reader(f)))
with open(os.path.join(d, 'c.csv')) as f:
    print([dict(r) for r in csv.DictReader(f)])
s = io.StringIO()
w = csv.writer(s)
w.writerow([1, 'a,b', 'q"q', 2.5, None])
w.writerows([['x', 'y'], ['']])
print(repr(s.getvalue()))
s = io.StringIO('one\ntwo\nthree')
print(s.readline(), [l for l in s], s.read())
shutil.rmtree(d)
print(os.path.exists(d))

logging.basicConfig(level=logging.INFO)
logging.info('to stderr %d', 3)
log = logging.getLogger('tensorflow')
log.setLevel(logging.ERROR)
print(log.getEffectiveLevel(), log.isEnabledFor(logging.WARNING), logging.getLogger('tensorflow') is log, log)

def f(x: List[int], y: Optional[str] = None) -> List[str]:
    return [str(v) for v in x]
print(f([1, 2]))
