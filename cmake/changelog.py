"""CHANGELOG.md as data: read by the packages and by `./dev release`.

The file has a section `## Unreleased` or `## VERSION (YYYY-MM-DD)` for each release, newest first. A section has groups
(`### Name`) of entries (`* text`), whose further lines are indented by two spaces.
"""
import datetime
import email.utils
import re
import textwrap

UNRELEASED = '## Unreleased'
NOTHING = 'Nothing yet.'


class Release:
    """A section. `version` and `date` are None if it is not released yet."""

    def __init__(self, version, date):
        self.version, self.date, self.groups = version, date, []

    def entries(self):
        return [entry for _, entries in self.groups for entry in entries]


def parse(text):
    """Returns the sections as [Release], newest first. Raises ValueError for a heading of another form."""
    releases = []
    for line in text.split('\n'):
        if line.startswith('## '):
            match = re.fullmatch(r'## (?:Unreleased|(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\))', line)
            if not match:
                raise ValueError('CHANGELOG.md: "%s" is neither "%s" nor "## 1.2.3 (2026-01-31)"' % (line, UNRELEASED))
            date = datetime.datetime.strptime(match.group(2), '%Y-%m-%d') if match.group(2) else None
            releases.append(Release(match.group(1), date))
        elif not releases:
            continue
        elif line.startswith('### '):
            releases[-1].groups.append((line[4:], []))
        elif line.startswith('* '):
            if not releases[-1].groups:
                releases[-1].groups.append(('', []))
            releases[-1].groups[-1][1].append(line[2:])
        elif line.startswith('  ') and releases[-1].groups and releases[-1].groups[-1][1]:
            releases[-1].groups[-1][1][-1] += ' ' + line.strip()
    return releases


def read(path):
    with open(path, encoding='utf-8') as f:
        return parse(f.read())


def plain(text):
    """Returns an entry without Markdown's links and code marks."""
    return re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', text).replace('`', '')


def utc(epoch):
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)


def debian(releases, version, epoch, maintainer):
    """Returns debian/changelog: an entry for each release. `version` and `epoch` are used for an unreleased one."""
    out = []
    for release in releases:
        if not release.entries():
            continue
        if release.date:
            head = 'tensh (%s-1) unstable; urgency=medium' % release.version
            date = release.date.replace(hour=12, tzinfo=datetime.timezone.utc)
        else:
            head, date = 'tensh (%s) UNRELEASED; urgency=medium' % version, utc(epoch)
        out += [head, '']
        for name, entries in release.groups:
            out += ['  [ %s ]' % name] if name else []
            for entry in entries:
                out += textwrap.wrap(plain(entry), 78, initial_indent='  * ', subsequent_indent='    ',
                                     break_long_words=False, break_on_hyphens=False)
            out.append('')
        out += [' -- %s  %s' % (maintainer, email.utils.format_datetime(date)), '']
    return '\n'.join(out)
