#!/usr/bin/env python3
"""unity.py FOLDER NAME -- FILE... [-- FILE...]

Combines C++ files into larger ones of at most LINES lines (LINES_OF_OPS for ops), so that the compiler reads their headers
once: headers are half of the time of a build. Files after different `--` have different compiler options and are not
combined. Writes FOLDER/NAME_N.cc and prints a line for each `--`: the files to compile, separated by semicolons.

Two files are combined only if neither one, nor a header that it alone includes, contains a name that the other defines for
itself: in an anonymous namespace, with `static`, or as a macro. Comments and strings do not count. So a file that compiles alone also compiles in a
combination, and names need to be unique only where the linker sees them.
"""
import os
import re
import sys

LINES = 1500
# The templates of an op take more time than its headers, and whoever changes an op should not wait for ten others.
LINES_OF_OPS = 500
# Tables that most files of the shell have for themselves and that no header names. A macro makes them different.
TABLES = {'kExamples', 'kRows', 'kMethods', 'kProperties', 'kConstants', 'kFunctions'}

COMMENTS_AND_STRINGS = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
# What a file has for itself is in its anonymous namespaces and begins a line: the name is before one of ( [ = { ; : final.
ANONYMOUS = re.compile(r'^namespace \{$(.*?)^\}  // namespace$', re.M | re.S)
DECLARED = re.compile(r'^(?!namespace\b|template\b|TEST)[A-Za-z_][^;{}=()\[\]]*?\b([A-Za-z_]\w*)\s*(?=[(\[={;]|:[^:]|final\b)', re.M)
STATIC = re.compile(r'^static [^;{}=()\[\]]*?\b([A-Za-z_]\w*)\s*(?=[(\[={;])', re.M)
MACRO = re.compile(r'^#\s*define\s+(\w+)', re.M)


INCLUDE = re.compile(r'^#\s*include "([^"]+)"', re.M)
headers = {}  # path -> (words, the headers that it includes)


def read_header(path):
    if path not in headers:
        headers[path] = (set(), [])
        if os.path.exists(path):  # generated ones are not in the source tree
            with open(path, encoding='utf-8') as file:
                text = file.read()
            headers[path] = (set(re.findall(r'[A-Za-z_]\w*', COMMENTS_AND_STRINGS.sub(' ', text))), INCLUDE.findall(text))
    return headers[path]


def all_headers(text):
    """Returns the headers of the project that the text includes, also through others."""
    found, ahead = set(), INCLUDE.findall(text)
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += read_header(path)[1]
    return found


class File:
    def __init__(self, path):
        self.path = path
        with open(path, encoding='utf-8') as file:
            text = file.read()
        self.lines = text.count('\n') + 1
        includes = list(re.finditer(r'^#\s*include.*$', text, re.M))
        code = COMMENTS_AND_STRINGS.sub(' ', text)
        # A macro before an #include changes the header, and `main` is one of a kind.
        first = includes[-1].start() if includes else 0
        self.alone = bool(MACRO.search(text, 0, first) or re.search(r'^int main\(', code, re.M))
        self.using = re.findall(r'^using namespace .*', code, re.M)
        self.words = set(re.findall(r'[A-Za-z_]\w*', code))
        self.own = set(STATIC.findall(code)) | set(MACRO.findall(code))
        for match in ANONYMOUS.finditer(text):
            self.own.update(DECLARED.findall(COMMENTS_AND_STRINGS.sub(' ', match[1])))
        tests = {'_'.join(names) for names in re.findall(r'^TEST\w*\((\w+),\s*(\w+)\)', code, re.M)}  # classes of GoogleTest
        self.own |= tests
        self.words |= tests
        self.tables = self.own & TABLES if path.startswith('shell/') else set()
        self.own -= self.tables
        self.headers = all_headers(text)

    def clashes(self, other):
        return self.own & other.words or any(self.own & headers[path][0] for path in other.headers - self.headers)

    def include(self, number):
        """Returns the text that includes the file and gives its tables names with this number."""
        define = ''.join('#define %s %s_%d\n' % (name, name, number) for name in sorted(self.tables))
        undefine = ''.join('#undef %s\n' % name for name in sorted(self.tables))
        return '%s#include "%s"\n%s' % (define, self.path, undefine)

    def fits(self, other):
        return self.using == other.using and not self.clashes(other) and not other.clashes(self)


def combine(files):
    """Puts each file into the first combination that takes it."""
    groups = []
    for file in files:
        most = LINES_OF_OPS if file.path.startswith('ops/') else LINES
        for group in groups:
            if (not file.alone and not group[0].alone and file.lines + sum(f.lines for f in group) <= most
                    and all(file.fits(other) for other in group)):
                group.append(file)
                break
        else:
            groups.append([file])
    return groups


def write(path, text):
    """Leaves a file that has this text alone, so that it is not compiled again."""
    if os.path.exists(path):
        with open(path, encoding='utf-8') as file:
            if file.read() == text:
                return
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def main():
    folder, name, *rest = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    number = 0
    for part in ' '.join(rest).split('--')[1:]:
        sources = []
        for group in combine([File(path) for path in sorted(part.split())]):
            if len(group) == 1:
                sources.append(group[0].path)
                continue
            path = os.path.join(folder, '%s_%d.cc' % (name, number))
            number += 1
            write(path, ''.join(file.include(i) for i, file in enumerate(group)))
            sources.append(path)
        print(';'.join(sources))


if __name__ == '__main__':
    main()
