# Names that match a pattern in the current folder begin with './', except those that are given whole.
import os
import tempfile

import tensorflow as tf

start = os.getcwd()
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir('d')
    for name in ('a1', 'a2', 'd/b1', 'd/b2'):
        open(name, 'w').close()
    with tf.Session() as sess:
        for pattern in ('a*', './a*', '*/b*', 'd/*', 'd/b1', 'a1', 'no*', '?2', 'd*/b1', os.path.join(folder, '*1')):
            matches = sess.run(tf.matching_files(pattern))
            print([m.replace(folder, 'F') for m in sorted(tf.gfile.Glob(pattern))], [m.decode().replace(folder, 'F') for m in sorted(matches)])
        files = tf.train.match_filenames_once('a?')
        element = tf.data.Dataset.list_files('a*', shuffle=False).make_one_shot_iterator().get_next()
        sess.run(tf.local_variables_initializer())
        print(sorted(sess.run(files)), sess.run(element))
    os.chdir(start)
