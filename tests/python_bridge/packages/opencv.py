# needs cv2
# OpenCV beside convolutions.
import os, tempfile
import cv2
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def preprocess(frame, size=8):
    """Crops, resizes and scales a frame, as agents of games do."""
    gray = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
    ret, binary = cv2.threshold(gray, 100, 255, cv2.THRESH_BINARY)
    return cv2.resize(binary, (size, size), interpolation=cv2.INTER_NEAREST)


frame = np.zeros((16, 16, 3), np.uint8)
cv2.rectangle(frame, (4, 4), (9, 11), (255, 255, 255), -1)
cv2.line(frame, (0, 15), (15, 15), (0, 0, 255), 1)
state = preprocess(frame)
print(cv2.cvtColor(frame, cv2.COLOR_BGR2RGB)[15, 0], state.shape, state.dtype, (state > 0).sum())
stack = np.stack((state,) * 4, axis=2)
contours = cv2.findContours(state, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[-2]
print(len(contours), cv2.boundingRect(contours[0]), cv2.contourArea(contours[0]))
x = tf.placeholder('float', [None, 8, 8, 4])
sobel = cv2.getDerivKernels(1, 0, 3)
kernel = np.outer(sobel[1], sobel[0]).astype(np.float32)
edges = tf.nn.conv2d(x[..., :1], kernel[:, :, None, None], strides=[1, 1, 1, 1], padding='VALID')
pooled = tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding='SAME')
with tf.Session() as sess:
    ours, small = sess.run([edges, pooled], feed_dict={x: [stack]})
    theirs = cv2.Sobel(state.astype(np.float32), cv2.CV_32F, 1, 0, ksize=3)[1:-1, 1:-1]
    print(np.array_equal(ours[0, :, :, 0], theirs), small.shape, small[0, 1, :, 0])
    jpeg = cv2.imencode('.png', frame)[1].tobytes()
    decoded = sess.run(tf.image.decode_png(jpeg))
    print(np.array_equal(decoded[..., ::-1], frame))
    path = os.path.join(tempfile.mkdtemp(), 'x.png')
    print(cv2.imwrite(path, sess.run(tf.image.encode_png(decoded)) and frame), cv2.imread(path).shape, cv2.imread(path, 0)[5, 5])
print(cv2.GaussianBlur(np.eye(5, dtype=np.float32), (3, 3), 0)[2].round(3), cv2.flip(state, 1)[3].tolist())
print(cv2.getRotationMatrix2D((4, 4), 90, 1).round(2).tolist(), cv2.imread('/nowhere.png') is None)
try:
    cv2.resize(np.zeros((0, 0)), (2, 2))
except cv2.error as error:
    print(type(error).__name__, isinstance(error, Exception))
mask = cv2.inRange(frame, np.array([200, 200, 200]), np.array([255, 255, 255]))
print(int(mask.sum()) // 255, cv2.bitwise_not(mask)[0, 0], cv2.countNonZero(mask), cv2.mean(frame)[:2])
