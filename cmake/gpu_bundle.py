#!/usr/bin/env python3
"""./dev gpu-bundle: makes the archive for the first hour on a GPU.

    gpu_bundle.py --build build [--exact build/gpu-exact] [--fake] --out DIR

Writes DIR/gpu-bundle.tar.xz: tensh and its test programs, the plug-in as shipped (a) and without contraction (b), the
libraries besides glibc and libstdc++, the oracle's data and the scripts, with tests/gpu/bundle/run.sh, which runs them. A
machine needs a driver and python3; cuBLAS, PyTorch and NVIDIA's tools are used where they are. --fake bundles the fake GPU in
place of both plug-ins.
"""
import argparse
import os
import re
import shutil
import tarfile
import tempfile

from files import ROOT, is_elf, run, source_time

MOST_BYTES = 60 << 20
SYSTEM = re.compile(r'(ld-linux|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|linux-vdso|libcuda)[-.]')
FOLDERS = ['tests/gpu', 'tests/golden/tf1', 'tests/oracle', 'tests/bench/gpu', 'samples']
FILES = ['tests/golden/run.py', 'tests/tenth.sh', 'tests/bench/gpu_bench.py']


def needed_by(path):
    """Returns the paths of the libraries that a file needs, except those of the system."""
    found = re.findall(r'(\S+) => (/\S+)', run('ldd', path))
    return {name: where for name, where in found if not SYSTEM.match(name)}


def loaded_later():
    """Returns the names of the libraries that tensh loads when it needs them, except CUDA's."""
    with open(os.path.join(ROOT, 'runtime/base/shared_library.h'), encoding='utf-8') as f:
        names = re.findall(r'Library = \{"(lib[^"]+)"', f.read())
    return [name for name in names if not re.match(r'lib(cu|nv)', name)]


def copy_libraries(stage, programs):
    libraries = {}
    for program in programs:
        libraries.update(needed_by(program))
    known = dict(re.findall(r'^\s+(\S+) \(libc6,x86-64[^)]*\) => (\S+)', run('/sbin/ldconfig', '-p'), re.M))
    for name in loaded_later():
        if name in known:
            libraries[name] = known[name]
            libraries.update(needed_by(known[name]))
    for name, where in sorted(libraries.items()):
        shutil.copy(os.path.realpath(where), os.path.join(stage, 'lib', name))


def copy_program(path, to):
    """Copies a program or a library without its symbols."""
    shutil.copy(path, to)
    if is_elf(to):
        run('strip', '--strip-unneeded', to)


def fill(stage, options):
    for folder in ('bin', 'a', 'b', 'lib'):
        os.makedirs(os.path.join(stage, folder))
    programs = ['tensh', 'tensh_modes', 'tests/oracle_test'] + ([] if options.fake else ['tests/cuda_hardware_test'])
    built = [os.path.join(options.build, program) for program in programs]
    for program in built:
        copy_program(program, os.path.join(stage, 'bin', os.path.basename(program)))
    name = 'libtensh_cuda_fake.so' if options.fake else 'libtensh_cuda.so'
    copy_program(os.path.join(options.build, name), os.path.join(stage, 'a', name))
    if options.exact:
        copy_program(os.path.join(options.exact, name), os.path.join(stage, 'b', name))
    copy_libraries(stage, built)
    for folder in FOLDERS:
        if os.path.isdir(os.path.join(ROOT, folder)):
            shutil.copytree(os.path.join(ROOT, folder), os.path.join(stage, folder),
                            ignore=shutil.ignore_patterns('__pycache__', '*.cc', '*.h', 'bundle'))
    for file in FILES:
        os.makedirs(os.path.dirname(os.path.join(stage, file)), exist_ok=True)
        shutil.copy(os.path.join(ROOT, file), os.path.join(stage, file))
    shutil.copy(os.path.join(ROOT, 'tests/gpu/bundle/run.sh'), stage)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument('--build', required=True)
    parser.add_argument('--exact', help='a build with TENSH_CUDA_FMA=OFF')
    parser.add_argument('--out', required=True)
    parser.add_argument('--fake', action='store_true')
    parser.add_argument('--fast', action='store_true', help='compress less, for tests')
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    path = os.path.join(options.out, 'gpu-bundle.tar.xz')
    when = source_time()

    def plain(info):
        info.uid = info.gid = 0
        info.uname = info.gname = ''
        info.mtime = when
        return info

    with tempfile.TemporaryDirectory() as folder:
        stage = os.path.join(folder, 'gpu-bundle')
        fill(stage, options)
        with tarfile.open(path, 'w:xz', preset=0 if options.fast else 9) as archive:
            archive.add(stage, 'gpu-bundle', filter=plain)
    size = os.path.getsize(path)
    if size >= MOST_BYTES and not options.fast:
        raise SystemExit('gpu-bundle: %s has %.1f MB, and may have %d MB' % (path, size / 1e6, MOST_BYTES >> 20))
    print('%s: %.1f MB. Copy it to a machine with a GPU, and type there:\n'
          '  tar xf gpu-bundle.tar.xz && gpu-bundle/run.sh contact' % (path, size / 1e6))


if __name__ == '__main__':
    main()
