"""enum: classes with a fixed number of named members."""


class auto(object):
    """A value that the enum class chooses."""
    value = None


def _is_member(name, value):
    return not (name[:1] == '_' and name[-1:] == '_') and not hasattr(value, '__get__') and not isinstance(
        value, (property, staticmethod, classmethod, type(_is_member)))


def _data_type(bases):
    for base in bases:
        for cls in base.__mro__:
            if cls in (int, str, float, tuple, bytes):
                return cls
    return None


class EnumMeta(type):
    def __new__(mcls, name, bases, namespace, **kwargs):
        members = [(n, v) for n, v in namespace.items() if _is_member(n, v)]
        for base in bases:
            if getattr(base, '_member_map_', None):
                raise TypeError('<enum %r> cannot extend %r' % (name, base))
        taken = dict(members)
        plain = dict((n, v) for n, v in namespace.items() if n not in taken)
        own_new = plain.pop('__new__', None)
        cls = super().__new__(mcls, name, bases, plain)
        cls._member_map_, cls._member_names_, cls._value2member_map_ = {}, [], {}
        kind, values = _data_type(bases), []
        for n, value in members:
            if isinstance(value, auto):
                value = cls._generate_next_value_(n, 1, len(values), values)
            values.append(value)
            mcls._add(cls, n, value, kind, own_new)
        return cls

    def _add(cls, name, value, kind, own_new):
        args = value if isinstance(value, tuple) else (value,)
        if own_new is not None:
            member = own_new(cls, *args)
            value = getattr(member, '_value_', value)
        elif kind is None:
            member = object.__new__(cls)
        else:
            member = kind.__new__(cls, *args)
            value = kind(*args)
        for other in cls._member_map_.values():
            if other._value_ == value:
                cls._member_map_[name] = other
                type.__setattr__(cls, name, other)
                return
        member._value_, member._name_, member._sort_order_ = value, name, len(cls._member_names_)
        if '__init__' in [n for c in cls.__mro__[:-1] for n in c.__dict__ if c.__module__ == '__main__']:
            member.__init__(*args)
        cls._member_map_[name] = member
        cls._member_names_.append(name)
        type.__setattr__(cls, name, member)
        try:
            cls._value2member_map_[value] = member
        except TypeError:
            pass

    def __call__(cls, value, names=None, start=1, **unused):
        if names is not None:
            return _functional(cls, value, names, start)
        return cls._of(value)

    def _of(cls, value):
        if type(value) is cls:
            return value
        try:
            return cls._value2member_map_[value]
        except (KeyError, TypeError):
            for member in cls._member_map_.values():
                if member._value_ == value:
                    return member
        made = cls._missing_(value)
        if made is None:
            raise ValueError('%r is not a valid %s' % (value, cls.__qualname__))
        return made

    def __iter__(cls):
        return iter([cls._member_map_[n] for n in cls._member_names_])

    def __reversed__(cls):
        return iter([cls._member_map_[n] for n in cls._member_names_[::-1]])

    def __len__(cls):
        return len(cls._member_names_)

    def __bool__(cls):
        return True

    def __getitem__(cls, name):
        return cls._member_map_[name]

    def __contains__(cls, member):
        if not isinstance(member, Enum):
            raise TypeError("unsupported operand type(s) for 'in': '%s' and '%s'" % (
                type(member).__qualname__, cls.__class__.__qualname__))
        return isinstance(member, cls)

    def __repr__(cls):
        return '<flag %r>' % cls.__name__ if cls._flag_ else '<enum %r>' % cls.__name__

    @property
    def __members__(cls):
        return dict(cls._member_map_)


EnumType = EnumMeta


def _functional(cls, name, names, start):
    if isinstance(names, str):
        names = names.replace(',', ' ').split()
    if not isinstance(names, dict):
        pairs, values = [], []
        for i, n in enumerate(names):
            if isinstance(n, str):
                n = (n, cls._generate_next_value_(n, start, i, values))
            pairs.append(n)
            values.append(n[1])
        names = dict(pairs)
    return type(cls)(name, (cls,), dict(names))


class Enum(metaclass=EnumMeta):
    _flag_ = False

    @property
    def name(self):
        return self._name_

    @property
    def value(self):
        return self._value_

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        for value in last_values[::-1]:
            if isinstance(value, int):
                return value + 1
        return start

    @classmethod
    def _missing_(cls, value):
        return None

    def __repr__(self):
        return '<%s.%s: %r>' % (type(self).__name__, self._name_, self._value_)

    def __str__(self):
        return '%s.%s' % (type(self).__name__, self._name_)

    def __format__(self, spec):
        return format(str(self), spec)

    def __hash__(self):
        return hash(self._value_ if isinstance(self, (int, str, float)) else self._name_)

    def __setattr__(self, name, value):
        if name in ('name', 'value'):
            raise AttributeError("<enum 'Enum'> cannot set attribute %r" % name)
        object.__setattr__(self, name, value)


class IntEnum(int, Enum):
    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)


class StrEnum(str, Enum):
    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return name.lower()

    def __str__(self):
        return str(self._value_)

    def __format__(self, spec):
        return format(self._value_, spec)


class Flag(Enum):
    _flag_ = True

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        highest = max(last_values) if last_values else 0
        return 1 << highest.bit_length() if highest else start

    @classmethod
    def _missing_(cls, value):
        known = 0
        for member in cls._member_map_.values():
            known |= member._value_
        if not isinstance(value, int) or value & ~known or value < 0:
            raise ValueError('%r is not a valid %s' % (value, cls.__qualname__))
        parts = [m._name_ for m in cls if m._value_ & value]
        made = cls._of_value(value)
        made._value_, made._name_ = value, '|'.join(parts) or None
        cls._value2member_map_[value] = made
        return made

    @classmethod
    def _of_value(cls, value):
        kind = _data_type([cls])
        return object.__new__(cls) if kind is None else kind.__new__(cls, value)

    def __or__(self, other):
        return type(self)(self._value_ | getattr(other, '_value_', other))

    def __and__(self, other):
        return type(self)(self._value_ & getattr(other, '_value_', other))

    def __xor__(self, other):
        return type(self)(self._value_ ^ getattr(other, '_value_', other))

    def __invert__(self):
        rest = 0
        for member in type(self):
            rest |= member._value_ & ~self._value_
        return type(self)(rest)

    def __contains__(self, other):
        return other._value_ & self._value_ == other._value_

    def __bool__(self):
        return bool(self._value_)

    def __repr__(self):
        if self._name_ is None:
            return '<%s: %r>' % (type(self).__name__, self._value_)
        return '<%s.%s: %r>' % (type(self).__name__, self._name_, self._value_)

    def __str__(self):
        if self._name_ is None:
            return '%s(%r)' % (type(self).__name__, self._value_)
        return '%s.%s' % (type(self).__name__, self._name_)


class IntFlag(int, Flag):
    def __str__(self):
        return str(self._value_)


def unique(enumeration):
    names = ['%s -> %s' % (n, m._name_) for n, m in enumeration._member_map_.items() if n != m._name_]
    if names:
        raise ValueError('duplicate values found in %r: %s' % (enumeration, ', '.join(names)))
    return enumeration
