from enum import Enum, IntEnum, Flag, IntFlag, unique, auto
import enum


class Color(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3
    CRIMSON = 1

    def describe(self):
        return self.name.lower(), self.value

    @classmethod
    def default(cls):
        return cls.GREEN


print(Color.RED, repr(Color.RED), Color.RED.name, Color.RED.value, Color(2), Color['BLUE'], Color.CRIMSON is Color.RED)
print(list(Color), len(Color), Color.BLUE in Color, [c.name for c in Color], Color.__members__)
print(Color.RED == Color.RED, Color.RED == 1, Color.RED is not Color.BLUE, {Color.RED: 'r'}[Color.CRIMSON], Color.GREEN.describe())
print(Color.default(), Color, type(Color.RED), isinstance(Color.RED, Color), '%s' % Color.RED, '{:>12}|'.format(Color.RED), f'{Color.RED}')
for wrong in (lambda: Color(9), lambda: Color['PINK']):
    try:
        wrong()
    except (ValueError, KeyError) as e:
        print(type(e).__name__, e)


class Mode(IntEnum):
    TRAIN = 0
    EVAL = 1
    PREDICT = 2


print(Mode.EVAL, repr(Mode.EVAL), Mode.EVAL + 1, Mode.EVAL == 1, Mode.EVAL < Mode.PREDICT, [10, 20, 30][Mode.PREDICT], sorted([Mode.PREDICT, Mode.TRAIN]))
print(int(Mode.PREDICT), Mode(1).name, '%d %s' % (Mode.EVAL, Mode.EVAL), max(Mode), isinstance(Mode.EVAL, int))


class Auto(Enum):
    A = auto()
    B = auto()
    C = 10
    D = auto()


print([(a.name, a.value) for a in Auto])
try:
    @unique
    class Twice(Enum):
        ONE = 1
        UNO = 1
except ValueError as e:
    print(e)
Animal = Enum('Animal', 'CAT DOG')
print(list(Animal), Animal.DOG.value, Enum('T', {'a': 5}).a.value, Enum('S', ['x', 'y'])['y'])


class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def density(self):
        return round(self.mass / self.radius ** 3, 4)


print(Planet.EARTH.mass, Planet.MARS.density, Planet.MARS.value)


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()


both = Perm.R | Perm.W
print(Perm.R, both.value, Perm.R in both, Perm.X in both, bool(both & Perm.X), (both ^ Perm.R) is Perm.W, [p.value for p in Perm])


class Bits(IntFlag):
    ONE = 1
    TWO = 2


print(Bits.ONE | Bits.TWO, int(Bits.ONE | Bits.TWO), Bits(3) == 3, Bits.ONE & 3)


class Kind(str, Enum):
    A = 'a'
    B = 'b'


print(Kind.A == 'a', Kind('b'), Kind.A.upper(), Kind.B.value)
try:
    class More(Color):
        BLACK = 4
except TypeError as e:
    print(e)
try:
    Color.RED.value = 4
except AttributeError as e:
    print('AttributeError')
print(enum.Enum, issubclass(Color, enum.Enum))
