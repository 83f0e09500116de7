"""abc: abstract classes, as marks for the reader."""


class ABC(object):
    pass


def abstractmethod(func):
    return func


abstractproperty = property
