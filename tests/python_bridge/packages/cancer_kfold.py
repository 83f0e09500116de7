# needs sklearn
"""Logistic regression in each fold of a cross-validation."""
import tensorflow.compat.v1 as tf
from sklearn import datasets, metrics, preprocessing
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.linear_model import LogisticRegression
import numpy as np

tf.disable_v2_behavior()


class Model(object):
    def __init__(self, n_features, l2=0.01):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None, n_features], 'x')
            self.t = tf.placeholder(tf.float32, [None], 't')
            with tf.variable_scope('logistic', reuse=tf.AUTO_REUSE):
                w = tf.get_variable('w', [n_features, 1], initializer=tf.zeros_initializer())
                b = tf.get_variable('b', [], initializer=tf.constant_initializer(0.))
            self.logit = tf.squeeze(tf.matmul(self.x, w) + b, 1)
            self.p = tf.nn.sigmoid(self.logit)
            loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=self.t, logits=self.logit)
            self.loss = tf.reduce_mean(loss) + l2 * tf.nn.l2_loss(w)
            self.op = tf.train.MomentumOptimizer(0.3, 0.9).minimize(self.loss)
            self.init = tf.global_variables_initializer()
        self.sess = tf.Session(graph=self.graph)

    def fit(self, x, t, n=50):
        self.sess.run(self.init)
        return [self.sess.run([self.loss, self.op], {self.x: x, self.t: t})[0] for _ in range(n)]

    def predict_proba(self, x):
        return self.sess.run(self.p, {self.x: x})

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.sess.close()


cancer = datasets.load_breast_cancer()
print(cancer.feature_names[:3], cancer.target_names, cancer['data'].shape, 'DESCR' in cancer)
x, t = preprocessing.scale(cancer.data), cancer.target
scores = []
for k, (train, test) in enumerate(StratifiedKFold(n_splits=4, shuffle=True, random_state=7).split(x, t)):
    with Model(x.shape[1]) as model:
        losses = model.fit(x[train], t[train])
        p = model.predict_proba(x[test])
    scores.append(metrics.roc_auc_score(t[test], p))
    print(k, len(train), len(test), '%.3f %.3f' % (losses[0], losses[-1]), scores[-1] > 0.98)
    if not k:
        print(metrics.classification_report(t[test], p > .5, target_names=cancer.target_names, digits=2))
fpr, tpr, thresholds = metrics.roc_curve(t[test], p)
print('%.2f' % metrics.auc(fpr, tpr), len(fpr) == len(tpr), np.mean(scores) > 0.98)
print([len(b) for a, b in KFold(3).split(np.arange(10))], round(float(metrics.log_loss([0, 1], [.25, .75])), 4))
print(cross_val_score(LogisticRegression(), x, t, cv=3).round(2))
