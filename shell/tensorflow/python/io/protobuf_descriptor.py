"""Descriptors of messages, and the enumerations of google.protobuf."""

# For each FieldKind of io/message_schema.h: the type and the cpp_type of protocol buffers.
_TYPES = ((5, 1), (3, 2), (13, 3), (4, 4), (8, 7), (14, 8), (2, 6), (1, 5), (9, 9), (12, 9), (11, 10))


class FieldDescriptor(object):
    """The name, the number and the type of a field."""
    TYPE_DOUBLE, TYPE_FLOAT, TYPE_INT64, TYPE_UINT64, TYPE_INT32, TYPE_BOOL = 1, 2, 3, 4, 5, 8
    TYPE_STRING, TYPE_MESSAGE, TYPE_BYTES, TYPE_UINT32, TYPE_ENUM = 9, 11, 12, 13, 14
    CPPTYPE_INT32, CPPTYPE_INT64, CPPTYPE_UINT32, CPPTYPE_UINT64, CPPTYPE_DOUBLE = 1, 2, 3, 4, 5
    CPPTYPE_FLOAT, CPPTYPE_BOOL, CPPTYPE_ENUM, CPPTYPE_STRING, CPPTYPE_MESSAGE = 6, 7, 8, 9, 10
    LABEL_OPTIONAL, LABEL_REQUIRED, LABEL_REPEATED = 1, 2, 3

    def __init__(self, owner, name, number, kind, repeated, oneof, cls, values, entry):
        self.name, self.number, self.full_name = name, number, owner.full_name + '.' + name
        self.type, self.cpp_type = _TYPES[kind]
        self.label = self.LABEL_REPEATED if repeated else self.LABEL_OPTIONAL
        self.is_repeated, self.has_presence = repeated, not repeated and (oneof or self.type == self.TYPE_MESSAGE)
        self.containing_type, self.containing_oneof, self._class, self._values = owner, None, cls, values
        # The key and the value of a map.
        self.entry = {f[0]: FieldDescriptor(owner, *f) for f in entry} if entry else None

    @property
    def message_type(self):
        return self._class.DESCRIPTOR if self._class else None

    def _enumeration(self):
        return DataType if self._values == 'DataType' else getattr(self.containing_type._concrete_class, self._values)

    def enum_name(self, number):
        """Returns the name of a value of the field's enumeration, or the number if it has none."""
        return self._enumeration().Name(number) if number in self._enumeration().values() else number

    def enum_number(self, name):
        """Returns the number of a name."""
        return self._enumeration().Value(name)

    def __repr__(self):
        return '<FieldDescriptor %s>' % self.full_name


class OneofDescriptor(object):
    """A group of fields of which one is set."""

    def __init__(self, name, fields):
        self.name, self.fields = name, fields


class Descriptor(object):
    """The fields of a message."""

    def __init__(self, name, full_name, fields, oneof, cls):
        self.name, self.full_name, self._concrete_class = name, full_name, cls
        self.fields = [FieldDescriptor(self, *field) for field in fields]
        self.fields_by_name = {f.name: f for f in self.fields}
        self.fields_by_number = {f.number: f for f in self.fields}
        self.oneofs = []
        if oneof:
            members = [f for f, given in zip(self.fields, fields) if given[4]]
            self.oneofs = [OneofDescriptor(oneof, members)]
            for f in members:
                f.containing_oneof = self.oneofs[0]
        self.oneofs_by_name = {o.name: o for o in self.oneofs}

    def __repr__(self):
        return '<Descriptor %s>' % self.full_name


class EnumTypeWrapper(object):
    """An enumeration: names and their numbers."""

    def __init__(self, name, numbers):
        self._name, self._numbers = name, numbers

    def Name(self, number):
        """Returns the name of a number."""
        for name, known in self._numbers.items():
            if known == number:
                return name
        raise ValueError('Enum %s has no name defined for value %r' % (self._name, number))

    def Value(self, name):
        """Returns the number of a name."""
        if name not in self._numbers:
            raise ValueError('Enum %s has no value defined for name %r' % (self._name, name))
        return self._numbers[name]

    def keys(self):
        return list(self._numbers)

    def values(self):
        return list(self._numbers.values())

    def items(self):
        return list(self._numbers.items())

    def __getattr__(self, name):
        if name in self._numbers:
            return self._numbers[name]
        raise AttributeError('Enum %s has no value with name %r' % (self._name, name))


def _data_types():
    from tensorflow.core.framework import types_pb2
    numbers = [(getattr(types_pb2, name), name) for name in dir(types_pb2) if name.startswith('DT_')]
    return EnumTypeWrapper('DataType', {name: number for number, name in sorted(numbers)})


DataType = _data_types()
