"""fnmatch: matching of file names against shell patterns."""


def _set_end(pat, i):
    """Returns the index of the ] that closes the set which begins before i, or -1 if there is none."""
    j = i + 1 if pat[i:i + 1] == '!' else i
    return pat.find(']', j + 1)


def translate(pat):
    import re
    out, i = '', 0
    while i < len(pat):
        c = pat[i]
        i += 1
        if c == '*':
            out += '.*'
        elif c == '?':
            out += '.'
        elif c == '[' and _set_end(pat, i) >= 0:
            end = _set_end(pat, i)
            inside = pat[i:end].replace('\\', '\\\\')
            i = end + 1
            out += '[' + ('^' + inside[1:] if inside[0] == '!' else '\\' + inside if inside[0] == '^' else inside) + ']'
        else:
            out += re.escape(c)
    return '(?s:' + out + ')\\Z'


def fnmatchcase(name, pat):
    import re
    return re.match(translate(pat), name) is not None


def fnmatch(name, pat):
    return fnmatchcase(name, pat)


def filter(names, pat):
    return [n for n in names if fnmatchcase(n, pat)]
