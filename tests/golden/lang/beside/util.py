K = 5


class C:
    pass


def get():
    return K


def fail():
    return 1 / 0
