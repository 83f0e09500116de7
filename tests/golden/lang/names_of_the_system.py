# Names of os, sys and argparse that few scripts use.
import argparse
import os
import sys

for kind in (argparse.ArgumentDefaultsHelpFormatter, argparse.RawDescriptionHelpFormatter,
             argparse.RawTextHelpFormatter, argparse.MetavarTypeHelpFormatter, argparse.HelpFormatter):
    parser = argparse.ArgumentParser(formatter_class=kind)
    parser.add_argument('--rate', type=float, default=0.1, help='learning rate')
    print(parser.parse_args([]).rate)
print(os.curdir, os.pardir, os.extsep, os.altsep, os.pathsep, os.devnull, os.path.sep, os.path.pardir)
print(os.F_OK, os.R_OK, os.W_OK, os.X_OK, os.access('.', os.R_OK), os.access('none', os.F_OK), os.cpu_count() > 0)
print(os.getcwdb() == os.getcwd().encode(), len(os.urandom(4)), os.isatty(0), isinstance(os.stat('.'), os.stat_result))
os.makedirs('made/deep')
print([(e.name, e.is_dir(), e.is_file(), e.path) for e in os.scandir('made')], os.lstat('made').st_size >= 0)
os.rmdir('made/deep')
os.rmdir('made')
print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.maxunicode, sys.api_version, sys.hexversion > 0)
print(sys.float_info.epsilon, sys.float_info.max, sys.intern('a'), sys.getrefcount([]) > 0, sys.stdin.readline() == '')
try:
    from six.moves import not_there
except ImportError:
    print('caught')
