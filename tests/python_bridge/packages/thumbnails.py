# needs PIL
'''Pictures: PIL reads and writes what the graph encodes.'''
from io import BytesIO
import glob, os, shutil, tempfile
import numpy as np
import tensorflow.compat.v1 as tf
from PIL import Image, ImageDraw, ImageFilter, ImageOps

tf.disable_v2_behavior()
FOLDER = tempfile.mkdtemp()


def make_pictures():
  for i, color in enumerate([(255, 0, 0), (0, 128, 0), (10, 20, 250)]):
    im = Image.new('RGB', (12, 8), color)
    ImageDraw.Draw(im).rectangle([2, 2, 5, 5], fill=(255, 255, 255))
    im.save(os.path.join(FOLDER, 'picture_%d.png' % i))


def load(path, size=(6, 4)):
  image = Image.open(path)
  assert image.mode == 'RGB', image.mode
  image = image.resize(size, Image.NEAREST)
  return np.asarray(image, dtype=np.float32) / 255


def batches(paths, n):
  for at in range(0, len(paths), n):
    yield np.stack([load(p) for p in paths[at:at + n]])


make_pictures()
files = sorted(glob.glob(os.path.join(FOLDER, '*.png')))
print([os.path.basename(f) for f in files])
x = tf.placeholder(tf.float32, [None, 4, 6, 3])
gray = tf.image.rgb_to_grayscale(x)
flipped = tf.image.flip_left_right(x)
png = tf.image.encode_png(tf.cast(flipped[0] * 255, tf.uint8))
name = tf.placeholder(tf.string)
decoded = tf.image.decode_png(tf.read_file(name), channels=3)
with tf.Session() as sess:
  for batch in batches(files, 2):
    g, p = sess.run([gray, png], feed_dict={x: batch})
    im = Image.open(BytesIO(p))
    print(batch.shape, g[:, 0, 0, 0].round(3), im.size, im.format, im.getpixel((5, 0)), im.getbbox())
  for f in files[:1]:
    same = np.array(Image.open(f))
    print(np.array_equal(sess.run(decoded, {name: f}), same), same.shape, same.dtype)
    im = Image.fromarray(same)
    print(im.convert('L').getpixel((0, 0)), im.crop((0, 0, 3, 3)).size, ImageOps.mirror(im).getpixel((11, 0)), im.rotate(90, expand=True).size)
    print(len(im.split()), im.filter(ImageFilter.MaxFilter(3)).getpixel((1, 1)), sorted(im.getcolors()))
    im.thumbnail((6, 6))
    print(im.size, np.array(ImageOps.invert(im.convert('L')))[0, 0])
    mask = Image.fromarray((np.eye(4) * 255).astype('uint8'))
    mask.paste(7, (1, 0, 2, 1))
    buffer = BytesIO()
    mask.save(buffer, format='PNG')
    print(sess.run(tf.image.decode_image(buffer.getvalue()))[:, :, 0].tolist())
shutil.rmtree(FOLDER)
