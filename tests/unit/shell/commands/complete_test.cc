// Completion, as rows: the text before the cursor and a candidate that it must or must not offer.
#include "shell/commands/complete.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "shell/commands/shell.h"
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
                      {"tf.ker", "keras", false},
                      {"tf.contrib.", "*", false}};
  for (const Row& row : rows)
    EXPECT_EQ(Offers(row.typed, row.candidate), row.offered) << row.typed << " " << row.candidate;
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
