"""Names of nodes for the values of models whose names TensorFlow may not allow."""


class Names(object):
    """The node names of a model's values. Each value has one, which depends only on the model."""

    def __init__(self):
        self.taken = {}  # the number to try next, by name
        self.scopes = set()  # the name scopes that the values are in
        self.changed, self.example = 0, ''

    def plan(self, names, prefix):
        """Notes the scopes of names, which the rules must not use for their other nodes."""
        for name in names:
            parts = _legal(name, prefix).split('/')
            for i in range(1, len(parts)):
                self.scopes.add('/'.join(parts[:i]))

    def make(self, name, prefix=''):
        """Returns the legal name, which differs from all earlier ones."""
        base = _legal(name, prefix)
        plain = name[:-2] if name.endswith(':0') else name
        if base != prefix + (plain[1:] if plain.startswith('/') else plain):
            self.changed += 1
            self.example = self.example or '%s is %s' % (name, base)
        made, count = base, self.taken.get(base, 0)
        while made in self.taken:
            made = '%s_%d' % (base, count)
            count += 1
        self.taken[base] = max(count, 1)
        self.taken[made] = 1
        return made


def _legal(name, prefix):
    """A name for a node: 'x:0' is x, a slash at the front is dropped, 387 is v387, and other characters are '_'."""
    base = name[:-2] if name.endswith(':0') else name
    base = ''.join(c if c.isascii() and (c.isalnum() or c in '_.-/') else '_' for c in base)
    base = '/'.join(part for part in base.split('/') if part).lstrip('_-./')
    return prefix + ('v' + base if not base or base[0].isdigit() else base)
