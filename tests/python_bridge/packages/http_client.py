# needs requests
# A downloader that finds everything in its cache.
import hashlib
import json
import logging
import os
import tempfile

import numpy as np
import requests
import tensorflow.compat.v1 as tf
from requests.adapters import HTTPAdapter
from requests.exceptions import RequestException

tf.disable_v2_behavior()
logging.basicConfig(level=logging.ERROR, format='%(levelname)s:%(message)s')
log = logging.getLogger(__name__)


class Downloader(requests.Session):
    """A session that keeps what it read."""

    def __init__(self, folder):
        super(Downloader, self).__init__()
        self.folder = folder
        self.headers.update({'User-Agent': 'tensh-test'})
        self.mount('https://', HTTPAdapter(max_retries=0))

    def cached(self, url, params=None):
        address = requests.Request('GET', url, params=params).prepare().url
        path = os.path.join(self.folder, hashlib.md5(address.encode()).hexdigest())
        if not os.path.exists(path):
            log.warning('downloads %s', address)
            with open(path, 'wb') as f:
                f.write(self.get(address, timeout=1).content)
        with open(path, 'rb') as f:
            return address, f.read()


folder = tempfile.mkdtemp()
key = hashlib.md5(b'https://example.test/data?page=1&q=a+b').hexdigest()
with open(os.path.join(folder, key), 'w') as f:
    json.dump({'rows': [[1, 2], [3, 4]], 'names': ['a', 'b']}, f)
client = Downloader(folder)
address, text = client.cached('https://example.test/data', {'page': 1, 'q': 'a b'})
data = json.loads(text)
print(address, client.headers['user-agent'], isinstance(client, requests.Session), requests.codes.not_found)
try:
    client.cached('http:///nothing')
except RequestException as error:
    print(type(error).__name__, isinstance(error, IOError), isinstance(error, ValueError))
rows = tf.data.Dataset.from_tensor_slices(np.array(data['rows'], np.int64)).map(lambda r: tf.reduce_prod(r)).repeat(2)
value = tf.data.make_one_shot_iterator(rows).get_next()
with tf.Session() as sess:
    found = []
    try:
        while True:
            found.append(int(sess.run(value)))
    except tf.errors.OutOfRangeError:
        print(json.dumps(dict(zip(data['names'], found)), sort_keys=True), found)
response = requests.models.Response()
response.status_code, response._content = 404, b'{"e": 1}'
print(response.ok, response.json(), bool(response))
try:
    response.raise_for_status()
except requests.HTTPError as error:
    print(str(error)[:10], error.response.status_code)
