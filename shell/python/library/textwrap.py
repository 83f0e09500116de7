"""textwrap: wrapping and indentation of text."""
import re

_WHITESPACE = '\t\n\x0b\x0c\r '


def _common(a, b):
    n = 0
    while n < len(a) and n < len(b) and a[n] == b[n]:
        n += 1
    return a[:n]


def dedent(text):
    """Removes the leading white space that all lines share."""
    lines, margin = text.split('\n'), None
    for i, line in enumerate(lines):
        if not line.strip(' \t'):
            lines[i] = ''
            continue
        indent = line[:len(line) - len(line.lstrip(' \t'))]
        margin = indent if margin is None else _common(margin, indent)
    return '\n'.join(line[len(margin):] if line and margin else line for line in lines)


def indent(text, prefix, predicate=None):
    if predicate is None:
        def predicate(line):
            return line.strip()
    return ''.join(prefix + line if predicate(line) else line for line in text.splitlines(True))


def _letter(text, i):
    return 0 <= i < len(text) and (text[i].isalpha() or text[i] == '_')


def _breaks_behind(word, i):
    """Returns whether a line may end after this hyphen: in a word such as well-known, or around a dash."""
    if word[i] == '-':
        before = _letter(word, i - 1) and (_letter(word, i - 2) or (word[i - 2:i - 1] == '-' and _letter(word, i - 3)))
        after = _letter(word, i + 1) and (_letter(word, i + 2) or (word[i + 2:i + 3] == '-' and _letter(word, i + 3)))
        return before and after
    return False


def _dash(word, i):
    """Returns the end of a dash of two or more hyphens that begins here between words; otherwise 0."""
    end = i
    while end < len(word) and word[end] == '-':
        end += 1
    inside = 0 < i and end - i >= 2 and end < len(word)
    return end if inside and (word[end].isalnum() or word[end] == '_') and (
        word[i - 1].isalnum() or word[i - 1] in '_!"\'&.,?') else 0


def _hyphen_parts(word):
    out, begin, i = [], 0, 0
    while i < len(word):
        dash = _dash(word, i) if word[i] == '-' else 0
        if dash:
            out.extend([word[begin:i], word[i:dash]] if i > begin else [word[i:dash]])
            begin = i = dash
            continue
        i += 1
        if _breaks_behind(word, i - 1):
            out.append(word[begin:i])
            begin = i
    return out + [word[begin:]] if begin < len(word) else out


class TextWrapper(object):
    def __init__(self, width=70, initial_indent='', subsequent_indent='', expand_tabs=True, replace_whitespace=True,
                 fix_sentence_endings=False, break_long_words=True, drop_whitespace=True, break_on_hyphens=True,
                 tabsize=8, *, max_lines=None, placeholder=' [...]'):
        self.width, self.initial_indent, self.subsequent_indent = width, initial_indent, subsequent_indent
        self.expand_tabs, self.replace_whitespace, self.tabsize = expand_tabs, replace_whitespace, tabsize
        self.fix_sentence_endings, self.break_long_words = fix_sentence_endings, break_long_words
        self.drop_whitespace, self.break_on_hyphens = drop_whitespace, break_on_hyphens
        self.max_lines, self.placeholder = max_lines, placeholder

    def _chunks(self, text):
        if self.expand_tabs:
            text = text.expandtabs(self.tabsize)
        if self.replace_whitespace:
            text = ''.join(' ' if c in _WHITESPACE else c for c in text)
        chunks, at = [], 0
        while at < len(text):
            end, blank = at, text[at] in _WHITESPACE
            while end < len(text) and (text[end] in _WHITESPACE) == blank:
                end += 1
            word = text[at:end]
            chunks.extend(_hyphen_parts(word) if self.break_on_hyphens and not blank else [word])
            at = end
        return chunks

    def _break(self, chunks, line, used, width):
        """Breaks the first chunk, which is longer than a line."""
        room = 1 if width < 1 else width - used
        if not self.break_long_words:
            if not line:
                line.append(chunks.pop(0))
            return
        word = chunks[0]
        end = room
        if self.break_on_hyphens and len(word) > room:
            hyphen = word.rfind('-', 0, room)
            if hyphen > 0 and any(c != '-' for c in word[:hyphen]):
                end = hyphen + 1
        line.append(word[:end])
        chunks[0] = word[end:]

    def wrap(self, text):
        chunks, lines = self._chunks(text), []
        if self.fix_sentence_endings:
            for i in range(len(chunks) - 1):
                if chunks[i + 1] == ' ' and re.search(r'[a-z][.!?]["\']?$', chunks[i]):
                    chunks[i + 1] = '  '
        if self.width <= 0:
            raise ValueError('invalid width %r (must be > 0)' % self.width)
        if self.max_lines is not None:
            first = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
            if len(first) + len(self.placeholder.lstrip()) > self.width:
                raise ValueError('placeholder too large for max width')
        while chunks:
            start = self.subsequent_indent if lines else self.initial_indent
            width, line, used = self.width - len(start), [], 0
            if self.drop_whitespace and not chunks[0].strip() and lines:
                chunks.pop(0)
            while chunks and used + len(chunks[0]) <= width:
                used += len(chunks[0])
                line.append(chunks.pop(0))
            if chunks and len(chunks[0]) > width:
                self._break(chunks, line, used, width)
                used = sum(map(len, line))
            if self.drop_whitespace and line and not line[-1].strip():
                used -= len(line.pop())
            if not line:
                continue
            last = self.max_lines is not None and len(lines) + 1 >= self.max_lines
            ends = not chunks or self.drop_whitespace and len(chunks) == 1 and not chunks[0].strip()
            if not last or ends and used <= width:
                lines.append(start + ''.join(line))
                continue
            self._shorten(lines, line, used, width, start)
            break
        return lines

    def _shorten(self, lines, line, used, width, start):
        """Returns the last allowed line, ended by the placeholder."""
        while line:
            if line[-1].strip() and used + len(self.placeholder) <= width:
                line.append(self.placeholder)
                lines.append(start + ''.join(line))
                return
            used -= len(line.pop())
        if lines:
            before = lines[-1].rstrip()
            if len(before) + len(self.placeholder) <= self.width:
                lines[-1] = before + self.placeholder
                return
        lines.append(start + self.placeholder.lstrip())

    def fill(self, text):
        return '\n'.join(self.wrap(text))


def wrap(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).wrap(text)


def fill(text, width=70, **kwargs):
    return TextWrapper(width=width, **kwargs).fill(text)


def shorten(text, width, **kwargs):
    return TextWrapper(width=width, max_lines=1, **kwargs).fill(' '.join(text.strip().split()))
