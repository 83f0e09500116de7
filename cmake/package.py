#!/usr/bin/env python3
"""./dev package [--out DIR]: builds the Debian packages and the relocatable archive from an installed tree.

    package.py --build build --out DIR

Writes to DIR:

  tensh_VERSION_ARCH.deb         the shell with its plug-in for gRPC, man pages, completions, samples
  libtensh0_VERSION_ARCH.deb     libtensh.so.0
  libtensh-dev_VERSION_ARCH.deb  headers, pkg-config and CMake files
  tensh-cuda_VERSION_ARCH.deb    the plug-in for GPUs, if nvcc built it
  tensh-VERSION-linux-MACHINE.tar.xz   everything that the shell needs beside glibc; runs from any folder
  tensh-VERSION-debug.tar.xz     the debug symbols, by build id, if the build has any
  SHA256SUMS

The archive needs the glibc of the machine that builds it, or a newer one; its README states the version. Needs
dpkg-dev and patchelf, which `./dev package` installs.
"""
import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAINTAINER = 'tensh maintainers <maintainers@users.noreply.tensh.example>'
SUMMARY = 'shell for TensorFlow 1.x dataflow graphs'
# Package: (section, what it depends on beside its libraries, one-line and long description, patterns of its files)
PACKAGES = {
    'tensh': ('science', [], SUMMARY,
              'tensh is to dataflow graphs what sqlite3 is to databases. It runs TensorFlow 1.x\n'
              'scripts, and shows pruning, placement, partitioning and timing of each run.',
              [r'usr/bin/', r'usr/lib/[^/]+/tensh/libtensh_dist\.so', r'usr/share/']),
    'libtensh0': ('libs', [], 'runtime for dataflow graphs',
                  'The C library that builds and runs the graphs of tensh.', [r'usr/lib/[^/]+/libtensh\.so\.']),
    'libtensh-dev': ('libdevel', ['libtensh0 (= {version})'], 'runtime for dataflow graphs (development files)',
                     'Headers for C and C++, and the files for pkg-config and CMake.',
                     [r'usr/include/', r'usr/lib/[^/]+/libtensh\.so$', r'usr/lib/[^/]+/(pkgconfig|cmake)/']),
    'tensh-cuda': ('science', ['tensh (= {version})'], SUMMARY + ' (GPU devices)',
                   'The plug-in that adds NVIDIA GPUs as devices. It needs the driver of the GPU.',
                   [r'usr/lib/[^/]+/tensh/libtensh_cuda\.so']),
}
# Libraries that are loaded by name when they are first needed, so that no tool finds them in the binary. The first
# that exists of each row is bundled, if its size is worth it.
LOADED = ['libdnnl.so.2', 'libpng16.so.16', 'libjpeg.so.62', 'libgif.so.7', 'libcrypto.so.3']
RECOMMENDED = 'libdnnl2, libpng16-16, libjpeg62-turbo, libgif7, libssl3, liblapack3'
GLIBC = re.compile(r'^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^.]*)\.so')


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout.decode()


def version_of(build):
    with open(os.path.join(build, 'CMakeCache.txt'), encoding='utf-8') as f:
        return re.search(r'^CMAKE_PROJECT_VERSION:STATIC=(.+)$', f.read(), re.M).group(1)


def files_of(tree):
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), tree)


def is_elf(path):
    if os.path.islink(path):
        return False
    with open(path, 'rb') as f:
        return f.read(4) == b'\x7fELF'


def strip(path, symbols):
    """Moves the debug symbols of a file to `symbols` and strips it."""
    if '.debug_info' in run('readelf', '-SW', path):
        target = os.path.join(symbols, os.path.basename(path) + '.debug')
        os.makedirs(symbols, exist_ok=True)
        run('objcopy', '--only-keep-debug', path, target)
        run('strip', '--strip-unneeded', path)
        run('objcopy', '--add-gnu-debuglink=' + target, path)
    else:
        run('strip', '--strip-unneeded', path)


def depends_of(package_tree, version):
    """The packages that hold the libraries which the files of the tree link to."""
    elves = [os.path.join(package_tree, path) for path in files_of(package_tree) if is_elf(os.path.join(package_tree, path))]
    if not elves:
        return ''
    with tempfile.TemporaryDirectory() as folder:  # dpkg-shlibdeps reads debian/control
        os.makedirs(os.path.join(folder, 'debian'))
        with open(os.path.join(folder, 'debian', 'control'), 'w') as f:
            f.write('Source: tensh\n\nPackage: tensh\nArchitecture: any\nDescription: x\n')
        text = run('dpkg-shlibdeps', '-O', '--ignore-missing-info', '-x' + 'libtensh0', *elves, cwd=folder, stderr=subprocess.DEVNULL)
    return text.strip().split('=', 1)[-1]


def add_documents(tree, name, version, license_text, changes):
    folder = os.path.join(tree, 'usr/share/doc', name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, 'copyright'), 'w') as f:
        f.write('Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
                'Upstream-Name: tensh\n\nFiles: *\nCopyright: tensh contributors\nLicense: Apache-2.0\n'
                ' On Debian systems, the full text is in /usr/share/common-licenses/Apache-2.0.\n')
    with open(os.path.join(folder, 'changelog.gz'), 'wb') as f, gzip.GzipFile('', 'wb', 9, f, 0) as z:
        z.write(('tensh (%s) stable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  Thu, 01 Jan 1970 00:00:00 +0000\n' %
                 (version, MAINTAINER)).encode())


def debian_package(name, tree, stage, out, version, architecture):
    section, depends, summary, text, patterns = PACKAGES[name]
    paths = [path for path in files_of(tree) if any(re.match(pattern, path) for pattern in patterns)]
    if not paths:
        return None
    folder = os.path.join(stage, name)
    for path in paths:
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(os.path.join(tree, path), target, follow_symlinks=False)
    add_documents(folder, name, version, None, None)
    libraries = depends_of(folder, version)
    depends = ', '.join(filter(None, [libraries] + [d.format(version=version) for d in depends]))
    size = sum(os.path.getsize(os.path.join(folder, path)) for path in files_of(folder) if not os.path.islink(os.path.join(folder, path)))
    control = ['Package: ' + name, 'Version: ' + version, 'Architecture: ' + architecture, 'Maintainer: ' + MAINTAINER,
               'Installed-Size: %d' % (size // 1024), 'Section: ' + section, 'Priority: optional']
    if depends:
        control.append('Depends: ' + depends)
    if name == 'tensh':
        control.append('Recommends: ' + RECOMMENDED)
    control.append('Description: %s\n%s' % (summary, ''.join(' %s\n' % line for line in text.split('\n'))))
    os.makedirs(os.path.join(folder, 'DEBIAN'))
    with open(os.path.join(folder, 'DEBIAN', 'control'), 'w') as f:
        f.write('\n'.join(control))
    if name == 'libtensh0':
        for file, content in (('triggers', 'activate-noawait ldconfig\n'), ('shlibs', 'libtensh 0 libtensh0 (>= %s)\n' % version)):
            with open(os.path.join(folder, 'DEBIAN', file), 'w') as f:
                f.write(content)
    with open(os.path.join(folder, 'DEBIAN', 'md5sums'), 'w') as f:
        for path in files_of(folder):
            if not path.startswith('DEBIAN/') and not os.path.islink(os.path.join(folder, path)):
                with open(os.path.join(folder, path), 'rb') as content:
                    f.write('%s  %s\n' % (hashlib.md5(content.read()).hexdigest(), path))
    for path in files_of(folder):
        if not os.path.islink(os.path.join(folder, path)):
            os.chmod(os.path.join(folder, path), 0o755 if path.startswith('usr/bin/') else 0o644)
    package = os.path.join(out, '%s_%s_%s.deb' % (name, version, architecture))
    run('dpkg-deb', '--root-owner-group', '-Zxz', '--build', folder, package)
    return package


def libraries_of(path):
    """The paths of the shared libraries that an ELF file needs, directly or not, without glibc's."""
    found = re.findall(r'^\s*(\S+) => (\S+)', run('ldd', path), re.M)
    return [target for name, target in found if not GLIBC.match(name)]


def find_loaded():
    cache = run('/sbin/ldconfig', '-p')
    for name in LOADED:
        match = re.search(r'^\s*%s .*=> (\S+)$' % re.escape(name), cache, re.M)
        if match:
            yield match.group(1)


def archive(tree, stage, out, version):
    """The relocatable archive: bin, lib/tensh with all libraries, share."""
    machine = os.uname().machine
    name = 'tensh-%s-linux-%s' % (version, machine)
    folder = os.path.join(stage, name)
    libraries = os.path.join(folder, 'lib', 'tensh')
    os.makedirs(libraries)
    os.makedirs(os.path.join(folder, 'bin'))
    shutil.copy2(os.path.join(tree, 'usr/bin/tensh'), os.path.join(folder, 'bin'))
    shutil.copytree(os.path.join(tree, 'usr/share'), os.path.join(folder, 'share'))
    ours = [os.path.join(folder, 'bin', 'tensh')]
    for path in files_of(tree):
        if re.search(r'/tensh/libtensh_dist\.so$', path):
            ours.append(shutil.copy2(os.path.join(tree, path), libraries))
    needed = set(find_loaded())
    for path in ours + list(needed):
        needed.update(libraries_of(path))
    for path in sorted(needed):
        target = os.path.join(libraries, os.path.basename(path))
        shutil.copy2(os.path.realpath(path), target)
        os.chmod(target, 0o644)
        run('strip', '--strip-unneeded', target)
        run('patchelf', '--set-rpath', '$ORIGIN', target)
    run('patchelf', '--set-rpath', '$ORIGIN/../lib/tensh', ours[0])
    for path in ours[1:]:
        run('patchelf', '--set-rpath', '$ORIGIN', path)
    with open(os.path.join(folder, 'README'), 'w') as f:
        f.write('tensh %s for Linux on %s with glibc %s or newer.\n\nbin/tensh runs from any folder. The manual is in '
                'share/doc/tensh, the samples are in share/tensh/samples.\nlib/tensh has the libraries that it '
                'loads; their licences are those of the Debian packages that they come from.\n' %
                (version, machine, os.confstr('CS_GNU_LIBC_VERSION').split()[-1]))
    target = os.path.join(out, name + '.tar.xz')
    run('tar', '-C', stage, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '-cf', target[:-3], name)
    run('xz', '-9e', '-T1', '-f', target[:-3])
    return target


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--out', required=True)
    options = parser.parse_args()
    version = version_of(options.build)
    architecture = run('dpkg', '--print-architecture').strip()
    triplet = run('dpkg-architecture', '-qDEB_HOST_MULTIARCH').strip()
    os.makedirs(options.out, exist_ok=True)
    made = []
    with tempfile.TemporaryDirectory() as stage:
        tree = os.path.join(stage, 'tree')
        environment = dict(os.environ, DESTDIR=tree)
        # The directories are given here, so that the developer's own configuration does not matter.
        run('cmake', '--install', options.build, '--prefix', '/usr', env=environment)
        library = os.path.join(tree, 'usr', 'lib', triplet)
        if not os.path.isdir(library):
            sys.exit('package: configure with -DCMAKE_INSTALL_PREFIX=/usr, so that libraries go to lib/' + triplet)
        symbols = os.path.join(stage, 'tensh-%s-debug' % version)
        for path in files_of(tree):
            if is_elf(os.path.join(tree, path)):
                strip(os.path.join(tree, path), symbols)
        for name in ('tensh.1', 'tensh-serve.1'):
            page = os.path.join(tree, 'usr/share/man/man1', name)
            with open(page, 'rb') as f, open(page + '.gz', 'wb') as g, gzip.GzipFile('', 'wb', 9, g, 0) as z:
                z.write(f.read())
            os.remove(page)
        made += filter(None, (debian_package(name, tree, stage, options.out, version, architecture) for name in PACKAGES))
        made.append(archive(tree, stage, options.out, version))
        if os.path.isdir(symbols):
            target = os.path.join(options.out, os.path.basename(symbols) + '.tar.xz')
            run('tar', '-C', stage, '-cJf', target, os.path.basename(symbols))
            made.append(target)
    with open(os.path.join(options.out, 'SHA256SUMS'), 'w') as f:
        for path in made:
            with open(path, 'rb') as content:
                f.write('%s  %s\n' % (hashlib.sha256(content.read()).hexdigest(), os.path.basename(path)))
    for path in made:
        print('%8.2f MB  %s' % (os.path.getsize(path) / 1e6, path))


if __name__ == '__main__':
    main()
