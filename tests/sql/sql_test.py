#!/usr/bin/env python3
"""SQL over the graph: docs/sql.md describes the tables and its queries run; hostile statements end quickly and change nothing;
Ctrl-C ends a query; the conditions in the help of every table verb are valid.

    sql_test.py --tensh build/tensh [NAME ...]
"""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TENSH = ''
GRAPH = '''
with tf.variable_scope('layer'):
    w = tf.get_variable('w', [2, 3])
x = tf.placeholder(tf.float32, [None, 2], name='x')
with tf.device('/cpu:1'): h = tf.matmul(x, w, name='h')
loss = tf.reduce_sum(tf.nn.relu(h), name='loss')
run tf.global_variables_initializer()
explain analyze loss feed x=[[1., 2.]] --stage 4
'''


def run(code, *options, timeout=120, cwd=None):
    """Returns the exit code, stdout and stderr of a script."""
    done = subprocess.run([TENSH] + list(options), input=code.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, cwd=cwd)
    return done.returncode, done.stdout.decode(), done.stderr.decode(errors='replace')


def answer(query, graph=''):
    """Returns the rows of a query as dicts."""
    marked = graph + '\nprint("=" * 9)\nsql %s --json\n' % query.replace('\n', ' ')
    code, out, err = run(marked)
    if code:
        raise AssertionError('%s\n%s' % (query, err))
    return json.loads(out.split('=' * 9)[1])


class Page(unittest.TestCase):
    with open(os.path.join(ROOT, 'docs', 'sql.md'), encoding='utf-8') as f:
        page = f.read()

    def test_the_tables(self):
        sections = dict(re.findall(r'^### (\w+)\n\n(.*?)(?=^##)', self.page, re.M | re.S))
        _, out, _ = run('sql --json')
        tables = json.loads(out)
        self.assertEqual([t['table'] for t in tables], list(sections))
        for table in tables:
            text = sections[table['table']]
            self.assertTrue(text.startswith(table['is']), table)
            rows = re.findall(r'^\| `(\w+)` \| (\w+) \| (.*) \|$', text, re.M)
            _, out, _ = run('sql %s --json' % table['table'])
            self.assertEqual(rows, [(c['column'], c['type'], c['is']) for c in json.loads(out)])
            self.assertEqual(', '.join(row[0] for row in rows), table['columns'])

    def test_the_queries(self):
        queries = re.findall(r'```sql\n(.*?)```', self.page, re.S)
        self.assertGreaterEqual(len(queries), 10)
        for query in queries:
            with self.subTest(query):
                self.assertTrue(answer(query, GRAPH), 'no rows')


class Help(unittest.TestCase):
    def test_the_conditions_in_the_help_of_table_verbs(self):
        _, page, _ = run('', '--dump-docs', 'commands')
        verbs = re.findall(r'^## (\w+)\n\n`\w+ [^`]*\[where COND\].*?$(.*?)(?=^## |\Z)', page, re.M | re.S)
        self.assertGreater(len(verbs), 9)
        for verb, text in verbs:
            asked = re.findall(r'COND compares columns, as in (.*?)\. ', text.replace('\n', ' '))
            conditions = [c for part in asked for c in re.findall(r'`([^`]*)`', part)]
            with self.subTest(verb):
                self.assertTrue(conditions, text)
            for condition in conditions:
                with self.subTest(verb=verb, condition=condition):
                    code, _, err = run('%s\n%s where %s' % (GRAPH, verb, condition))
                    self.assertEqual((code, err), (0, ''))


class Values(unittest.TestCase):
    def test_numbers_are_numbers(self):
        rows = answer("SELECT bytes, elements, rank, id, shape FROM nodes WHERE name = 'layer/w'", GRAPH)
        self.assertEqual(rows, [{'bytes': 24, 'elements': 6, 'rank': 2, 'id': rows[0]['id'], 'shape': '[2,3]'}])
        rows = answer("SELECT name, bytes, rank, dtype FROM nodes WHERE name = 'x'", GRAPH)
        self.assertEqual(rows, [{'name': 'x', 'bytes': None, 'rank': 2, 'dtype': 'f32'}])
        rows = answer("SELECT typeof(time) AS t, typeof(start) AS s FROM events LIMIT 1", GRAPH)
        self.assertEqual(rows, [{'t': 'integer', 's': 'integer'}])

    def test_the_files(self):
        with tempfile.TemporaryDirectory() as folder:
            code, out, err = run('a = tf.constant(1., name="a")\nsql SELECT name, bytes FROM nodes > n.csv\nnodes > n.json\n'
                                 'nodes where bytes > 1 > n.md\n', cwd=folder)
            self.assertEqual((code, out, err), (0, '', ''))
            with open(os.path.join(folder, 'n.csv')) as f:
                self.assertEqual(f.read(), 'name,bytes\na,4\n')
            with open(os.path.join(folder, 'n.json')) as f:
                self.assertEqual(json.load(f)[0]['name'], 'a')
            with open(os.path.join(folder, 'n.md')) as f:
                self.assertIn('| a | Const | f32[] |', f.read())
            code, _, err = run('sql SELECT 1 > ../outside.csv', '--sandbox', cwd=folder)
            self.assertNotEqual(code, 0)
            self.assertIn('PermissionError', err)

    def test_a_join_by_name_is_not_a_product(self):
        """Without an index this would be 400 million comparisons."""
        code = 'for i in range(10000): y = tf.exp(tf.constant(1.))\n' \
               'sql SELECT count(*) AS n FROM edges JOIN nodes ON source = name WHERE nodes.op = \'Const\' --csv\n'
        self.assertEqual(run(code)[1], 'n\n10000\n')

    def test_an_earlier_version(self):
        code = 'a = tf.constant(1., name="a")\nb = tf.exp(a, name="b")\nat @1 sql SELECT name FROM nodes --csv\n'
        self.assertEqual(run(code)[1], 'name\na\n')

    def test_drawn(self):
        code = 'rows = sql WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t LIMIT 9) SELECT x, x * x AS y FROM t\n' \
               'plot rows --ascii\nplot rows.y --ascii\nplot sql("SELECT \'a\' AS b")'
        code, out, err = run(code)
        self.assertEqual(code, 1)
        self.assertIn('no column is all numbers', err)
        self.assertGreater(len(out.splitlines()), 10)


# Statements that must end in an error, or in an answer, within the limits.
HOSTILE = [
    "SELECT zeroblob(1e9)",
    "SELECT length(zeroblob(16000000) || zeroblob(16000000))",
    "SELECT hex(randomblob(16000000))",
    "SELECT printf('%2000000000d', 1)",
    "SELECT " + '(' * 5000 + '1' + ')' * 5000,
    "SELECT " + 'NOT ' * 5000 + '1',
    "SELECT " + '+'.join(['1'] * 5000),
    "SELECT 1" + " UNION ALL SELECT 1" * 2000,
    "SELECT '" + 'a' * 2000000 + "'",
    "SELECT " + ','.join(['1'] * 5000),
    "SELECT max(" + ','.join(['1'] * 500) + ")",
    "WITH RECURSIVE t(x) AS (SELECT zeroblob(1000000) UNION ALL SELECT x FROM t) SELECT * FROM t",
    "WITH RECURSIVE t(x) AS (SELECT 1 UNION SELECT x + 1 FROM t) SELECT x FROM t ORDER BY -x",
    "SELECT hex(zeroblob(4000000)) LIKE '%0%0%0%0%0%0%0%1'",
    "SELECT hex(zeroblob(4000000)) GLOB '*0*0*0*0*0*0*0*1'",
    "SELECT instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')",
    "SELECT length(replace(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1', 'x'))",
    "SELECT replace(hex(zeroblob(1000000)), '0', hex(zeroblob(1000)))",
    "SELECT json_extract('" + '[' * 5000 + "', '$')",
    "ATTACH '/etc/passwd' AS p",
    "DETACH main",
    "CREATE TABLE t(a)",
    "CREATE TEMP VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE v USING fts5(a)",
    "INSERT INTO nodes VALUES (1)",
    "WITH a AS (SELECT 1) DELETE FROM nodes",
    "DROP TABLE nodes",
    "PRAGMA database_list",
    "PRAGMA writable_schema = 1",
    "PRAGMA main.journal_mode = WAL",
    "SELECT * FROM pragma_database_list",
    "SELECT load_extension('/lib/x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/tensh_sql_test', 'x')",
    "SELECT fts3_tokenizer('simple')",
    "VACUUM INTO '/tmp/tensh_sql_test'",
    "BEGIN",
    "SELECT 1 FROM nodes, nodes, nodes WHERE 0",
    "EXPLAIN QUERY PLAN SELECT * FROM nodes",
    "SELECT * FROM sqlite_master",
    "SELECT 'a\x01b' AS \"\x1b[31m\"",
    "SELECT cast(x'ff00fe' AS TEXT), x'00'",
    "SELECT 9e999, -9e999, 0.0 / 0, 9223372036854775807 + 1, -9223372036854775808",
    "SELECT 1; SELECT 2",
    "'",
    "\"",
    "/*",
    "--",
    ".shell id",
]


class Hostile(unittest.TestCase):
    def test_statements(self):
        quick = [each for each in HOSTILE if not each.startswith('WITH RECURSIVE')]  # see test_memory
        text = 'a = tf.constant(1., name="a")\n' + ''.join('sql(%r)\n' % each for each in quick)
        code, _, err = run(text + 'print(sql("SELECT count(*) AS n FROM nodes")[0].n)\n', '--keep-going')
        self.assertEqual(code, 1, err[-500:])
        self.assertFalse(os.path.exists('/tmp/tensh_sql_test'))
        for line in err.splitlines():
            self.assertNotIn('Traceback', line)
        lines = ['sql ' + each.replace('\n', ' ') for each in quick if len(each) < 20000]
        code, out, err = run('a = tf.constant(1., name="a")\n' + '\n'.join(lines) + '\nnodes count\n', '--keep-going')
        self.assertTrue(out.endswith('1\n'), out[-200:] + err[-500:])
        self.assertNotIn('\x1b', out + err)

    def test_refused(self):
        for each in HOSTILE:
            if re.match(r'(ATTACH|DETACH|CREATE|INSERT|DROP|PRAGMA|VACUUM|BEGIN|SELECT (load|write|read)|SELECT zerob)', each):
                with self.subTest(each):
                    code, out, err = run('sql(%r)' % each)
                    self.assertEqual((code, out), (1, ''))
                    self.assertRegex(err, 'PermissionError|no function|longer than')

    def test_memory(self):
        """A query that collects without end meets the limit of SQLite, or that of results."""
        for each in filter(lambda text: text.startswith('WITH RECURSIVE'), HOSTILE):
            with self.subTest(each):
                code, _, err = run('sql(%r)' % each)
                self.assertEqual(code, 1)
                self.assertRegex(err, 'MemoryError|longer than|larger than')

    def test_conditions(self):
        """Conditions cannot leave the statement that they become part of."""
        texts = ['"\' OR 1 --"', "x'; DROP TABLE nodes", '")"', '(SELECT 1)', 'name == (SELECT 1)', '"a" in (SELECT name)',
                 'name like "%" union select 1', '1 == 1', 'name in (' + 'a,' * 5000 + 'b)', 'not ' * 5000 + 'name == a',
                 '\x00', 'name == \x00', 'bytes > 9e999', 'bytes == 1e-400', 'bytes < ' + '9' * 400]
        script = 'a = tf.constant(1., name="a")\n' + ''.join('nodes where %s\n' % t.replace('\x00', '') for t in texts)
        code, out, err = run(script + 'nodes count\n', '--keep-going')
        self.assertTrue(out.endswith('1\n'), out + err)
        self.assertNotIn('SQL', err)

    def test_ctrl_c(self):
        for query in ('WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT count(*) FROM t',
                      'WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM t) SELECT group_concat(x) FROM t',
                      "SELECT count(*) FROM ops a, ops b, ops c, ops d WHERE a.doc || b.doc LIKE '%q%z%j%'"):
            with self.subTest(query):
                child = subprocess.Popen([TENSH, '-c', 'print("go", flush=True)\nsql ' + query], stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE)
                self.assertEqual(child.stdout.readline(), b'go\n')
                time.sleep(0.5)
                child.send_signal(signal.SIGINT)
                _, err = child.communicate(timeout=60)
                self.assertEqual(child.returncode, 130, err)


if __name__ == '__main__':
    at = sys.argv.index('--tensh')
    TENSH = os.path.abspath(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    unittest.main()
