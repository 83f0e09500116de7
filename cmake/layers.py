#!/usr/bin/env python3
"""Checks the layers of docs/ARCHITECTURE.md, using only the #include lines, and a few other rules.

    python3 cmake/layers.py [ROOT]      prints FILE:LINE: problem; exits with 1 if there are any

One table lists the folders that each folder may include; another lists the files that may include a third-party
header. Tests may include anything. The check takes well under a second, so it runs with every test run.
"""
import os
import re
import sys

# Folder: the path prefixes that its files may include. The longest matching folder applies.
BASE = ('runtime/base/',)
CORE = BASE + ('runtime/core/',)
GRAPH = CORE + ('runtime/graph/',)
PLAN = GRAPH + ('runtime/plan/',)
EXEC = PLAN + ('runtime/exec/',)
SESSION = EXEC + ('runtime/session/',)
PYTHON = BASE + ('shell/text/', 'shell/python/')
CLIENT = ('shell/client/',)
PRINT = ('shell/print/',)
NUMPY = ('shell/numpy/',)
TENSORFLOW = ('shell/tensorflow/',)
MEMORY = ('shell/session/',)
VIEWS = ('shell/explain/', 'shell/plot/', 'shell/edit/', 'shell/live/')
# The installed headers (runtime/include): all except tensh_plugin.h.
PUBLIC = ('tensh/tensh.h', 'tensh/tensh_devices.h', 'tensh/tensh.hpp', 'tensh/tensh_import.h', 'tensh/tensh_op.h',
          'tensh/tensh_optimize.h',          'tensh/tensh_server.h', 'tensh/tensh_trace.h')
ALLOW = {
    'runtime/base/': BASE,
    'runtime/core/': CORE,
    'runtime/graph/': GRAPH,
    'runtime/plan/': PLAN,
    'runtime/exec/': EXEC,
    # Compiled code is data for the step; the compiler knows nothing of steps.
    'runtime/exec/compile/': PLAN + ('runtime/exec/compile/', 'runtime/exec/plan.h', 'runtime/exec/dataflow.h', 'runtime/exec/fused.h',
                              'runtime/exec/loop_keys.h', 'runtime/exec/once.h'),
    'runtime/session/': SESSION,
    # A plug-in uses only the C API, Status and the base of the runtime.
    'runtime/dist/': BASE + ('runtime/dist/', 'tensh/', 'runtime/api/dist_api.h', 'runtime/core/status.h',
                             'tensorflow_wire.'),
    'runtime/include/': ('tensh/',),
    'runtime/api/': SESSION + ('runtime/api/', 'ops/', 'devices/', 'tensh/'),
    'ops/': CORE + ('ops/',),
    'devices/': CORE + ('devices/',),
    # cuda_view.h uses the broadcasting rules of the CPU's kernels.
    'devices/cuda/': CORE + ('devices/cuda/', 'ops/support/broadcast.h'),
    # The rooms of the shell, lowest first.
    'shell/text/': BASE + ('shell/text/',),
    'shell/python/': PYTHON,
    'shell/client/': CLIENT,
    'shell/print/': PYTHON + CLIENT + PRINT,
    'shell/numpy/': PYTHON + CLIENT + PRINT + NUMPY,
    'shell/tensorflow/': PYTHON + CLIENT + PRINT + NUMPY + TENSORFLOW,
    # Of the shell's values, the plug-in uses only what the table of the host has.
    'shell/python_bridge/': PYTHON + CLIENT + PRINT + NUMPY + ('shell/python_bridge/', 'tensh/'),
    'shell/session/': PYTHON + CLIENT + PRINT + NUMPY + TENSORFLOW + MEMORY,
    'shell/page/': ('shell/text/', 'shell/page/'),
    'shell/explain/': BASE + ('shell/text/', 'shell/page/', 'shell/explain/'),
    'shell/plot/': BASE + ('shell/text/', 'shell/explain/export.h', 'shell/plot/'),
    'shell/edit/': BASE + ('shell/text/', 'shell/edit/'),
    'shell/live/': BASE + ('shell/text/', 'shell/page/', 'shell/live/'),
    'shell/commands/': PYTHON + CLIENT + PRINT + NUMPY + TENSORFLOW + MEMORY + VIEWS + ('shell/commands/',),
    'shell/': BASE + ('shell/',),
    # The extension module contains the whole shell.
    'shell/python_bridge/module/': BASE + ('shell/', 'tensh/'),
    'samples/': PUBLIC,
}
# Single files that may include more than their folder, with the reason.
EXTRA = {
    'devices/cuda/cuda_plugin.h': ('build_id.h',),  # generated
    'shell/commands/devices_command.cc': ('tensh/tensh_devices.h',),
    'shell/client/client.h': ('tensh/tensh.hpp',),  # the interface between the shell and the runtime
    'shell/serve.cc': ('tensh/tensh_server.h',),
    'shell/tls.cc': ('tensh/tensh_server.h',),
    'shell/commands/base/traces.h': ('tensh/tensh_trace.h',),  # only the timelines
    'shell/tensorflow/graph/last_run.h': ('tensh/tensh_trace.h',),
    'shell/client/optimize.h': ('tensh/tensh_optimize.h',),
    'shell/tensorflow/graph/exchange/graph_def.h': ('tensh/tensh_import.h',),
    'shell/tensorflow/graph/exchange/onnx_tensor.cc': ('tensh/tensh_import.h',),
    'shell/tensorflow/control/py_func.cc': ('tensh/tensh_op.h',),
    'shell/tensorflow/names/op_library.cc': ('tensh/tensh_op.h',),
    'shell/tensorflow/graph/types/session_type.cc': ('tensh/tensh_server.h',),
    'shell/tensorflow/train/server.cc': ('tensh/tensh_server.h',),
}
# Third-party header: (regex of the files that may include it, message)
THIRD_PARTY = [
    (r'(unsupported/)?Eigen/.*|unsupported/.*',
     r'ops/linalg/(eigen_[a-z]+\.(cc|h))', 'Eigen stays in ops/linalg/eigen_*.cc, behind plain functions'),
    (r'unsupported/Eigen/CXX11/Tensor', r'$^', "Eigen's Tensor module is banned: 38 s a file"),
    # The files of runtime/dist/tls.cc are named by the operator of the server, not by graphs. clients.cc lists the
    # descriptors of the process. cuda_libraries.cc looks for NVIDIA's libraries in folders of the system.
    (r'filesystem|fstream|dirent\.h|glob\.h|fcntl\.h|sys/stat\.h',
     r'(?!runtime/|ops/|devices/).*|runtime/core/files/(files|file_limit|match_files)\.cc|runtime/dist/(tls|clients)\.cc'
     r'|devices/cuda/cuda_libraries\.cc',
     'files are used through runtime/core/files/files.h, which checks the limit first'),
    (r'png\.h|jpeglib\.h|gif_lib\.h', r'ops/formats/image_(png|jpeg|gif)\.cc', 'libpng, libjpeg and giflib stay in one file each'),
    (r'nlohmann/.*', r'runtime/(api/c_report|dist/(wire/report_codec|cluster))\.cc|shell/text/json\.cc',
     'nlohmann/json has one translation unit on each side of the C API'),
    (r'(iostream|regex)', r'.*\.(cc|c)', 'too heavy for a header'),
    (r'boost/(asio|beast).*', r'shell/.*\.cc', 'Asio is the event loop of the shell'),
    (r'grpc.*|google/protobuf/.*|tensorflow_wire\..*', r'runtime/dist/.*',
     'gRPC and protobuf stay in the plug-in runtime/dist'),
    # TensorFlow's patterns are RE2's; Python's have look-around and back-references.
    (r're2/.*', r'ops/strings/regex\.cc', 'RE2 stays in ops/strings/regex.cc'),
    (r'pcre2\.h', r'shell/python/modules/regex\.cc', 'PCRE2 stays in shell/python/modules/regex.cc'),
    (r'cu(da|blas|dnn|fft|solver).*\.h', r'devices/cuda/(real_driver|blas|dnn|dnn_api|fft_api|solver_api|cuda_status)\.(cc|h)', 'CUDA stays behind the interface of its driver'),
    (r'cub/.*', r'devices/cuda/sort\.cu', 'CUB stays in one file: it takes nvcc a minute'),
    (r'sqlite3(ext)?\.h', r'shell/commands/tables/sqlite_library\.h', 'SQLite stays behind shell/commands/tables/database.h'),
    (r'openssl/.*', r'shell/python/modules/hash\.cc', 'OpenSSL stays in one file'),
    (r'Python\.h', r'shell/python_bridge/.*', 'the interpreter is our own; CPython stays in shell/python_bridge'),
]
# Headers that a GPU kernel includes besides ops/support.
CUDA_HEADERS = ('devices/cuda/convolutions.h', 'devices/cuda/cuda_complex.h', 'devices/cuda/cuda_kernel.h', 'devices/cuda/cuda_reduce.h',
                'devices/cuda/cuda_rules.h', 'devices/cuda/cuda_sort.h', 'devices/cuda/cuda_view.h', 'devices/cuda/element_fns.h', 'devices/cuda/library_calls.h')
# The environment is read only here, and docs/environment.md has a row for each variable.
READS_ENVIRONMENT = {
    'devices/cuda/cuda_device.cc': 'a switch for finding faults in the plug-in',
    'devices/cuda/cuda_libraries.cc': 'where toolkits and Python packages put the libraries of CUDA',
    'devices/cuda/fake_driver.cc': 'the double of the tests',
    'devices/cuda/plugin.cc': 'TensorFlow has no option for TF32 either',
    'ops/support/isa.cc': 'a switch for comparing instruction sets',
    'runtime/dist/plugin.cc': 'the libraries have no other way to be silent',
    'shell/commands/typing/complete.cc': 'a typed ~',
    'shell/edit/editor.cc': 'the kind of terminal, and the editor of the user',
    'shell/edit/history.cc': 'where the history is kept',
    'shell/kernel.cc': 'the folders of Jupyter',
    'shell/python/modules/system.cc': 'os.environ',
    'shell/python_bridge/host/load.cc': 'which Python a script uses',
    'shell/session/output.cc': 'width of the terminal',
    'shell/session/pager.cc': 'the pager of the user, and where less is',
    'shell/text/theme.cc': 'the colors and the locale of the terminal',
    'shell/text/user_files.cc': 'the folders of the user',
    'shell/tf_config.cc': 'the cluster that a scheduler started this process in',
    'shell/tls.cc': 'certificates',
}
C_HEADERS = ('runtime/include/tensh/',)  # plain C, with include guards
NO_THROW = ('runtime/', 'ops/', 'devices/')
# ThrowStepCancelled, which CallKernel catches; and a header for C++ callers.
MAY_THROW = ('runtime/core/kernel.cc', 'runtime/include/tensh/tensh_tensor.hpp')
# The runtime uses the facts in an op's OpSpec (role, elementwise, ...) instead of its name.
OP_NAME = r'"_?[A-Z]\w*[a-z]\w*"'
COMPARED = re.compile(r'[!=]=\s*%s|%s\s*[!=]=|\b(?:starts_with|ends_with|r?find|compare|contains)\(%s' % ((OP_NAME,) * 3))
COMPARES_NAMES = {
    'runtime/dist/wire/metadata.cc': 'the names are those of TensorFlow\'s RunMetadata',
}
ROOTS = ('', 'runtime/include')  # of quoted includes
SUFFIXES = ('.h', '.hpp', '.cpp', '.cc', '.c', '.cu')
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
# The shell reads graphs and nodes through GraphHandle. Calls of the C API that only one place needs stay there.
RAW = re.compile(r'\b(tsh_(?:node|graph|output)_\w+)\(')
RAW_CALLS = {
    'shell/commands/graph_command.cc': {'tsh_graph_json'},
    'shell/commands/base/run_request.cc': {'tsh_graph_id'},  # of a graph that may be null
    'shell/session/graphs.cc': {'tsh_graph_begin', 'tsh_graph_commit', 'tsh_graph_rollback'},
    'shell/tensorflow/graph/control_flow.cc': {'tsh_graph_set_input'},
    'shell/tensorflow/graph/exchange/graph_def.cc': {'tsh_graph_export', 'tsh_graph_import'},
    'shell/tensorflow/graph/exchange/graph_facts.cc': {'tsh_graph_inline_results'},
    'shell/tensorflow/graph/types/graph_type.cc': {'tsh_graph_finalize'},
    'shell/tensorflow/graph/graph.cc': {'tsh_graph_begin'},  # a graph that a statement makes
    'shell/tensorflow/graph/exchange/records.cc': {'tsh_node_attr_tensor'},
    'shell/tensorflow/train/train.cc': {'tsh_graph_gradients'},
}
# What went wrong travels as data (ErrorHint, missing_feeds, Status): no code takes a message or a hint apart.
PARSES = re.compile(r'(\b\w*([Mm]essage|[Hh]int)(\(\)|\.text)?|\bwhat\(\))(\.(r?find|starts_with|ends_with|compare|contains)\(|\s*[!=]=\s*")')
PARSES_MESSAGES = {
    'runtime/dist/cluster.cc': "TensorFlow's servers send the reason of an error only as text",
    'runtime/dist/wire/handles.h': 'a node may be named in the text that a peer sent',
    'runtime/dist/remote.cc': 'why a server cancelled a step is only in the text that it sent',
    'runtime/dist/task.cc': 'another task may have named itself in the text',
    'shell/commands/tables/sql_error.cc': 'SQLite reports a code for all errors of a statement, and the cause as text',
}
ENVIRONMENT = re.compile(r'\b(getenv|secure_getenv|setenv|putenv)\(')
VARIABLE = re.compile(r'\bgetenv\("(\w+)"\)')
THROW = re.compile(r'\bthrow\b')
# Functions that access files without a special header. Ops must not use them, because graphs
# provide their file names.
OPENS = re.compile(r'\b(fopen|freopen|unlink|rename|mkdir)\s*\(')
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
        if not any(os.path.exists(os.path.join(root, base, target)) for base in ROOTS):
            return '"%s": quoted includes are paths from the root of the repository' % target
        return '"%s" is not below this layer; it may include %s' % (target, ' '.join(allowed))
    return None


def check_file(root, path):
    with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
        text = f.read()
    if path.endswith(('.h', '.hpp')) and not path.startswith(C_HEADERS) and '#pragma once' not in text:
        yield 1, 'a header starts with #pragma once'
    no_names = path.startswith('runtime/') and path not in COMPARES_NAMES
    # shell/python_bridge gives the C API to another language, in its own terms.
    raw = path.startswith('shell/') and not path.startswith(('shell/client/', 'shell/python_bridge/'))
    no_throw = path.startswith(NO_THROW) and path not in MAY_THROW and THROW.search(text)
    for number, line in enumerate(text.split('\n'), 1):
        match = INCLUDE.match(line)
        if match:
            problem = check_include(root, path, match.group(1), match.group(2))
            if problem:
                yield number, problem
        elif raw and set(RAW.findall(line)) - RAW_CALLS.get(path, set()):
            yield number, 'graphs and nodes are read through GraphHandle (shell/client/client.h)'
        elif PARSES.search(line) and path not in PARSES_MESSAGES:
            yield number, 'no code parses a message or a hint: carry the data beside it'
        elif ENVIRONMENT.search(line) and path not in READS_ENVIRONMENT:
            yield number, 'options travel in structs, not through the environment (docs/environment.md)'
        elif path.startswith('ops/') and OPENS.search(LITERALS.sub('', line)):
            yield number, 'ops use files through runtime/core/files/files.h, which checks the limit first'
        elif no_throw and THROW.search(LITERALS.sub('', line)):
            yield number, 'no throw under runtime/, ops/ and devices/: return a Status'
        elif no_names and COMPARED.search(line.split('//')[0]):
            yield number, 'no comparison with an op name in runtime/: state the fact in the OpSpec'


def undocumented(root, files):
    """The variables of the environment that docs/environment.md does not name."""
    page = os.path.join(root, 'docs', 'environment.md')
    if not os.path.exists(page):
        return
    with open(page, encoding='utf-8') as f:
        documented = set(re.findall(r'`(\w+)`', f.read()))
    for path in sorted(READS_ENVIRONMENT):
        if path not in files:
            yield '%s: listed as reading the environment, but it is not there' % path
            continue
        with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
            for name in sorted(set(VARIABLE.findall(f.read())) - documented):
                yield '%s: docs/environment.md has no row for %s' % (path, name)


def sources(root):
    for top in ('runtime', 'ops', 'devices', 'shell', 'samples'):
        for folder, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, '/')


def folder_graph(root, files):
    """Which folder includes from which others: folder -> {folder: one include, as "FILE includes HEADER"}."""
    graph = {}
    for path in files:
        folder = os.path.dirname(path)
        edges = graph.setdefault(folder, {})
        with open(os.path.join(root, path), encoding='utf-8', errors='replace') as f:
            for line in f:
                match = INCLUDE.match(line)
                if match and match.group(1) == '"' and os.path.exists(os.path.join(root, match.group(2))):
                    target = os.path.dirname(match.group(2))
                    if target != folder:
                        edges.setdefault(target, '%s includes %s' % (path, match.group(2)))
    return graph


def circles(graph):
    """The folders that include each other, directly or through others, as sorted lists (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(folder):
        number[folder] = low[folder] = len(number)
        stack.append(folder)
        for target in graph.get(folder, ()):
            if target not in number:
                visit(target)
                low[folder] = min(low[folder], low[target])
            elif target in stack:
                low[folder] = min(low[folder], number[target])
        if low[folder] == number[folder]:
            at = stack.index(folder)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for folder in sorted(graph):
        if folder not in number:
            visit(folder)
    return found


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(here)
    files = list(sources(root))
    problems = 0
    for path in files:
        for number, what in check_file(root, path):
            print('%s:%d: %s' % (path, number, what))
            problems += 1
    for what in undocumented(root, files):
        print(what)
        problems += 1
    graph = folder_graph(root, files)
    for circle in circles(graph):
        for folder in circle:
            for target in sorted(set(graph[folder]) & set(circle)):
                print('%s/ and %s/ are in a circle: %s' % (folder, target, graph[folder][target]))
        problems += 1
    print('layers: %d files, %d problems' % (len(files), problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
