#!/usr/bin/env python3
"""./dev release: writes the version and the changelog of a release.

    release.py [VERSION] [--dry-run]     stamps tensh.h and CHANGELOG.md; without VERSION, with that of tensh.h
    release.py --next FOLDER             prints what remains to be done with the packages in FOLDER
    release.py --sizes FOLDER            refuses an archive in FOLDER that is too large to be published

Refuses a working tree with changes, a version that is tagged or lower than that of tensh.h, and a changelog in which
nothing is unreleased. --dry-run prints the changes and leaves the files alone.
"""
import argparse
import difflib
import glob
import os
import re
import subprocess
import sys
import time

import changelog
from files import ROOT

HEADER, NOTES = 'runtime/include/tensh/tensh.h', 'CHANGELOG.md'
MOST_BYTES = 12_000_000  # of the relocatable archive
NEXT = '''
Next:
  git commit -a -m 'Release {version}'
  git tag -a v{version} -m 'tensh {version}'
  git push --follow-tags
  Publish the files of {folder}; SHA256SUMS has their checksums.
To give it up: git checkout -- {header} {notes}'''


def git(*args):
    done = subprocess.run(['git', '-C', ROOT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit('release: git %s: %s' % (args[0], done.stderr.decode().strip()))
    return done.stdout.decode().strip()


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as f:
        return f.read()


def number(version):
    return tuple(map(int, version.split('.')))


def stamp_header(text, version):
    """Returns tensh.h with the version in its four macros."""
    values = dict(zip(('_MAJOR', '_MINOR', '_PATCH'), version.split('.')), **{'': '"%s"' % version})
    for suffix, value in values.items():
        text, count = re.subn(r'^(#define TENSH_VERSION%s) \S+$' % suffix, r'\g<1> ' + value, text, flags=re.M)
        if count != 1:
            sys.exit('release: %s does not define TENSH_VERSION%s once' % (HEADER, suffix))
    return text


def stamp_notes(text, version, date):
    """Returns the changelog with the unreleased entries below the heading of the release."""
    releases = changelog.parse(text)
    if not releases or releases[0].version or not releases[0].entries():
        sys.exit('release: %s has no entries below "%s"' % (NOTES, changelog.UNRELEASED))
    if any(release.version == version for release in releases):
        sys.exit('release: %s already has a release %s' % (NOTES, version))
    head = '%s\n\n%s\n\n## %s (%s)\n' % (changelog.UNRELEASED, changelog.NOTHING, version, date)
    return text.replace(changelog.UNRELEASED + '\n', head, 1)


def check_sizes(folder):
    """Exits with an error if the relocatable archive has more than 12 MB."""
    for path in glob.glob(os.path.join(folder, 'tensh-*-linux-*.tar.xz')):
        size = os.path.getsize(path)
        if size > MOST_BYTES:
            sys.exit('release: %s has %.1f MB, more than %.0f; docs/install.md lists its largest parts' %
                     (path, size / 1e6, MOST_BYTES / 1e6))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('version', nargs='?')
    parser.add_argument('--dry-run', action='store_true')
    parser.add_argument('--next', metavar='FOLDER')
    parser.add_argument('--sizes', metavar='FOLDER')
    options = parser.parse_args()
    if options.sizes:
        check_sizes(options.sizes)
        return
    old = re.search(r'^#define TENSH_VERSION "(.+)"$', read(HEADER), re.M).group(1)
    version = options.version or old
    if options.next:
        print(NEXT.format(version=version, folder=options.next, header=HEADER, notes=NOTES))
        return
    if not re.fullmatch(r'\d+\.\d+\.\d+', version):
        sys.exit('release: the version has three numbers, such as 1.2.3, not %r' % version)
    if number(version) < number(old):
        sys.exit('release: %s is lower than %s, the version of %s' % (version, old, HEADER))
    dirty = git('status', '--porcelain')
    if dirty:
        sys.exit('release: commit or stash these changes first:\n' + dirty)
    if git('tag', '--list', 'v' + version):
        sys.exit('release: the tag v%s exists; give a higher version: ./dev release VERSION' % version)
    stamped = {HEADER: stamp_header(read(HEADER), version),
               NOTES: stamp_notes(read(NOTES), version, time.strftime('%Y-%m-%d', time.gmtime()))}
    for path, text in stamped.items():
        if options.dry_run:
            sys.stdout.writelines(difflib.unified_diff(read(path).splitlines(True), text.splitlines(True), path, path, n=1))
        else:
            with open(os.path.join(ROOT, path), 'w', encoding='utf-8') as f:
                f.write(text)


if __name__ == '__main__':
    main()
