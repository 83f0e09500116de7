"""The part of the bridge that is written in Python. Runs in a module of its own when CPython starts."""
import sys
import types

SLOTS = ('__call__', '__iter__', '__next__', '__len__', '__getitem__', '__setitem__', '__contains__', '__index__',
         '__int__', '__float__', '__enter__')


def slots(cls):
    """Returns a bit for each of SLOTS that the class has, and one for a function that binds."""
    bits = 0
    for i, name in enumerate(SLOTS):
        if any(name in vars(c) for c in cls.__mro__):
            bits |= 1 << i
    if cls.__name__ in ('function', 'cython_function_or_method'):
        bits |= 1 << len(SLOTS)
    return bits


class Memory:
    """The memory of an array of the shell. numpy.asarray makes an array of it, whose base this is."""

    __slots__ = ('__array_interface__', 'owner', 'keeper', 'handle')

    def __init__(self, address, dims, strides, code, owner, keeper, handle):
        self.__array_interface__ = {'version': 3, 'data': (address, False), 'shape': dims, 'strides': strides,
                                    'typestr': code}
        self.owner = owner
        self.keeper = keeper
        self.handle = handle


def export(*args):
    """Returns a numpy array that shares the memory."""
    import numpy
    return numpy.asarray(Memory(*args))


def is_same(array, address, dims, strides, code):
    """Returns true if these are the elements of the array."""
    return (array.__array_interface__['data'][0] == address and array.shape == dims and array.strides == strides and
            array.dtype.str == code)


def origin(array):
    """Returns the array of the shell whose memory this numpy array is, its address and its shape, or None."""
    base = array.base
    if type(base) is not Memory:
        return None
    theirs = base.__array_interface__
    address = array.__array_interface__['data'][0]
    same = (address == theirs['data'][0] and array.shape == theirs['shape'] and array.strides == theirs['strides'] and
            array.dtype.str == theirs['typestr'])
    return (base.owner, address, array.shape) if same else None


def describe(array):
    """Describes an array: (code, dims, strides, address, can be shared, array) for numbers, (list, dims) for objects,
    (nested list,) for texts and long floats, and None for any other one."""
    dtype = array.dtype
    if dtype.names is not None or dtype.kind not in 'biufcUSO':
        return None
    if dtype.kind == 'O':
        return (array.ravel().tolist(), array.shape)
    if dtype.kind in 'US':
        return (array.tolist(),)
    if not dtype.isnative:
        array = array.astype(dtype.newbyteorder('='))
        dtype = array.dtype
    address = array.__array_interface__['data'][0]
    flags = array.flags
    if dtype.itemsize > 8 and dtype.kind == 'f':
        return (array.astype('f8').tolist(),)
    return (dtype.str, array.shape, array.strides, address, flags.writeable and flags.aligned, array)


def scalar(value):
    """Returns (code, bytes) of a number of numpy."""
    return (value.dtype.str, value.tobytes()) if value.dtype.kind in 'biufc' else None


def outer_frame(call):
    return call()


def frame(call):
    """Calls a function of the bridge below two frames."""
    return outer_frame(call)


def origin_of(error):
    """Returns the file, line and function that raised an exception, or None if it was not a function of Python."""
    found = None
    tb = error.__traceback__
    while tb is not None:
        code = tb.tb_frame.f_code
        if code.co_filename != '<tensh/python_bridge>':
            found = '%s:%d, %s' % (code.co_filename, tb.tb_lineno or 0, code.co_name)
        tb = tb.tb_next
    return found


def similar_module(name):
    """Returns the installed module with the most similar name, or ''."""
    import difflib
    import pkgutil
    return next(iter(difflib.get_close_matches(name, [m.name for m in pkgutil.iter_modules()], 1, 0.75)), '')


def library_object(cls, theirs):
    """Returns CPython's object for one of the shell's datetime, pathlib or collections, or None."""
    if cls in ('OrderedDict', 'Counter', 'defaultdict'):
        import collections
        made = dict if cls == 'defaultdict' else getattr(collections, cls)
        return made({key: theirs[key] for key in theirs})
    if cls == 'Path':
        import pathlib
        return pathlib.Path(str(theirs))
    import datetime
    fields = {'date': ('year', 'month', 'day'), 'time': ('hour', 'minute', 'second', 'microsecond'),
              'timedelta': ('days', 'seconds', 'microseconds')}
    fields['datetime'] = fields['date'] + fields['time']
    if cls not in fields:
        return None
    made = getattr(datetime, cls)(*[getattr(theirs, name) for name in fields[cls]])
    offset = theirs.utcoffset() if cls == 'datetime' and getattr(theirs, 'tzinfo', None) is not None else None
    return made if offset is None else made.replace(tzinfo=datetime.timezone(offset))


def signature(theirs):
    """Returns CPython's form of a signature of the shell."""
    import inspect
    parameters = []
    for p in theirs.parameters.values():
        default = inspect.Parameter.empty if type(p.default).__name__ == '_Empty' else p.default
        parameters.append(inspect.Parameter(p.name, list(inspect._ParameterKind)[p.kind], default=default))
    return inspect.Signature(parameters)


class Module(types.ModuleType):
    """A module of the shell. Its attributes are looked up once."""

    _is_tensh = True

    def __getattr__(self, name):
        value = getattr(self._values, name)
        self.__dict__[name] = value
        return value

    def __dir__(self):
        return sorted(set(dir(self._values)))


modules = {}


def module_of(values):
    """Returns the module with these values; `values` is the proxy of the shell's module."""
    made = modules.get(id(values))
    if made is None:
        made = modules[id(values)] = Module(values.__name__)
        made._values = values
        made.__path__ = []
    return made


def make_class(name, bases, namespace, keywords):
    meta = keywords.pop('metaclass', None)
    if meta is not None:
        keywords['metaclass'] = meta
    return types.new_class(name, bases, keywords, lambda ns: ns.update(namespace))


def text(error):
    return str(error)


def derived_error(name, base, module):
    return type(name, (base,), {'__module__': module, '__getattr__': error_attribute, '__str__': error_text})


def error_text(error):
    value = error.__dict__.get('_tensh')
    return str(value if value is not None else error.args[-1] if error.args else '')


def error_attribute(error, name):
    value = error.__dict__.get('_tensh') if name != '_tensh' else None
    if value is None or name.startswith('__'):
        raise AttributeError(name)
    return getattr(value, name)


class Output:
    """sys.stdout: writes through the shell, which keeps the order of the lines."""

    encoding = 'utf-8'
    errors = 'surrogateescape'
    closed = False

    def __init__(self, write, flush):
        self.write_text = write
        self.flush = flush

    def write(self, text):
        self.write_text(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def isatty(self):
        return False

    def writable(self):
        return True

    def readable(self):
        return False

    def fileno(self):
        return 1


def start(write, flush, folders, argv):
    sys.stdout = Output(write, flush)
    sys.argv = argv
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    import signal
    signal.signal(signal.SIGINT, signal.default_int_handler)


def end():
    """Does what the end of a Python program does: waits for threads, calls atexit, and writes the buffers of files."""
    import atexit
    import gc
    import io
    import threading
    threading._shutdown()
    atexit._run_exitfuncs()
    for each in gc.get_objects():
        # issubclass: isinstance asks the object for its class, which may run any code
        if issubclass(type(each), (io.BufferedWriter, io.BufferedRandom, io.TextIOWrapper)) and not each.closed:
            try:
                each.flush()
            except (OSError, ValueError):
                pass
