"""google.protobuf.text_format: conversion between messages and text."""


class ParseError(Exception):
    pass


def Merge(text, message, allow_unknown_extension=False, allow_field_number=False, descriptor_pool=None,
          allow_unknown_field=False):
    try:
        message._merge_text(text.decode('utf-8') if isinstance(text, bytes) else text)
    except ValueError as e:
        raise ParseError(str(e))
    return message


Parse = Merge


def MessageToString(message, as_utf8=False, as_one_line=False, **kwargs):
    text = str(message)
    return ' '.join(text.split()) if as_one_line else text
