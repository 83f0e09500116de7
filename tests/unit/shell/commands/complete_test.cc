// Completion, as rows: the text before the cursor and a candidate that it must or must not offer.
#include "shell/commands/typing/complete.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "shell/commands/base/shell.h"
#include "shell/numpy/module.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

class Completes : public testing::Test {
 protected:
  Completes() { shell_.emplace(interp_, ShellOptions()); }

  bool Offers(const std::string& typed, const std::string& candidate) {
    const Completion found = Complete(*shell_, typed);
    return std::find(found.candidates.begin(), found.candidates.end(), candidate) !=
           found.candidates.end();
  }

  Interp interp_;
  std::optional<Shell> shell_;
};

struct Row {
  const char* typed;
  const char* candidate;
  bool offered;
};

TEST_F(Completes, Names) {
  const Row rows[] = {{"tf.spar", "sparse", true},
                      {"tf.stri", "strings", true},
                      {"tf.Partit", "PartitionedVariable", true},
                      {"tf.fixed_size", "fixed_size_partitioner", true},
                      {"eval tf.nn.dynamic", "dynamic_rnn", true},
                      {"tf.nn.rnn_cell.Basic", "BasicLSTMCell", true},
                      {"np.linalg.i", "inv", true},
                      {"tf.ker", "keras", true},
                      {"tf.contrib.", "*", false}};
  for (const Row& row : rows)
    EXPECT_EQ(Offers(row.typed, row.candidate), row.offered) << row.typed << " " << row.candidate;
}

// The candidates depend on the position in the grammar.
TEST_F(Completes, Positions) {
  interp_.Exec(
      "alpha = tf.constant([1., 2.], name='scope/alpha')\n"
      "x = tf.placeholder(tf.float32, [2], name='x')\n"
      "other = tf.placeholder(tf.float32, [2], name='other')\n"
      "y = x + alpha\n"
      "d = {'first': 1, 'second': 2}\n",
      "test", ExecMode::kFile);
  const Row rows[] = {{"place alpha on ", "cpu:1", true},
                      {".tab", "tables", true},
                      {".schema ", "nodes", true},
                      {".schema ed", "edges", true},
                      {"sql .sch", "schema", true},
                      {"sql .schema ed", "edges", true},
                      {"place alpha on ", "on", false},
                      {"place ", "alpha", true},
                      {"place ", "scope/alpha", true},
                      {"place ", "on", false},
                      {"place alpha ", "on", true},
                      {"eval y ", "feed", true},
                      {"eval y ", "alpha", false},
                      {"eval y feed ", "x=", true},
                      {"eval y feed ", "other=", false},  // y does not depend on it
                      {"eval y feed ", "feed", false},
                      {"eval y feed ", "again", false},  // nothing has been fed yet
                      {"explain y feed ", "again", false},
                      {"explain y feed x=[1., 2.] ", "again", false},
                      {"explain y feed x=[1., 2.] ", "analyze", false},
                      {"explain y feed x=[1., 2.] ", "with", true},
                      {"explain analyze ", "y", true},
                      {"explain analyze ", "diff", false},
                      {"explain analyze y ", "feed", true},
                      {"explain diff ", "@1", true},
                      {"explain diff ", "with", false},
                      {"run y until ", "y", true},
                      {"run y until ", "times", false},
                      {"why ", "error", true},
                      {"why not ", "y", true},
                      {"why not ", "error", false},
                      {"why not y ", "on", true},
                      {"why not y on ", "cpu:1", true},
                      {"why y ", "wait", false},
                      {"break ", "if", true},
                      {"break ", "y", false},
                      {"break if ", "never", true},
                      {"break if ", "y", true},
                      {"apply y=", "cpu:1", true},
                      {"apply ", "y", true},
                      {"trace ", "save", true},
                      {"trace ", "tests/", false},
                      {"learn gr", "graphs", true},
                      {"learn graphs ", "restart", true},
                      {"learn graphs ", "hint", false},
                      {"learn ", "restart", false},
                      {"history ", "by", false},
                      {"history ", "where", true},
                      {"profile y by ", "device", true},
                      {"profile y ", "device", false},
                      {"profile ", "scope", false},
                      {"why y ", "cpu:0", false},
                      {"why y ", "->", true},
                      {"why y -> ", "alpha", true},
                      {"profile y ", "by", true},
                      {"profile ", "times", true},
                      {"connect ", "grpc://", true},
                      {"time ev", "eval", true},
                      {"time eval y ", "feed", true},
                      {"import ", "math", true},
                      {"from tensorflow.py", "tensorflow.python", true},
                      {"from math import ", "sin", true},
                      {"tf.nn.conv2d(x, padding=", "'SAME'", true},
                      {"tf.nn.conv2d(x, padding='", "SAME", true},
                      {"eval y + other feed ", "other=", true},
                      {"eval y feed x=[1., 2.], ", "x=", false},
                      {"eval y feed x=[1., ", "x=", false},
                      {"eval y feed x=al", "alpha", true},
                      {"eval scope/alpha:", "scope/alpha:0", true},
                      {"explain ", "analyze", true},
                      {"explain y with x=", "/cpu:0", false},
                      {"explain y with x=cp", "cpu:0", true},
                      {"explain y --", "--json", true},
                      {"nodes where ", "device", true},
                      {"nodes where ", "desc", false},
                      {"nodes where op ", "==", true},
                      {"nodes where op == ", "MatMul", true},
                      {"nodes where op == Const ", "and", true},
                      {"nodes where op == Const and ", "name", true},
                      {"nodes where ", "bytes", true},
                      {"nodes where op ", "between", true},
                      {"nodes where op == Const ", "group", true},
                      {"nodes where op == Const ", "by", false},
                      {"nodes group ", "by", true},
                      {"nodes group by ", "dtype", true},
                      {"nodes group by op ", "limit", true},
                      {"sql ", "SELECT", true},
                      {"sql no", "nodes", true},
                      {"sql SELECT ", "bytes", true},
                      {"sql SELECT * FROM ", "edges", true},
                      {"sql SELECT * FROM ", "bytes", false},
                      {"sql SELECT op FROM nodes WHERE ", "in_count", true},
                      {"sql SELECT op FROM nodes WHERE ", "waited", false},
                      {"sql sel", "select", true},
                      {"sql SELECT n.na", "name", false},
                      {"sql SELECT * FROM nodes n WHERE n.in", "in_count", true},
                      {"sql SELECT * FROM nodes n WHERE n.in", "instr(", false},
                      {"sql SELECT * FROM nodes ", "WHERE", true},
                      {"sql SELECT * FROM nodes ", "in_count", false},
                      {"sql SELECT op FROM nodes WHERE op='Mat", "MatMul", true},
                      {"sql SELECT op AS kind FROM nodes ORDER BY ", "kind", true},
                      {"sql SELECT op FROM nodes LIMIT ", "op", false},
                      {"nodes order ", "name", true},
                      {"nodes order name ", "desc", true},
                      {"set ", "theme", true},
                      {"set theme ", "mono", true},
                      {"set theme ", "theme", false},
                      {"set color ", "off", true},
                      {"learn ", "graphs", true},
                      {"learn ", "hint", true},
                      {"at @", "@1", true},
                      {"help MatM", "MatMul", true},
                      {"ops MatM", "MatMul", true},
                      {"import mat", "math", true},
                      {"import math, o", "os", true},
                      {"from math import s", "sqrt", true},
                      {"from math import s", "sorted", false},
                      {"from math ", "import ", true},
                      {"d['", "second", true},
                      {"d[\"f", "first", true},
                      {"tf.constant(1.).", "dtype", true},
                      {"tf.Session().", "run", true},
                      {"np.zeros(3).", "reshape", true},
                      {"'a'.", "upper", true},
                      {"[1].", "append", true},
                      {"nope().", "append", false},
                      {"tf.nn.conv2d(x, x, padding='", "VALID", true},
                      {"tf.zeros([2], dtype=", "tf.float32", true},
                      {"tf.matmul(x, transpose_b=True, ", "transpose_a=", true},
                      {"tf.matmul(x, transpose_b=True, ", "transpose_b=", false},
                      {"g.get_tensor_by_name('", "scope/alpha:0", true},
                      {"with tf.device('", "/cpu:1", true},
                      {"for i in d: ex", "explain", true},
                      {"if d:\n    ex", "explain", true},
                      {".gra", "graph", true},
                      {"# x.", "dtype", false}};
  for (const Row& row : rows)
    EXPECT_EQ(Offers(row.typed, row.candidate), row.offered) << row.typed << " " << row.candidate;
}

TEST_F(Completes, CandidatesAreDescribed) {
  interp_.Exec("alpha = tf.constant([1., 2.], name='a')\n", "test", ExecMode::kFile);
  const auto about = [&](const char* typed, const char* candidate) {
    return Complete(*shell_, typed).describe(candidate);
  };
  EXPECT_NE(about("tf.nn.", "relu").find("relu("), std::string::npos);
  EXPECT_NE(about("expl", "explain "), "");
  EXPECT_NE(about("eval al", "alpha").find("Const"), std::string::npos);
  EXPECT_EQ(about("zz", "zzz"), "");
}

// Every row of the modules with the most names is offered when the module's name and a dot are typed.
TEST_F(Completes, EveryRow) {
  for (const Catalogue* names : {&tf::TensorFlowCatalogue(), &NumpyCatalogue()}) {
    const std::string root = names->root().short_name;
    const Completion all = Complete(*shell_, root + ".");
    for (const NameRow& row : names->Rows()) {
      if (row.path.find('.') != row.path.npos || row.path[0] == '_') continue;
      const bool offered =
          std::binary_search(all.candidates.begin(), all.candidates.end(), row.path);
      EXPECT_EQ(offered, row.kind != NameKind::kRefused) << row.path;
    }
  }
}

}  // namespace
}  // namespace tensh::shell
