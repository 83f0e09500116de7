"""urllib.error"""


class URLError(OSError):
    def __init__(self, reason, filename=None):
        OSError.__init__(self, reason)
        self.reason, self.filename = reason, filename

    def __str__(self):
        return '<urlopen error %s>' % self.reason


class HTTPError(URLError):
    pass


class ContentTooShortError(URLError):
    pass
