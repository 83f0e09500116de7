"""gc: memory is counted here, and cycles are found when a program ends."""


def collect(generation=2):
    return 0


def enable():
    pass


disable = enable


def isenabled():
    return True
