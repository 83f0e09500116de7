"""urllib: the parts request, parse and error, and the functions of Python 2."""
from _library.urllib_parse import quote, quote_plus, unquote, unquote_plus, urlencode
from _library.urllib_request import pathname2url, url2pathname, urlcleanup, urlopen, urlretrieve
