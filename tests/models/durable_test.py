#!/usr/bin/env python3
"""Saves models while the process is killed, interrupted or out of disk space, and in a folder that is read-only. Checks that
the old file or the new one can be read, that nothing else is left behind, and that the error says why.

    durable_test.py --tensh build/tensh [--count N] [--seed N] [FORMAT …]

If this user may mount a file system in a namespace of its own (unshare), a small one is filled and then mounted read-only.
"""
import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

SIZE = 300000  # elements, so that the files have 1.2 MB
# By the name of the file: how to read the value of v.
FORMATS = {
    'm.npz': "np.load('m.npz')['v']",
    'm.safetensors': "OPENED['v']",
    'm.ckpt': "tf.train.NewCheckpointReader('m.ckpt').get_tensor('v')",
    'm.onnx': "OPENED.run(x=np.float32(1.))['y']",
    'm.pb': "eval OPENED['y'] feed OPENED['x']=1.",
    'model/': "OPENED.serving_default(x=np.float32(1.))['y']",
}
SHARDED = 'sharded.ckpt'  # written by a Saver, in two files
FORMATS[SHARDED] = "tf.train.NewCheckpointReader('%s').get_tensor('v')" % SHARDED
WRITE = '''
with tf.device('/cpu:0'):
    v = tf.Variable(tf.zeros([%(size)d]), name='v')
with tf.device('/cpu:1'):
    u = tf.Variable(tf.zeros([2]), name='u')
run u.initializer
saver = tf.train.Saver([v, u], sharded=True)
sess = tf.Session(config=tf.ConfigProto(device_count={'CPU': 2}))
sess.run(u.initializer)
x = tf.placeholder(tf.float32, [], name='x')
y = tf.multiply(v, x, name='y')
p = tf.placeholder(tf.float32, [])
assign = tf.assign(v, tf.fill([%(size)d], p)).op
for k in range(%(first)d, %(last)d):
    run assign feed p=k
    %(save)s
    print(k, flush=True)
'''


class Format:
    def __init__(self, tensh, folder, name):
        self.tensh, self.folder, self.name = tensh, folder, name
        self.rest = {'m.onnx': 'y', 'm.pb': 'y frozen', 'model/': 'y'}.get(name, '')

    def start(self, first, last, **options):
        save = 'save %s %s' % (self.name, self.rest)
        if self.name == SHARDED:
            save = "sess.run(assign, {p: k}); saver.save(sess, '%s', write_meta_graph=False)" % SHARDED
        script = WRITE % {'size': SIZE, 'first': first, 'last': last, 'save': save}
        path = os.path.join(self.folder, '..', 'write.tsh')
        with open(path, 'w') as f:
            f.write(script)
        return subprocess.Popen([self.tensh, path], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def value(self):
        """The number that all elements of the saved variable have."""
        opening = 'open %s as OPENED\n' % self.name if 'OPENED' in FORMATS[self.name] else ''
        done = subprocess.run([self.tensh], input=opening + 'a = %s\nprint(a.shape, a.min(), a.max())\n' % FORMATS[self.name],
                              cwd=self.folder, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise AssertionError('%s cannot be read: %s\n%s' % (self.name, done.stderr, self.listing()))
        shape, least, most = done.stdout.rsplit(None, 2)
        if shape != '(%d,)' % SIZE or least != most:
            raise AssertionError('%s holds parts of two files: %s' % (self.name, done.stdout))
        return int(float(least))

    def listing(self):
        return sorted(os.path.relpath(os.path.join(root, f), self.folder) for root, _, files in os.walk(self.folder) for f in files)

    def clean(self):
        """Removes what a killed process has left. A new process does not need this; the listing of others does."""
        for name in os.listdir(self.folder):
            if '.tmp' in name:
                path = os.path.join(self.folder, name)
                subprocess.run(['rm', '-rf', path], check=True)

    def check_kills(self, count, seed):
        """Kills the process at random moments."""
        chance, last = random.Random('%s %d' % (self.name, seed)), 1
        process = self.start(1, 2)
        self.expect(process.communicate(timeout=60)[1] == '' and process.returncode == 0, 'the first file was not written')
        for _ in range(count):
            process = self.start(last + 1, last + 10000)
            process.stdout.readline()  # one is written
            time.sleep(chance.uniform(0, .06))
            process.kill()
            told = [int(line) for line in process.communicate(timeout=60)[0].split()]
            told = max(told + [last + 1])
            value = self.value()
            self.expect(told <= value, 'it was written up to %d, and %d is there' % (told, value))
            last = value

    def check_interrupt(self):
        last = self.value()
        process = self.start(last + 1, last + 10000)
        process.stdout.readline()
        time.sleep(.03)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.expect(process.returncode == 130, 'Ctrl-C: the exit code is %d' % process.returncode)
        self.value()
        self.expect(not [n for n in self.listing() if '.tmp' in n], 'Ctrl-C left ' + ' '.join(self.listing()))

    def check_full(self):
        """A file system without space is a limit on the size of files here."""
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE, SIZE))
        last, before = self.value(), self.listing()
        process = self.start(last + 1, last + 2, preexec_fn=limit)
        err = process.communicate(timeout=60)[1]
        self.expect(process.returncode == 1 and 'File too large' in err, 'a full disk: %d %s' % (process.returncode, err))
        self.expect(self.value() == last, 'a full disk damaged the file')
        self.expect(self.listing() == before, 'a full disk left ' + ' '.join(self.listing()))

    def check_small_disk(self):
        """The folder is a file system of its own, which is full, and then read-only."""
        process = self.start(1, 2)
        self.expect(process.communicate(timeout=60)[1] == '', 'the first file was not written')
        filler = os.open(os.path.join(self.folder, 'filler'), os.O_WRONLY | os.O_CREAT)
        try:
            while os.write(filler, bytes(4096)):
                pass
        except OSError:
            os.truncate(filler, os.fstat(filler).st_size - SIZE)
        os.close(filler)
        before = self.listing()
        for mount, error in ((None, 'No space left on device'), ('remount,ro', 'Read-only file system')):
            if mount:
                subprocess.run(['mount', '-o', mount, self.folder], check=True)
            process = self.start(2, 3)
            err = process.communicate(timeout=60)[1]
            self.expect(process.returncode == 1 and error in err, '%s: %d %s' % (error, process.returncode, err))
            self.expect(self.name.rstrip('/') in err, 'the error does not name the file: ' + err)
            self.expect(self.value() == 1, error + ': the file is damaged')
            self.expect(self.listing() == before, '%s left %s' % (error, self.listing()))

    def expect(self, ok, what):
        if not ok:
            raise AssertionError('%s: %s' % (self.name, what))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--count', type=int, default=5)
    parser.add_argument('--seed', type=int, default=0)
    parser.add_argument('--small-disk', action='store_true', help='in a namespace of its own: only the full and read-only disk')
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    own = ['unshare', '--user', '--map-root-user', '--mount']
    if not args.small_disk:
        if subprocess.run([*own, 'mount', '-t', 'tmpfs', 'x', '/mnt'], capture_output=True, check=False).returncode:
            print('not tested: a full and a read-only file system, because this user cannot mount one')
        else:
            subprocess.run([*own, sys.executable, __file__, '--tensh', args.tensh, '--small-disk', *args.names], check=True)
    for name in args.names or FORMATS:
        with tempfile.TemporaryDirectory() as root:
            folder = os.path.join(root, 'd')
            os.mkdir(folder)
            each = Format(os.path.abspath(args.tensh), folder, name)
            if args.small_disk:
                subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=2m', 'x', folder], check=True)
                try:
                    each.check_small_disk()
                finally:
                    subprocess.run(['umount', folder], check=True)
                print(name, 'is complete on a full and on a read-only disk')
                continue
            each.check_kills(args.count, args.seed)
            each.clean()
            each.check_interrupt()
            each.check_full()
            print(name, 'is complete after', args.count, 'kills')


if __name__ == '__main__':
    main()
