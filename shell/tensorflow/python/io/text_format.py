"""google.protobuf.text_format: conversion between messages and text."""


class ParseError(Exception):
    """The text is not a message."""
    __module__ = 'google.protobuf.text_format'


def Merge(text, message, allow_unknown_extension=False, allow_field_number=False, descriptor_pool=None,
          allow_unknown_field=False):
    try:
        message._merge_text(text.decode('utf-8') if isinstance(text, bytes) else text, allow_unknown_field)
    except ValueError as e:
        raise ParseError(str(e))
    return message


def Parse(text, message, **kwargs):
    return Merge(text, message, **kwargs)


def MessageToString(message, as_utf8=True, as_one_line=False, **kwargs):
    text = message._text(as_utf8) if hasattr(message, '_text') else str(message)
    return ' '.join([line.strip() for line in text.splitlines()]) if as_one_line else text
