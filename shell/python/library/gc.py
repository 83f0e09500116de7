"""gc: accepted for compatibility. tensh counts references and collects cycles by itself."""


def collect(generation=2):
    return 0


def enable():
    pass


disable = enable


def isenabled():
    return True
