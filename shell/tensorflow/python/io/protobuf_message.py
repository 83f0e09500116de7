"""google.protobuf.message: the base class of messages, and the errors of reading and writing them."""

Message = tf.GraphDef.__bases__[0]


class Error(Exception):
    """The base class of these errors."""
    __module__ = 'google.protobuf.message'


class DecodeError(Error):
    """The bytes are not a message."""
    __module__ = 'google.protobuf.message'


class EncodeError(Error):
    """The message cannot be encoded."""
    __module__ = 'google.protobuf.message'
