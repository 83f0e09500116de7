"""Recognition of model and data files by their content. The names of files are only hints for people."""
import os
import re
import struct

_HEAD = 4096

# Formats that are known by their first bytes and that tensh cannot open: (offset, bytes, what it is, what to do).
_FOREIGN = (
    (0, 'GGUF', 'a GGUF file of llama.cpp: quantized weights without a graph',
     'open the model that it was converted from, in safetensors or ONNX'),
    (0, 'ggml', 'a GGML file of llama.cpp', 'open the model that it was converted from'),
    (0, 'ggjt', 'a GGML file of llama.cpp', 'open the model that it was converted from'),
    (0, 'lmgg', 'a GGML file of llama.cpp', 'open the model that it was converted from'),
    (0, '\x1f\x8b', 'a gzip archive', 'unpack it: tar xzf %s or gunzip %s'),
    (0, 'BZh', 'a bzip2 archive', 'unpack it: tar xjf %s or bunzip2 %s'),
    (0, '\xfd7zXZ\0', 'an xz archive', 'unpack it: tar xJf %s or unxz %s'),
    (0, '\x28\xb5\x2f\xfd', 'a zstd archive', 'unpack it: tar --zstd -xf %s or unzstd %s'),
    (257, 'ustar', 'a tar archive', 'unpack it: tar xf %s'),
    (0, '7z\xbc\xaf\x27\x1c', 'a 7z archive', 'unpack it: 7z x %s'),
    (0, 'ftrt', 'a TensorRT engine: machine code for one type of GPU', 'open the ONNX model that it was built from'),
    (0, 'RKNN', 'a Rockchip NPU model', 'open the model that it was converted from'),
    (0, '\x7fELF', 'a program or library of machine code', 'it holds no graph'),
    (0, '%PDF', 'a PDF document', 'it holds no graph'),
    (0, 'SQLite format 3\0', 'an SQLite database', 'it holds no graph; try: sqlite3 %s'),
    (0, '<?xml', 'an XML file (OpenVINO: the graph of an IR model)', 'open the model that it was converted from'),
    (0, '7767517\n', 'the graph of an ncnn model', 'open the model that it was converted from'),
    (0, 'PAR1', 'a Parquet file', 'write its columns as CSV or .npz'),
    (0, 'ARROW1', 'an Arrow file', 'write its columns as CSV or .npz'),
)
# Data that become a feed: (bytes, kind, what).
_DATA = (('\x93NUMPY', 'npy', 'a numpy array'), ('\x89PNG', 'image', 'a PNG image'), ('\xff\xd8\xff', 'image', 'a JPEG image'),
         ('GIF8', 'image', 'a GIF image'), ('BM', 'image', 'a BMP image'))
_PYTORCH = 'python -c "import torch; m = torch.jit.load(\'%s\'); torch.onnx.export(m, torch.zeros(1, 3, 224, 224), \'model.onnx\')"'
_MASK = 0xa282ead8
_HDF5 = '\x89HDF\r\n\x1a\n'
_TABLE_END = '\x57\xfb\x80\x8b\x24\x75\x47\xdb'  # of a sorted table in LevelDB's format


class Format(object):
    """The kind of a file: a word for the program, a description for people, and what to do with it if it cannot be opened."""

    def __init__(self, kind, what, advice='', path=''):
        self.kind, self.what, self.advice, self.path = kind, what, advice, path


def _at(path, at, size):
    """Returns a part of a file, with a character for each byte."""
    with open(path, 'rb') as f:
        f.seek(at)
        return f.read(size).decode('latin-1')


def _start(path, size=_HEAD):
    return _at(path, 0, size)


def _end(path, size):
    return _at(path, max(0, os.path.getsize(path) - size), size)


def is_text(head):
    """Returns true unless the text contains control characters that no text has."""
    return not re.search(r'[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]', head)


# ---- messages ----

def top_fields(path, most):
    """Returns (number, kind, start, size or value) of the first fields of a message, without reading their content, or
    None if the file is not a message."""
    found, size = [], os.path.getsize(path)
    with open(path, 'rb') as f:
        at = 0
        while at < size and len(found) < most:
            f.seek(at)
            data = f.read(20)
            key = value = shift = used = 0
            while True:
                if used >= len(data) or shift > 63:
                    return None
                key |= (data[used] & 127) << shift
                shift, used = shift + 7, used + 1
                if data[used - 1] < 128:
                    break
            kind, shift = key & 7, 0
            if kind in (0, 2):
                while True:
                    if used >= len(data) or shift > 63:
                        return None
                    value |= (data[used] & 127) << shift
                    shift, used = shift + 7, used + 1
                    if data[used - 1] < 128:
                        break
            elif kind not in (1, 5):
                return None
            length = {0: 0, 1: 8, 5: 4}.get(kind, value)
            if key >> 3 == 0 or at + used + length > size:
                return None
            found.append((key >> 3, kind, at + used, value))
            at += used + length
    return found


def _is_node(data):
    """Returns true if the bytes begin like a NodeDef: a name and an op."""
    m = re.match(r'\x0a([\x01-\x7f])', data)
    if not m:
        return False
    size = ord(data[1])
    after = data[2 + size:]
    if size > 127 or not re.match(r'[A-Za-z0-9._][ -~]*$', data[2:2 + size]) or after[:1] != '\x12':
        return size > 100 and len(after) == 0
    return bool(re.match(r'[A-Za-z_][A-Za-z0-9_>.]*', after[2:2 + max(1, ord(after[1]) if len(after) > 1 else 1)]))


def _message(path):
    """Recognizes a message of protocol buffers, or returns None."""
    fields = top_fields(path, 40)
    if not fields:
        return None
    numbers = set(n for n, _, _, _ in fields)
    kinds = {n: k for n, k, _, _ in reversed(fields)}
    if kinds.get(1) == 0:
        if kinds.get(7) == 2 and numbers <= {1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25}:
            return Format('onnx', 'an ONNX model')
        if kinds.get(2) == 2 and max(numbers) >= 200:
            return Format('', 'a Core ML model', 'open the model that it was converted from')
        if kinds.get(2) == 2 and numbers == {1, 2}:
            return Format('saved_model', 'a SavedModel')
        return None
    with open(path, 'rb') as f:
        f.seek(fields[0][2])
        inner = f.read(min(fields[0][3], 400)).decode('latin-1') if fields[0][1] == 2 else ''
    if kinds.get(1) == 2 and inner.startswith('\x08\0\x10'):
        return Format('', 'a program of PaddlePaddle', 'convert it to ONNX: paddle2onnx --model_dir . --model_filename %s '
                      '--params_filename PARAMS --save_file model.onnx')
    if kinds.get(1) == 2 and _is_node(inner) and numbers <= {1, 2, 3, 4, 5}:
        return Format('graph', 'a graph (GraphDef)')
    if fields[0][0] == 1 and kinds.get(2) == 2 and numbers <= {1, 2, 3, 4, 5, 6, 7} and \
            sum(n == 1 for n, _, _, _ in fields) == 1:
        return Format('meta', 'a meta graph')
    if numbers <= {2, 4} and kinds.get(2, 2) == 2 and kinds.get(4, 2) == 2:
        return Format('graph', 'a graph (GraphDef)')
    return None


# ---- zip archives ----

def _zip_names(path):
    data, names = _end(path, 1 << 18), []
    for m in re.finditer(r'PK\x01\x02', data):
        at = m.start()
        if at + 46 <= len(data):
            size = ord(data[at + 28]) + 256 * ord(data[at + 29])
            names.append(data[at + 46:at + 46 + size])
    return names


def _zip(path):
    names = _zip_names(path)
    if 'PK\x05\x06' not in _end(path, 1 << 17):
        return Format('', 'a zip archive without its directory, which is at the end',
                      'it may not have been downloaded or written completely')
    ends = lambda *wanted: any(n.endswith(wanted) for n in names)
    if names and all(n.endswith('.npy') for n in names):
        return Format('npz', 'numpy arrays (.npz)')
    if 'model.weights.h5' in names or 'config.json' in names and 'metadata.json' in names:
        return Format('keras', 'a Keras model')
    if ends('/constants.pkl') or ends('/code/__torch__.py'):
        return Format('', 'a TorchScript archive of PyTorch', 'export it to ONNX: ' + _PYTORCH)
    if ends('data.pkl', '/archive_format') or any('/data/' in n for n in names):
        return Format('', 'a checkpoint or program of PyTorch (torch.save, torch.export)',
                      'load it in PyTorch, and write its model with torch.onnx.export, or its weights as safetensors')
    if ends('.mlmodel', 'Manifest.json'):
        return Format('', 'a Core ML package', 'open the model that it was converted from')
    return Format('', 'a zip archive', 'unpack it: unzip %s')


# ---- texts ----

_TEXTS = (
    (r'(meta_graphs|saved_model_schema_version)\s*[:{<]', 'saved_model_text', 'a SavedModel (text)'),
    (r'(meta_info_def|graph_def|saver_def|collection_def|signature_def)\s*[:{<]', 'meta_text', 'a meta graph (text)'),
    (r'(node|library|versions)\s*[:]?\s*[{<]', 'graph_text', 'a graph (GraphDef, text)'),
    (r'(model_checkpoint_path|all_model_checkpoint_paths)\s*:', 'checkpoint_state', 'the list of a folder\'s checkpoints'),
    (r'(ir_version|opset_import|producer_name)\s*[:{<]', '', 'an ONNX model in text form'),
    (r'(layer|layers|input)\s*[:{]', '', 'a Caffe network'),
)


def _json(head):
    if re.search(r'"modelTopology"|"weightsManifest"', head):
        return Format('', 'a TensorFlow.js model', 'open the model that it was converted from, or convert it: '
                      'tensorflowjs_converter --input_format=tfjs_layers_model --output_format=keras_saved_model %s model')
    if re.search(r'"class_name"\s*:', head) and re.search(r'"config"\s*:', head):
        return Format('', 'the layers of a Keras model as JSON, without weights',
                      'build it in Keras, and write it with model.export(\'model\')')
    if re.search(r'"(graphDef|graph_def|metaInfoDef|meta_info_def)"\s*:', head):
        return Format('meta_json', 'a meta graph (JSON)')
    if re.search(r'"weight_map"\s*:', head):
        return Format('shards', 'weights in several safetensors files')
    if re.search(r'"node"\s*:\s*\[', head):
        return Format('graph_json', 'a graph (GraphDef, JSON)')
    if '"nbformat"' in head or '"cells"' in head:
        return Format('', 'a Jupyter notebook', 'write its code as a script: jupyter nbconvert --to script %s')
    return None


def _text(head, name):
    body = re.sub(r'\A(\s*#[^\n]*\n)*\s*', '', head[3:] if head.startswith('\xef\xbb\xbf') else head)
    for pattern, kind, what in _TEXTS:
        if re.match(pattern, body):
            return Format(kind, what, '' if kind else 'convert it to the binary form')
    if body.startswith('{'):
        found = _json(head)
        if found:
            return found
    if name.endswith(('.py', '.tsh')) or head.startswith('#!'):
        return Format('script', 'a script')
    lines = [line for line in head.split('\n')[:-1] if line.strip()] or head.split('\n')[:1]
    for mark in (',', '\t', ';'):
        counts = set(line.count(mark) for line in lines)
        if len(counts) == 1 and counts != {0} and (len(lines) > 1 or name.endswith(('.csv', '.tsv'))):
            return Format('csv', 'a table of values separated by ' + {',': 'commas', '\t': 'tabs'}.get(mark, 'semicolons'))
    return Format('script', 'a text')


# ---- the whole ----

def _folder(path):
    names = sorted(os.listdir(path))
    for name in ('saved_model.pb', 'saved_model.pbtxt'):
        if name in names:
            return Format('saved_model' if name.endswith('.pb') else 'saved_model_text', 'a SavedModel',
                          path=os.path.join(path, name))
    if 'checkpoint' in names or any(n.endswith('.index') for n in names):
        return Format('checkpoint', 'a folder of checkpoints')
    if 'Manifest.json' in names:
        return Format('', 'a Core ML package', 'open the model that it was converted from')
    index = [n for n in names if n.endswith('.safetensors.index.json')]
    inside = index or [n for n in names if n.endswith(('.onnx', '.pb', '.pbtxt', '.meta', '.safetensors', '.tflite', '.h5', '.keras'))]
    events = [n for n in names if 'tfevents' in n]
    deeper = [n for n in names if os.path.isfile(os.path.join(path, n, 'saved_model.pb'))]
    for found in (deeper, inside, events):
        if found:
            return Format('', 'a folder without a model of its own', 'open what is in it: open %s' % os.path.join(
                path, found[-1 if found is events else 0]))
    return Format('', 'a folder without a model', 'a SavedModel has a file saved_model.pb')


def _crc(data):
    """Returns the masked CRC-32C of a few bytes."""
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + _MASK) & 0xffffffff


def _records(path, head):
    """Recognizes the framing of records: a length, its checksum, and the data."""
    if len(head) < 16:
        return None
    size, crc = struct.unpack('<QI', head[:12].encode('latin-1'))
    if size > os.path.getsize(path) or _crc(head[:8].encode('latin-1')) != crc:
        return None
    if 'brain.Event:' in head[12:12 + size]:
        return Format('events', 'an event file of TensorBoard')
    return Format('', 'a file of records (TFRecord)', 'read them: tf.data.TFRecordDataset(%r)' % path)


def _checkpoint_file(path):
    """Returns the prefix of the checkpoint that a data or index file belongs to, or None."""
    m = re.match(r'(.+)\.(index|data-\d{5}-of-\d{5})$', path)
    return m.group(1) if m and os.path.isfile(m.group(1) + '.index') else None


def _is_hdf5(path, head, size):
    """Returns true if a superblock begins the file, or follows a block of the user's at 512, 1024, 2048, … bytes."""
    at = 0
    while at + 8 <= size:
        if (head[at:at + 8] if at + 8 <= len(head) else _at(path, at, 8)) == _HDF5:
            return True
        at = max(512, 2 * at)
    return False


def _binary(path, head, size):
    for at, magic, what, advice in _FOREIGN:
        if head[at:at + len(magic)] == magic:
            return Format('', what, advice)
    if head.startswith('PK\x03\x04') or head.startswith('PK\x05\x06'):
        return _zip(path)
    for magic, kind, what in _DATA:
        if head.startswith(magic):
            return Format(kind, what)
    if head[4:8] == 'TFL3':
        return Format('tflite', 'a TensorFlow Lite model')
    if head[:4] == 'RIFF' and head[8:12] == 'WAVE':
        return Format('audio', 'a WAV recording')
    if _is_hdf5(path, head, size):
        return Format('hdf5', 'an HDF5 file')
    if size > 8 and head[8:9] == '{' and struct.unpack('<Q', head[:8].encode('latin-1'))[0] <= size - 8:
        return Format('safetensors', 'weights in safetensors')
    if size >= 48 and _end(path, 8) == _TABLE_END:
        prefix = _checkpoint_file(path)
        if prefix:
            return Format('checkpoint', 'a checkpoint', path=prefix)
        return Format('', 'a sorted table (a checkpoint of TensorFlow before 0.12, or a renamed .index file)',
                      'read a tensor of it: eval tf.raw_ops.Restore(file_pattern=%r, tensor_name=\'…\', dt=tf.float32)' % path)
    if re.match(r'\x80[\x02-\x05]', head) and _end(path, 1) == '.':
        return Format('', 'a pickle of Python, which may run any code when it is read',
                      'load it in Python if you trust it, and write arrays with np.savez, or the model as ONNX')
    return _records(path, head) or _message(path)


def recognize(path):
    """Returns the Format of a file or folder. Its path may differ from the given one. Reads only parts of the file."""
    if os.path.isdir(path):
        found = _folder(path)
    elif not os.path.exists(path):
        if os.path.isfile(path + '.index'):
            return Format('checkpoint', 'a checkpoint', path=path)
        raise FileNotFoundError("[Errno 2] No such file or directory: '%s'" % path)
    elif not os.path.isfile(path):
        raise ValueError('%s is not a file: a device or a pipe holds no model' % path)
    else:
        size = os.path.getsize(path)
        head = _start(path) if size else ''  # a read of a file of /proc could wait for ever
        prefix = _checkpoint_file(path)
        if prefix:
            found = Format('checkpoint', 'a checkpoint', path=prefix)
        elif size == 0:
            found = Format('', 'an empty file', 'it may not have been downloaded or written completely')
        elif not head.strip('\0'):
            found = Format('', 'a file of zeros', 'it may not have been downloaded or written completely')
        elif head.startswith('version https://git-lfs'):
            found = Format('', 'a pointer of Git LFS, not the file itself', 'fetch the file: git lfs pull')
        else:
            found = _binary(path, head, size)
            if found is None and is_text(head):
                found = _text(head, path)
            if found is None:
                found = _unknown(path)
    if not found.path:
        found.path = path
    found.advice = found.advice.replace('%s', path)
    return found


def _unknown(path):
    if path.endswith('.onnx'):  # its reader says what is wrong with it
        return Format('onnx', 'an ONNX model')
    folder = os.path.dirname(path) or '.'
    if os.path.basename(path) in ('fingerprint.pb', 'keras_metadata.pb', 'tfhub_module.pb') and \
            os.path.isfile(os.path.join(folder, 'saved_model.pb')):
        return Format('', 'a part of a SavedModel', 'open %s' % folder)
    return Format('', 'a file of a format that tensh does not know',
                  'tensh opens SavedModels, GraphDefs, checkpoints, ONNX, TensorFlow Lite, safetensors, .npy, .npz, CSV, images and WAV')
