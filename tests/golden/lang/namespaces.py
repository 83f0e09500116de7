"""globals, locals, vars, sys.modules, __main__ and reloading; pathlib, configparser, signal, uuid and errno."""
import errno
import importlib
import os
import signal
import sys
import uuid
from pathlib import Path

import __main__

x = 1
print('x' in globals(), globals()['x'], globals()['__name__'], 'y' in globals())
globals()['y'] = 5
print(y, __main__.y, vars(__main__)['x'])  # noqa: F821


def local(a, *rest, b=2):
    c = a + b

    def inner():
        return c
    return sorted(locals(), key=str), locals()['c'], inner(), 'x' in vars()


print(local(1))


class Body:
    first = 1
    names = sorted(n for n in locals() if n[:2] != '__')


print(Body.names, isinstance(globals(), dict))
with open('namespaces_beside.py', 'w') as f:
    f.write('value = 1\ndef read(): return globals()["value"]\n')
import namespaces_beside  # noqa: E402
print('namespaces_beside' in sys.modules, sys.modules['namespaces_beside'] is namespaces_beside)
print(sys.modules[__name__] is __main__, sys.modules.get('no_such'), 'os' in sys.modules)
with open('namespaces_beside.py', 'w') as f:
    f.write('value = 22\ndef read(): return globals()["value"] + 1\n')
importlib.reload(namespaces_beside)
print(namespaces_beside.value, namespaces_beside.read(), vars(namespaces_beside)['value'])
print(importlib.import_module('namespaces_beside') is namespaces_beside)

p = Path('a') / 'b.tar.gz'
print(p, repr(p), p.name, p.stem, p.suffix, p.suffixes, p.parent, p.parts, p.with_suffix('.txt'), p.exists())
folder = Path('namespaces_folder')
folder.mkdir(exist_ok=True)
(folder / 'one.txt').write_text('text')
print(os.path.exists(folder), open(folder / 'one.txt').read(), [q.name for q in folder.glob('*.txt')])
print((folder / 'one.txt').is_file(), os.path.join(folder, 'x'), os.fspath(p), Path('/a/../b').parts)
print(Path('x/y').relative_to('x'), sorted([Path('b'), Path('a')]), Path('a') == Path('./a'), p.match('*.gz'))
(folder / 'one.txt').unlink()
folder.rmdir()

before = signal.signal(signal.SIGTERM, lambda number, frame: None)
print(before == signal.SIG_DFL, int(signal.SIGINT), callable(signal.getsignal(signal.SIGTERM)))
u = uuid.UUID('12345678-1234-5678-1234-567812345678')
print(u, u.hex, u.int == uuid.UUID(int=u.int).int, len(str(uuid.uuid4())), uuid.uuid4().version, repr(u))
try:
    open('no_such_file')
except IOError as e:
    print(e.errno == errno.ENOENT, e.filename)
    e.filename = 'other'
    print(e.filename)
