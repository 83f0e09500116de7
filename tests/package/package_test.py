#!/usr/bin/env python3
"""Tests the packages: installs them where nothing else is, runs tensh there, and removes them.

    package_test.py --build build [NAME ...]      makes the packages, with fast compression, and tests them
    package_test.py --packages DIR [NAME ...]     tests the packages in DIR

The Debian packages are installed into an empty root with the shared libraries of the packages that they depend on and
recommend, and nothing else: no compiler, no -dev package. The archive is unpacked into a root with glibc alone. tensh
then runs with chroot. That needs root, or a user namespace. Where neither is allowed, the files of both are unpacked
into a folder, and a test checks that no library but glibc's comes from outside of the archive.
"""
import argparse
import glob
import gzip
import hashlib
import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, 'cmake'))
from archive import GLIBC  # noqa: E402
from files import files_of, is_elf, run  # noqa: E402

PACKAGES = ''
FAST = True  # the packages are compressed for tests
ISOLATED = os.environ.get('TENSH_ISOLATED')  # set for the copy of this program in its own namespace
ENV = {'HOME': '/tmp', 'PATH': '/usr/bin', 'NO_COLOR': '1', 'TERM': 'dumb', 'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'}
DEVICES = ['dev/null', 'dev/urandom']
# Numbers stand for times, bars for their lengths.
TIMES = re.compile(r'<?\b\d+(\.\d+)? ?(ns|µs|ms|s)\b|[▓░·]{4,}')


def isolate():
    """Runs this program again in a mount namespace, in which roots can be made, if that is allowed."""
    command = ['unshare', '--mount'] + ([] if os.geteuid() == 0 else ['--user', '--map-root-user'])
    probe = command + ['sh', '-c', 'd=$(mktemp -d) && mount --rbind /proc $d && chroot / true && umount -l $d && rmdir $d']
    works = shutil.which('unshare') and subprocess.run(probe, stderr=subprocess.DEVNULL).returncode == 0
    os.environ['TENSH_ISOLATED'] = 'yes' if works else 'no'
    program = [sys.executable] + sys.argv
    os.execvp((command + program)[0] if works else program[0], command + program if works else program)


def closure(packages):
    """Returns these installed packages and what they depend on."""
    found, waiting = set(), list(packages)
    while waiting:
        package = waiting.pop()
        if package in found:
            continue
        done = subprocess.run(['dpkg-query', '-W', '-f', '${db:Status-Status};${Depends},${Pre-Depends}', package],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        status, _, depends = done.stdout.decode().partition(';')
        if status != 'installed':
            continue
        found.add(package)
        # The first alternative that is installed would suffice; libraries rarely have alternatives.
        waiting += re.findall(r'[a-z0-9][a-z0-9+.-]+', re.sub(r'\([^)]*\)|:any', '', depends))
    return found


def copy_libraries(packages, root):
    """Copies the shared libraries of installed packages into a root, in which /usr is merged."""
    for name in ('lib', 'lib64', 'bin'):
        os.makedirs(os.path.join(root, 'usr', name), exist_ok=True)
        os.symlink('usr/' + name, os.path.join(root, name))
    for package in sorted(packages):
        for path in run('dpkg', '-L', package).split('\n'):
            if re.match(r'(/usr)?/lib(64)?/.*\.so(\.|$)', path) and os.path.isfile(path) and not re.search('/(perl|python)', path):
                target = os.path.join(root, 'usr', re.sub('^(/usr)?/', '', path))
                os.makedirs(os.path.dirname(target), exist_ok=True)
                beside = os.path.islink(path) and '/' not in os.readlink(path)
                shutil.copy2(path, target, follow_symlinks=not beside)
    for name in ('dev', 'proc', 'tmp', 'work'):
        os.makedirs(os.path.join(root, name), exist_ok=True)
    if ISOLATED == 'yes':
        subprocess.run(['mount', '--rbind', '/proc', os.path.join(root, 'proc')], check=True)
        for name in DEVICES:
            open(os.path.join(root, name), 'w').close()
            subprocess.run(['mount', '--bind', '/' + name, os.path.join(root, name)], check=True)
    else:
        shutil.rmtree(os.path.join(root, 'usr', 'lib64'))


def control_field(package, field):
    return run('dpkg-deb', '-f', package, field).strip()


def names(depends):
    return re.findall(r'(?:^|,) *([a-z0-9][a-z0-9+.-]+)', depends)


class Installed:
    """The tests of an installed tensh. Subclasses set `root` and `tensh`, the path of the program in that root."""
    GRPC = 'libgrpc.so'

    def command(self, *args):
        if ISOLATED == 'yes':
            return {'args': [self.tensh, *args], 'cwd': '/', 'env': ENV,
                    'preexec_fn': lambda: (os.chroot(self.root), os.chdir('/work'))}
        return {'args': [self.root + self.tensh, *args], 'cwd': os.path.join(self.root, 'work'), 'env': ENV}

    def run_tensh(self, *args, stdin=''):
        done = subprocess.run(**self.command(*args), input=stdin.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def copy_to_work(self, path):
        target = os.path.join(self.root, 'work', os.path.basename(path))
        if os.path.isdir(path):
            shutil.copytree(path, target, dirs_exist_ok=True)
        else:
            shutil.copy(path, target)

    def share(self, path):
        return os.path.join(self.root + os.path.dirname(os.path.dirname(self.tensh)), 'share', path)

    def test_version(self):
        with open(os.path.join(ROOT, 'runtime/include/tensh/tensh.h'), encoding='utf-8') as f:
            version = re.search(r'#define TENSH_VERSION "(.*)"', f.read()).group(1)
        self.assertEqual(self.run_tensh('--version'), 'tensh %s\n' % version)

    def test_samples(self):
        samples = self.share('tensh/samples')
        self.copy_to_work(os.path.join(samples, 'data'))
        outputs = glob.glob(os.path.join(samples, '*.out'))
        self.assertGreaterEqual(len(outputs), 7)
        for output in sorted(outputs):
            script = next(path for path in (output[:-4] + '.py', output[:-4] + '.tsh') if os.path.exists(path))
            self.copy_to_work(script)
            with open(output, encoding='utf-8') as f, self.subTest(script):
                self.assertEqual(TIMES.sub('#', self.run_tensh(os.path.basename(script))), TIMES.sub('#', f.read()))

    def test_connect(self):
        server = subprocess.Popen(**self.command('serve', '--port', '0'), stdout=subprocess.PIPE)
        try:
            target = server.stdout.readline().decode().split()[-1]
            self.assertRegex(target, r'^grpc://127\.0\.0\.1:\d+$')
            out = self.run_tensh('-c', 'x = tf.placeholder(tf.float32, [2])\nconnect %s\neval x * 2. feed x=[3, 4]' % target)
            self.assertEqual(out.split('\n')[-2], '[6. 8.]')
        finally:
            server.terminate()
            server.wait(30)
            server.stdout.close()

    def test_view(self):
        gate = os.path.join(self.root, 'work/gate')  # the shell waits here while the page is read
        os.mkfifo(gate)
        code = 'a = tf.constant([1., 2.], name="node_of_the_page")\neval a + 1.\nview\nopen("gate").read()\n'
        shell = subprocess.Popen(**self.command('-c', code), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            self.assertEqual(shell.stdout.readline(), b'[2. 3.]\n')
            line = shell.stdout.readline().decode()
            link = re.fullmatch(r'http://127\.0\.0\.1:(\d+)(/\S+)\n', line)
            self.assertTrue(link, line)

            def get(path, **headers):
                page = http.client.HTTPConnection('127.0.0.1', int(link.group(1)), timeout=30)
                page.request('GET', path, headers=headers)
                answer = page.getresponse()
                body = answer.read().decode()
                page.close()
                return answer, body
            answer, _ = get(link.group(2))
            self.assertEqual(answer.status, 303)
            cookie = answer.getheader('Set-Cookie').split(';')[0]
            answer, body = get(answer.getheader('Location'), Cookie=cookie)
            self.assertEqual(answer.status, 200)
            self.assertIn('<html', body)
            self.assertIn('node_of_the_page', get('/state', Cookie=cookie)[1])
            with open(gate, 'w') as f:
                f.write('go')
            self.assertEqual(shell.wait(30), 0)
        finally:
            shell.kill()
            shell.wait()
            shell.stdout.close()
            os.remove(gate)

    def test_lesson(self):
        with open(os.path.join(ROOT, 'samples/lessons/01_graphs.lesson'), encoding='utf-8') as f:
            steps = f.read().split('\n== ')[1:]
        lines = ['learn 1']
        for step in steps:
            lines += [line[4:] for line in step.split('\n') if line.startswith('>>> ')] + ['learn check']
        out = self.run_tensh('-', stdin='\n'.join(lines) + '\n')
        self.assertEqual(out.count('Right.'), len(steps), out)
        self.assertIn('Well done', out)

    def test_saved_model(self):
        self.copy_to_work(os.path.join(HERE, 'saved_model'))
        out = self.run_tensh('-c', 'open "saved_model" as m\neval m/y feed m/x=[[1., 1.], [2., 3.]]')
        self.assertEqual(out, '[[ 0.  0.  0.]\n [ 4.  9. 14.]]\n')

    def test_libraries_on_demand(self):
        out = self.run_tensh('-c', '''import hashlib
print(hashlib.sha256(b'tensh').hexdigest())
image = tf.constant(np.arange(48).reshape(4, 4, 3), tf.uint8)
with tf.Session() as sess:
    print((sess.run(tf.image.decode_png(tf.image.encode_png(image))) == sess.run(image)).all())
    print(sess.run(tf.image.decode_jpeg(tf.image.encode_jpeg(image))).shape)
    m = np.ones((600, 600), 'float32')
    print(sess.run(tf.matmul(m, m))[0, 0])
''')
        digest = hashlib.sha256(b'tensh').hexdigest()
        self.assertEqual(out, digest + '\nTrue\n(4, 4, 3)\n600.0\n')

    def loaded_libraries(self):
        """Returns the paths of all libraries that are loaded after a product, an image, a digest and a connection."""
        maps = self.run_tensh('-c', MAPS)
        for name in ('libpng16.so.16', 'libcrypto.so.3', 'libtensh_dist.so', self.GRPC):
            self.assertIn(name, maps)
        return maps.strip().split('\n')

    def test_loaded_libraries(self):
        self.loaded_libraries()


MAPS = '''import hashlib
hashlib.sha256(b'').hexdigest()
m = tf.ones([600, 600])
image = tf.image.encode_png(tf.zeros([4, 4, 3], tf.uint8))
with tf.Session() as sess: sess.run([tf.matmul(m, m), image])

try:
    with tf.Session('grpc://127.0.0.1:1', config=tf.ConfigProto(operation_timeout_in_ms=100)) as sess: sess.run(m)
except tf.errors.OpError: pass

for path in sorted({line.split(None, 5)[5].strip() for line in open('/proc/self/maps') if '.so' in line}): print(path)
'''


class Debian(Installed, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.debs = {control_field(path, 'Package'): path for path in glob.glob(PACKAGES + '/*.deb')}
        cls.root, cls.tensh = tempfile.mkdtemp(prefix='tensh_root_'), '/usr/bin/tensh'
        cls.ours = [name for name in ('tensh', 'libtensh0', 'tensh-cuda') if name in cls.debs]
        wanted = ['libc-bin']  # for its trigger, which runs ldconfig
        for name in cls.ours:
            for field in ('Depends', 'Recommends'):
                wanted += names(control_field(cls.debs[name], field))
        cls.dependencies = closure(set(wanted) - set(cls.debs))
        assert not [name for name in cls.dependencies if name.endswith('-dev') or name.startswith(('gcc-12-x', 'g++', 'clang'))]
        copy_libraries(cls.dependencies, cls.root)
        cls.before = cls.listing()
        if ISOLATED == 'yes':
            cls.prepare_dpkg()
            cls.dpkg('--install', *[cls.debs[name] for name in cls.ours])
        else:
            for name in cls.ours:
                run('dpkg-deb', '-x', cls.debs[name], cls.root)

    @classmethod
    def prepare_dpkg(cls):
        """Gives the root a database in which the dependencies are installed, so that dpkg checks ours."""
        for name in ('info', 'updates', 'triggers'):
            os.makedirs(os.path.join(cls.root, 'var/lib/dpkg', name))
        with open(os.path.join(cls.root, 'var/lib/dpkg/status'), 'w') as f:
            f.write(run('dpkg-query', '-s', *sorted(cls.dependencies - {'libc-bin'})).replace('\n---\n', '\n\n'))

    @classmethod
    def dpkg(cls, *args):
        run('dpkg', '--root=' + cls.root, '--force-not-root', '--force-script-chrootless', *args,
            env=dict(os.environ, PATH=os.environ['PATH'] + ':/usr/sbin:/sbin', LC_ALL='C'))

    @classmethod
    def listing(cls):
        return {path for path in files_of(cls.root) if path.startswith(('usr/', 'etc/'))}

    @classmethod
    def tearDownClass(cls):
        leave(cls.root)

    def test_packages(self):
        self.assertEqual({'tensh', 'libtensh0', 'libtensh-dev', 'tensh-dbgsym'} - set(self.debs), set())
        for name, path in self.debs.items():
            with self.subTest(name):
                self.assertRegex(control_field(path, 'Maintainer'), r'^\S.* <\S+@\S+>$')
                self.assertGreater(len(control_field(path, 'Description').split('\n')), 1)
                self.assertNotIn('root/root 0 ./home', run('dpkg-deb', '-c', path))
                if name == 'tensh-dbgsym':  # its documents are those of tensh
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    run('dpkg-deb', '-x', path, folder)
                    documents = os.path.join(folder, 'usr/share/doc', name)
                    with gzip.open(os.path.join(documents, 'changelog.Debian.gz'), 'rt') as f:
                        self.assertIn(control_field(path, 'Version'), f.readline())
                    with open(os.path.join(documents, 'copyright')) as f:
                        self.assertIn('Apache-2.0', f.read())
                    for file in files_of(folder):
                        full = os.path.join(folder, file)
                        if is_elf(full):
                            self.assertNotIn('.symtab', run('readelf', '-SW', full), file + ' is not stripped')

    def test_lintian(self):
        if not shutil.which('lintian'):
            self.skipTest('no lintian')
        run('lintian', '--allow-root', '--fail-on', 'error', *self.debs.values())

    def test_gpu(self):
        if 'tensh-cuda' not in self.debs:
            self.assertIn('no GPU: libtensh_cuda.so is not installed: apt install tensh-cuda', self.run_tensh('-c', 'devices --verbose'))
            return
        self.assertIn('no GPU: no driver: libcuda.so.1 not found\n', self.run_tensh('-c', 'devices --verbose'))

    def test_manual(self):
        for name in ('tensh', 'tensh-serve'):
            with gzip.open(self.share('man/man1/%s.1.gz' % name), 'rt') as f:
                self.assertIn('.SH SYNOPSIS', f.read())
        for path in ('bash-completion/completions/tensh', 'zsh/vendor-completions/_tensh', 'fish/vendor_completions.d/tensh.fish'):
            self.assertTrue(os.path.exists(self.share(path)), path)

    def test_z_remove(self):
        if ISOLATED != 'yes':
            self.skipTest('dpkg needs root or a user namespace')
        self.dpkg('--install', self.debs['libtensh-dev'])
        self.assertTrue(os.path.exists(os.path.join(self.root, 'usr/include/tensh/tensh.h')))
        self.dpkg('--remove', 'libtensh-dev', *self.ours)
        self.assertEqual(self.listing(), self.before)


class Archive(Installed, unittest.TestCase):
    GRPC = 'libre2.so'  # gRPC itself is in the plug-in

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp(prefix='tensh_root_')
        copy_libraries(['libc6'], cls.root)
        found = glob.glob(PACKAGES + '/tensh-*-linux-*.tar.xz')
        assert len(found) == 1, found
        os.makedirs(os.path.join(cls.root, 'any place/here'))
        run('tar', '-C', os.path.join(cls.root, 'any place/here'), '-xf', found[0])
        # The archive runs from any folder, and no file may contain the original path.
        os.rename(os.path.join(cls.root, 'any place/here'), os.path.join(cls.root, 'any place/there'))
        cls.tensh = '/any place/there/%s/bin/tensh' % os.path.basename(found[0])[:-len('.tar.xz')]
        assert os.path.exists(cls.root + cls.tensh), cls.tensh

    @classmethod
    def tearDownClass(cls):
        leave(cls.root)

    def test_loaded_libraries(self):
        inside = os.path.dirname(os.path.dirname(self.tensh if ISOLATED == 'yes' else self.root + self.tensh))
        for path in self.loaded_libraries():
            self.assertTrue(path.startswith(inside) or GLIBC.match(os.path.basename(path)), path)

    def test_size(self):
        self.assertLess(os.path.getsize(self.root + self.tensh), 20e6)
        if FAST:
            return
        self.assertLess(os.path.getsize(glob.glob(PACKAGES + '/tensh-*-linux-*.tar.xz')[0]), 12e6)

    def test_contents(self):
        top = os.path.dirname(os.path.dirname(self.root + self.tensh))
        with open(os.path.join(top, 'README'), encoding='utf-8') as f:
            needed = re.search(r'glibc (2\.\d+) or newer', f.read())
        self.assertTrue(needed)
        with open(os.path.join(ROOT, 'docs', 'install.md'), encoding='utf-8') as f:
            self.assertIn('needs glibc %s or newer' % needed.group(1), ' '.join(f.read().split()))
        for file in files_of(top):
            full = os.path.join(top, file)
            self.assertFalse(os.path.islink(full) and os.readlink(full).startswith('/'), file)
            if is_elf(full):
                self.assertNotIn('.symtab', run('readelf', '-SW', full), file + ' is not stripped')


def leave(root):
    """Removes a root. What is mounted in it must not be touched."""
    if ISOLATED == 'yes':
        for name in ['proc'] + DEVICES:
            subprocess.run(['umount', '-l', os.path.join(root, name)], check=True)
    shutil.rmtree(root)


def main():
    global PACKAGES, FAST
    missing = [name for name in ('dpkg-deb', 'dpkg-shlibdeps', 'patchelf', 'xz', 'objcopy') if not shutil.which(name)]
    if missing:
        print('package: skipped, because there is no', ', '.join(missing))
        return 77
    if not ISOLATED:
        isolate()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--build')
    parser.add_argument('--packages')
    options, rest = parser.parse_known_args()
    print('package: %s' % ('with chroot' if ISOLATED == 'yes' else 'WITHOUT chroot, which needs root or a user namespace'))
    with tempfile.TemporaryDirectory(prefix='tensh_packages_') as folder:
        PACKAGES = os.path.abspath(options.packages or folder)
        FAST = not options.packages
        if not options.packages:
            subprocess.run([sys.executable, os.path.join(ROOT, 'cmake/package.py'), '--build', options.build, '--out', folder,
                            '--fast'], check=True)
        return not unittest.main(argv=[sys.argv[0], *rest], exit=False).result.wasSuccessful()


if __name__ == '__main__':
    sys.exit(main())
