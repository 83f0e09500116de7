# options: --python2
"""Names, methods and modules of Python 2."""
import sys, string, itertools, os, types
import ConfigParser, Queue, StringIO, cPickle, cStringIO, urllib2, urlparse
from itertools import izip, imap
reload(sys)
sys.setdefaultencoding('utf8')
d = {'a': 1}
d['b'] = 2
keys = d.keys()
keys.sort()
print keys, d.values()[0], d.items(), d.has_key('a'), d.has_key('z')
print sorted(d.iteritems()), list(d.iterkeys()), list(d.itervalues()), len(d.viewkeys())
print [x for x in xrange(3)], range(3), range(1, 4) + [9], zip([1, 2], 'ab')
print map(None, [1, 2], [3]), map(str, [0.1 + 0.2, 2]), filter(None, [0, 1, 2]), filter(lambda c: c > 'a', 'abc')
print reduce(lambda x, y: x + y, [1, 2, 3]), cmp(1, 2), cmp('b', 'a'), cmp(3, 3), apply(max, (1, 5))
print unicode('u'), long(5), unichr(65), isinstance('s', basestring), isinstance(u's', unicode)
print isinstance(5, (int, long)), sys.maxint > 2 ** 40
words = ['bb', 'a', 'ccc']
words.sort(lambda x, y: cmp(len(x), len(y)))
print words, sorted(words, cmp=lambda x, y: cmp(y, x)), sorted(words, key=len, reverse=True)
items = d.items()
items.sort(key=lambda (k, v): -v)
print items
print string.letters[:3], string.lowercase[-1], string.uppercase[0], string.join(['a', 'b'], '-'), string.split('x y')
print string.atoi('12'), string.upper('up')
print list(itertools.izip([1], [2])), list(imap(abs, [-1])), list(izip('a', 'b'))
print list(itertools.izip_longest([1, 2], [3]))
print 0.1 + 0.2, str(1 / 3.0), repr(0.1), 1e20, 100.0, [0.1 + 0.2], '%s' % (2 / 3.0), '{} {:.1f}'.format(1 / 3.0, 0.25)
print round(2.5), round(0.5), round(-1.5), round(2.675, 2), round(7)
print 'text'.encode('utf-8'), 'text'.decode('utf-8'), u'abc'.encode('ascii', 'ignore'), 'hi'.encode('hex')
it = iter([1, 2])
print it.next(), it.next()
def f(): pass
print f.func_name
out = StringIO.StringIO()
print >>out, 'held', 1
print >>out, 'more',
print >>out, 'text'
print repr(out.getvalue())
print cStringIO.StringIO('a\nb').readlines(), cPickle.loads(cPickle.dumps({'k': [1]}))
print urlparse.urlparse('http://host/path').netloc, issubclass(urllib2.URLError, IOError)
q = Queue.Queue()
q.put(1)
print q.get(), types.StringType is str, type(os.getcwdu()) is str
open('python2_names.ini', 'wb').write('[net]\nLayers = 3\nrate: 0.5\n; a comment\nname = %(layers)s layers\nuse = yes\n')
config = ConfigParser.ConfigParser()
print config.read('python2_names.ini'), config.sections(), config.getint('net', 'layers'), config.getfloat('net', 'rate')
print config.get('net', 'name'), config.getboolean('net', 'use'), config.has_option('net', 'none'), config.options('net')
try:
    config.get('net', 'none')
except ConfigParser.NoOptionError, e:
    print e
for line in open('python2_names.ini', 'rb'):
    print line.strip().upper(),
print
try:
    exec "print 1"
except NotImplementedError, e:
    print "exec:", e
