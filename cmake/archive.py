"""The relocatable archive: the shell with every library that it needs except glibc, in one folder that can be moved.

The libraries come from the machine that builds the archive, so the archive needs the glibc of that machine or a newer one.
The libraries lie beside the plug-ins, and bin/tensh has an RPATH to them. An RPATH, unlike a RUNPATH, is also searched for
the libraries of libraries, and before LD_LIBRARY_PATH, which may name other versions of them.
"""
import os
import re
import shutil

from files import files_of, is_elf, run, write

# Libraries that are loaded by name when they are first needed, so that ldd does not list them. LAPACK, which only
# np.linalg needs, is left out: with libgfortran and BLAS it would add 3 MB.
LOADED = ['libsqlite3.so.0', 'libpng16.so.16', 'libjpeg.so.62', 'libgif.so.7', 'libcrypto.so.3']
GLIBC = re.compile(r'^(libc|libm|libdl|libpthread|librt|libresolv|ld-linux[^.]*)\.so')
README = '''tensh {version} for Linux on {machine}, with glibc {glibc} or newer.

bin/tensh runs from any folder, and this folder can be moved. To install it, link to the program:

    ln -s "$PWD/bin/tensh" ~/.local/bin/

  share/doc/tensh      the manual; start with README.md
  share/tensh/samples  samples: bin/tensh share/tensh/samples/digits.py
  share/man, share/bash-completion, share/zsh, share/fish   man pages and completions
  lib                  the plug-in for TensorFlow servers, and libraries of Debian. share/doc/tensh/licenses has their
                       licenses

np.linalg also needs liblapack.so.3 of your distribution (Debian: apt-get install liblapack3). The plug-in for GPUs is
in the Debian package tensh-cuda.
'''


def libraries_of(path):
    """Returns {name: path} of the libraries that an ELF file needs, directly or not, without glibc's."""
    text = run('ldd', path)
    if 'not found' in text:
        raise SystemExit('archive: a library of %s is missing\n%s' % (path, text))
    return {name: target for name, target in re.findall(r'^\s*(\S+) => (/\S+)', text, re.M) if not GLIBC.match(name)}


def loaded_libraries():
    cache = run('/sbin/ldconfig', '-p')
    for name in LOADED:
        match = re.search(r'^\s*%s .*=> (\S+)$' % re.escape(name), cache, re.M)
        if not match:
            raise SystemExit('archive: %s is not installed' % name)
        yield name, match.group(1)


def package_of(path):
    """Returns the Debian package that a library belongs to."""
    path = os.path.realpath(path)
    # On systems before the merge of /usr, packages had their libraries in /lib.
    for name in (path, path[len('/usr'):] if path.startswith('/usr/lib/') else '/usr' + path):
        try:
            return run('dpkg-query', '-S', name).split(':')[0]
        except SystemExit:
            continue
    raise SystemExit('archive: %s belongs to no package, so its license is unknown' % path)


def needed_glibc(folder):
    """Returns the newest version of glibc whose symbols the files of a folder use."""
    elves = [os.path.join(folder, path) for path in files_of(folder) if is_elf(os.path.join(folder, path))]
    versions = re.findall(r'\bGLIBC_(\d+)\.(\d+)', run('readelf', '-VW', *elves))
    return '%d.%d' % max((int(major), int(minor)) for major, minor in versions)


def make(build):
    """Makes the archive of the installed and stripped tree. Returns its path."""
    machine = os.uname().machine
    name = 'tensh-%s-linux-%s' % (build.version, machine)
    folder = os.path.join(build.stage, name)
    shutil.copytree(os.path.join(build.tree, 'usr'), folder, symlinks=True,
                    ignore=lambda at, names: {'include', 'pkgconfig', 'cmake', 'debug', 'libtensh_cuda.so'} & set(names) |
                    {n for n in names if n.startswith('libtensh.so')})
    program = os.path.join(folder, 'bin', 'tensh')
    plugin = next(path for path in files_of(folder) if path.endswith('/libtensh_dist.so'))
    libraries = os.path.dirname(os.path.join(folder, plugin))
    needed = dict(loaded_libraries())
    licensed = []
    if build.archive_plugin:
        licensed = [path for path in libraries_of(os.path.join(folder, plugin)).values() if '/libgrpc.so' in path]
        shutil.copy2(build.archive_plugin, os.path.join(folder, plugin))
    for path in [program, os.path.join(folder, plugin)] + list(needed.values()):
        needed.update(libraries_of(path))
    licenses = os.path.join(folder, 'share/doc/tensh/licenses')
    os.makedirs(licenses)
    for library, path in sorted(needed.items()):
        target = os.path.join(libraries, library)
        shutil.copy2(os.path.realpath(path), target)
        os.chmod(target, 0o644)
        run('strip', '--strip-unneeded', target)
    for path in list(needed.values()) + licensed:
        package = package_of(path)
        shutil.copyfile('/usr/share/doc/%s/copyright' % package, os.path.join(licenses, package))
    rpath = '$ORIGIN/' + os.path.relpath(libraries, os.path.dirname(program))
    run('patchelf', '--force-rpath', '--set-rpath', rpath, program)
    write(os.path.join(folder, 'README'), README.format(version=build.version, machine=machine, glibc=needed_glibc(folder)))
    target = os.path.join(build.out, name + '.tar')
    run('tar', '-C', build.stage, '--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=go=rX,u+rw',
        '--mtime=@%d' % build.epoch, '-cf', target, name)
    # The filter for branches makes x86 code 10 % smaller.
    branches = ['--x86'] if machine == 'x86_64' else []
    level = ['-0'] if build.fast else branches + ['--lzma2=preset=9e,dict=64MiB']
    run('xz', '-T1', '-f', *level, target)
    return target + '.xz'
