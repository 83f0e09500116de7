#!/usr/bin/env python3
"""./dev wheel: makes the Python package of a build.

    wheel.py --build build --out DIR [--fast]

Writes DIR/tensh-VERSION-cp39-abi3-manylinux_X_Y_MACHINE.whl: the Python files of shell/python_bridge/package, the extension
module, the archive's plug-in for gRPC if it was built, and the libraries that these need and that manylinux does not guarantee. The tag names the oldest glibc that has all
symbols that these files use. The same build and source give the same file.
"""
import argparse
import base64
import hashlib
import os
import re
import shutil
import tempfile
import time
import zipfile

import archive
import stubs
from files import ROOT, files_of, is_elf, run, source_time, write

# Libraries that manylinux guarantees besides glibc's, so that they must not be in a wheel.
GUARANTEED = {'libstdc++.so.6', 'libgcc_s.so.1', 'libz.so.1'}
# The glibc of the first manylinux that has this libstdc++ (GLIBCXX_3.4.N).
LIBSTDCXX = {28: (2, 31), 29: (2, 34), 30: (2, 35), 31: (2, 39), 32: (2, 39), 33: (2, 39)}
# Libraries of OpenSSL 3, which every system with the glibc of the wheel has. They would be a sixth of the wheel, and
# only hashlib of the shell and gRPC need them.
OF_THE_SYSTEM = {'libcrypto.so.3', 'libssl.so.3'}
LOADED = [name for name in archive.LOADED if not name.startswith('libcrypto')]
MAX_BYTES = 15e6
SUMMARY = 'Dataflow graphs of TensorFlow 1.x: build, run, explain'


def version_of(build):
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as f:
        return re.search('^CMAKE_PROJECT_VERSION:STATIC=(.+)$', f.read(), re.M).group(1)


def tag_of(folder):
    """Returns the platform tag: the oldest manylinux that has all symbols that the files use."""
    elves = [os.path.join(folder, path) for path in files_of(folder) if is_elf(os.path.join(folder, path))]
    text = run('readelf', '-VW', *elves)
    needed = [(int(major), int(minor)) for major, minor in re.findall(r'\bGLIBC_(\d+)\.(\d+)', text)]
    for minor in {int(minor) for minor in re.findall(r'\bGLIBCXX_3\.4\.(\d+)', text)}:
        needed.append(LIBSTDCXX.get(minor, (2, 17) if minor < 28 else (2, 40)))
    return 'manylinux_%d_%d_%s' % (max(needed) + (os.uname().machine,))


def add_libraries(package, fast):
    """Copies the libraries that the module and the plug-in for gRPC need beside them; with `fast`, only those of the module."""
    module, plugin = os.path.join(package, '_tensh.abi3.so'), os.path.join(package, 'libtensh_dist.so')
    loaded = dict(item for item in archive.loaded_libraries() if item[0] in LOADED)
    needed, own = dict(loaded), [path for path in (module, plugin) if os.path.exists(path) and not (fast and path == plugin)]
    for path in own + list(loaded.values()):
        needed.update(archive.libraries_of(path))
    folder, licenses = os.path.join(package, 'lib'), os.path.join(package, 'licenses')
    os.makedirs(folder)
    os.makedirs(licenses)
    for name, path in sorted(needed.items()):
        if name in GUARANTEED or name in OF_THE_SYSTEM:
            continue
        target = os.path.join(folder, name)
        shutil.copyfile(os.path.realpath(path), target)
        run('strip', '--strip-unneeded', target)
        run('patchelf', '--force-rpath', '--set-rpath', '$ORIGIN', target)
        owner = archive.package_of(path)
        shutil.copyfile('/usr/share/doc/%s/copyright' % owner, os.path.join(licenses, owner))
    for path in own:
        run('strip', '--strip-unneeded', path)
        # An RPATH is also searched for libraries that are loaded by name.
        run('patchelf', '--force-rpath', '--set-rpath', '$ORIGIN/lib', path)


def add_metadata(stage, version, tag):
    info = os.path.join(stage, 'tensh-%s.dist-info' % version)
    with open(os.path.join(ROOT, 'docs', 'python.md'), encoding='utf-8') as f:
        description = f.read()
    write(os.path.join(info, 'METADATA'),
          'Metadata-Version: 2.1\nName: tensh\nVersion: %s\nSummary: %s\nLicense: Apache-2.0\nRequires-Python: >=3.9\n'
          'Requires-Dist: numpy >=1.20\nDescription-Content-Type: text/markdown\n\n%s' % (version, SUMMARY, description))
    write(os.path.join(info, 'WHEEL'),
          'Wheel-Version: 1.0\nGenerator: tensh (%s)\nRoot-Is-Purelib: false\nTag: cp39-abi3-%s\n' % (version, tag))
    write(os.path.join(info, 'entry_points.txt'), '[console_scripts]\ntensh = tensh.__main__:main\n')
    write(os.path.join(info, 'top_level.txt'), 'tensh\n')
    shutil.copyfile(os.path.join(ROOT, 'LICENSE'), os.path.join(info, 'LICENSE'))
    lines = []
    for path in sorted(files_of(stage)):
        with open(os.path.join(stage, path), 'rb') as f:
            content = f.read()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')
        lines.append('%s,sha256=%s,%d\n' % (path, digest, len(content)))
    record = os.path.relpath(os.path.join(info, 'RECORD'), stage)
    write(os.path.join(stage, record), ''.join(lines) + record + ',,\n')


def pack(stage, target, level):
    """Writes the archive; RECORD, which sorts after the other metadata, is last as the standard recommends."""
    when = time.gmtime(max(source_time(), 315532800))[:6]
    paths = sorted(files_of(stage), key=lambda path: ('.dist-info/' in path, path.endswith('/RECORD'), path))
    with zipfile.ZipFile(target, 'w', zipfile.ZIP_DEFLATED, compresslevel=level) as made:
        for path in paths:
            entry = zipfile.ZipInfo(path, when)
            entry.external_attr = (0o100755 if is_elf(os.path.join(stage, path)) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            with open(os.path.join(stage, path), 'rb') as f:
                made.writestr(entry, f.read(), compresslevel=level)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('--fast', action='store_true')
    options = parser.parse_args()
    module = os.path.join(options.build, 'python', 'tensh', '_tensh.abi3.so')
    if not os.path.exists(module):
        raise SystemExit('wheel: %s is missing: Python.h was not found (Debian: apt-get install python3-dev)' % module)
    version = version_of(options.build)
    os.makedirs(options.out, exist_ok=True)
    with tempfile.TemporaryDirectory() as stage:
        package = os.path.join(stage, 'tensh')
        shutil.copytree(os.path.join(ROOT, 'shell', 'python_bridge', 'package', 'tensh'), package,
                        ignore=shutil.ignore_patterns('__pycache__'))
        shutil.copyfile(module, os.path.join(package, '_tensh.abi3.so'))
        stubs.add(package)
        plugin = os.path.join(options.build, '' if options.fast else 'archive', 'libtensh_dist.so')
        if os.path.exists(plugin):
            shutil.copyfile(plugin, os.path.join(package, 'libtensh_dist.so'))
        add_libraries(package, options.fast)
        tag = tag_of(stage)
        add_metadata(stage, version, tag)
        target = os.path.join(options.out, 'tensh-%s-cp39-abi3-%s.whl' % (version, tag))
        pack(stage, target, 1 if options.fast else 9)
    size = os.path.getsize(target)
    print('%8.2f MB  %s' % (size / 1e6, target))
    if size > MAX_BYTES:
        raise SystemExit('wheel: the limit is %.0f MB' % (MAX_BYTES / 1e6))


if __name__ == '__main__':
    main()
