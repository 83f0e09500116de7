# break and continue in a finally block let go of the value that was to be returned.
def f():
    for i in 'ab':
        try:
            return 1
        finally:
            continue
    return 'end'
print(f())
def g():
    for i in 'ab':
        try:
            return 1
        finally:
            break
    return 'end'
print(g())
def h():
    for i in range(3):
        try:
            try:
                return i
            finally:
                if i < 2: continue
        finally:
            print('outer', i)
    return 'end'
print(h())
def k():
    while True:
        try:
            return 1
        finally:
            try:
                return 2
            finally:
                break
    return 3
print(k())
def m():
    for i in 'ab':
        for j in 'cd':
            try:
                return 1
            finally:
                try:
                    break
                finally:
                    print(i, j)
    return 'end'
print(m())
def w():
    for i in range(2):
        try: 1/0
        except ZeroDivisionError as e:
            try: return i
            finally: continue
    return 'done'
print(w())
