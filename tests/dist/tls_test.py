#!/usr/bin/env python3
"""Restrictions for clients: certificates, addresses, and the files that graphs may access (--file-root).

    tls_test.py --tensh build/tensh [NAME ...]
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import cluster_test as ct


def openssl(folder, *args):
    subprocess.run(['openssl', *args], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def certificates(folder):
    """Creates ca.pem, and NAME.pem and NAME.key for a server on 127.0.0.1, a client, and a stranger with another CA."""
    with open(os.path.join(folder, 'ext'), 'w') as f:
        f.write('subjectAltName=IP:127.0.0.1,DNS:localhost\n')
    for ca in ('ca', 'other'):
        openssl(folder, 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2',
                '-keyout', ca + '.key', '-out', ca + '.pem', '-subj', '/CN=' + ca)
    for name, ca in (('server', 'ca'), ('client', 'ca'), ('stranger', 'other')):
        openssl(folder, 'req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout',
                name + '.key', '-out', name + '.csr', '-subj', '/CN=' + name)
        openssl(folder, 'x509', '-req', '-in', name + '.csr', '-CA', ca + '.pem', '-CAkey', ca + '.key',
                '-CAcreateserial', '-days', '2', '-out', name + '.pem', '-extfile', 'ext')


def tls(name, ca='ca.pem'):
    return ['--tls-cert', name + '.pem', '--tls-key', name + '.key', '--tls-ca', ca]


class Server:
    def __init__(self, folder, *options):
        self.process = subprocess.Popen([ct.TENSH, 'serve', *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        cwd=folder, env=ct.ENV)
        line = self.process.stdout.readline().decode()
        assert 'grpc://' in line, self.process.stderr.read()
        self.target = line.split()[-1].replace('0.0.0.0', '127.0.0.1')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        _, self.errors = self.process.communicate(timeout=30)


def run(folder, code, *options):
    done = subprocess.run([ct.TENSH, *options, '-c', code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          env=ct.ENV, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@unittest.skipUnless(shutil.which('openssl'), 'no openssl to make certificates with')
class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        certificates(cls.folder)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def step(self, server, *options):
        return run(self.folder, 'print(tf.Session(%r).run(tf.constant(2) + 1))' % server.target, *options)

    def refused(self, server, *options):
        rc, out, err = self.step(server, *options)
        self.assertEqual((rc, out), (1, ''), err)
        self.assertRegex(err, 'UnavailableError|UnauthenticatedError')

    def test_both_sides_show_one(self):
        with Server(self.folder, '--port', '0', *tls('server')) as server:
            rc, out, err = self.step(server, *tls('client'))
            self.assertEqual((rc, out), (0, '3\n'), err)
            self.refused(server, '--tls-ca', 'ca.pem')  # no certificate
            self.refused(server)  # unencrypted
            self.refused(server, *tls('stranger'))  # a certificate from another CA
            # the server's certificate is from another CA
            self.refused(server, *tls('client', 'other.pem'))
            self.assertEqual(self.step(server, *tls('client'))[1], '3\n')

    def test_only_the_server(self):
        with Server(self.folder, '--port', '0', '--tls-cert', 'server.pem', '--tls-key', 'server.key') as server:
            rc, out, err = self.step(server, '--tls-ca', 'ca.pem')
            self.assertEqual((rc, out), (0, '3\n'), err)
            self.refused(server)

    def test_client_expects_tls(self):
        with Server(self.folder, '--port', '0') as server:
            self.refused(server, *tls('client'))

    def test_cluster(self):
        ports = ct.free_ports(2)
        spec = 'worker=' + ','.join('127.0.0.1:%d' % p for p in ports)
        options = ['--cluster', spec, '--job', 'worker', '--task']
        with Server(self.folder, *options, '0', *tls('server')) as first, \
                Server(self.folder, *options, '1', *tls('server')):
            rc, out, err = run(
                self.folder, 'with tf.device("/job:worker/task:1"): a = tf.constant([1., 2.])\n'
                'with tf.device("/job:worker/task:0"): b = a * 2.\nprint(tf.Session(%r).run(b))' % first.target,
                *tls('client'))
            self.assertEqual((rc, out), (0, '[2. 4.]\n'), err)

    def test_files_that_are_none(self):
        for options in (['--tls-cert', 'server.pem'], ['--tls-ca', 'ca.pem'], ['--tls-cert', 'no', '--tls-key', 'no'],
                        ['--tls-cert', 'ext', '--tls-key', 'server.key']):
            done = subprocess.run([ct.TENSH, 'serve', '--port', '0', *options], stderr=subprocess.PIPE,
                                  stdout=subprocess.PIPE, cwd=self.folder, env=ct.ENV, timeout=30)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn(b'--tls-', done.stderr)


class Addresses(unittest.TestCase):
    def test_beyond_this_machine(self):
        done = subprocess.run([ct.TENSH, 'serve', '--port', '0', '--host', '0.0.0.0'], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=ct.ENV, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (2, b''))
        self.assertIn(b'--insecure', done.stderr)
        # A certificate of the server does not restrict who may run graphs.
        done = subprocess.run([ct.TENSH, 'serve', '--port', '0', '--host', '0.0.0.0', '--tls-cert', 'cert', '--tls-key', 'key'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ct.ENV, timeout=30)
        self.assertEqual((done.returncode, done.stdout), (2, b''))
        self.assertIn(b'only --tls-ca restricts clients', done.stderr)
        server = Server('.', '--port', '0', '--host', '0.0.0.0', '--insecure')
        with server:
            self.assertEqual(run('.', 'print(tf.Session(%r).run(tf.constant(2)))' % server.target)[1], '2\n')
        self.assertIn(b'warning: anyone who can reach 0.0.0.0', server.errors)


class Files(unittest.TestCase):
    CODE = ('s = tf.Session(%r)\ndef t(op):\n    try:\n        print(s.run(op))\n'
            '    except tf.errors.OpError as e:\n        print(type(e).__name__)\n'
            't(tf.write_file(%r, "hi"))\nt(tf.read_file(%r))\n')

    def ask(self, server, path):
        rc, out, err = run('.', self.CODE % (server.target, path, path))
        self.assertEqual(rc, 0, err)
        return out.split()

    def test_roots(self):
        with tempfile.TemporaryDirectory() as folder:
            root, outside = os.path.join(folder, 'root'), os.path.join(folder, 'outside')
            os.mkdir(root)
            os.mkdir(outside)
            os.symlink(outside, os.path.join(root, 'link'))
            denied = ['PermissionDeniedError'] * 2
            with Server('.', '--port', '0') as server:
                self.assertEqual(self.ask(server, os.path.join(root, 'a')), denied)
                self.assertEqual(self.ask(server, '/dev/null/x'), denied)
            with Server('.', '--port', '0', '--file-root', root) as server:
                self.assertEqual(self.ask(server, os.path.join(root, 'a')), ['None', "b'hi'"])
                for path in ('/link/a', '/../outside/a', '/../root2', ''):
                    self.assertEqual(self.ask(server, root + path)[0] == 'None', False, path)
                self.assertEqual(self.ask(server, root + '/link/a'), denied)
                self.assertEqual(self.ask(server, root + '/../outside/a'), denied)
                self.assertEqual(self.ask(server, root + '2/a'), denied)
            self.assertEqual(os.listdir(outside), [])

    PATTERNS = ('s = tf.Session(%r)\nfor pattern in %r:\n    try:\n'
                '        print(s.run(tf.matching_files(pattern), options=tf.RunOptions(timeout_in_ms=2000)).tolist())\n'
                '    except tf.errors.OpError as e:\n        print(type(e).__name__)\ns.close()\n')

    def match(self, server, patterns):
        rc, out, err = run('.', self.PATTERNS % (server.target, patterns))
        self.assertEqual(rc, 0, err)
        return out.splitlines()

    def test_patterns(self):
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(os.path.realpath(folder), 'root')
            os.mkdir(root)
            os.symlink(root, os.path.join(root, 'again'))
            os.symlink('/', os.path.join(root, 'link'))
            with open(os.path.join(root, 'a'), 'w'):
                pass
            bomb = '/*/..' * 7 + '/*'
            # Without a root, the answer does not depend on the files that exist.
            with Server('.', '--port', '0') as server:
                self.assertEqual(self.match(server, [root + '/*', '/nothing*', 'nothing*', bomb]), ['PermissionDeniedError'] * 4)
            with Server('.', '--port', '0', '--file-root', root) as server:
                self.assertEqual(self.match(server, [root + '/a*', root + '/l*', '/etc/*', root + bomb]),
                                 [str([(root + '/' + name).encode() for name in ('a', 'again')]), '[]', 'PermissionDeniedError',
                                  'InvalidArgumentError'])

    def test_a_root_that_cannot_be_resolved(self):
        with tempfile.TemporaryDirectory() as folder:
            loop = os.path.join(folder, 'loop')
            os.symlink('loop', loop)
            for root in (loop, os.path.join(folder, 'none')):
                done = subprocess.run([ct.TENSH, 'serve', '--port', '0', '--file-root', root], stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, env=ct.ENV, timeout=30)
                self.assertNotEqual(done.returncode, 0, root)
                self.assertIn(b'--file-root', done.stderr)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    ct.TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main(verbosity=1)
