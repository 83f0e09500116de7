"""Type stubs of tensh.compat.v1 for the Python package, made of docs/names.md: the names, signatures and documentation of `tf`."""
import ast
import keyword
import os
import re

from files import ROOT, write

LINE = re.compile(r'^\* `tf\.([\w.]+)(\(.*\))?`: (.*)$')
SAME = re.compile(r'^The same as tf\.([\w.]+)\.$')
START = '"""The API of TensorFlow 1.x, as tensh implements it."""\nfrom typing import Any\n\n'


def read_names(path):
    """Returns {path of a name: (signature or None, documentation)}; an alias has those of its target."""
    with open(path, encoding='utf-8') as file:
        names = {m.group(1): (m.group(2), m.group(3)) for m in map(LINE.match, file) if m}
    for name, (_, doc) in list(names.items()):
        same = SAME.match(doc)
        if same and same.group(1) in names:
            names[name] = names[same.group(1)][0], doc
    return {n: v for n, v in names.items() if all(p.isidentifier() and not keyword.iskeyword(p) for p in n.split('.'))}


def signature_of(text):
    """Returns a signature of which all types are Any."""
    try:
        args = ast.parse('def f%s: pass' % text).body[0].args
    except SyntaxError:
        return '*args: Any, **kwargs: Any'
    plain = args.posonlyargs + args.args
    parts = [a.arg + ': Any' + (' = ...' if i >= len(plain) - len(args.defaults) else '') for i, a in enumerate(plain)]
    if args.posonlyargs:
        parts.insert(len(args.posonlyargs), '/')
    if args.vararg or args.kwonlyargs:
        parts.append('*' + (args.vararg.arg + ': Any' if args.vararg else ''))
    parts += [a.arg + ': Any' + (' = ...' if d is not None else '') for a, d in zip(args.kwonlyargs, args.kw_defaults)]
    return ', '.join(parts + (['**%s: Any' % args.kwarg.arg] if args.kwarg else []))


def stub_of(name, signature, doc):
    text = '"""%s"""' % doc.replace('\\', '').replace('"""', "'''").rstrip('"')
    if signature is None:
        return '%s: Any\n%s\n' % (name, text)
    if name[0].isupper():
        own = 'self' + (', ' if signature_of(signature) else '') + signature_of(signature)
        return 'class %s:\n    %s\n    def __init__(%s) -> None: ...\n    def __getattr__(self, name: str) -> Any: ...\n' % (name, text, own)
    return 'def %s(%s) -> Any:\n    %s\n' % (name, signature_of(signature), text)


def add(package):
    """Writes the stubs below the folder of the package."""
    names = read_names(os.path.join(ROOT, 'docs', 'names.md'))
    parents = {n.rsplit('.', 1)[0] for n in names if '.' in n}
    modules = {''} | {p.rsplit('.', i)[0] for p in parents for i in range(p.count('.') + 1)}
    modules = {m for m in modules if not any(part[0].isupper() for part in m.split('.') if part)}
    for module in sorted(modules):
        inside = sorted(m for m in modules if m and m.rpartition('.')[0] == module)
        text = START + ''.join('from . import {0} as {0}\n'.format(m.rpartition('.')[2]) for m in inside)
        for name in sorted(names):
            if name.rpartition('.')[0] == module and name not in modules:
                text += stub_of(name.rpartition('.')[2], *names[name])
        write(os.path.join(package, 'compat', 'v1', *module.split('.'), '__init__.pyi'), text + '\ndef __getattr__(name: str) -> Any: ...\n')
