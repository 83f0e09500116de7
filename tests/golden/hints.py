#!/usr/bin/env python3
"""Pastes every hint that the transcripts of tests/golden show, and fails if one of them is an error.

    hints.py --tensh build/tensh [--rotate] [TRANSCRIPT ...]

A hint is a command after a colon, as in `Move it: place a on /cpu:1` or `next: why a · graph a`. It is typed where the
transcript shows it, after all cells before it. One with a name to fill in, such as X or FILE, is not typed. With --rotate, if
TENSH_TENTH is a digit, only every tenth transcript is tried, starting with that one.
"""
import argparse
import concurrent.futures
import glob
import os
import re
import sys

import run

VERBS = ('apply|at|back|bench|cells|devices|edges|eval|events|explain|graph|graphs|help|history|li|lo|load|ni|nodes|open|ops|place|'
         'plot|profile|pt|read|redo|reset|run|save|session|sessions|set|show|sql|step|time|trace|transfers|undo|unwatch|vars|watch|why')
HINT = re.compile(r'(?<!Error)(?:: | [·-] )((?:%s)\b(?: [^·]*?)?)(?=$| [·-] |; |\. (?=[A-Z]))' % VERBS, re.M)
TO_FILL_IN = re.compile(r'…|\b(X|Y|FILE|NAME|NODE|EXPR|SESSION|LESSON|SCOPE|CODE|N)\b')
# Commands that the shell shows as a quotation, not as a hint.
QUOTED = re.compile(r'^\s*(line \d+|In\[\d+\]|made in|@\d+|hidden|back)\b|Usage: |^ ?\+ |^    |^#|^\s+(?:hidden|back) @')
ERROR = re.compile(r'^<stdin>:\d+:\d+: |^Traceback', re.M)
# A hint may lead to the next one.
NEXT_STEP = 'Run: run tf.global_variables_initializer()'


def hints_in(output):
    for line in output.split('\n'):
        if QUOTED.search(line):
            continue
        for match in HINT.finditer(line):
            hint = match.group(1).rstrip()
            if not TO_FILL_IN.search(re.sub(r'"[^"]*"', '', hint)):
                yield hint


def paste(tensh, path):
    """Returns the number of hints of a transcript, and a description of each that fails."""
    options = argparse.Namespace(tensh=tensh, mode='')
    folder = os.path.dirname(path)
    cells = run.parse_transcript(run.read(path))
    wrong, seen = [], set()
    for i, (_, output) in enumerate(cells[1:], 1):  # cells[0] is a comment
        for hint in hints_in(output):
            before = ''.join(cell[0] for cell in cells[:i + 1])
            if hint in seen:
                continue
            seen.add(hint)
            mark = "print('the ' + 'hint')\n"
            _, out, _ = run.launch(options, ['--keep-going'], folder, before + mark + hint + '\n', merge=True)
            said = out.rpartition('the hint\n')[2]
            if ERROR.search(said) and NEXT_STEP not in said:
                wrong.append('%s: %s\n  fails after %s  %s' % (os.path.basename(path), hint, cells[i][0], said.strip()[:400]))
    return len(seen), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--rotate', action='store_true')
    parser.add_argument('paths', nargs='*')
    options = parser.parse_args()
    paths = options.paths or sorted(p for p in glob.glob(os.path.join(run.HERE, '*', '*.tsh')) if run.Case(p).transcript)
    if options.rotate and os.environ.get('TENSH_TENTH', '').isdigit():
        paths = paths[int(os.environ['TENSH_TENTH'])::10]
    tensh = os.path.abspath(options.tensh)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda path: paste(tensh, os.path.abspath(path)), paths))
    wrong = [text for _, texts in done for text in texts]
    if wrong:
        sys.exit('\n'.join(wrong))
    print('hints: %d of %d transcripts can be pasted' % (sum(n for n, _ in done), len(paths)))


if __name__ == '__main__':
    main()
