# Names are Unicode's, in any script.
größe = 3
中文 = [größe, 'ß']
αβγ_1 = lambda ñ: ñ * 2
class Überschrift:
    élan = 1
print(größe, 中文, αβγ_1(4), Überschrift().élan, Überschrift.__name__)
print(f'{größe} {中文[1]!r}')
