"""Helpers of the packaging scripts: commands, file trees and ELF files."""
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def run(*command, **options):
    """Runs a command and returns its standard output. Raises SystemExit with its messages if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
    if done.returncode != 0:
        raise SystemExit('%s: exit code %d\n%s' % (' '.join(command), done.returncode, done.stderr.decode('utf-8', 'replace')))
    return done.stdout.decode('utf-8', 'replace')


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def files_of(tree):
    """Yields the paths of all files below a folder, relative to it and in a fixed order."""
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), tree)


def is_elf(path):
    if os.path.islink(path):
        return False
    with open(path, 'rb') as f:
        return f.read(4) == b'\x7fELF'


def build_id(path):
    """Returns the build id of an ELF file as hexadecimal digits."""
    found = re.search(r'Build ID: ([0-9a-f]+)', run('readelf', '-n', path))
    if not found:
        raise SystemExit('package: %s has no build id; link it with -Wl,--build-id' % path)
    return found.group(1)


def source_time():
    """Returns $SOURCE_DATE_EPOCH, or the time of the last commit, in seconds since 1970."""
    if os.environ.get('SOURCE_DATE_EPOCH'):
        return int(os.environ['SOURCE_DATE_EPOCH'])
    if os.path.exists(os.path.join(ROOT, '.git')):
        return int(run('git', '-c', 'safe.directory=*', '-C', ROOT, 'log', '-1', '--format=%ct'))
    return int(os.path.getmtime(os.path.join(ROOT, 'CHANGELOG.md')))
