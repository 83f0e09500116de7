// The language through Interp: output of scripts, locations of errors, cells, verbs, hooks and
// limits.
#include "shell/python/vm/interp.h"

#include <gtest/gtest.h>

#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

// Runs a text. Returns its output, followed by "Class: message" if an error ended it.
std::string Printed(std::string text, bool reparse = false) {
  std::string out;
  {
    Interp interp;
    interp.set_stdout([&](std::string_view s) { out += s; });
    Interp::reparse = reparse;
    interp.AddVerbs({"eval", "run", "devices"});
    try {
      interp.Exec(std::move(text), "test.py", ExecMode::kFile);
    } catch (const PyError& e) {
      interp.Write(e.ClassName() + ": " + e.Message() + "\n");
    }
    interp.Flush();
  }
  return out;
}

struct Row {
  const char* script;
  const char* output;
};

TEST(Interp, PrintsWhatPythonPrints) {
  const Row rows[] = {
      {"print(1 + 2 * 3 ** 2, 7 // -2, -7 % 3, 1 / 3)", "19 -4 2 0.3333333333333333\n"},
      {"x, *y = 'abc'\nprint(x, y, [*y, *x], {**{'k': 1}})",
       "a ['b', 'c'] ['b', 'c', 'a'] {'k': 1}\n"},
      {"print(f'{3.14159:>8.2f}|{\"q\"!r}|{2 + 2 = }')", "    3.14|'q'|2 + 2 = 4\n"},
      {"print([i for i in range(9) if i % 2 for j in 'a'], {k: v for k, v in [(1, 2)]})",
       "[1, 3, 5, 7] {1: 2}\n"},
      {"def f(a, /, b=2, *c, d, **e): return a, b, c, d, e\nprint(f(1, d=4, z=5))",
       "(1, 2, (), 4, {'z': 5})\n"},
      {"def g():\n  x = yield 1\n  print(x)\n  yield from [2]\nh = g()\nprint(next(h), "
       "h.send('s'), list(h))",
       "s\n1 2 []\n"},
      {"try:\n  try: 1 / 0\n  finally: print('f')\nexcept ZeroDivisionError as e: print(e)",
       "f\ndivision by zero\n"},
      {"class A:\n  def __init__(self, n): self.n = n\n  def __add__(self, o): return A(self.n + "
       "o)\n"
       "  def __repr__(self): return f'A({self.n})'\nprint(A(1) + 2)",
       "A(3)\n"},
      {"print(2 ** 100, 10 ** 20 // 7, -(2 ** 63), 0x1f, 1_000)",
       "1267650600228229401496703205376 14285714285714285714 -9223372036854775808 31 1000\n"},
      {"a = [1]\na.append(a)\nprint(a)", "[1, [...]]\n"},
      {"print('%5.1f%% %s %r %x' % (12.34, 'a', 'b', 255))", " 12.3% a 'b' ff\n"},
      {"for i in range(3):\n  if i == 1: continue\n  print(i)\nelse: print('end')", "0\n2\nend\n"},
      {"print({3, 1, 2}, {10, 5, 100}, set())", "{1, 2, 3} {10, 100, 5} set()\n"},
      {"import random\nrandom.seed(42)\nprint(random.random())", "0.6394267984578837\n"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Printed(row.script), row.output) << row.script;
    EXPECT_EQ(Printed(row.script, true), row.output) << "printed and parsed again: " << row.script;
  }
}

TEST(Interp, RaisesWhatPythonRaises) {
  const Row rows[] = {
      {"1 + 'a'", "TypeError: unsupported operand type(s) for +: 'int' and 'str'\n"},
      {"[][0]", "IndexError: list index out of range\n"},
      {"{}['k']", "KeyError: 'k'\n"},
      {"nope", "NameError: name 'nope' is not defined\n"},
      {"def f(x): pass\nf()", "TypeError: f() missing 1 required positional argument: 'x'\n"},
      {"def f(): return f()\nf()", "RecursionError: maximum recursion depth exceeded\n"},
      {"print(10 ** 5000)",
       "OverflowError: Exceeds the limit (4300 digits) for integer string conversion\n"},
      {"x = 1\nx.y = 2", "AttributeError: 'int' object has no attribute 'y'\n"},
      {"import nothing_like_it", "ModuleNotFoundError: No module named 'nothing_like_it'\n"},
      {"print(1", "SyntaxError: '(' was never closed\n"},
      {"if 1:\nx", "IndentationError: expected an indented block after the statement on line 1\n"},
      {"return 1", "SyntaxError: 'return' outside function\n"},
      {"x = 'abc", "SyntaxError: unterminated string literal (detected at line 1)\n"},
      {"list(range(10 ** 18))", "MemoryError: \n"},
  };
  for (const Row& row : rows) EXPECT_EQ(Printed(row.script), row.output) << row.script;
}

TEST(Interp, LimitsEndInOneCleanError) {
  auto times = [](const char* s, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += s;
    return out;
  };
  EXPECT_EQ(Printed(times("(", 100000)), "SyntaxError: too many nested parentheses\n");
  EXPECT_EQ(Printed("x = " + times("not ", 100000) + "1"),
            "SyntaxError: too many nested parentheses\n");
  EXPECT_EQ(Printed("x = " + times("-", 100000) + "1"),
            "SyntaxError: too many nested parentheses\n");
  EXPECT_EQ(Printed("x = [" + times("1,", 1000001) + "]"),
            "SyntaxError: more than 1000000 tokens on one line\n");
  EXPECT_EQ(Printed("x = '" + std::string(size_t{65} << 20, 'a') + "'"),
            "SyntaxError: line is longer than 64 MiB\n");
  EXPECT_EQ(Printed(std::string("x = 1\0", 6)),
            "SyntaxError: source code cannot contain null bytes\n");
  EXPECT_EQ(Printed("x = '\xff'").substr(0, 30), "SyntaxError: (unicode error) '");
  EXPECT_EQ(Printed("print(" + times("1+", 50000) + "1)"), "50001\n");
  EXPECT_EQ(Printed("x = []\nfor i in range(300000): x = [x]\ndel x\nprint('freed')"), "freed\n");
}

TEST(Interp, ErrorsPointAtTheExpression) {
  Interp interp;
  try {
    interp.Exec("a = 1\nprint(a, [1, 2][a + 5])\n", "s.py", ExecMode::kFile);
    FAIL() << "no error";
  } catch (const PyError& e) {
    const Location& where = e.exception().trace.at(0).where;
    EXPECT_EQ(where.file, "s.py");
    EXPECT_EQ(where.line, 2);
    EXPECT_EQ(where.column, 10);
    EXPECT_EQ(where.end_column, 23);
    EXPECT_EQ(where.text, "print(a, [1, 2][a + 5])");
  }
}

TEST(Interp, TellsWhetherACellIsWhole) {
  Interp interp;
  const std::pair<const char*, Completeness> rows[] = {
      {"x = 1\n", Completeness::kComplete},
      {"x = (1,\n", Completeness::kIncomplete},
      {"for i in x:\n", Completeness::kIncomplete},
      {"for i in x:\n  pass\n", Completeness::kIncomplete},
      {"for i in x:\n  pass\n\n", Completeness::kComplete},
      {"'''a\n", Completeness::kIncomplete},
      {"if x: y = 1\n", Completeness::kComplete},
      {"x = = 1\n", Completeness::kInvalid},
      {"a b\n", Completeness::kInvalid},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(interp.Check(text), want) << text;
}

class Recorder : public Hooks {
 public:
  void Begin(const Location& where) override {
    log += "begin " + std::to_string(where.line) + "\n";
  }
  void Committed(const Value& v, const Location&, std::string_view) override {
    log += "ok " + (v.is_null() ? "-" : Repr(v)) + "\n";
  }
  bool Failed(const PyError& e, const Location&) override {
    log += "failed " + e.ClassName() + "\n";
    return true;
  }
  Value RunVerb(const VerbCall& call) override {
    log += std::string(call.verb) + "<" + std::string(call.rest) + ">\n";
    if (call.verb == "eval") log += Repr(Interp::Current().Eval(call.rest)) + "\n";
    return call.wants_value ? MakeStr(call.rest) : Value();
  }
  bool VerbGivesValue(std::string_view verb) override {
    return verb == "eval" || verb == "devices";
  }
  bool VerbAlone(std::string_view verb) override { return verb == "devices"; }
  std::string log;
};

TEST(Interp, HooksSeeEachStatement) {
  Interp interp;
  Recorder hooks;
  interp.set_hooks(&hooks);
  interp.Exec("x = 2\n1 / 0\nx + 1\n", "c", ExecMode::kCell);
  EXPECT_EQ(hooks.log, "begin 1\nok -\nbegin 2\nfailed ZeroDivisionError\nbegin 3\nok 3\n");
}

TEST(Interp, VerbsAreStatementsThatPythonWouldRefuse) {
  Interp interp;
  interp.AddVerbs({"eval", "run", "devices"});
  Recorder hooks;
  interp.set_hooks(&hooks);
  interp.Exec("x = 2; eval x + 1; devices\nrun x times 3 # note\nx?\nif x: eval [x,\n  4]\n", "c",
              ExecMode::kFile);
  std::string verbs;
  for (size_t i = 0, end; i < hooks.log.size(); i = end + 1) {
    end = hooks.log.find('\n', i);
    std::string line = hooks.log.substr(i, end - i);
    if (line.rfind("begin", 0) != 0 && line.rfind("ok", 0) != 0) verbs += line + "\n";
  }
  EXPECT_EQ(verbs, "eval<x + 1>\n3\ndevices<>\nrun<x times 3>\n?<x>\neval<[x,\n  4]>\n[2, 4]\n");
  hooks.log.clear();
  interp.Exec("run = 5\nrun\n", "c", ExecMode::kCell);
  EXPECT_EQ(hooks.log, "begin 1\nok -\nbegin 2\nok 5\n") << "a variable of a verb's name wins";
}

TEST(Interp, ExpressionLengthStopsWhereTheExpressionDoes) {
  Interp interp;
  EXPECT_EQ(interp.ExpressionLength("a + b feed x=[1]"), 5u);
  EXPECT_EQ(interp.ExpressionLength("f(x, y)[0], z"), 10u);
  EXPECT_EQ(interp.ExpressionLength("> f.svg"), 0u);
}

TEST(Interp, InterruptRaisesKeyboardInterrupt) {
  Interp interp;
  interp.Interrupt();
  try {
    interp.Exec("while True: pass", "c", ExecMode::kFile);
    FAIL() << "no error";
  } catch (const PyError& e) {
    EXPECT_EQ(e.ClassName(), "KeyboardInterrupt");
  }
}

TEST(Interp, CyclesAreCollectedWhileItRuns) {
  const char* script =
      "class Node:\n  def __init__(self): self.me = self; self.l = [{'me': self}]\n"
      "kept = Node()\ndef f():\n  def g(): return g\n  n = Node()\n  return None\n"
      "for i in range(100000): f()\n"
      "print(kept.me is kept, kept.l[0]['me'] is kept)";
  EXPECT_EQ(Printed(script), "True True\n");
  EXPECT_LT(heap::LiveTracked(), 100000u);
}

TEST(Interp, CyclesAreReclaimedAtTheEnd) {
  Printed("pass");
  const size_t before = heap::LiveTracked();
  const char* script =
      "class Node:\n  def __init__(self): self.me = self; self.l = [self]\n"
      "n = Node()\ndef f(): return f\ng = (x for x in [f])\nnext(g)\nd = {}\nd['d'] = d\n"
      "try: 1 / 0\nexcept ZeroDivisionError as e: kept = e\n";
  Printed(script);
  const size_t after_first = heap::LiveTracked();
  Printed(script);
  EXPECT_EQ(heap::LiveTracked(), after_first) << "started from " << before;
}

}  // namespace
}  // namespace tensh::shell
