// The colors of typed text, as rows: a text, and a word of it with its role.
#include "shell/commands/typing/highlight.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "shell/commands/base/shell.h"

namespace tensh::shell {
namespace {

class Highlights : public testing::Test {
 protected:
  Highlights() {
    shell_.emplace(interp_, ShellOptions());
    interp_.Exec(
        "a = tf.constant([1.], name='scope/node')\n"
        "n = 3\n"
        "graph = tf.get_default_graph()\n",
        "test", ExecMode::kFile);
  }

  // Returns the role of the last occurrence of the word in the text.
  Role RoleOf(const std::string& text, const std::string& word, size_t cursor) {
    const size_t at = text.rfind(word);
    for (const StyleSpan& span : Highlight(*shell_, text, cursor))
      if (span.from <= at && at < span.to) return span.role;
    return Role::kPlain;
  }

  Interp interp_;
  std::optional<Shell> shell_;
};

TEST_F(Highlights, OfSql) {
  struct Row {
    const char *text, *word;
    Role want;
  };
  const Row rows[] = {
      {"sql SELECT op FROM nodes", "SELECT", Role::kKeyword},
      {"sql .schema nodes", ".schema", Role::kKeyword},
      {".schema nodes", ".schema", Role::kVerb},
      {".schema nodes", "nodes", Role::kOp},
      {"sql select op from nodes", "from", Role::kKeyword},
      {"sql SELECT op FROM nodes", "op", Role::kTensor},
      {"sql SELECT op FROM nodes", "nodes", Role::kOp},
      {"sql SELECT op FROM nodse ", "nodse", Role::kUnknown},
      {"sql SELECT opp FROM nodes", "opp", Role::kUnknown},
      {"sql SELECT op AS what FROM nodes ORDER BY what", "what", Role::kPlain},
      {"sql SELECT n.name FROM nodes n", "name", Role::kTensor},
      {"sql SELECT n.nome FROM nodes n", "nome", Role::kUnknown},
      {"sql SELECT n.name FROM nodes AS n", "n", Role::kPlain},
      {"sql WITH t AS (SELECT op FROM nodes) SELECT * FROM t", "t", Role::kPlain},
      {"sql SELECT count(*) FROM nodes", "count", Role::kFunction},
      {"sql SELECT op FROM nodes WHERE op = 'Add'", "'Add'", Role::kString},
      {"sql SELECT op FROM nodes LIMIT 10", "10", Role::kNumber},
      {"sql SELECT op FROM nodes WHERE id > :n", "n", Role::kTensor},
      {"sql SELECT op FROM nodes WHERE id > :zz", "zz", Role::kUnknown},
      {"sql SELECT op FROM nodes --csv", "csv", Role::kPlain},
      {"sql SELECT op FROM nodes > out.csv", "out", Role::kPlain},
      {"sql SELECT op\n  FROM nodes", "nodes", Role::kOp},
      {"sql SELECT op FROM nodes\nnodse", "nodse", Role::kUnknown},
      {"sql SELECT op FROM nodes; nope", "nope", Role::kUnknown},
      {"nodes where op == MatMul", "op", Role::kTensor},
      {"nodes where op == MatMul", "MatMul", Role::kOp},
  };
  for (const Row& row : rows)
    EXPECT_EQ(RoleOf(row.text, row.word, 0), row.want) << row.text << ": " << row.word;
  EXPECT_EQ(RoleOf("sql SEL", "SEL", 7), Role::kPlain);  // may become a keyword
  EXPECT_EQ(RoleOf("sql xyz", "xyz", 7), Role::kUnknown);
}

TEST_F(Highlights, Roles) {
  struct Row {
    const char *text, *word;
    Role want;
  };
  const Row rows[] = {
      {"if a: pass", "if", Role::kKeyword},
      {"a + n", "a", Role::kTensor},
      {"a + n", "n", Role::kPlain},
      {"nope + 1", "nope", Role::kUnknown},
      {"nope = 1", "nope", Role::kPlain},
      {"p, q = 1, 2; p", "q", Role::kPlain},
      {"def f(x, *args): return x + y", "x", Role::kPlain},
      {"def f(x, *args): return x + y", "y", Role::kUnknown},
      {"[it for it in range(3)]", "it", Role::kPlain},
      {"lambda t: t + 1", "t", Role::kPlain},
      {"import math as m; m", "m", Role::kPlain},
      {"f(x=1)", "x", Role::kPlain},
      {"x == 1", "x", Role::kUnknown},
      {"print(1)", "print", Role::kFunction},
      {"tf.nn.relu(a)", "relu", Role::kFunction},
      {"tf.nn.relo(a)", "relo", Role::kUnknown},
      {"np.zeros(3)", "zeros", Role::kFunction},
      {"'text' # why", "text", Role::kString},
      {"'text' # why", "# why", Role::kComment},
      {"1.5e3", "1.5e3", Role::kNumber},
      {"tf.device('/cpu:0')", "/cpu:0", Role::kDevice},
      {"eval a", "eval", Role::kVerb},
      {"eval = 3", "eval", Role::kPlain},
      {"eval scope/node:0 + 1", "scope/node:0", Role::kTensor},
      {"eval scope/none + 1", "none", Role::kUnknown},
      {"eval a feed a=1", "feed", Role::kKeyword},
      {"place a on cpu:1", "cpu:1", Role::kDevice},
      {"place a on /cpu:1", "/cpu:1", Role::kDevice},
      {"nodes where op == MatMul", "MatMul", Role::kOp},
      {"nodes where op == MatMul", "where", Role::kKeyword},
      {"nodes where nothing == 1", "nothing", Role::kPlain},  // a column, not a name
      {"graph a", "graph", Role::kVerb},  // cannot be Python, even if a variable has this name
      {"graph", "graph", Role::kPlain},
      {".graph", "graph", Role::kVerb},
      {"x = 1\neval x", "eval", Role::kVerb},
      {"for i in range(3): eval a", "eval", Role::kFunction},
  };
  for (const Row& row : rows)
    EXPECT_EQ(RoleOf(row.text, row.word, 0), row.want) << row.text << ": " << row.word;
}

// A word that is being typed is unknown only if nothing begins with it.
TEST_F(Highlights, UnfinishedWords) {
  EXPECT_EQ(RoleOf("prin", "prin", 4), Role::kPlain);
  EXPECT_EQ(RoleOf("prin ", "prin", 5), Role::kUnknown);
  EXPECT_EQ(RoleOf("prinx", "prinx", 5), Role::kUnknown);
  EXPECT_EQ(RoleOf("eval scop", "scop", 9), Role::kPlain);
  EXPECT_EQ(RoleOf("tf.nn.rel", "rel", 9), Role::kPlain);
}

// Any text has colors: there is no error.
TEST_F(Highlights, AnyText) {
  for (const char* text : {"",       " ",   ")",    "(((",   "'",    "\"\"\"", "def",      "def (",
                           "lambda", "for", ".",    "..",    "tf.",  "tf..nn", "\xff\xfe", "import",
                           "a =",    "= a", "eval", "eval ", "at @", "#",      "\\"})
    Highlight(*shell_, text, 0);
}

}  // namespace
}  // namespace tensh::shell
