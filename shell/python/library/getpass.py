"""getpass: the name of the user."""
import os


def getuser():
    for name in ('LOGNAME', 'USER', 'LNAME', 'USERNAME'):
        if os.environ.get(name):
            return os.environ[name]
    return 'user'


def getpass(prompt='Password: ', stream=None):
    raise NotImplementedError('tensh does not prompt for passwords')
