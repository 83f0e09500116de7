# Modules and packages beside the script.
import importlib
import beside
import beside.inner.deep as deep
from beside import K as renamed, util
from beside.stars import *
print(deep.name(), renamed, util.K, A, __name__)
util.K = 10
print(util.get(), beside.util is util, util.C.__module__)
print(importlib.import_module('beside.util').K, importlib.import_module('.util', 'beside').K)
importlib.reload(util)
print(util.K)
for statement in (lambda: importlib.import_module('no_such_module'),
                  lambda: importlib.import_module('beside.nothing'),
                  lambda: importlib.import_module('beside.util.nothing')):
    try:
        statement()
    except ImportError as e:
        print(type(e).__name__, str(e).split('. ')[0])
try:
    B
except NameError as e:
    print('B is not in __all__')
from beside import first
print(first.call())
try:
    util.fail()
except ZeroDivisionError as e:
    print(e)
