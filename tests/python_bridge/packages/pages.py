# needs bs4
# Words of a page of HTML, and a table of lookups.
import re
from collections import Counter, defaultdict
import numpy as np
import tensorflow.compat.v1 as tf
from bs4 import BeautifulSoup

tf.disable_v2_behavior()

HTML = """<html><head><title>Reviews &amp; more</title><script>var x = 1;</script></head><body>
<div class="review" data-score="5"><p>A <b>great</b> film, great cast.</p></div>
<div class="review" data-score="1"><p>Bad film.<br/>Very bad plot!</p><a href="/next?p=2">next</a></div>
<ul id="tags"><li>drama</li><li class="on">crime</li></ul></body></html>"""


def clean_str(s):
    s = re.sub(r"[^A-Za-z0-9(),!?\'\`]", ' ', s)
    s = re.sub(r'([,!?])', r' \1 ', s)
    return re.sub(r'\s{2,}', ' ', s).strip().lower()


soup = BeautifulSoup(HTML, 'html.parser')
print(soup.title.string, [a['href'] for a in soup.find_all('a')], soup.find(id='tags').li.text, soup.select_one('li.on').get_text())
for tag in soup(['script', 'title']):
    tag.extract()
reviews = soup.find_all('div', class_='review')
scores = np.array([int(r['data-score']) for r in reviews], np.float32)
texts = [clean_str(r.p.get_text(' ')) for r in reviews]
print(texts, scores, type(reviews[0].attrs).__name__, reviews[0].get('absent') is None, len(soup.find_all(lambda t: t.name == 'li')))
counts = Counter(w for t in texts for w in t.split() if w.isalpha())
index = defaultdict(lambda: len(index))
for w, _ in sorted(counts.items(), key=lambda p: (-p[1], p[0])):
    index[w]
words = list(index)
print(words, index['film'])
length = max(len(t.split()) for t in texts)
padded = [t.split() + ['<PAD>'] * (length - len(t.split())) for t in texts]
lookup = tf.contrib.lookup.index_table_from_tensor(words, num_oov_buckets=1) if hasattr(tf, 'contrib') else None
keys = tf.placeholder(tf.string, [None, None])
table = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(words, list(range(len(words))), tf.string, tf.int64), 1)
ids = table.lookup(keys)
embeddings = tf.Variable(np.linspace(0, 1, (len(words) + 1) * 2).reshape(-1, 2).astype(np.float32))
score = tf.reduce_sum(tf.reduce_mean(tf.nn.embedding_lookup(embeddings, ids), 1), 1)
split = tf.string_split(tf.constant(texts), ' ')
upper = tf.py_func(lambda t: np.array([s.decode().title() for s in t], dtype=object), [tf.constant(texts)], tf.string)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(sess.run(ids, {keys: padded}))
    print(sess.run(score, {keys: padded}).round(3), sess.run(split).values[:3], sess.run(upper)[1])
    print(sess.run(tf.strings.regex_replace(tf.constant(texts[0]), '[aeiou]', '_')), sess.run(tf.string_to_hash_bucket_fast(words[:2], 100)))
print(soup.body.div.next_sibling.next_sibling.name, str(soup.ul)[:16], [s for s in soup.ul.stripped_strings])
