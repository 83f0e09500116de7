# Exceptions cross in both directions, and are the same objects when they return.
import contextvars
import ipaddress
import sqlite3
import configparser
import heapq
from concurrent.futures import ThreadPoolExecutor

try:
    ipaddress.ip_address('nonsense')
except ValueError as error:
    print(type(error).__name__, error)
try:
    sqlite3.connect(':memory:').execute('select nothing')
except sqlite3.OperationalError as error:
    print(type(error).__name__, error, isinstance(error, sqlite3.Error), issubclass(sqlite3.OperationalError, sqlite3.Error))
except Exception:
    print('not caught by its class')
try:
    configparser.ConfigParser().get('no', 'where')
except (KeyError, configparser.NoSectionError) as error:
    print(error.section, error)
try:
    contextvars.ContextVar('unset').get()
except LookupError:
    print('LookupError')
try:
    ipaddress.nothing_here
except AttributeError as error:
    print(type(error).__name__)
try:
    ipaddress.ip_address()
except TypeError as error:
    print('argument' in str(error))
try:
    from ipaddress import nothing
except ImportError as error:
    print(type(error).__name__, str(error)[:35])
try:
    import ipaddress.nothing
except ImportError as error:
    print(type(error).__name__)


class Mine(Exception):
    def __init__(self, code):
        super().__init__('code %d' % code)
        self.code = code


raised = Mine(7)


def fail(*args):
    raise raised


context = contextvars.copy_context()
try:
    context.run(fail)
except Mine as error:
    print(error, error.code, error is raised)


def depth(n):
    return 0 if n == 0 else 1 + contextvars.copy_context().run(depth, n - 1)


print(depth(30))
try:
    depth(100000)
except RecursionError:
    print('RecursionError')
print(depth(30))


def handles():
    try:
        context.run(fail)
    except Mine:
        return 'handled inside'


print(contextvars.copy_context().run(handles))
try:
    try:
        context.run(fail)
    finally:
        print('finally')
except Exception as error:
    print(repr(error.args))


class Broken:
    def __eq__(self, other):
        raise Mine(1)
    __hash__ = None


db = sqlite3.connect(':memory:')
db.create_function('bad', 1, fail)
try:
    db.execute('select bad(1)').fetchall()
except sqlite3.OperationalError as error:
    print(error)
