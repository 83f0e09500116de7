#!/usr/bin/env python3
"""./dev package: makes Debian packages and a relocatable archive of a build.

    package.py --build build --out DIR [--fast]

Writes to DIR:

  tensh_VERSION_ARCH.deb          the shell with its plug-in for gRPC, man pages, completions, documentation, samples
  libtensh0_VERSION_ARCH.deb      libtensh.so.0
  libtensh-dev_VERSION_ARCH.deb   headers, pkg-config and CMake files
  tensh-cuda_VERSION_ARCH.deb     the plug-in for GPUs, if nvcc built it
  tensh-dbgsym_VERSION_ARCH.deb   the symbols that were stripped from all of these and from the archive
  tensh-VERSION-linux-MACHINE.tar.xz   the shell with all libraries except glibc (cmake/archive.py)
  SHA256SUMS

The version is the one of tensh.h; the packages of a version that CHANGELOG.md calls unreleased are VERSION~dev-1. Times
in the packages are those of $SOURCE_DATE_EPOCH, or of the last commit, so that the same source gives the same packages.
--fast compresses less, for tests.
"""
import argparse
import gzip
import hashlib
import os
import re
import shutil
import sys
import tempfile

import archive
import changelog
from files import ROOT, build_id, files_of, is_elf, run, source_time, write

MAINTAINER = 'tensh maintainers <maintainers@tensh.example>'  # $DEBFULLNAME and $DEBEMAIL replace it
SUMMARY = 'shell for TensorFlow 1.x dataflow graphs'
ABOUT = '''tensh is to dataflow graphs what sqlite3 is to databases. It runs scripts
that were written for TensorFlow 1.x, at a prompt or from a file, and
shows how each run is pruned, placed, partitioned and executed. It needs
neither Python nor TensorFlow.'''


class Package:
    """One binary package: its control fields, and patterns of the installed files that it contains."""

    def __init__(self, name, section, summary, text, patterns, **fields):
        self.name, self.section, self.summary, self.patterns = name, section, summary, patterns
        self.text, self.fields = ABOUT + '\n\n' + text, fields


PACKAGES = [
    Package('tensh', 'science', SUMMARY,
            'This package contains the shell, its plug-ins for TensorFlow servers\n'
            '(gRPC) and for packages of CPython, the manual and the samples.',
            [r'usr/bin/', r'usr/lib/[^/]+/tensh/libtensh_(dist|python)\.so', r'usr/share/'],
            # Libraries that are loaded when they are first needed. Without SQLite, no table could be shown.
            Depends='libsqlite3-0 (>= 3.38)',
            Recommends='libgif7, libjpeg62-turbo, liblapack3, libpng16-16, libssl3',
            Suggests='tensh-cuda, libpython3.11 | libpython3.12 | libpython3.13'),
    Package('libtensh0', 'libs', SUMMARY + ' (runtime library)',
            'This package contains the runtime of the shell as a C library, which\n'
            'builds and runs graphs.',
            [r'usr/lib/[^/]+/libtensh\.so\.'],
            Multi_Arch='same', Suggests='tensh (= {version})'),
    Package('libtensh-dev', 'libdevel', SUMMARY + ' (development files)',
            'This package contains the headers for C and C++, and files for\npkg-config and CMake.',
            [r'usr/include/', r'usr/lib/[^/]+/libtensh\.so$', r'usr/lib/[^/]+/(pkgconfig|cmake)/'],
            Multi_Arch='same', Depends='libtensh0 (= {version})'),
    Package('tensh-cuda', 'science', SUMMARY + ' (GPU devices)',
            'This package contains the plug-in that adds NVIDIA GPUs as devices. It\n'
            'needs the driver of the GPU. cuBLAS 12 or 13 and cuDNN 9 make it fast.',
            [r'usr/lib/[^/]+/tensh/libtensh_cuda\.so'],
            Depends='tensh (= {version})', Suggests='libcuda1'),
]
# The packages are incomplete without these files.
REQUIRED = ['usr/bin/tensh', 'usr/lib/*/libtensh.so', 'usr/lib/*/tensh/libtensh_dist.so', 'usr/share/man/man1/tensh.1',
            'usr/share/man/man1/tensh-serve.1', 'usr/share/bash-completion/completions/tensh']

COPYRIGHT = '''Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: tensh
Upstream-Contact: {maintainer}
Comment:
 The binaries contain code of header-only libraries: Eigen (MPL-2.0, source in
 Debian's package libeigen3-dev), Boost.Asio and Boost.Beast (BSL-1.0), and
 JSON for Modern C++ (Expat, see below).{cuda}

Files: *
Copyright: {years} tensh contributors
License: Apache-2.0

License: Apache-2.0
 Licensed under the Apache License, Version 2.0 (the "License"); you may not
 use this file except in compliance with the License. You may obtain a copy of
 the License at
 .
 https://www.apache.org/licenses/LICENSE-2.0
 .
 Unless required by applicable law or agreed to in writing, software
 distributed under the License is distributed on an "AS IS" BASIS, WITHOUT
 WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the
 License for the specific language governing permissions and limitations under
 the License.
 .
 On Debian systems, the full text of the Apache License 2.0 is in the file
 /usr/share/common-licenses/Apache-2.0.

Files: nlohmann/*
Copyright: 2013-2022 Niels Lohmann <https://nlohmann.me>
License: Expat

License: Expat
 Permission is hereby granted, free of charge, to any person obtaining a copy
 of this software and associated documentation files (the "Software"), to deal
 in the Software without restriction, including without limitation the rights
 to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
 copies of the Software, and to permit persons to whom the Software is
 furnished to do so, subject to the following conditions:
 .
 The above copyright notice and this permission notice shall be included in
 all copies or substantial portions of the Software.
 .
 THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
 IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
 FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
 AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
 LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
 OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
 SOFTWARE.
'''
CUDA_COPYRIGHT = '\n The plug-in contains libcudart_static, which NVIDIA allows to redistribute\n (CUDA EULA, attachment A).'


class Build:
    """What all packages have in common: the installed tree, the version, and the time of the source."""

    def __init__(self, options, stage):
        self.out, self.fast, self.stage = options.out, options.fast, stage
        self.folder = options.build
        self.version = self.setting('CMAKE_PROJECT_VERSION:STATIC')
        self.notes = changelog.read(os.path.join(ROOT, 'CHANGELOG.md'))
        released = any(release.version == self.version for release in self.notes)
        self.debian_version = self.version + ('-1' if released else '~dev-1')
        self.architecture = run('dpkg', '--print-architecture').strip()
        self.epoch = source_time()
        os.environ['SOURCE_DATE_EPOCH'] = str(self.epoch)  # for dpkg-deb
        name, email = os.environ.get('DEBFULLNAME'), os.environ.get('DEBEMAIL')
        self.maintainer = '%s <%s>' % (name, email) if name and email else MAINTAINER
        self.tree = os.path.join(stage, 'tree')
        self.symbols = os.path.join(stage, 'symbols')
        self.archive_plugin = None  # the path of the plug-in for gRPC that the archive has instead of the installed one

    def setting(self, key):
        with open(os.path.join(self.folder, 'CMakeCache.txt'), encoding='utf-8') as f:
            found = re.search('^%s=(.+)$' % re.escape(key), f.read(), re.M)
        return found.group(1) if found else ''

    def install(self):
        """Installs the build into the tree, and moves the symbols out of its files."""
        libraries = self.setting('CMAKE_INSTALL_LIBDIR:PATH')
        triplet = run('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()
        if libraries != 'lib/' + triplet:
            sys.exit('package: %s installs libraries in %s; configure it again with\n  cmake -B %s -DCMAKE_INSTALL_LIBDIR=lib/%s'
                     % (self.folder, libraries, self.folder, triplet))
        run('cmake', '--install', self.folder, '--prefix', '/usr', env=dict(os.environ, DESTDIR=self.tree))
        found = list(files_of(self.tree))
        for pattern in REQUIRED:
            if not any(re.fullmatch(pattern.replace('*', '[^/]*'), path) for path in found):
                sys.exit('package: %s is missing in %s; run ./dev build' % (pattern, self.folder))
        for path in found:
            if is_elf(os.path.join(self.tree, path)):
                strip(os.path.join(self.tree, path), self.symbols)
        plugin = os.path.join(self.folder, 'archive', 'libtensh_dist.so')
        if os.path.exists(plugin):
            self.archive_plugin = os.path.join(self.stage, 'libtensh_dist.so')
            shutil.copy2(plugin, self.archive_plugin)
            strip(self.archive_plugin, self.symbols)


def strip(path, symbols):
    """Moves the symbols of a file to the place below `symbols` where debuggers look, and strips the file."""
    identity = build_id(path)
    target = os.path.join(symbols, 'usr/lib/debug/.build-id', identity[:2], identity[2:] + '.debug')
    os.makedirs(os.path.dirname(target), exist_ok=True)
    run('objcopy', '--only-keep-debug', '--compress-debug-sections', path, target)
    run('strip', '--strip-unneeded', '-R', '.comment', '-R', '.note', path)
    run('objcopy', '--add-gnu-debuglink=' + target, path)


def gzipped(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f, gzip.GzipFile('', 'wb', 9, f, 0) as z:
        z.write(data)


def library_packages(folder):
    """The value of Depends for the libraries that the ELF files of a package link to."""
    elves = [os.path.join(folder, path) for path in files_of(folder) if is_elf(os.path.join(folder, path))]
    if not elves:
        return ''
    with tempfile.TemporaryDirectory() as work:  # dpkg-shlibdeps reads debian/control
        write(os.path.join(work, 'debian/control'), 'Source: tensh\n\nPackage: tensh\nArchitecture: any\nDescription: x\n')
        text = run('dpkg-shlibdeps', '-O', '-xlibtensh0', *elves, cwd=work)
    return text.strip().split('=', 1)[-1]


def add_documents(build, package, folder):
    documents = os.path.join(folder, 'usr/share/doc', package.name)
    if package.name == 'tensh-dbgsym':  # such packages contain no other files
        os.makedirs(os.path.dirname(documents), exist_ok=True)
        os.symlink('tensh', documents)
        return
    first = min(release.date.year for release in build.notes if release.date) if any(r.date for r in build.notes) else None
    last = changelog.utc(build.epoch).year
    write(os.path.join(documents, 'copyright'), COPYRIGHT.format(
        maintainer=build.maintainer, years='%d-%d' % (first, last) if first and first != last else last,
        cuda=CUDA_COPYRIGHT if package.name == 'tensh-cuda' else ''))
    gzipped(os.path.join(documents, 'changelog.Debian.gz'),
            changelog.debian(build.notes, build.debian_version, build.epoch, build.maintainer).encode())
    with open(os.path.join(ROOT, 'CHANGELOG.md'), 'rb') as f:
        gzipped(os.path.join(documents, 'changelog.gz'), f.read())
    for name in ('LICENSE', 'CHANGELOG.md'):  # these are the files above
        path = os.path.join(documents, name)
        if os.path.exists(path):
            os.remove(path)
    manual = os.path.join(folder, 'usr/share/man/man1')
    for name in os.listdir(manual) if os.path.isdir(manual) else ():
        with open(os.path.join(manual, name), 'rb') as f:
            gzipped(os.path.join(manual, name + '.gz'), f.read())
        os.remove(os.path.join(manual, name))


def control_fields(build, package, folder):
    """The lines of DEBIAN/control."""
    fields = {name.replace('_', '-'): value.format(version=build.debian_version) for name, value in package.fields.items()}
    fields['Depends'] = ', '.join(filter(None, [fields.get('Depends'), library_packages(folder)]))
    size = sum((os.lstat(os.path.join(folder, path)).st_size + 1023) // 1024 for path in files_of(folder))
    first = {'Package': package.name, 'Source': 'tensh', 'Version': build.debian_version, 'Architecture': build.architecture,
             'Maintainer': build.maintainer, 'Installed-Size': size, 'Section': package.section, 'Priority': 'optional'}
    if package.name == 'tensh':
        del first['Source']
    lines = ['%s: %s' % field for field in {**first, **fields}.items() if field[1]]
    return lines + ['Description: ' + package.summary] + [' ' + (line or '.') for line in package.text.split('\n')]


def debian_package(build, package):
    """Makes one package of the files of the tree that match its patterns. Returns its path, or None if there are none."""
    paths = [path for path in files_of(build.tree) if any(re.match(pattern, path) for pattern in package.patterns)]
    if not paths:
        return None
    folder = os.path.join(build.stage, package.name)
    for path in paths:
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(build.tree, path), target, follow_symlinks=False)
    add_documents(build, package, folder)
    control = control_fields(build, package, folder)
    write(os.path.join(folder, 'DEBIAN/control'), '\n'.join(control) + '\n')
    if package.name == 'libtensh0':
        write(os.path.join(folder, 'DEBIAN/triggers'), 'activate-noawait ldconfig\n')
        write(os.path.join(folder, 'DEBIAN/shlibs'), 'libtensh 0 libtensh0 (>= %s)\n' % build.debian_version.split('-')[0])
    sums = []
    for path in files_of(folder):
        full = os.path.join(folder, path)
        if os.path.islink(full):
            continue
        os.chmod(full, 0o755 if path.startswith('usr/bin/') else 0o644)
        if not path.startswith('DEBIAN/'):
            with open(full, 'rb') as f:
                sums.append('%s  %s\n' % (hashlib.md5(f.read()).hexdigest(), path))
    write(os.path.join(folder, 'DEBIAN/md5sums'), ''.join(sums))
    target = os.path.join(build.out, '%s_%s_%s.deb' % (package.name, build.debian_version, build.architecture))
    level = ['-Zgzip', '-z1'] if build.fast else ['-Zxz', '-z9', '-Sextreme']
    run('dpkg-deb', '--root-owner-group', *level, '--build', folder, target)
    return target


def symbols_package(build):
    """Makes the package that holds the symbols of all others."""
    identities = sorted(''.join(path.split('/')[-2:])[:-len('.debug')] for path in files_of(build.symbols))
    package = Package('tensh-dbgsym', 'debug', 'debug symbols for tensh', '', [r'usr/lib/debug/'],
                      Depends='tensh (= {version})', Auto_Built_Package='debug-symbols', Build_Ids=' '.join(identities))
    package.text = 'Debuggers and profilers find the symbols here that were stripped from\ntensh, libtensh0, tensh-cuda and the relocatable archive.'
    shutil.move(os.path.join(build.symbols, 'usr/lib/debug'), os.path.join(build.tree, 'usr/lib/debug'))
    return debian_package(build, package)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--out', required=True)
    parser.add_argument('--fast', action='store_true')
    options = parser.parse_args()
    options.out = os.path.abspath(options.out)
    os.umask(0o022)
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    with tempfile.TemporaryDirectory() as stage:
        build = Build(options, stage)
        build.install()
        made = [debian_package(build, package) for package in PACKAGES]
        made.append(archive.make(build))
        made.append(symbols_package(build))
        made = [path for path in made if path]
    with open(os.path.join(options.out, 'SHA256SUMS'), 'w') as f:
        for path in made:
            with open(path, 'rb') as content:
                f.write('%s  %s\n' % (hashlib.sha256(content.read()).hexdigest(), os.path.basename(path)))
    for path in made:
        print('%8.2f MB  %s' % (os.path.getsize(path) / 1e6, path))


if __name__ == '__main__':
    main()
