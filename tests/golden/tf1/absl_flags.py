# The package absl, which scripts of the last releases of TensorFlow 1.x import.
import enum
import sys

import tensorflow as tf
from absl import app, flags, logging

FLAGS = flags.FLAGS
RATE = flags.DEFINE_float('rate', 0.5, 'The learning rate.')
flags.DEFINE_integer('steps', 3, 'The steps.', lower_bound=1)
flags.DEFINE_enum('kind', 'sgd', ['sgd', 'adam'], 'The optimizer.')
flags.DEFINE_multi_enum('task', ['a'], ['a', 'b'], 'The tasks.')
flags.DEFINE_string('out', None, 'The folder.', required=True)
flags.DEFINE_string('input', None, 'A file.')
flags.DEFINE_string('stream', None, 'A stream.')
flags.mark_flags_as_mutual_exclusive(['input', 'stream'])
flags.register_multi_flags_validator(['steps', 'input'], lambda values: values['input'] != str(values['steps']))
flags.register_validator('rate', lambda value: value < 1, message='must be below 1')


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


SIZE = flags.DEFINE_enum_class('size', Size.SMALL, Size, 'The size.')


@flags.validator('size')
def is_known(size):
    if size is Size.LARGE:
        raise flags.ValidationError('no large ones')
    return True


@flags.multi_flags_validator(['steps', 'rate'], message='too far')
def near(values):
    return values['steps'] * values['rate'] < 100


for line in (['--out=x'], ['--out=x', '--rate=2'], ['--out=x', '--steps=900'], ['--steps=0'], [], ['--out=x', '--kind=rms'],
             ['--out=x', '--input=a', '--stream=b'], ['--out=x', '--input=3'], ['--out=x', '--size=large'], ['--out=x', '--size=other'],
             ['--out', 'y', '--task=b', '--task=a', '--rate=.25', 'rest']):
    FLAGS.unparse_flags()
    try:
        print(FLAGS(['prog'] + line), FLAGS.steps, RATE.value, FLAGS.out, FLAGS.task)
    except flags.Error as e:
        print(type(e).__name__, e)
print(isinstance(SIZE, flags.FlagHolder), SIZE.value, SIZE.present)
print([name for name in ('DEFINE_enum_class', 'DEFINE_multi_enum', 'FlagHolder', 'ValidationError',
                         'mark_flags_as_mutual_exclusive', 'multi_flags_validator', 'register_multi_flags_validator',
                         'register_validator', 'validator') if not callable(getattr(tf.flags, name))])
print(RATE.name, RATE.default, RATE.value, logging.INFO, logging.ERROR)


def main(argv):
    logging.set_verbosity(logging.ERROR)
    logging.info('not shown')
    print('main', argv[1:], FLAGS.kind)


sys.argv = ['prog', '--out=z', '--kind=adam', 'a', 'b']
app.run(main)
