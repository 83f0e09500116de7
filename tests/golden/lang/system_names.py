# Names of os, sys and argparse that scripts use at their edges.
import argparse
import os
import os.path
import sys
import tempfile

print(os.curdir, os.path.pardir, os.path.sep, os.altsep, os.extsep, os.pathsep, os.devnull, os.getcwdb() == os.getcwd().encode())
print(os.F_OK, os.R_OK, os.W_OK, os.X_OK, os.access('.', os.R_OK), os.access('no such file', os.F_OK))
print(os.cpu_count() >= 1, len(os.urandom(5)), os.isatty(0) in (True, False))
folder = tempfile.mkdtemp()
inner = os.path.join(folder, 'a', 'b')
os.makedirs(inner)
with open(os.path.join(folder, 'file'), 'w') as f:
    f.write('text')
print(sorted((e.name, e.is_dir()) for e in os.scandir(folder)))
print(isinstance(os.lstat(os.path.join(folder, 'file')), os.stat_result), os.lstat(os.path.join(folder, 'file')).st_size)
os.remove(os.path.join(folder, 'file'))
os.removedirs(inner)
print(os.path.exists(folder))
os.putenv('TENSH_NOTHING', '1')

print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.maxunicode, sys.float_info.max, sys.float_info.epsilon)
print(sys.hexversion >= 0x03000000, sys.flags.verbose, sys.dont_write_bytecode in (True, False), sys.intern('word'), sys.stdin is not None)
print(isinstance(sys.prefix, str), isinstance(sys.exec_prefix, str), isinstance(sys.copyright, str), isinstance(sys.api_version, int))
print(sys.getrefcount(folder) > 0)
sys.setswitchinterval(0.005)
if hasattr(sys, 'setdefaultencoding'):  # of Python 2
    sys.setdefaultencoding('utf-8')
    sys.setcheckinterval(100)
for refused in (os.system, os.popen):
    print(callable(refused))


for formatter in (argparse.HelpFormatter, argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter,
                  argparse.RawTextHelpFormatter, argparse.MetavarTypeHelpFormatter):
    parser = argparse.ArgumentParser(prog='p', description='One.', formatter_class=formatter)
    parser.add_argument('--rate', type=float, default=0.5, help='the rate')
    print(formatter.__name__, parser.parse_args(['--rate', '2']).rate)
