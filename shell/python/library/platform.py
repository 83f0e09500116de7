"""platform: information about the machine and the system."""
import sys


def python_version():
    return sys.version.split()[0]


def python_version_tuple():
    return tuple(python_version().split('.'))


def python_implementation():
    return 'tensh'


def system():
    return 'Linux'


def machine():
    return 'x86_64'


processor = machine


def architecture():
    return '64bit', 'ELF'


def platform(aliased=False, terse=False):
    return 'Linux-x86_64'


def node():
    return 'localhost'


def release():
    return ''


version = release
