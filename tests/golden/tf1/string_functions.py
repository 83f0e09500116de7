# Strings: regular expressions, hashes, base64, joining, templates.
import tensorflow as tf

with tf.Session() as sess:
    s = tf.constant(['hello world', 'a1b22', ''])
    print(sess.run(tf.regex_replace(s, '[0-9]+', '<\\0>')), sess.run(tf.strings.regex_replace(s, 'l', 'L', replace_global=False)))
    print(sess.run(tf.strings.regex_full_match(s, '[a-z0-9]+')), sess.run(tf.strings.regex_replace(s, tf.constant('(h)(e)'), tf.constant('\\2\\1'))))
    print(sess.run(tf.string_to_hash_bucket_fast(s, 1000)), sess.run(tf.strings.to_hash_bucket_fast(['x' * n for n in (3, 8, 16, 17, 33, 64, 65, 200)], 2 ** 62)))
    print(sess.run(tf.strings.to_hash_bucket_strong(s, 1000, [1, 2])), sess.run(tf.string_to_hash_bucket(s, 1000)))
    print(sess.run(tf.encode_base64(s)), sess.run(tf.strings.reduce_join([['a', 'b'], ['c', 'd']], axis=0)))
    print(sess.run(tf.encode_base64(s, pad=True)), sess.run(tf.decode_base64(tf.encode_base64(s))))
    grid = [['a', 'b'], ['c', 'd']]
    for args in (dict(axis=0), dict(axis=1, separator='.'), dict(axis=[0, 1]), dict(axis=[1, 0]), dict(axis=-1, keep_dims=True),
                 dict(axis=[])):
        print(args, sess.run(tf.reduce_join(grid, **args)))
    print(sess.run(tf.reduce_join(grid)))
    print(sess.run(tf.strings.unsorted_segment_join(['this', 'a', 'test', 'is'], [0, 1, 1, 0], 2, separator=' ')))
    print(sess.run(tf.strings.format('tensor: {}, and {}', (tf.range(10), tf.constant([[1.5, 2.], [3., 4.]])))))
    print(sess.run(tf.strings.format('{}', tf.range(10), summarize=-1)), sess.run(tf.strings.format('%t', tf.constant(['x', 'y']), placeholder='%t')))
    print(sess.run(tf.strings.format('{}', tf.reshape(tf.range(48), [8, 6]))))
    op = tf.print('value', tf.constant([1, 2]), {'b': tf.constant(2.), 'a': [3, 'x']}, summarize=2)
    print(op.type, op.inputs[0].op.type, op.inputs[0].op.get_attr('template'), op.get_attr('output_stream'))
    print(tf.print(tf.constant('plain'), end='!').inputs[0].op.type)
    for bad in (lambda: tf.regex_replace('a', '(', 'x'), lambda: tf.decode_base64('a*'), lambda: tf.regex_replace('a', tf.constant('['), tf.constant('x'))):
        try:
            sess.run(bad())
        except (tf.errors.InvalidArgumentError, ValueError) as e:
            print('InvalidArgument')
    try:
        tf.strings.format('{} {}', tf.constant(1))
    except ValueError as e:
        print('ValueError')
    print(sess.run(tf.timestamp()) > 1e9)
