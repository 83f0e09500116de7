// The grammar of verb lines: the lines that begin with a verb and are commands, and those that are
// Python.
#include "shell/python/syntax/verb_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tensh::shell {
namespace {

// Returns "python", "nothing", or the arguments in brackets, up to the end of the line.
std::string Classified(std::string_view line) {
  const auto end = static_cast<uint32_t>(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  const VerbLine read = ReadVerbLine(line, 0, std::min(end, static_cast<uint32_t>(line.size())));
  if (read.after == AfterVerb::kPython) return "python";
  if (read.after == AfterVerb::kNothing) return "nothing";
  return "[" + std::string(line.substr(read.rest, line.find('\n') - read.rest)) + "]";
}

TEST(VerbLine, IsPythonIfPythonAllowsWhatFollows) {
  struct Row {
    const char *line, *want;
  };
  const Row rows[] = {
      // Arguments.
      {"eval w", "[w]"},
      {"eval \t w + 1\nx", "[w + 1]"},
      {"eval -w", "[-w]"},
      {"eval ~w", "[~w]"},
      {"eval *w", "[*w]"},
      {"eval < w", "[< w]"},
      {"eval [1, 2]", "[[1, 2]]"},
      {"eval 'a'", "['a']"},
      {"eval not x", "[not x]"},
      {"eval not inner", "[not inner]"},
      {"eval isolated", "[isolated]"},
      {"eval in_x", "[in_x]"},
      {"eval format", "[format]"},
      {"load ./w", "[./w]"},
      {"load ../w", "[../w]"},
      {"load /w", "[/w]"},
      {"eval != 1", "[!= 1]"},
      {"sql .tables", "[.tables]"},
      {"sql .schema nodes", "[.schema nodes]"},
      {"run?", "[?]"},
      {"run ?", "[?]"},
      // Nothing follows.
      {"run", "nothing"},
      {"run  ", "nothing"},
      {"run\n", "nothing"},
      {"run \r\n", "nothing"},
      {"run; x", "nothing"},
      {"run # x", "nothing"},
      {"run#", "nothing"},
      // Names that continue as Python.
      {"sql.tables", "python"},
      {"sql .5", "[.5]"},
      {"run .tables", "python"},
      {"run .tables in x", "python"},
      {"run .tables (a)", "python"},
      {"run .5", "[.5]"},
      {"time .nodes a", "[.nodes a]"},
      {"time .nodes", "[.nodes]"},
      {"time.nodes", "python"},
      {"time . nodes", "python"},
      {"run = 3", "python"},
      {"run=3", "python"},
      {"run == 3", "python"},
      {"run += 3", "python"},
      {"run -= 3", "python"},
      {"run *= 3", "python"},
      {"run /= 3", "python"},
      {"run %= 3", "python"},
      {"run @= 3", "python"},
      {"run &= 3", "python"},
      {"run |= 3", "python"},
      {"run ^= 3", "python"},
      {"run **= 3", "python"},
      {"run //= 3", "python"},
      {"run <<= 3", "python"},
      {"run >>= 3", "python"},
      {"run (3)", "python"},
      {"run(3)", "python"},
      {"run.x", "python"},
      {"run .x", "python"},
      {"run, x = 1, 2", "python"},
      {"run , x = 1, 2", "python"},
      {"run : int = 3", "python"},
      {"run )", "python"},
      {"run[3]", "python"},
      {"run in x", "python"},
      {"run not in x", "python"},
      {"run not   in x", "python"},
      {"run is x", "python"},
      {"run if x else y", "python"},
      {"run else y", "python"},
      {"run and x", "python"},
      {"run or x", "python"},
      {"run for x in y", "python"},
      {"run as x", "python"},
      // A verb that is also a statement of Python.
      {"break", "python"},
      {"break ", "python"},
      {"break;", "python"},
      {"break?", "python"},
      {"break # x", "python"},
      {"break iffy", "python"},
      {"break x", "python"},
      {"break if loss > 3", "[if loss > 3]"},
      {"break if", "[if]"},
  };
  for (const Row& row : rows) EXPECT_EQ(Classified(row.line), row.want) << row.line;
}

// Even if a variable has the verb's name, a line that cannot be Python is a command.
TEST(VerbLine, IsCertainIfAnOperandFollows) {
  for (const char* line :
       {"graph a", "graph 3", "graph 'a'", "graph \"a\"", "graph \xc3\xa9t\xc3\xa9", "graph _x",
        "graph {'a': a}", "graph ~a", "graph lambda: a", "graph not a", "graph iffy",
        "load ./model", "load ../model", "break if a", "time .nodes a", "time .nodes", "eval .5"})
    EXPECT_TRUE(ReadVerbLine(line, 0, EndOfWord(line, 0)).certain) << line;
  for (const char* line :
       {"graph", "graph ; a", "graph -a", "graph +a", "graph *a", "graph [a]", "graph (a)",
        "graph < a", "graph != a", "graph @ a", "load /model", "graph if a else b", "graph in a",
        "graph not in a", "graph = a", "graph .nodes", "graph .nodes if a else b"})
    EXPECT_FALSE(ReadVerbLine(line, 0, EndOfWord(line, 0)).certain) << line;
}

// Returns the name and the number of marks, or "no".
std::string Help(std::string_view line) {
  const HelpMark mark = ReadHelpMark(line, 0);
  if (mark.marks == 0) return "no";
  return std::string(line.substr(0, mark.name_end)) + " " + std::to_string(mark.marks);
}

TEST(VerbLine, FindsHelpMarks) {
  struct Row {
    const char *line, *want;
  };
  const Row rows[] = {
      {"w?", "w 1"},
      {"w??", "w 2"},
      {"w???", "no"},
      {"tf.matmul?", "tf.matmul 1"},
      {"w? \t\r\nx", "w 1"},
      {"w?; x", "w 1"},
      {"Out[3]?", "Out[3] 1"},
      {"Out[30]??", "Out[30] 2"},
      {"Out[]?", "no"},
      {"Out[x]?", "no"},
      {"Out[3", "no"},
      {"w ?", "no"},
      {"w? x", "no"},
      {"w", "no"},
      {"", "no"},
  };
  for (const Row& row : rows) EXPECT_EQ(Help(row.line), row.want) << row.line;
}

}  // namespace
}  // namespace tensh::shell
