# Archives, local addresses and pools: modules that scripts import to download data.
import io
import os
import tarfile
import tempfile
import zipfile
import multiprocessing
from multiprocessing.pool import ThreadPool
import urllib.request
from urllib.error import URLError
from urllib.parse import quote, unquote, urlencode, urljoin, urlparse, parse_qs

folder = tempfile.mkdtemp()


def path(name):
    return os.path.join(folder, name)


os.makedirs(path('data/deep'))
for name, text in (('data/a.txt', 'first\n'), ('data/deep/b.txt', 'second\n' * 200)):
    with open(path(name), 'w') as f:
        f.write(text)

for kind in ('', ':gz'):
    with tarfile.open(path('all.tar'), 'w' + kind) as tar:
        tar.add(path('data'), arcname='data')
        info = tarfile.TarInfo('x' * 60 + '/' + 'y' * 60)
        info.size = 3
        tar.addfile(info, io.BytesIO(b'abc'))
    with tarfile.open(path('all.tar')) as tar:
        print([n if len(n) < 50 else len(n) for n in tar.getnames()])
        print([(m.isdir(), m.isfile(), m.size) for m in tar.getmembers()])
        print(tar.extractfile('data/a.txt').read(), tar.extractfile('data'))
        tar.extractall(path('out'))
    print(open(path('out/data/deep/b.txt')).read() == 'second\n' * 200)
    print(tarfile.is_tarfile(path('all.tar')), tarfile.is_tarfile(path('data/deep/b.txt')))
try:
    tarfile.open(path('all.tar')).getmember('none')
except KeyError:
    print('KeyError')
try:
    tarfile.open(path('data/a.txt'))
except tarfile.ReadError:
    print('ReadError')

for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path('all.zip'), 'w', kind) as z:
        z.write(path('data/a.txt'), 'a.txt')
        z.write(path('data/deep/b.txt'), 'deep/b.txt')
        z.writestr('c.txt', 'third')
    with zipfile.ZipFile(path('all.zip')) as z:
        print(z.namelist(), z.testzip())
        print([(i.filename, i.file_size, i.compress_size < i.file_size, i.CRC) for i in z.infolist()])
        print(z.read('a.txt'), z.open('c.txt').read())
        z.extractall(path('unzipped'))
    print(os.path.getsize(path('unzipped/deep/b.txt')))
print(zipfile.is_zipfile(path('all.zip')), zipfile.is_zipfile(path('data/a.txt')))
try:
    zipfile.ZipFile(path('data/a.txt'))
except zipfile.BadZipFile as e:
    print(e)

name, _ = urllib.request.urlretrieve('file://' + path('data/a.txt'), path('copy.txt'),
                                     lambda blocks, size, total: print(blocks, total))
print(open(name).read(), urllib.request.urlopen('file://' + path('data/a.txt')).read())
try:
    urllib.request.urlopen('file://' + path('none'))
except (URLError, OSError):
    print('not there')
print(urlparse('http://h.org:80/a/b;p?x=1#f'))
print(urlparse('data/b.txt').scheme == '', urlparse('HTTP://x').scheme)
print([urljoin('http://h/a/b', u) for u in ('c', '/c', '../c', 'http://x/y', '?q=1', './d/')])
print(quote('a b/ä&'), unquote('a%20b%C3%A4%zz'), urlencode({'a': 1, 'b': 'x y'}), parse_qs('a=1&b=2&a=3'))

pool = ThreadPool(3)
print(pool.map(lambda x: x * x, range(6)), pool.apply_async(pow, (2, 5)).get(), pool.starmap(pow, [(2, 3), (3, 2)]))
pool.close()
pool.join()
print(multiprocessing.cpu_count() > 0, os.stat(path('copy.txt')).st_size, os.path.curdir, os.pardir, os.error is OSError)
