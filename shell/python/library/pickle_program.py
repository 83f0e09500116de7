"""Classes of the program that pickles name: those of the main file and of the modules beside it."""
import os
import sys


def _module(name):
    """Returns the module of a file of the program, or None for any other."""
    if name not in sys.modules:
        parts = name.split('.')
        if not all(part.isidentifier() for part in parts):
            return None
        path = os.path.join(sys.path[0], *parts)
        if not os.path.exists(path + '.py') and not os.path.exists(os.path.join(path, '__init__.py')):
            return None
        __import__(name)
    module = sys.modules.get(name)
    return module if getattr(module, '__file__', None) is not None else None


def _class(module, name, main):
    first, *rest = name.split('.')
    found = main.get(first) if module == '__main__' else getattr(_module(module), first, None)
    for part in rest:
        found = getattr(found, part, None)
    return found if isinstance(found, type) else None


def is_message(cls):
    """Returns true for a class of TensorFlow's messages."""
    return cls.__module__.startswith('tensorflow.core.') and hasattr(cls, 'DESCRIPTOR')


def _message_class(module, name):
    parts = (module + '.' + name).split('.')
    last = next((i for i, part in enumerate(parts) if part.endswith('_pb2')), None)
    if module.startswith('tensorflow.core.') and last is not None:
        found = __import__('.'.join(parts[:last + 1]))
        for part in parts[1:]:
            found = getattr(found, part, None)
        return found if isinstance(found, type) and is_message(found) else None


def is_of_program(cls, main):
    """Returns true for a class that a pickle may name. `main` are the names of the main file."""
    module = cls.__module__
    return (module == '__main__' or module in sys.modules) and _class(module, cls.__qualname__, main) is cls


def class_of_program(module, name, main):
    """Returns the class with this name, or None if it is neither of the program nor a message."""
    if module.startswith('tensorflow.'):
        return _message_class(module, name)
    if module != '__main__' and _module(module) is None:
        return None
    found = _class(module, name, main)
    if found is None:
        raise AttributeError("Can't get attribute %r on <module %r>" % (name, module))
    return found
