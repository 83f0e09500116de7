from . import second


def call():
    return second.call()
