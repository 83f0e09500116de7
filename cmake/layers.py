#!/usr/bin/env python3
"""Checks that the layers of docs/ARCHITECTURE.md hold, from the #include lines alone.

    python3 cmake/layers.py [ROOT]      prints FILE:LINE: what is wrong; exit 1 when anything is

One table says which folder may include which; a second says which third-party header belongs where.
Tests may include anything. Takes well under a second, so it runs with every test run.
"""
import os
import re
import sys

# Folder -> what its files may include, as path prefixes. The longest matching folder counts.
CORE = ('runtime/core/',)
GRAPH = CORE + ('runtime/graph/',)
PLAN = GRAPH + ('runtime/plan/',)
EXEC = PLAN + ('runtime/exec/',)
SESSION = EXEC + ('runtime/session/',)
ALLOW = {
    'runtime/core/': CORE,
    'runtime/graph/': GRAPH,
    'runtime/plan/': PLAN,
    'runtime/exec/': EXEC,
    'runtime/session/': SESSION,
    # A plug-in: of the runtime it has the C API, and Status.
    'runtime/dist/': ('runtime/dist/', 'runtime/api/tensh', 'runtime/core/status.h', 'tensorflow_wire.'),
    'runtime/api/': SESSION + ('runtime/api/', 'ops/', 'devices/'),
    'ops/': CORE + ('ops/',),
    'devices/': CORE + ('devices/',),
    # cuda_view.h broadcasts as the CPU's kernels do.
    'devices/cuda/': CORE + ('devices/cuda/', 'ops/support/broadcast.h'),
    'shell/': ('shell/',),
    'samples/': ('runtime/api/tensh.h',),
}
# Single files that may include more than their folder, with the reason.
EXTRA = {
    'shell/client.cc': ('runtime/api/tensh.h',),  # the one door between the shell and the runtime
    'shell/client.h': ('runtime/api/tensh.h',),
    'shell/serve.cc': ('runtime/api/tensh_server.h',),
    'shell/commands/traces.h': ('runtime/api/tensh_trace.h',),  # the timelines alone
    'shell/tf/last_run.h': ('runtime/api/tensh_trace.h',),
    'shell/tf/server.cc': ('runtime/api/tensh_server.h',),
    'shell/tf/session_partial.cc': ('runtime/api/tensh_partial.h',),
    'shell/commands/devices_command.cc': ('runtime/api/tensh_devices.h',),
    'runtime/api/c_dist.cc': ('runtime/dist/dist_api.h',),  # the door to the plug-in
    'runtime/api/remote_report.h': ('runtime/dist/dist_api.h',),
}
# Third-party header -> (regex of files that may include it, what to say).
THIRD_PARTY = [
    (r'(unsupported/)?Eigen/.*|unsupported/.*',
     r'(ops/support/[^/]+|runtime/exec/pool|devices/cpu/[^/]+)\.cc',
     'Eigen stays in ops/support/*.cc and the thread pool, behind plain functions'),
    (r'unsupported/Eigen/CXX11/Tensor', r'$^', "Eigen's Tensor module is banned: 38 s a file"),
    (r'(oneapi/)?dnnl.*', r'ops/support/[^/]+\.cc', 'oneDNN stays in ops/support/*.cc'),
    (r'png\.h|jpeglib\.h|gif_lib\.h', r'ops/support/image_(png|jpeg|gif)\.cc', 'libpng, libjpeg and giflib stay in one file each'),
    (r'nlohmann/.*', r'runtime/(api/c_report|dist/(report_codec|cluster))\.cc|shell/client_json\.cc|shell/print/json\.cc',
     'nlohmann/json has one translation unit on each side of the C API'),
    (r'(iostream|regex)', r'.*\.(cc|c)', 'too heavy for a header'),
    (r'boost/(asio|beast).*', r'shell/.*\.cc', 'Asio is the event loop of the shell'),
    (r'grpc.*|google/protobuf/.*|tensorflow_wire\..*', r'runtime/dist/.*',
     'gRPC and protobuf stay in the plug-in runtime/dist'),
    (r're2/.*', r'(ops/strings|shell/lang/modules)/regex\.cc', 'regular expressions are of one file on each side'),
    (r'cu(da|blas|dnn).*\.h', r'devices/cuda/real_driver\.cc', 'CUDA stays behind the interface of its driver'),
    (r'openssl/.*', r'shell/lang/modules/hash\.cc', 'OpenSSL stays in one file'),
    (r'Python\.h', r'$^', 'the interpreter is our own'),
]
# What a kernel for a GPU includes besides the ops' own support.
CUDA_HEADERS = ('devices/cuda/cuda_complex.h', 'devices/cuda/cuda_kernel.h', 'devices/cuda/cuda_rules.h',
                'devices/cuda/cuda_view.h', 'devices/cuda/element_fns.h')
C_HEADERS = ('runtime/api/tensh.h', 'runtime/api/tensh_devices.h', 'runtime/api/tensh_partial.h', 'runtime/api/tensh_server.h',
             'runtime/api/tensh_trace.h')  # plain C: they have include guards
NO_THROW = ('runtime/', 'ops/', 'devices/')
MAY_THROW = ('runtime/core/kernel.cc',)  # ThrowStepCancelled, which CallKernel catches
SUFFIXES = ('.h', '.cc', '.c', '.cu')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
THROW = re.compile(r'\bthrow\b')
LITERALS = re.compile(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"')


def allowed_for(path):
    best = max((d for d in ALLOW if path.startswith(d)), key=len, default=None)
    if best is None:
        return None
    kernels = CUDA_HEADERS if path.startswith('ops/') and path.endswith('.cu') else ()
    return ALLOW[best] + EXTRA.get(path, ()) + kernels


def check_include(root, path, kind, target):
    for pattern, where, why in THIRD_PARTY:
        if re.fullmatch(pattern, target) and not re.fullmatch(where, path):
            return '%s may not be included here: %s' % (target, why)
    if kind == '<':
        return None
    allowed = allowed_for(path)
    if allowed is None:
        return None
    if not target.startswith(allowed):
        if not os.path.exists(os.path.join(root, target)):
            return '"%s": quoted includes are paths from the root of the repository' % target
        return '"%s" is not below this layer; it may include %s' % (target, ' '.join(allowed))
    return None


def check_file(root, path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
        text = f.read()
    if path.endswith('.h') and path not in C_HEADERS and '#pragma once' not in text:
        yield 1, 'a header starts with #pragma once'
    no_throw = path.startswith(NO_THROW) and path not in MAY_THROW and THROW.search(text)
    for number, line in enumerate(text.split('\n'), 1):
        match = INCLUDE.match(line)
        if match:
            problem = check_include(root, path, match.group(1), match.group(2))
            if problem:
                yield number, problem
        elif no_throw and THROW.search(LITERALS.sub('', line)):
            yield number, 'no throw under runtime/, ops/ and devices/: return a Status'


def sources(root):
    for top in ('runtime', 'ops', 'devices', 'shell', 'samples'):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(here)
    files = list(sources(root))
    problems = 0
    for path in files:
        for number, what in check_file(root, path):
            print('%s:%d: %s' % (path, number, what))
            problems += 1
    print('layers: %d files, %d problems' % (len(files), problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
