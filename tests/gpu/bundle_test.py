#!/usr/bin/env python3
"""Makes the archive of `./dev gpu-bundle` with the fake GPU, and runs its parts, shortened.

    bundle_test.py --build build
"""
import argparse
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = None


class BundleTest(unittest.TestCase):
    def test_the_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(ROOT, 'cmake', 'gpu_bundle.py'), '--build', BUILD, '--fake', '--fast',
                            '--out', folder], check=True, stdout=subprocess.DEVNULL)
            subprocess.run(['tar', 'xf', 'gpu-bundle.tar.xz'], cwd=folder, check=True)
            script = os.path.join(folder, 'gpu-bundle', 'run.sh')
            for part, least in (('contact', 4), ('correct', 2), ('why', 7)):
                done = subprocess.run([script, part, '--fake', '--quick'], capture_output=True, text=True)
                lines = done.stdout.split('\n')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertGreaterEqual(sum(line.startswith('PASS %s.' % part) for line in lines), least, done.stdout)
                self.assertIn('PASS %s: 0 failures' % part, lines)
            # A check that fails is named, with the end of its log, and counted.
            broken = os.path.join(folder, 'gpu-bundle', 'tests', 'gpu', 'large.py')
            with open(broken, 'w') as f:
                f.write('print("3 cases, 2 wrong")\n')
            done = subprocess.run([script, 'contact', '--fake'], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn('FAIL contact.large (exit code 1', done.stdout)
            self.assertIn('  | 3 cases, 2 wrong', done.stdout)
            self.assertTrue(os.path.exists(os.path.join(folder, 'gpu-bundle', 'logs', 'contact.large.log')))


def main():
    global BUILD
    parser = argparse.ArgumentParser()
    parser.add_argument('--build', required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build
    unittest.main(argv=sys.argv[:1] + rest)


if __name__ == '__main__':
    main()
