# Values of every kind cross to CPython and come back.
import contextvars
import ipaddress
import marshal
import operator

box = contextvars.ContextVar('box')


def echo(value):
    box.set(value)
    return box.get()


for value in [None, True, 3, -2**63, 2**200, -2**70, 1.5, float('inf'), 2 + 1j, 'text', 'é\u4e2d\0', b'\0\xff', [1, [2]],
              (1, 'a'), {'a': [1], 2: None}, {3}, frozenset([4]), ..., slice(1, None, 2), range(0, 10, 3), int, dict, ValueError]:
    assert echo(value) == value, value
    print(repr(echo(value)))
print(marshal.loads(marshal.dumps({'a': [1, 2.5, ('x', b'y')]})))


class Point:
    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return self.x < other.x


point = Point(1)
assert echo(point) is point and echo(Point) is Point and echo(echo) is echo and echo(len) is len
address = ipaddress.ip_address('127.0.0.1')
assert echo(address) is address and address == ipaddress.ip_address('127.0.0.1')
print(address, repr(address), address + 1, address.is_loopback, int(address), hash(address) == hash(address + 0))
network = ipaddress.ip_network('10.0.0.0/30')
print(len(list(network)), network[1], address in network, network[1] in network, [str(a) for a in network])
print(isinstance(address, ipaddress.IPv4Address), type(address).__name__, type(address) is ipaddress.IPv4Address)
print(max([ipaddress.ip_address(n) for n in (3, 9, 4)]), sorted([address + 2, address])[0] is address)
print('%s|%r|{}|{:>12}'.format(address, str(address)) % (address, address), f'{address}')
print({address: 1}[ipaddress.ip_address('127.0.0.1')], bool(address), address != None)

import calendar
from collections import OrderedDict
import string as text_module
print(calendar.monthrange(2020, 2), calendar.TextCalendar().formatmonth(2020, 2).split()[:3])
from difflib import SequenceMatcher, get_close_matches
print(SequenceMatcher(None, 'abcd', 'bcde').ratio(), get_close_matches('appel', ['ape', 'apple', 'peach']))
import xml.etree.ElementTree as ET
root = ET.fromstring('<a><b k="1">x</b><b k="2">y</b></a>')
print(len(root), [(b.tag, b.attrib['k'], b.text) for b in root], root.find('b').get('k'))
root[0].attrib['k'] = '7'
print(ET.tostring(root))
from html import *
print(escape('<a>'), unescape('&lt;'))
import configparser
config = configparser.ConfigParser()
config['part'] = {'a': 1, 'b': 'two'}
print(config['part']['a'], config.getint('part', 'a'), 'b' in config['part'], len(config['part']), config.sections())
del config['part']['a']
print(list(config['part']))
import pathlib
path = pathlib.Path('/tmp') / 'x' / 'y.txt'
print(path, path.suffix, path.parent.name, path.with_suffix('.md'))
import sqlite3
with sqlite3.connect(':memory:') as db:
    db.execute('create table t (a, b)')
    db.executemany('insert into t values (?, ?)', [(i, 'n%d' % i) for i in range(3)])
    for row in db.execute('select a, b from t order by a desc'):
        print(row)
    db.create_function('twice', 1, lambda n: n * 2)
    print(db.execute('select twice(a) from t').fetchall())
