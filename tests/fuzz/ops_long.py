#!/usr/bin/env python3
"""Long-running calls, each in a step with a time limit of one second. The step must end then, whatever the kernel
does.

    ops_long.py --tensh build/tensh [--seconds 3] [--only REGEX] [--patience SECONDS]

Without a limit, a row takes from ten seconds to forever. A row that does not end with DeadlineExceededError is
reported. With --seconds, on an otherwise idle machine, a row that exceeds its limit by that much is reported too.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

LIMIT = 1
HEAD = '''import numpy as np
import time
c64 = np.int64
raw = tf.raw_ops
config = tf.ConfigProto(operation_timeout_in_ms=%d)
def floats(*shape): return np.full(shape, 0.5, np.float32)
def matrix(n, dtype=tf.float64):
    return tf.random.uniform([n, n], dtype=dtype) + 2 * n * tf.eye(n, dtype=dtype)
def complexes(n): return tf.complex(matrix(n, tf.float32), tf.random.uniform([n, n]))
def strings(n, text='abc'): return tf.fill([n], text)
KIND = {'output_types': [tf.int64], 'output_shapes': [[]]}
def endless(): return raw.RangeDataset(start=c64(0), stop=c64(2**62), step=c64(1), **KIND)
def single(op, dataset, **more):
    return raw.DatasetToSingleElement(dataset=getattr(raw, op)(input_dataset=dataset, **more, **KIND), **KIND)
def run(n, f):
    print('@', n, flush=True)
    tf.reset_default_graph()
    try:
        start = time.time()
        fetch = f()
        with tf.Session(config=config) as s:
            start = time.time()
            s.run(fetch)
        print('ok')
    except Exception as e:
        print(type(e).__name__, str(e).split('\\n')[0][:200])
    print('took', time.time() - start, flush=True)
''' % round(LIMIT * 1000)

ROWS = [
    # elementwise numbers
    'tf.random.gamma([2**28], 0.5)',
    'tf.random.poisson(1e6, [2**27])',
    'tf.random.normal([2**28])',
    'raw.Multinomial(logits=floats(1, 2**16), num_samples=2**24, seed=1)',
    'raw.StatelessMultinomial(logits=floats(1, 2**16), num_samples=2**24, seed=[1, 2])',
    'raw.ParameterizedTruncatedNormal(shape=[2**27], means=0., stdevs=1., minvals=8., maxvals=9.)',
    'raw.StatelessTruncatedNormal(shape=[2**28], seed=[1, 2])',
    'raw.StatelessRandomUniformInt(shape=[2**29], seed=[1, 2], minval=0, maxval=7)',
    'tf.random.shuffle(tf.fill([2**27], 1.))',
    'raw.RandomUniformInt(shape=[2**29], minval=0, maxval=1000)',
    'tf.math.igamma(tf.fill([2**26], 300.), 299.)',
    'tf.math.zeta(tf.fill([2**27], 1.5), 2.)',
    'tf.math.betainc(tf.fill([2**26], 300.), 200., 0.5)',
    'tf.math.polygamma(tf.fill([2**26], 3.), 2.)',
    'tf.math.lgamma(tf.fill([2**28], 2.5))',
    'tf.pow(tf.fill([2**28], 1.5), 1.7)',
    'tf.cast(tf.fill([2**29], 1.5), tf.int64)',
    'raw.LogUniformCandidateSampler(true_classes=np.zeros((1, 1), np.int64), num_true=1, num_sampled=2**24, unique=True, range_max=2**24 + 1)',
    'raw.UniformCandidateSampler(true_classes=np.zeros((1, 1), np.int64), num_true=1, num_sampled=2**25, unique=False, range_max=2**30)',
    'raw.FixedUnigramCandidateSampler(true_classes=np.zeros((1, 1), np.int64), num_true=1, num_sampled=2**25, unique=False, range_max=2**20, unigrams=[1.] * 2**20)',
    # products and decompositions
    'tf.matmul(floats(9000, 9000), floats(9000, 9000))',
    'tf.matmul(tf.ones([5000, 5000], tf.float64), tf.ones([5000, 5000], tf.float64))',
    'tf.matmul(tf.ones([4000, 4000], tf.int32), tf.ones([4000, 4000], tf.int32))',
    'tf.matmul(complexes(3000), complexes(3000))',
    'tf.matmul(tf.ones([4000, 4000], tf.half), tf.ones([4000, 4000], tf.half))',
    'tf.matmul(tf.ones([2**22, 16, 16]), tf.ones([2**22, 16, 16]))',
    'tf.einsum("abc,cde->abde", floats(200, 200, 200), floats(200, 200, 20))',
    'tf.einsum("ab,bc,cd->ad", floats(5000, 5000), floats(5000, 5000), floats(5000, 5000))',
    'tf.matmul(floats(5000, 5000), floats(5000, 5000), a_is_sparse=True)',
    'tf.matmul(floats(5000, 5000), floats(5000, 5000), b_is_sparse=True)',
    'tf.sparse.matmul(tf.sparse.from_dense(floats(1000, 1000)), floats(1000, 30000))',
    'tf.matrix_inverse(matrix(3500))',
    'tf.matrix_determinant(matrix(5000))',
    'tf.linalg.slogdet(matrix(5000))',
    'tf.cholesky(matrix(5500))',
    'raw.CholeskyGrad(l=matrix(2500), grad=matrix(2500))',
    'tf.qr(matrix(2500))',
    'tf.svd(matrix(1500))',
    'tf.svd(matrix(2500), compute_uv=False)',
    'tf.self_adjoint_eig(matrix(2500))',
    'tf.matrix_solve(matrix(2000), tf.ones([2000, 2000], tf.float64))',
    'tf.matrix_triangular_solve(matrix(3500), np.ones((3500, 3500)))',
    'tf.matrix_solve_ls(matrix(4000), np.ones((4000, 1)), l2_regularizer=1.)',
    'tf.matrix_solve_ls(matrix(1500), np.ones((1500, 1)), fast=False)',
    'tf.linalg.sqrtm(matrix(1200))',
    'tf.linalg.logm(complexes(800))',
    'tf.linalg.expm(matrix(2000))',
    'tf.linalg.lu(matrix(5000))',
    'tf.matrix_inverse(complexes(2000))',
    'tf.svd(complexes(600))',
    'tf.qr(complexes(1500))',
    'tf.self_adjoint_eig(complexes(600))',
    'tf.cholesky(complexes(2500))',
    'tf.matrix_determinant(tf.ones([2**20, 8, 8]))',
    'raw.TridiagonalSolve(diagonals=np.ones((3, 2000)), rhs=np.ones((2000, 30000)))',
    'raw.TridiagonalMatMul(superdiag=np.ones((1, 20000)), maindiag=np.ones((1, 20000)), subdiag=np.ones((1, 20000)), rhs=tf.ones([20000, 10000], tf.float64))',
    # transforms and windows
    'tf.fft(tf.complex(tf.ones([64, 2**21 + 17]), 0.))',
    'tf.fft2d(tf.complex(tf.ones([4, 4096, 4099]), 0.))',
    'tf.fft3d(tf.complex(tf.ones([257, 257, 521]), 0.))',
    'tf.spectral.rfft(tf.ones([32, 2**21 + 17]))',
    'tf.spectral.irfft(tf.complex(tf.ones([32, 2**20 + 17]), 0.))',
    'tf.fft(tf.complex(tf.ones([2**25 + 35]), 0.))',
    'tf.nn.conv2d(floats(1, 2000, 2000, 8), floats(15, 15, 8, 32), 1, "SAME")',
    'tf.nn.conv2d(np.ones((1, 1000, 1000, 8)), np.ones((15, 15, 8, 32)), 1, "SAME")',
    'tf.nn.conv2d_backprop_input([1, 2000, 2000, 8], floats(15, 15, 8, 32), floats(1, 2000, 2000, 32), 1, "SAME")',
    'tf.nn.conv2d_backprop_filter(floats(1, 2000, 2000, 8), [15, 15, 8, 32], floats(1, 2000, 2000, 32), 1, "SAME")',
    'tf.nn.conv2d(floats(1, 2000, 2000, 16), floats(9, 9, 2, 64), 1, "SAME")',
    'tf.nn.conv3d(floats(1, 60, 200, 200, 8), floats(5, 5, 5, 8, 16), [1] * 5, "SAME")',
    'raw.Conv3DBackpropInputV2(input_sizes=[1, 60, 200, 200, 8], filter=floats(5, 5, 5, 8, 16), out_backprop=floats(1, 60, 200, 200, 16), strides=[1] * 5, padding="SAME")',
    'raw.Conv3DBackpropFilterV2(input=floats(1, 60, 200, 200, 8), filter_sizes=[5, 5, 5, 8, 16], out_backprop=floats(1, 60, 200, 200, 16), strides=[1] * 5, padding="SAME")',
    'tf.nn.depthwise_conv2d(floats(1, 2000, 2000, 8), floats(25, 25, 8, 4), [1] * 4, "SAME")',
    'raw.DepthwiseConv2dNativeBackpropInput(input_sizes=[1, 2000, 2000, 8], filter=floats(25, 25, 8, 4), out_backprop=floats(1, 2000, 2000, 32), strides=[1] * 4, padding="SAME")',
    'raw.DepthwiseConv2dNativeBackpropFilter(input=floats(1, 2000, 2000, 8), filter_sizes=[25, 25, 8, 4], out_backprop=floats(1, 2000, 2000, 32), strides=[1] * 4, padding="SAME")',
    'tf.nn.dilation2d(floats(1, 2000, 2000, 4), floats(25, 25, 4), [1] * 4, [1] * 4, "SAME")',
    'raw.Dilation2DBackpropInput(input=floats(1, 1500, 1500, 4), filter=floats(25, 25, 4), out_backprop=floats(1, 1500, 1500, 4), strides=[1] * 4, rates=[1] * 4, padding="SAME")',
    'raw.Dilation2DBackpropFilter(input=floats(1, 1500, 1500, 4), filter=floats(25, 25, 4), out_backprop=floats(1, 1500, 1500, 4), strides=[1] * 4, rates=[1] * 4, padding="SAME")',
    'tf.nn.max_pool(floats(1, 3000, 3000, 4), 65, 1, "SAME")',
    'tf.nn.avg_pool(floats(1, 3000, 3000, 4), 65, 1, "SAME")',
    'raw.MaxPoolGrad(orig_input=floats(1, 2000, 2000, 4), orig_output=floats(1, 2000, 2000, 4), grad=floats(1, 2000, 2000, 4), ksize=[1, 65, 65, 1], strides=[1] * 4, padding="SAME")',
    'raw.MaxPoolGradGrad(orig_input=floats(1, 2000, 2000, 4), orig_output=floats(1, 2000, 2000, 4), grad=floats(1, 2000, 2000, 4), ksize=[1, 65, 65, 1], strides=[1] * 4, padding="SAME")',
    'raw.AvgPoolGrad(orig_input_shape=[1, 2000, 2000, 4], grad=floats(1, 2000, 2000, 4), ksize=[1, 65, 65, 1], strides=[1] * 4, padding="SAME")',
    'raw.MaxPoolWithArgmax(input=floats(1, 2000, 2000, 4), ksize=[1, 65, 65, 1], strides=[1] * 4, padding="SAME")',
    'tf.nn.max_pool3d(floats(1, 100, 200, 200, 4), 21, 1, "SAME")',
    'tf.nn.avg_pool3d(floats(1, 100, 200, 200, 4), 21, 1, "SAME")',
    'raw.MaxPool3DGrad(orig_input=floats(1, 60, 150, 150, 4), orig_output=floats(1, 60, 150, 150, 4), grad=floats(1, 60, 150, 150, 4), ksize=[1, 21, 21, 21, 1], strides=[1] * 5, padding="SAME")',
    'raw.AvgPool3DGrad(orig_input_shape=[1, 60, 150, 150, 4], grad=floats(1, 60, 150, 150, 4), ksize=[1, 21, 21, 21, 1], strides=[1] * 5, padding="SAME")',
    'raw.MaxPool3DGradGrad(orig_input=floats(1, 60, 150, 150, 4), orig_output=floats(1, 60, 150, 150, 4), grad=floats(1, 60, 150, 150, 4), ksize=[1, 21, 21, 21, 1], strides=[1] * 5, padding="SAME")',
    'raw.LRN(input=floats(1, 200, 200, 2000), depth_radius=1000)',
    'raw.LRNGrad(input_grads=floats(1, 100, 100, 2000), input_image=floats(1, 100, 100, 2000), output_image=floats(1, 100, 100, 2000), depth_radius=1000)',
    'tf.nn.morphology.erosion2d(floats(1, 2000, 2000, 4), floats(25, 25, 4), [1] * 4, [1] * 4, "SAME") if hasattr(tf.nn, "morphology") else tf.nn.erosion2d(floats(1, 2000, 2000, 4), floats(25, 25, 4), [1] * 4, [1] * 4, "SAME")',
    'tf.nn.ctc_loss(tf.sparse.from_dense(np.ones((1, 2000), np.int32)), floats(20000, 1, 20), [20000], ignore_longer_outputs_than_inputs=True)',
    'tf.nn.ctc_beam_search_decoder(floats(20000, 1, 100), [20000], beam_width=1000)[0][0].values',
    'tf.nn.ctc_greedy_decoder(tf.ones([2**16, 16, 512]), [2**16] * 16)[0][0].values',
    'raw.BlockLSTM(seq_len_max=c64(100000), x=floats(100000, 1, 32), cs_prev=floats(1, 256), h_prev=floats(1, 256), w=floats(288, 1024), wci=floats(256), wcf=floats(256), wco=floats(256), b=floats(1024))',
    # orders, sets, strings
    'tf.nn.top_k(tf.random.uniform([2**26]), 2**26)',
    'tf.sort(tf.random.uniform([2**26]))',
    'tf.unique(tf.random.uniform([2**26], 0, 2**30, tf.int32))',
    'tf.unique_with_counts(tf.random.uniform([2**26], 0, 2**30, tf.int32))',
    'tf.setdiff1d(tf.range(2**26), tf.range(2**25))',
    'raw.UniqueV2(x=tf.random.uniform([2**20, 64], 0, 2**30, tf.int32), axis=[0])',
    'tf.searchsorted(tf.range(2**26), tf.random.uniform([2**27], 0, 2**30, tf.int32))',
    'raw.NthElement(input=tf.random.uniform([64, 2**22]), n=5)',
    'tf.nn.in_top_k(tf.ones([2**14, 2**13]), tf.zeros([2**14], tf.int32), 5)',
    'tf.argsort(tf.random.uniform([64, 2**20]))',
    'tf.edit_distance(tf.sparse.from_dense(np.ones((1, 100000), np.int64)), tf.sparse.from_dense(np.full((1, 100000), 2, np.int64)))',
    'tf.as_string(tf.random.uniform([2**25]))',
    'tf.regex_replace(strings(2**24, "a" * 40), "a+b", "")',
    'tf.strings.regex_full_match(strings(2**24, "a" * 40), "(a|b)*c")',
    'tf.sets.size(tf.sparse.from_dense(tf.ones([2**12, 2**13], tf.int32)))',
    'tf.sparse.reorder(tf.SparseTensor(tf.reverse(tf.where(tf.ones([2**12, 2**12])), [0]), tf.ones([2**24]), [2**12, 2**12]))',
    'tf.where(tf.ones([2**14, 2**14]))',
    'tf.serialize_many_sparse(tf.sparse.from_dense(tf.ones([2**20, 8])))',
    # pictures and sound
    'tf.image.resize_bicubic(floats(1, 16, 16, 3), [12000, 12000])',
    'tf.image.resize_bilinear(floats(1, 16, 16, 3), [20000, 10000])',
    'tf.image.non_max_suppression(tf.random.uniform([2**17, 4]), tf.random.uniform([2**17]), 2**17, 1.)',
    'raw.CombinedNonMaxSuppression(boxes=tf.random.uniform([1, 2**15, 1, 4]), scores=tf.random.uniform([1, 2**15, 20]), max_output_size_per_class=2**15, max_total_size=2**15, iou_threshold=1., score_threshold=0.)',
    'tf.image.crop_and_resize(floats(1, 100, 100, 3), tf.random.uniform([1000, 4]), tf.zeros([1000], tf.int32), [300, 300])',
    'tf.image.rgb_to_hsv(tf.ones([9000, 9000, 3]))',
    'tf.image.encode_jpeg(tf.cast(tf.random.uniform([12000, 12000, 3], 0, 255, tf.int32), tf.uint8))',
    'tf.image.encode_png(tf.cast(tf.random.uniform([8000, 8000, 3], 0, 255, tf.int32), tf.uint8))',
    'tf.summary.histogram("a", tf.random.uniform([2**27]))',
    'raw.AudioSpectrogram(input=tf.ones([2**24, 1]), window_size=4096, stride=16)',
    'raw.Mfcc(spectrogram=tf.ones([1, 200000, 1025]), sample_rate=16000)',
    'tf.image.decode_png(tf.image.encode_png(tf.zeros([20000, 20000, 3], tf.uint8)))',
    'tf.nn.fractional_max_pool(tf.ones([1, 6000, 6000, 4]), [1., 1.01, 1.01, 1.])[0]',
    'tf.nn.fractional_avg_pool(tf.ones([1, 6000, 6000, 4]), [1., 1.01, 1.01, 1.])[0]',
    # big copies and sums
    'tf.cumprod(tf.ones([2**14, 2**14]), 0)',
    'tf.math.bincount(tf.random.uniform([2**27], 0, 2**20, tf.int32))',
    'tf.math.bincount([2**30 + 2**29])',
    'tf.histogram_fixed_width(tf.random.uniform([2**27]), [0., 1.])',
    'raw.Bucketize(input=tf.random.uniform([2**27]), boundaries=[float(i) for i in range(1000)])',
    'tf.segment_sum(tf.ones([2**28]), tf.range(2**28))',
    'tf.gather(tf.ones([2**26]), tf.random.uniform([2**27], 0, 2**26, tf.int32))',
    'tf.gather_nd(tf.ones([2**26]), tf.random.uniform([2**27, 1], 0, 2**26, tf.int32))',
    'tf.scatter_nd(tf.random.uniform([2**27, 1], 0, 2**26, tf.int32), tf.ones([2**27]), [2**26])',
    'tf.dynamic_stitch([tf.random.shuffle(tf.range(2**25))], [tf.ones([2**25])])',
    'tf.transpose(tf.ones([2**7] * 4), [3, 1, 2, 0])',
    'tf.reverse(tf.ones([2**29]), [0])',
    'tf.pad(tf.ones([2**14, 2**14]), [[1, 1], [1, 1]], "REFLECT")',
    'tf.batch_to_space(tf.ones([4, 2**12, 2**12, 4]), [[0, 0], [0, 0]], 2)',
    'tf.space_to_depth(tf.ones([1, 2**13, 2**13, 4]), 2)',
    'tf.strided_slice(tf.ones([2**29]), [0], [2**29], [2])',
    'tf.argmax(tf.ones([2**14, 2**14]), 0)',
    'tf.nn.softmax(tf.ones([2**14, 2**14]))',
    'tf.reverse_sequence(tf.ones([2**14, 2**14]), [2**13] * 2**14, 1)',
    'tf.linalg.band_part(tf.ones([2**14, 2**14]), 3, 3)',
    'tf.nn.embedding_lookup_sparse(tf.ones([2**20, 64]), tf.sparse.from_dense(tf.ones([2**11, 2**11], tf.int64)), None)',
    'tf.math.confusion_matrix(tf.zeros([2**24], tf.int32), tf.zeros([2**24], tf.int32))',
    'tf.sparse.reduce_sum(tf.sparse.from_dense(tf.ones([2**12, 2**12])), 1)',
    'tf.sparse.concat(0, [tf.sparse.from_dense(tf.ones([2**12, 2**12]))] * 4).values',
    'tf.sparse.add(tf.sparse.from_dense(tf.ones([2**12, 2**12])), tf.sparse.from_dense(tf.ones([2**12, 2**12]))).values',
    'tf.sparse.softmax(tf.sparse.from_dense(tf.ones([2**12, 2**12]))).values',
    'tf.sparse.maximum(tf.sparse.from_dense(tf.ones([2**12, 2**12])), tf.sparse.from_dense(tf.ones([2**12, 2**12]))).values',
    'tf.sparse.slice(tf.sparse.from_dense(tf.ones([2**13, 2**12])), [0, 0], [2**13, 2**11]).values',
    'tf.sparse.split(sp_input=tf.sparse.from_dense(tf.ones([2**12, 2**12])), num_split=2, axis=0)[0].values',
    'tf.sparse.reshape(tf.sparse.from_dense(tf.ones([2**13, 2**12])), [-1]).values',
    'tf.sparse.fill_empty_rows(tf.sparse.from_dense(tf.ones([2**13, 2**12])), 0.)[0].values',
    'tf.sparse.to_dense(tf.sparse.from_dense(tf.ones([2**13, 2**12])))',
    # endless loops
    'tf.while_loop(lambda i: i >= 0, lambda i: i * 1, [tf.constant(1)])',
    'tf.while_loop(lambda i: True, lambda i: i, [tf.constant(1)])',
    'tf.FIFOQueue(1, tf.float32).dequeue()',
    "single('SkipDataset', endless(), count=2**60)",
    "single('ShardDataset', endless(), num_shards=2**60, index=2**60 - 1)",
    "single('BatchDatasetV2', endless(), batch_size=2**40, drop_remainder=False)",
    "single('SkipDataset', raw.PrefetchDataset(input_dataset=endless(), buffer_size=4, **KIND), count=2**60)",
]


def main():
    a = argparse.ArgumentParser()
    a.add_argument('--tensh', required=True)
    a.add_argument('--seconds', type=float, default=0)
    a.add_argument('--only', default='')
    a.add_argument('--patience', type=float, default=12, metavar='SECONDS', help='after which a row is killed')
    o = a.parse_args()
    tensh = os.path.abspath(o.tensh)
    rows = [r for r in ROWS if re.search(o.only, r)]
    bad, at = 0, -1
    with tempfile.TemporaryDirectory() as folder:
        for i, row in enumerate(rows):
            script = os.path.join(folder, 'row.py')
            with open(script, 'w') as f:
                f.write(HEAD + 'run(%d, lambda: %s)\n' % (i, row))
            try:
                p = subprocess.run([tensh, '--sandbox', script], capture_output=True, timeout=o.patience, cwd=folder)
                out, code = p.stdout.decode('utf-8', 'replace'), p.returncode
                err = p.stderr.decode('utf-8', 'replace')[-300:]
            except subprocess.TimeoutExpired as e:
                out, code, err = (e.stdout or b'').decode(), 'killed', ''
            took = re.search(r'^took (.*)', out, re.M)
            took = float(took.group(1)) if took else -1
            good = 'DeadlineExceededError' in out and code == 0 and took < LIMIT + (o.seconds or 1e9)
            bad += not good
            print('%s %6.2f s  %s  %s' % ('    ' if good else 'BAD ', took, row[:150], '' if good else '%s %s %s' % (out.strip().split('\n')[1:2], code, err)), flush=True)
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
