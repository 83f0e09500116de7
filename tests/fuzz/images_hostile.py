#!/usr/bin/env python3
"""Decodes image files with small modifications, and expects pixels or InvalidArgumentError.

    images_hostile.py --tensh build/tensh [--seed N] [--count N]

The files come from the recorded cases (tests/oracle/values). They are truncated, or bytes are changed, removed or
repeated, or the sizes in the header are changed. PNG files get new checksums, because otherwise a decoder would stop
at the first chunk.
"""
import argparse
import glob
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import urllib.parse
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
CALLS = ["tf.raw_ops.DecodePng(contents=x, dtype=tf.uint16)", "tf.raw_ops.DecodePng(contents=x, channels=1)",
         "tf.raw_ops.DecodePng(contents=x, channels=4)", "tf.raw_ops.DecodeJpeg(contents=x, try_recover_truncated=True)",
         "tf.raw_ops.DecodeJpeg(contents=x, ratio=8, acceptable_fraction=0.1, fancy_upscaling=False)",
         "tf.raw_ops.DecodeAndCropJpeg(contents=x, crop_window=[1, 2, 3, 4], try_recover_truncated=True)",
         "tf.raw_ops.DecodeGif(contents=x)", "tf.raw_ops.DecodeBmp(contents=x)", "tf.raw_ops.ExtractJpegShape(contents=x)",
         "tf.raw_ops.DecodeImage(contents=x, dtype=tf.float32)", "tf.raw_ops.DecodeImage(contents=x, expand_animations=False)"]
SCRIPT = '''
x = tf.placeholder(tf.string)
images = [%s]
with tf.Session() as sess:
    for name in sys.argv[1:]:
        print(name, flush=True)
        with open(name, 'rb') as f:
            contents = f.read()
        for image in images:
            try:
                sess.run(image, {x: contents})
            except (tf.errors.InvalidArgumentError, tf.errors.ResourceExhaustedError):
                pass
print('done')
''' % ', '.join(CALLS)


def recorded_files():
    """Returns every file among the inputs of the recorded cases."""
    files = set()
    for path in sorted(glob.glob(os.path.join(HERE, '..', 'oracle', 'values', 'Decode*.json'))):
        if os.path.basename(path)[len('Decode'):-len('.json')] in ('Png', 'Jpeg', 'Gif', 'Bmp', 'Image'):
            with open(path) as f:
                for case in json.load(f)['cases']:
                    kind, _, text = case['in'][0].partition(' ')
                    files.add(urllib.parse.unquote_to_bytes(text))
    return sorted(f for f in files if len(f) > 20)


def with_checksums(png):
    """Returns the PNG with correct checksums in all chunks that can be recognized."""
    out, at = bytearray(png[:8]), 8
    while at + 12 <= len(png):
        length = struct.unpack('>I', png[at:at + 4])[0]
        body = png[at + 4:at + 8 + length]
        out += png[at:at + 4] + body + struct.pack('>I', zlib.crc32(body))
        at += 12 + length
    return bytes(out)


def changed(r, file):
    data = bytearray(file)
    for _ in range(r.choice([1, 1, 2, 5])):
        at = r.randrange(len(data)) if r.random() < .6 else r.randrange(min(len(data), 60))
        kind = r.randrange(6)
        if kind == 0:
            data[at] = r.choice([0, 1, 127, 128, 255, r.randrange(256)])
        elif kind == 1:
            data[at:at + 4] = r.choice([b'\0\0\0\0', b'\xff\xff\xff\xff', b'\x7f\xff\xff\xff', b'\xff\xff\xff\x7f', b'\0\0\xff\xff'])
        elif kind == 2:
            data = data[:max(at, 10)]
        elif kind == 3:
            del data[at:at + r.randrange(1, 9)]
        elif kind == 4:
            data[at:at] = data[max(0, at - r.randrange(1, 40)):at]
        else:
            data[at] ^= 1 << r.randrange(8)
        if len(data) < 11:
            break
    return with_checksums(bytes(data)) if file[:4] == b'\x89PNG' and r.random() < .8 else bytes(data)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=300, help='files')
    options = parser.parse_args()
    r, files = random.Random(options.seed), recorded_files()
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for i in range(options.count):
            names.append(os.path.join(folder, '%d.image' % i))
            with open(names[-1], 'wb') as f:
                f.write(changed(r, r.choice(files)))
        script = os.path.join(folder, 'decode.py')
        with open(script, 'w') as f:
            f.write('import sys\n' + SCRIPT)
        done = subprocess.run([os.path.abspath(options.tensh), script] + names, capture_output=True, text=True,
                              errors='replace', cwd=folder)
        said = done.stdout.split('\n')
        if done.returncode or 'done' not in said:
            with open(said[-2], 'rb') as f:
                print('exit %d at %r\n%s' % (done.returncode, f.read(), done.stderr[-3000:]))
            return 1
    print('%d files, each decoded %d times' % (options.count, len(CALLS)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
