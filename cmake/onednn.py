"""A small build of oneDNN for the relocatable archive.

The shell calls one function of oneDNN, dnnl_sgemm. Debian's library has 40 MB, because it contains all primitives for
CPUs and GPUs. The same source, configured for one thread and linked from the files of the matrix product only, has 5 MB,
loads in 1 ms instead of 20, and computes the same bits. This takes about a minute on two cores, once for a build tree.
"""
import os
import re
import shutil
import subprocess

from files import run, write

VERSION = '2.6.3'  # as in Debian 12
FILE = 'onednn_%s.orig.tar.gz' % VERSION
SHA256 = 'fd47d2470000b5015f6e34134f799683050f81cbc04f53a3b0d323df1bb900bc'
SOURCES = ['http://deb.debian.org/debian/pool/main/o/onednn/' + FILE,
           'https://github.com/oneapi-src/oneDNN/archive/refs/tags/v%s.tar.gz' % VERSION]
OPTIONS = ['-DCMAKE_BUILD_TYPE=Release', '-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG', '-DDNNL_CPU_RUNTIME=SEQ',
           '-DDNNL_ENABLE_JIT_PROFILING=OFF', '-DDNNL_ENABLE_PRIMITIVE=MATMUL', '-DDNNL_ENABLE_WORKLOAD=INFERENCE',
           '-DDNNL_BUILD_TESTS=OFF', '-DDNNL_BUILD_EXAMPLES=OFF']
FLAGS = '-ffunction-sections -fdata-sections -ffile-prefix-map=%s=.'
HELPER = '/usr/lib/apt/apt-helper'
SETTINGS = ['-oAcquire::Retries=0', '-oAcquire::http::Timeout=20', '-oAcquire::https::Timeout=20', '-oAPT::Sandbox::User=root']
# The object files that dnnl_sgemm needs, by their names in the build of oneDNN.
OBJECTS = re.compile(r'''dnnl_common\.dir/(gemm|utils|verbose|memory_debug|dnnl_debug|engine|dnnl_thread)\.cpp |
                         dnnl_cpu\.dir/(gemm/gemm|gemm/f32/[^/]*|platform|jit_utils/.*)\.cpp |
                         dnnl_cpu_x64\.dir/(gemm/[^/]*|gemm/f32/[^/]*|gemm/s8x8s32/[^/]*gemv[^/]*|cpu_isa_traits)\.cpp''', re.X)
LINK = ['-shared', '-Wl,--gc-sections', '-Wl,--as-needed', '-Wl,-z,defs,-z,relro,-z,now', '-Wl,-soname,libdnnl.so.2']


def source(folder):
    """Returns the path of oneDNN's source archive, which is downloaded into the folder first, or None if that fails."""
    path = os.path.join(folder, FILE)
    for url in [''] + SOURCES:
        if url:  # with the proxies of apt
            subprocess.run([HELPER, *SETTINGS, 'download-file', url, path, 'SHA256:' + SHA256],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if os.path.exists(path) and run('sha256sum', path).split()[0] == SHA256:
            return path
    return None


def build(folder):
    """Returns the path of the small libdnnl.so.2, which is built in the folder unless it is there, or None."""
    library, stamp = os.path.join(folder, 'libdnnl.so.2'), os.path.join(folder, 'stamp')
    made_by = run('c++', '--version').split('\n')[0] + '\n' + ' '.join([SHA256, OBJECTS.pattern, FLAGS] + OPTIONS + LINK)
    if os.path.exists(library) and os.path.exists(stamp):
        with open(stamp, encoding='utf-8') as f:
            if f.read() == made_by:
                return library
    if os.uname().machine != 'x86_64' or not os.path.exists(HELPER):
        return None
    os.makedirs(folder, exist_ok=True)
    archive = source(folder)
    if not archive:
        print('package: no source of oneDNN: put %s in %s, from\n  %s\nThe archive contains the whole library of Debian, '
              'which makes it 6 MB larger.' % (FILE, folder, '\n  '.join(SOURCES)))
        return None
    print('package: building the matrix product of oneDNN, which takes a minute', flush=True)
    tree, work = os.path.join(folder, 'oneDNN-' + VERSION), os.path.join(folder, 'objects')
    run('tar', '-C', folder, '-xzf', archive)
    run('cmake', '-G', 'Ninja', '-S', tree, '-B', work, *OPTIONS, '-DCMAKE_CXX_FLAGS=' + FLAGS % folder)
    objects = [line.split(': ')[0] for line in run('ninja', '-C', work, '-t', 'targets', 'all').split('\n') if '.o: ' in line]
    objects = sorted(name for name in objects if OBJECTS.search(name))
    run('ninja', '-C', work, *objects)
    write(os.path.join(work, 'exports'), '{ global: dnnl_sgemm; local: *; };\n')
    run('c++', '-o', library, *LINK, '-Wl,--version-script=exports', *objects, '-lpthread', '-ldl', cwd=work)
    write(stamp, made_by)
    shutil.rmtree(tree)
    shutil.rmtree(work)
    return library
