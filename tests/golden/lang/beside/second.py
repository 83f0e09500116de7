from . import first


def call():
    return first.__name__
