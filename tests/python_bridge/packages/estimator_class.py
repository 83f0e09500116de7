# needs sklearn
# A scikit-learn estimator whose fit is a graph, in a pipeline and a grid search.
import numpy as np
import tensorflow.compat.v1 as tf
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin, clone
from sklearn.datasets import make_regression
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted

tf.disable_v2_behavior()


class AddSquares(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        with tf.Graph().as_default(), tf.Session() as sess:
            t = tf.constant(X, tf.float32)
            return sess.run(tf.concat([t, tf.square(t)], axis=1))


class TFRegressor(RegressorMixin, BaseEstimator):
    """Ridge regression by gradient descent."""

    def __init__(self, alpha=0.1, steps=100, learning_rate=0.1):
        self.alpha = alpha
        self.steps = steps
        self.learning_rate = learning_rate

    def fit(self, X, y):
        self.n_features_in_ = X.shape[1]
        graph = tf.Graph()
        with graph.as_default():
            w = tf.Variable(np.zeros((X.shape[1], 1), np.float32))
            b = tf.Variable(0.)
            error = tf.matmul(tf.constant(X, tf.float32), w)[:, 0] + b - tf.constant(y, tf.float32)
            loss = tf.reduce_mean(error ** 2) + self.alpha * tf.reduce_sum(w * w)
            step = tf.train.GradientDescentOptimizer(self.learning_rate).minimize(loss)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(self.steps):
                    sess.run(step)
                self.coef_, self.intercept_ = sess.run([w, b])
        return self

    def predict(self, X):
        check_is_fitted(self, 'coef_')
        return (np.asarray(X) @ self.coef_).ravel() + self.intercept_


X, y = make_regression(n_samples=80, n_features=2, noise=0.1, random_state=3)
y = y / np.abs(y).max()
model = Pipeline([('scale', MinMaxScaler()), ('squares', AddSquares()), ('model', TFRegressor())])
print(model.named_steps['model'], sorted(model.named_steps['model'].get_params().items()))
try:
    TFRegressor().predict(X)
except NotFittedError as e:
    print(type(e).__name__, isinstance(e, ValueError), str(e)[:32])
search = GridSearchCV(model, {'model__alpha': [1., 0.001], 'model__steps': [20, 200]}, cv=3)
search.fit(X, y)
print(search.best_params_, search.best_score_ > 0.7, len(search.cv_results_['params']))
best = search.best_estimator_
print(best.predict(X[:2]).shape, best[-1].coef_.shape, isinstance(best[-1], TFRegressor))
copy = clone(best[-1]).set_params(alpha=5)
print(copy, hasattr(copy, 'coef_'), copy.__doc__, issubclass(TFRegressor, RegressorMixin))
print('%.3f' % model.fit(X, y).score(X, y))
