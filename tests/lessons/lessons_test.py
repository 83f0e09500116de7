#!/usr/bin/env python3
"""Takes the lessons as a student does: at a prompt, with wrong answers on the way, alone, in any order, and after a crash.

    lessons_test.py --tensh build/tensh [NAME ...]

Lessons with servers are left out if the plug-in libtensh_dist.so is not beside the program.
"""
import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import student
from student import Student, processes_with

TENSH = ''
ALL = [student.Lesson(path) for path in student.LESSONS]

# Right answers that differ from the solution: other functions, other names, other ways.
OTHERWISE = {
    ('graphs', 1): ['import numpy', 'a = tf.constant(numpy.array([1, 2], "float32"), name="a")'],
    ('graphs', 4): ['tf.Session().run(b)'],
    ('graphs', 6): ['c = tf.add_n([a, a, b])', 'graph'],
    ('feeds', 1): ['x = tf.placeholder("float", shape=(None,), name="input")', 'y = tf.reduce_sum(tf.square(x))'],
    ('feeds', 2): ['learn answer it fails'],
    ('feeds', 3): ['eval y feed x=np.array([3., 4.])'],
    ('feeds', 4): ['eval y, tf.add(x, x) feed x=[1., 2., 3.]'],
    ('feeds', 6): ['explain y feed y.op.inputs[0]=[2.]'],
    ('variables', 1): ['w = tf.get_variable("weight", [], initializer=tf.constant_initializer(5.))'],
    ('variables', 3): ['run tf.variables_initializer([w])'],
    ('variables', 5): ['up = tf.assign(w, w + 1.)', 'for i in range(3): run up'],
    ('variables', 7): ['s = tf.Session()', 's.run(w.initializer)', 's.run(tf.assign(w, 100.))'],
    ('placement', 1): ['with tf.device("/device:CPU:1"): a = tf.constant([7., 8.])', 'b = a + a'],
    ('placement', 2): ['learn answer /device:CPU:0'],
    ('placement', 5): ['place a on /cpu:0', 'explain b'],
    ('transfers', 1): ['with tf.device("cpu:0"):\n    w = tf.get_variable("v", [1000], initializer=tf.ones_initializer())\nwith tf.device("cpu:1"): y = tf.reduce_sum(tf.multiply(2., w))'],
    ('pruning', 6): ['with tf.control_dependencies([count]):\n    d = c + 0.'],
    ('control_flow', 1): ['y = tf.case([(n > 2, lambda: n * 10)], default=lambda: n - 10)'],
    ('control_flow', 5): ['s = tf.while_loop(lambda a, b: a < n, lambda a, b: (a + 1, b + a), (tf.constant(0), tf.constant(0)))[1]'],
    ('gradients', 1): ['g = tf.gradients([y], [x])'],
    ('training', 3): ['opt = tf.train.GradientDescentOptimizer(learning_rate=0.1)', 'train = opt.apply_gradients(opt.compute_gradients(loss))', 'run train'],
    ('queues', 1): ['for v in [1., 2., 3.]: run q.enqueue(v)'],
    ('queues', 3): ['run q.dequeue_many(3)'],
    ('queues', 6): ['dataset = tf.data.Dataset.from_tensor_slices([0, 1, 4, 9, 16, 25]).batch(3)', 'nxt = dataset.make_one_shot_iterator().get_next()', 'eval nxt'],
    ('errors', 4): ['y = a @ tf.transpose(b)'],
    ('nans', 4): ['loss2 = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=0, logits=logits)'],
}

# Wrong answers, and a part of what the check says about them.
WRONG = {
    ('graphs', 1): [('a = tf.constant([1., 2.])', "the node is called Const, because it was given no other name; expected a"),
                    ('a = tf.constant([1, 2], name="a")', 'int32; expected float32'),
                    ('a = tf.constant([1., 2., 3.], name="a2"); a = tf.identity(a, name="a")', "got 'Identity' for a.op.type; expected \"Const\"")],
    ('graphs', 5): [('learn answer 2', '2 is not the number')],
    ('feeds', 1): [('x = tf.placeholder(tf.float32, []); y = x * x', 'the shape of x is ()'),
                   ('x = tf.placeholder(tf.float32, [None]); y = tf.reduce_sum(x)', 'y is 6.0; expected 14')],
    ('feeds', 4): [('eval y feed x=[1, 2, 3]', 'expected two values, from one')],
    ('variables', 5): [('up = w.assign_add(1.)', 'w is 5.0; expected 8')],
    ('transfers', 4): [('with tf.device("/cpu:1"): out = tf.reduce_sum(w * 2.) + 1.', 'the last run was'),
                       ('explain out', 'a run of out sends 4000 B')],
    ('pruning', 6): [('d = tf.identity(c)', 'a run of d does not change n')],
    ('control_flow', 1): [('y = tf.where(n > 2, n * 10, n - 10)', 'both branches run every time')],
    ('training', 3): [('train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)', 'w is 0.0; expected 0.6')],
    ('errors', 4): [('y = a * b', 'y is made by Mul; expected a matrix product')],
    ('nans', 4): [('loss2 = loss + 0.', 'for 1000, 0, loss2 is nan; expected 0')],
}


def has_servers():
    return os.path.exists(os.path.join(os.path.dirname(TENSH), 'libtensh_dist.so'))


def lessons():
    return [lesson for lesson in ALL if has_servers() or not lesson.servers]


class Home(unittest.TestCase):
    """A home folder, in which students start shells."""

    def setUp(self):
        self.home = tempfile.mkdtemp(prefix='tensh-student-')
        self.students = []

    def tearDown(self):
        for each in self.students:
            each.end(signal.SIGKILL)
        shutil.rmtree(self.home)

    def start(self, *args, **more):
        self.students.append(Student(TENSH, self.home, *args, **more))
        return self.students[-1]

    def write(self, name, text):
        path = os.path.join(self.home, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def export(self, who):
        path = os.path.join(self.home, 'export.json')
        who.type('learn export ' + path)
        with open(path, encoding='utf-8') as f:
            return {each['lesson']: each for each in json.load(f)['lessons']}

    def right(self, said, lesson, step):
        self.assertRegex(said, r'(?m)^Right\.', '%s, step %d\n%s' % (lesson.name, step, said))


class EveryLesson(Home):
    def test_alone_with_wrong_answers_on_the_way(self):
        self.assertEqual([lesson.number for lesson in ALL], list(range(1, 21)))
        for lesson in lessons():
            with self.subTest(lesson.name):
                t = self.start()
                t.learn('%d restart' % lesson.number)
                for number, step in enumerate(lesson.steps, 1):
                    self.assertIn('Not yet: ', t.type('learn answer 12345' if step.asks else 'learn check'), (lesson.name, number))
                    wrong = WRONG.get((lesson.name, number), [])
                    for typed, why in wrong:
                        said = t.type(typed)
                        self.assertIn(why, ' '.join((said if step.asks else t.type('learn check')).split()), (lesson.name, number))
                    self.assertIn('Hint: ', t.type('learn hint'))
                    said = t.solve(step)
                    self.right(said, lesson, number)
                self.assertIn('Well done.', said)
                record = self.export(t)[lesson.name]
                self.assertEqual((record['done'], record['of'], record['skipped']), (len(lesson.steps), len(lesson.steps), 0))
                for number, step in enumerate(record['steps'], 1):
                    self.assertEqual((step['state'], step['attempts'], step['hints']),
                                     ('done', 2 + len(WRONG.get((lesson.name, number), [])), 1), (lesson.name, number))
                    self.assertEqual(step['kind'], 'question' if lesson.steps[number - 1].asks else 'task')
                t.leave()

    def test_other_right_answers(self):
        for lesson in lessons():
            if not any(name == lesson.name for name, _ in OTHERWISE):
                continue
            with self.subTest(lesson.name):
                t = self.start()
                t.learn('%s restart' % lesson.name)
                for number, step in enumerate(lesson.steps, 1):
                    other = student.Step()
                    other.asks, other.solution = step.asks, OTHERWISE.get((lesson.name, number), step.solution)
                    self.right(t.solve(other), lesson, number)
                t.leave()

    def test_backwards_in_one_session(self):
        """No lesson depends on the names, the graph or the connection of another, or of the student."""
        t = self.start()
        t.type('a = b = x = y = w = s = loss = 7')
        t.type('mul = tf.constant(2.) * 3.')
        for lesson in reversed(lessons()):
            t.learn('%d restart' % lesson.number)
            for number, step in enumerate(lesson.steps, 1):
                self.right(t.solve(step), lesson, number)
        t.type('learn quit')
        self.assertEqual(t.type('print(a, loss, mul.graph is tf.get_default_graph())').split('\n')[0], '7 7 True')
        self.assertIn('steps run in this process', t.type('connect'))

    def test_every_other_step_skipped(self):
        for lesson in lessons():
            for first in (0, 1):
                with self.subTest(lesson.name, first=first):
                    t = self.start()
                    t.learn('%d restart' % lesson.number)
                    for number, step in enumerate(lesson.steps, 1):
                        if number % 2 == first:
                            said = t.type('learn skip')
                        else:
                            said = t.solve(step)
                            self.right(said, lesson, number)
                    self.assertRegex(said, r'%d steps skipped\.' % ((len(lesson.steps) + first) // 2))
                    t.leave()

    def test_killed_after_each_step(self):
        for lesson in lessons():
            with self.subTest(lesson.name):
                said = ''
                for number, step in enumerate(lesson.steps, 1):
                    t = self.start()
                    said = t.learn(str(lesson.number))
                    self.assertIn('[%d of %d]' % (number, len(lesson.steps)), said)
                    said = t.solve(step)
                    self.right(said, lesson, number)
                    t.end(signal.SIGKILL)
                self.assertIn('Well done.', said)

    def test_by_its_own_check(self):
        for lesson in lessons():
            done = subprocess.run([TENSH, '-c', 'learn test %s' % lesson.name], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr.decode())


class Work(Home):
    def test_skipped_is_not_done(self):
        t = self.start()
        t.learn('2')
        for step in range(6):
            said = t.type('learn skip')
        self.assertIn('6 steps skipped.', said)
        self.assertIn('0 of 6 steps, 6 skipped', t.type('learn list'))
        self.assertEqual(t.type('print(y.op.type)').split('\n')[0], 'Sum')  # a skipped step leaves its nodes
        record = self.export(t)['feeds']
        self.assertEqual((record['done'], record['skipped'], record['of']), (0, 6, 6))
        self.assertEqual({step['state'] for step in record['steps']}, {'skipped'})

    def test_an_answer_is_not_given_away(self):
        t = self.start()
        t.learn('2')
        t.type('learn skip')
        said = t.type('learn answer 0')
        self.assertIn("Not yet: your answer is 0", said)
        self.assertNotIn('err', said.split('Question')[0])
        self.assertIn('is not the number', self.graphs_answer(t, '4'))
        self.assertIn('this step is a task', t.type('learn restart 1') + self.task_answer(t))

    def graphs_answer(self, t, answer):
        t.learn('1 restart')
        for _ in range(4):
            t.type('learn skip')
        return t.type('learn answer ' + answer)

    def task_answer(self, t):
        t.learn('1 restart')
        return t.type('learn answer 3')

    def test_an_answer_by_assignment(self):
        t = self.start()
        self.graphs_answer(t, '4')
        t.type('answer = 1 + 2')
        self.assertIn('Right.', t.type('learn check'))

    def test_the_students_own_things_return(self):
        t = self.start()
        t.type('v = tf.Variable(3., name="v"); mine = [1, 2]')
        t.type('run v.initializer')
        self.assertIn('yours come back', t.learn('3'))
        self.assertIn("NameError", t.type('mine'))
        t.type('w = tf.Variable(5., name="w")')
        t.type('learn quit')
        self.assertIn('3.0', t.type('eval v'))
        self.assertIn('[1, 2]', t.type('mine'))
        self.assertIn('NameError', t.type('print(w)'))
        self.assertIn('no lesson has been started', t.type('learn hint'))

    def test_again_after_a_mess(self):
        t = self.start()
        t.learn('queues')
        t.type('run q.enqueue(7.)')
        t.type('run q.enqueue(8.)')
        said = t.type('learn check')
        self.assertIn('the queue has 2 elements; expected 3', said)
        self.assertIn('learn again', said)
        self.assertIn('[1 of 8]', t.type('learn again'))
        t.type('run q.enqueue_many([[1., 2., 3.]])')
        self.assertIn('Right.', t.type('learn check'))
        t.learn('training')
        for _ in range(3):
            t.type('learn skip')
        t.type('reset')
        self.assertIn('NameError', t.type('print(loss)'))
        self.assertIn('[4 of 6]', t.type('learn again'))
        self.assertIn('NoOp', t.type('print(train.type)'))
        if has_servers():
            t.learn('two_machines')
            first = dict(t.addresses)
            t.type('connect grpc://{worker0}')
            self.assertIn('Right.', t.type('learn check'))
            t.type('connect default')
            self.assertIn('[2 of 7]', t.learn('again'))
            self.assertEqual(len(t.addresses), 2)
            self.assertNotEqual(t.addresses, first)
            self.assertIn('grpc://' + t.addresses['worker0'], t.type('connect'))

    def test_two_students_of_one_home(self):
        a, b = self.start(), self.start()
        a.learn('1')
        a.type('a = tf.constant([1., 2.], name="a")')
        a.type('learn check')
        b.learn('2')
        b.type('learn skip')
        c = self.start()
        said = c.type('learn list')
        self.assertRegex(said, r' 1  graphs +Graphs and sessions +1 of 6 steps\n')
        self.assertRegex(said, r' 2  feeds +Feeds and fetches +0 of 6 steps, 1 skipped\n')


@unittest.skipUnless(os.path.exists('/proc/self/cmdline'), 'no /proc')
class Servers(Home):
    def setUp(self):
        super().setUp()
        if not has_servers():
            self.skipTest('no libtensh_dist.so')

    def begin(self):
        t = self.start()
        t.learn('failure')
        self.assertEqual(sorted(t.addresses), ['ps0', 'worker0', 'worker1'])
        self.cluster = 'ps=%(ps0)s;worker=%(worker0)s,%(worker1)s' % t.addresses
        self.assertEqual(len(processes_with(self.cluster)), 3)
        return t

    def gone(self):
        end = time.monotonic() + 30
        while processes_with(self.cluster) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(processes_with(self.cluster), [])

    def test_end_with_the_lesson(self):
        t = self.begin()
        t.type('learn quit')
        self.gone()
        t.learn('failure')
        self.assertEqual(len(t.addresses), 3)
        self.cluster = t.addresses['worker0']
        t.learn('1')
        self.gone()

    def test_end_with_the_shell(self):
        self.begin().leave()
        self.gone()

    def test_end_when_the_shell_is_killed(self):
        for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
            t = self.begin()
            t.end(how)
            self.gone()

    def test_ctrl_c_at_the_prompt_does_not_stop_them(self):
        t = self.begin()
        t.send('\x03')
        t.read(student.PROMPT)
        self.assertEqual(len(processes_with(self.cluster)), 3)
        self.assertIn('30.0', t.type('eval y'))

    def test_ctrl_c_while_they_start(self):
        t = self.start()
        for delay in (0.0, 0.02, 0.1):
            t.send('learn two_machines\n')
            time.sleep(delay)
            t.send('\x03')
            time.sleep(0.3)
            t.send('\n')  # the terminal discards what was typed before Ctrl-C, perhaps the whole line
            t.read(student.PROMPT)
            t.type('1')  # there may be another prompt
            t.type('learn list')
        t.type('learn quit')
        self.cluster = 'worker=127.0.0.1:'
        end = time.monotonic() + 30
        mine = [p for p in processes_with(self.cluster) if self.parent(p) == t.pid]
        while mine and time.monotonic() < end:
            mine = [p for p in processes_with(self.cluster) if self.parent(p) == t.pid]
        self.assertEqual(mine, [])

    @staticmethod
    def parent(process):
        try:
            with open('/proc/%d/stat' % process) as f:
                return int(f.read().rpartition(')')[2].split()[1])
        except OSError:
            return 0


LESSON = '''Mine
An introduction.
>>> given = tf.constant([1., 2., 3.], name="given")
== 1
task: Make total.
check: float(_session.run(total)) == 6.
else: total is {_session.run(total)}; expected 6
hint: tf.reduce_sum
>>> total = tf.reduce_sum(given)
== 2
ask: One?
check: answer == 1
hint: 1
>>> learn answer 1
'''


class Courses(Home):
    def test_a_new_lesson_runs(self):
        t = self.start()
        said = t.type('learn new sums')
        self.assertIn('take it: learn ./sums.lesson', said)
        self.assertIn('1 lesson: every check holds', t.type('learn test ./sums.lesson'))
        said = t.type('learn ./sums.lesson')
        self.assertIn('— The title of the lesson —', said)
        self.assertIn('given = tf.constant', said)
        self.assertIn('sums.lesson exists already', t.type('learn new sums'))
        t.type('total = given')
        self.assertIn('Not yet: ', t.type('learn check'))
        t.type('total = tf.reduce_sum(given)')
        self.assertIn('Right.', t.type('learn check'))
        t.end(signal.SIGKILL)
        t = self.start()
        self.assertIn('[2 of 3]', t.type('learn ./sums.lesson'))

    def test_a_folder_is_a_course(self):
        for name in ('10_last', '2_second', '1_first'):
            self.write('course/%s.lesson' % name, LESSON.replace('Mine', 'The ' + name))
        t = self.start()
        said = t.type('learn ./course')
        self.assertRegex(said, r'(?s)1  first +The 1_first .*2  second .*3  last ')
        self.assertIn('— The 2_second —', t.type('learn 2'))
        t.type('total = tf.reduce_sum(given)')
        t.type('learn check')
        said = t.type('learn answer 1')
        self.assertIn('next: learn 3', said)
        self.assertRegex(t.type('learn list'), '2  second  The 2_second +2 of 2 steps  ✓')
        self.assertIn('3 lessons: every check holds', t.type('learn test ./course'))
        self.assertIn('graphs', t.type('learn tensh'))
        record = self.export(t)
        self.assertEqual(record[os.path.join(os.path.realpath(self.home), 'course', '2_second.lesson')]['done'], 2)

    def test_mistakes_are_listed(self):
        path = self.write('bad.lesson', 'Bad\n== 1\ntask: x\nchekc: 1\n== 2\ncheck: 1\nelse: a\nelse: b\n')
        t = self.start()
        said = ' '.join(t.type('learn ./bad.lesson').split())
        for part in ('bad.lesson:4: unknown keyword chekc:; did you mean check:?', ':2: this step has no check:', ':8: else: must follow a check:',
                     ':5: this step has no task: or ask:', ':5: this step has no solution'):
            self.assertIn(part, said)
        self.assertIn('no lesson has been started', t.type('learn hint'))
        self.assertIn('cannot read the lesson', t.type('learn ./none.lesson'))
        os.remove(path)
        self.assertIn('contains 0 files', t.type('learn ./'))
        self.write('with a blank/my first.lesson', LESSON)
        self.assertIn('— Mine —', t.type('learn ./with a blank/my first.lesson restart'))

    def test_a_test_finds_wrong_lessons(self):
        self.write('a.lesson', LESSON.replace('== 6.', '> 0.').replace('>>> total = tf.reduce_sum(given)', '>>> totl = given'))
        done = subprocess.run([TENSH, '-c', 'learn test ./a.lesson'], cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a, step 1 (line 4): the solution does not pass: name 'total' is not defined", done.stderr.decode())
        self.write('b.lesson', LESSON.replace('float(_session.run(total)) == 6.', 'True').replace('hint: tf.reduce_sum\n', ''))
        done = subprocess.run([TENSH, '-c', 'learn test ./b.lesson'], cwd=self.home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
        self.assertIn('b, step 1 (line 4): has no hint', done.stderr.decode())
        self.assertIn('b, step 1 (line 4): the checks hold before the task is done', done.stderr.decode())

    def test_a_foreign_lesson_is_confined(self):
        outside = tempfile.mkdtemp()
        self.write('spy.lesson', LESSON.replace('>>> given', '>>> f = open("%s/x", "w")\n>>> plot [1] > %s/p.svg\n>>> given' % (outside, outside)))
        t = self.start()
        said = t.type('learn ./spy.lesson')
        self.assertIn("not tensh's own", said)
        self.assertEqual(os.listdir(outside), [])
        said = ' '.join(t.type('open("%s/y", "w")' % outside).split())
        self.assertIn('PermissionError', said)
        self.assertIn('learn ./spy.lesson --trust', said.replace(os.path.realpath(self.home), '.').replace(self.home, '.'))
        t.type('learn quit')
        self.assertIn('PermissionError', t.type('open("%s/y", "w")' % outside))  # a function of the lesson may still be called
        t.leave()
        t = self.start()
        t.type('learn ./spy.lesson --trust')
        self.assertEqual(os.listdir(outside), ['p.svg', 'x'] if os.listdir(outside)[0] == 'p.svg' else ['x', 'p.svg'])
        shutil.rmtree(outside)

    def test_folders_end_with_the_lesson(self):
        def folders():
            return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith('tensh-lesson-%d-' % t.pid)]
        t = self.start()
        t.learn('saving')
        self.assertEqual(len(folders()), 1)
        t.type('learn quit')
        self.assertEqual(folders(), [])
        t.learn('saving')
        pid = t.pid
        t.end(signal.SIGKILL)
        left = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith('tensh-lesson-%d-' % pid)]
        self.assertEqual(len(left), 1)
        t = self.start()
        t.learn('saving')  # removes what the killed shell left
        self.assertFalse(os.path.exists(os.path.join(tempfile.gettempdir(), left[0])))
        self.assertEqual(len(folders()), 1)
        t.leave()

    def test_control_characters_are_shown(self):
        self.write('esc.lesson', LESSON.replace('An introduction.', 'A \x1b]0;title\x07 \x1b[2J.'))
        t = self.start()
        said = t.type('learn ./esc.lesson')
        self.assertNotIn('\x1b', said)
        self.assertIn('\\x1b', said)

    def test_binary_and_huge_files(self):
        with open(os.path.join(self.home, 'noise.lesson'), 'wb') as f:
            f.write(bytes(range(256)) * 64)
        with open(os.path.join(self.home, 'huge.lesson'), 'wb') as f:
            f.truncate(3 << 20)
        t = self.start()
        self.assertIn('has mistakes', t.type('learn ./noise.lesson'))
        self.assertIn('cannot read the lesson', t.type('learn ./huge.lesson'))
        self.assertIn('2', t.type('1 + 1'))


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--tensh', required=True)
    arguments, rest = parser.parse_known_args()
    TENSH = os.path.abspath(arguments.tensh)
    unittest.main(argv=sys.argv[:1] + rest)
