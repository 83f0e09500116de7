"""tf.Summary, tf.Event and their parts as messages: fields, oneofs, text, bytes, event files read back."""
import glob
import shutil
import tensorflow as tf

s = tf.Summary()
s.value.add(tag='loss', simple_value=0.25)
v = s.value.add()
v.tag, v.simple_value = 'whole', 3
s.value.add(tag='h', histo=tf.HistogramProto(min=-1, max=2.5, num=3, sum=1.5, sum_squares=7.25, bucket_limit=[0, 3], bucket=[1, 2]))
s.value.extend([tf.Summary.Value(tag='pixels', image=tf.Summary.Image(height=1, width=2, colorspace=3, encoded_image_string=b'\x00"x'))])
print(s)
print([v.tag for v in s.value], [v.WhichOneof('value') for v in s.value], len(s.value))
print(s.value[0].HasField('simple_value'), s.value[0].HasField('image'), s.value[1].simple_value, s.value[2].histo.bucket_limit[1])
back = tf.Summary.FromString(s.SerializeToString())
print(back == s, back.value[3].image.encoded_image_string, s.ByteSize() == len(s.SerializeToString()))
copy = tf.Summary()
copy.CopyFrom(s)
copy.value[0].ClearField('simple_value')
copy.value[0].tag = 'other'
print(copy.value[0], s.value[0].tag, copy == s)
v.image.height = 4
print(v.WhichOneof('value'), v.simple_value)
for wrong in (lambda: tf.Summary.Value(nothing=1), lambda: setattr(v, 'nothing', 1), lambda: setattr(s, 'value', []), lambda: v.nothing):
    try:
        wrong()
    except (ValueError, AttributeError) as e:
        print(type(e).__name__)
e = tf.Event(step=12, summary=s, wall_time=1.5)
print(e.step, e.wall_time, e.WhichOneof('what'), e.summary.value[0].simple_value)
e.file_version = 'brain.Event:2'
print(e.HasField('summary'), str(e).split('\n')[0], tf.summary.Event is not None, tf.summary.SessionLog(msg='m').msg,
      tf.SessionLog.START, tf.summary.TaggedRunMetadata(tag='t').tag)
writer = tf.summary.FileWriter('messages_logs')
writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='a', simple_value=1)]), 7)
writer.add_event(tf.Event(step=8, summary=tf.Summary(value=[tf.Summary.Value(tag='b', simple_value=-2)])))
writer.close()
for event in tf.train.summary_iterator(glob.glob('messages_logs/events*')[0]):
    print(event.WhichOneof('what'), event.step, [(v.tag, v.simple_value) for v in event.summary.value], event.wall_time >= 0)
shutil.rmtree('messages_logs')
sequence = tf.train.SequenceExample()
sequence.context.feature['n'].int64_list.value.append(2)
words = sequence.feature_lists.feature_list['words']
for word in (b'one', b'two'):
    words.feature.append(tf.train.Feature(bytes_list=tf.train.BytesList(value=[word])))
print(sequence)
again = tf.train.SequenceExample.FromString(sequence.SerializeToString())
print(again == sequence, [f.bytes_list.value[0] for f in again.feature_lists.feature_list['words'].feature])
made = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list={
    'x': tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[.5]))])}))
print(made.feature_lists.feature_list['x'].feature[0].float_list.value[0], made.context.feature == {})
