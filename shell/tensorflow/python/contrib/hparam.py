"""tf.contrib.training.HParams: named parameters of a model."""
import json
import re

_PIECE = re.compile(r'\s*(?P<name>[a-zA-Z][\w.]*)\s*(\[\s*(?P<index>\d+)\s*\])?\s*=\s*((?P<val>[^,\[]*)|'
                    r'\[(?P<vals>[^\]]*)\])\s*($|,\s*)')


def _number(kind, name, text):
    def refuse():
        raise ValueError('Could not parse hparam %s of type %s with value %r' % (name, kind.__name__, text))
    if kind is bool:
        if text in ('true', 'True', '1'):
            return True
        return False if text in ('false', 'False', '0') else refuse()
    try:
        return kind(text)
    except ValueError:
        refuse()


class HParams(object):
    """Hyperparameters by name, with types that `parse` checks."""

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        self._hparam_types = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        if getattr(self, name, None) is not None:
            raise ValueError('Hyperparameter name is reserved: %s' % name)
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError('Multi-valued hyperparameters cannot be empty: %s' % name)
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def _cast(self, name, value):
        kind, is_list = self._hparam_types[name]
        if isinstance(value, (list, tuple)):
            if not is_list:
                raise ValueError('Must not pass a list for single-valued parameter: %s' % name)
            return [self._one(name, kind, v) for v in value]
        if is_list:
            raise ValueError('Must pass a list for multi-valued parameter: %s.' % name)
        return self._one(name, kind, value)

    def _one(self, name, kind, value):
        def refuse():
            raise ValueError("Could not cast hparam '%s' of type '%s' from value %r" % (name, kind, value))
        if kind is type(None) or value is None:
            return value
        if kind in (bool, int, float) and isinstance(value, str) or kind is str and not isinstance(value, (str, bytes)):
            refuse()
        if (kind is bool) != isinstance(value, bool) or kind is int and isinstance(value, float):
            refuse()
        return kind(value)

    def set_hparam(self, name, value):
        setattr(self, name, self._cast(name, value))

    def del_hparam(self, name):
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Sets parameters from a text such as 'rate=0.1,layers=[1,2]'."""
        at = 0
        while at < len(values):
            found = _PIECE.match(values, at)
            if not found:
                raise ValueError('Malformed hyperparameter value: %s' % values[at:])
            at = found.end()
            name = found.group('name')
            if name not in self._hparam_types:
                raise ValueError('Unknown hyperparameter type for %s' % name)
            kind, is_list = self._hparam_types[name]
            if found.group('index') is not None:
                getattr(self, name)[int(found.group('index'))] = _number(kind, name, found.group('val'))
            elif found.group('vals') is not None:
                setattr(self, name, [_number(kind, name, v) for v in re.split('[ ,]+', found.group('vals')) if v])
            else:
                setattr(self, name, [_number(kind, name, found.group('val'))] if is_list
                        else _number(kind, name, found.group('val')))
        return self

    def override_from_dict(self, values_dict):
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def to_json(self, indent=None, separators=None, sort_keys=False):
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json):
        return self.override_from_dict(json.loads(values_json))

    def values(self):
        return {name: getattr(self, name) for name in self._hparam_types.keys()}

    def get(self, key, default=None):
        return getattr(self, key) if key in self._hparam_types else default

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return str(sorted(self.values().items()))

    def __repr__(self):
        return '%s(%s)' % (type(self).__name__, str(self))
