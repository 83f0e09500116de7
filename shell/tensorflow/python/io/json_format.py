"""google.protobuf.json_format: conversion between messages and JSON."""
import base64
import json


class Error(Exception):
    """The base class of the errors below."""
    __module__ = 'google.protobuf.json_format'


class SerializeToJsonError(Error):
    """The message cannot be written as JSON."""
    __module__ = 'google.protobuf.json_format'


class ParseError(Error):
    """The JSON is not a message."""
    __module__ = 'google.protobuf.json_format'


_SPECIAL = {'NaN': float('nan'), 'Infinity': float('inf'), '-Infinity': float('-inf')}


def _json_name(name):
    first, *rest = name.split('_')
    return first + ''.join([part[:1].upper() + part[1:] for part in rest])


def _float_text(value):
    return 'NaN' if value != value else 'Infinity' if value > 0 else '-Infinity'


class _Writer(object):
    """Converts messages to dicts. keep: use the names of fields as they are; numbers: write enumerations as numbers; all:
    also write scalars that are zero."""

    def __init__(self, keep, numbers, all):
        self._keep, self._numbers, self._all = keep, numbers, all

    def message(self, message):
        out = {}
        held = {field.number: value for field, value in message.ListFields()}
        for field in message.DESCRIPTOR.fields:
            if field.number in held:
                out[self._name(field)] = self._field(field, held[field.number])
            elif self._all and not field.has_presence:
                out[self._name(field)] = self._field(field, getattr(message, field.name))
        return out

    def _name(self, field):
        return field.name if self._keep else _json_name(field.name)

    def _field(self, field, value):
        if field.entry is not None:
            inner = field.entry['value']
            key = lambda k: str(k).lower() if isinstance(k, bool) else str(k)
            return {key(k): self._value(inner, value[k]) for k in value}
        if field.is_repeated:
            return [self._value(field, v) for v in value]
        return self._value(field, value)

    def _value(self, field, value):
        if field.type == field.TYPE_MESSAGE:
            return self.message(value)
        if field.type == field.TYPE_ENUM:
            return value if self._numbers else field.enum_name(value)
        if field.type == field.TYPE_BYTES:
            return base64.b64encode(value).decode('ascii')
        if field.type in (field.TYPE_INT64, field.TYPE_UINT64):
            return str(value)
        if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
            if value != value or value in (float('inf'), float('-inf')):
                return _float_text(value)
            return float(str(np.float32(value))) if field.type == field.TYPE_FLOAT else value
        return value


def MessageToDict(message, always_print_fields_with_no_presence=False, preserving_proto_field_name=False,
                  use_integers_for_enums=False, descriptor_pool=None, including_default_value_fields=False):
    return _Writer(preserving_proto_field_name, use_integers_for_enums,
                   always_print_fields_with_no_presence or including_default_value_fields).message(message)


def MessageToJson(message, always_print_fields_with_no_presence=False, preserving_proto_field_name=False, indent=2,
                  sort_keys=False, use_integers_for_enums=False, descriptor_pool=None, ensure_ascii=True,
                  including_default_value_fields=False):
    found = MessageToDict(message, always_print_fields_with_no_presence, preserving_proto_field_name,
                          use_integers_for_enums, including_default_value_fields=including_default_value_fields)
    return json.dumps(found, indent=indent, sort_keys=sort_keys, ensure_ascii=ensure_ascii)


def _scalar(field, value, path):
    try:
        if field.type == field.TYPE_ENUM:
            return field.enum_number(value) if isinstance(value, str) else int(value)
        if field.type == field.TYPE_BYTES:
            padded = value.replace('-', '+').replace('_', '/')
            return base64.b64decode(padded + '=' * (-len(padded) % 4))
        if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
            return _SPECIAL[value] if value in _SPECIAL else float(value)
        if field.type == field.TYPE_BOOL:
            if value in (True, False, 'true', 'false'):
                return value in (True, 'true')
            raise ValueError('Expected true or false without quotes')
        if field.type == field.TYPE_STRING:
            if not isinstance(value, str):
                raise ValueError('expected a string')
            return value
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError("Couldn't parse integer: %s" % (value,))
        return int(value)
    except (TypeError, ValueError, AttributeError) as e:
        raise ParseError('Failed to parse %s field: %s.' % (path, e))


def _read_map(field, values, held, path):
    key, inner = field.entry['key'], field.entry['value']
    for k, v in values.items():
        where = '%s["%s"]' % (path, k)
        k = _scalar(key, k, where)
        if inner.type == inner.TYPE_MESSAGE:
            _read(v, held[k], False, where)
        else:
            held[k] = _scalar(inner, v, where)


def _read(values, message, ignore_unknown, path):
    if not isinstance(values, dict):
        raise ParseError('Failed to parse %s: expected an object, got %r' % (path or type(message).__name__, values))
    fields = {}
    for field in message.DESCRIPTOR.fields:
        fields[field.name] = fields[_json_name(field.name)] = field
    for name, value in values.items():
        where = path + '.' + name if path else name
        if name not in fields:
            if ignore_unknown:
                continue
            raise ParseError('Message type "%s" has no field named "%s" at "%s". Available Fields(except extensions): "%s"' % (
                message.DESCRIPTOR.full_name, name, path or type(message).__name__,
                [_json_name(f.name) for f in message.DESCRIPTOR.fields]))
        field = fields[name]
        if value is None:
            message.ClearField(field.name)
        elif field.entry is not None:
            _read_map(field, value, getattr(message, field.name), where)
        elif field.is_repeated:
            held = getattr(message, field.name)
            for i, v in enumerate(value):
                if field.type == field.TYPE_MESSAGE:
                    _read(v, held.add(), ignore_unknown, '%s[%d]' % (where, i))
                else:
                    held.append(_scalar(field, v, '%s[%d]' % (where, i)))
        elif field.type == field.TYPE_MESSAGE:
            getattr(message, field.name).SetInParent()
            _read(value, getattr(message, field.name), ignore_unknown, where)
        else:
            setattr(message, field.name, _scalar(field, value, where))


def ParseDict(js_dict, message, ignore_unknown_fields=False, descriptor_pool=None, max_recursion_depth=100):
    _read(js_dict, message, ignore_unknown_fields, '')
    return message


def Parse(text, message, ignore_unknown_fields=False, descriptor_pool=None, max_recursion_depth=100):
    try:
        values = json.loads(text.decode('utf-8') if isinstance(text, bytes) else text)
    except ValueError as e:
        raise ParseError('Failed to load JSON: %s.' % e)
    return ParseDict(values, message, ignore_unknown_fields)
