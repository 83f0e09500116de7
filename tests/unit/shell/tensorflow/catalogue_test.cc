// The catalogues of tf's and np's names: every row against attribute lookup and dir(), and rows of
// expressions with what they print.
#include "shell/python/vm/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "shell/numpy/module.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/names/tf.h"

namespace tensh::shell {
namespace {

class Names : public testing::TestWithParam<const Catalogue& (*)()> {
 protected:
  Names() {
    interp_.AddModule("numpy", NumpyCatalogue().root());
    interp_.AddModule("_lapack", np::kLapackModule);
    interp_.AddBuiltinModule("np", "numpy");
    tf::AddTensorFlow(interp_);
  }
  const Catalogue& names() const { return GetParam()(); }

  // Returns what dir() lists of the module that a path is in.
  std::vector<std::string> Dir(std::string_view path) {
    const size_t dot = path.rfind('.');
    const Value module = names().At(dot == path.npos ? "" : path.substr(0, dot));
    const auto* object = As<ModuleObject>(module);
    return object ? object->Names() : std::vector<std::string>();
  }

  Interp interp_;
};

std::string LastPart(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// A pattern for all other names of a module.
bool IsPattern(const NameRow& row) { return row.path.ends_with("*"); }

TEST_P(Names, NoPathHasTwoRows) {
  const std::vector<NameRow> rows = names().Rows();
  ASSERT_GT(rows.size(), 200u);
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_NE(rows[i - 1].path, rows[i].path);
}

TEST_P(Names, FindRowFindsEveryRow) {
  for (const NameRow& row : names().Rows()) {
    const std::optional<NameRow> found = names().FindRow(row.path);
    ASSERT_TRUE(found) << row.path << ": is its names file sorted?";
    EXPECT_EQ(found->path, row.path);
    EXPECT_EQ(found->target, row.target) << row.path;
  }
}

TEST_P(Names, WhatHasARowIsFoundAndListed) {
  std::string last_module = "?";
  std::set<std::string> listed;
  for (const NameRow& row : names().Rows()) {
    if (IsPattern(row) || row.kind == NameKind::kRefused) continue;
    EXPECT_FALSE(names().At(row.path).is_null()) << row.path;
    const std::string module = row.path.substr(0, row.path.size() - LastPart(row.path).size());
    if (module != last_module) {
      const std::vector<std::string> dir = Dir(row.path);
      listed = std::set<std::string>(dir.begin(), dir.end());
      last_module = module;
    }
    EXPECT_TRUE(listed.count(LastPart(row.path))) << row.path;
  }
}

TEST_P(Names, WhatIsListedIsFound) {
  for (const NameRow& row : names().Rows()) {
    if (row.kind != NameKind::kModule && row.kind != NameKind::kUnion) continue;
    for (const std::string& name : Dir(row.path + ".x"))
      EXPECT_TRUE(names().FindRow(row.path + "." + name)) << row.path << "." << name;
  }
}

TEST_P(Names, AliasesLeadToRows) {
  for (const NameRow& row : names().Rows()) {
    if (row.kind == NameKind::kAlias) {
      EXPECT_NE(names().Resolve(row).kind, NameKind::kAlias) << row.path;
    }
  }
}

TEST_P(Names, RefusedNamesSayWhyAndAreNotListed) {
  for (const NameRow& row : names().Rows()) {
    if (row.kind != NameKind::kRefused) continue;
    const std::string path =
        IsPattern(row) ? row.path.substr(0, row.path.size() - 1) + "xyz" : row.path;
    EXPECT_GT(names().Refusal(path).size(), 20u) << path;
    EXPECT_EQ(names().Refusal(path).find('*'), std::string::npos) << path;
    EXPECT_THROW(names().At(path), PyError) << path;
    for (const std::string& name : Dir(row.path)) EXPECT_NE(name, LastPart(row.path));
  }
}

TEST_P(Names, EveryModuleSaysWhatItHolds) {
  for (const NameRow& row : names().Rows()) {
    if (row.kind == NameKind::kModule) {
      EXPECT_TRUE(row.target.ends_with(".")) << row.path;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Names,
                         testing::Values(&tf::TensorFlowCatalogue, &NumpyCatalogue),
                         [](const auto& param) { return param.index == 0 ? "tf" : "np"; });

struct LookUp {
  const char* expression;
  const char* prints;
};

class LookUps : public testing::TestWithParam<LookUp> {};

TEST_P(LookUps, Print) {
  Interp interp;
  interp.AddModule("numpy", NumpyCatalogue().root());
  interp.AddBuiltinModule("np", "numpy");
  tf::AddTensorFlow(interp);
  std::string out;
  try {
    out = Str(interp.Eval(GetParam().expression));
  } catch (const PyError& error) {
    out = error.ClassName() + ": " + error.Message();
  }
  EXPECT_EQ(out, GetParam().prints) << GetParam().expression;
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, LookUps,
    testing::Values(
        LookUp{"tf.math.add is tf.add", "True"}, LookUp{"tf.compat.v1 is tf", "True"},
        LookUp{"tf.contrib.layers.python.layers is tf.contrib.layers", "True"},
        LookUp{"tf.linalg.inv.__name__", "matrix_inverse"},
        LookUp{"tf.contrib.slim.conv2d is tf.contrib.layers.conv2d", "True"},
        LookUp{"'nest' in dir(tf.contrib.slim)", "False"},
        LookUp{"tf.python.ops.math_ops.reduce_sum is tf.reduce_sum", "True"},
        LookUp{"tf.python.ops.rnn.dynamic_rnn is tf.nn.dynamic_rnn", "True"},
        LookUp{"tf.raw_ops.MatMul.__name__", "MatMul"},
        LookUp{"'MatMul' in dir(tf.raw_ops)", "True"},
        LookUp{"tf.examples.tutorials.mnist.input_data.read_data_sets.__name__", "read_data_sets"},
        LookUp{"tf.__version__", "1.15.0"}, LookUp{"tf.nn.__name__", "tensorflow.nn"},
        LookUp{"tf.nn.__doc__", "Neural networks."}, LookUp{"np.linalg.__name__", "numpy.linalg"},
        LookUp{"hasattr(tf, 'keras')", "True"}, LookUp{"hasattr(tf.contrib, '__path__')", "False"},
        LookUp{"tf.contrib.tpu",
               "AttributeError: tf.contrib.tpu is not part of tensh. Available parts of tf.contrib "
               "are crf, data, distributions, estimator, factorization, framework, keras, layers, "
               "learn, legacy_seq2seq, lookup, losses, metrics, rnn, seq2seq, slim, "
               "tensorboard and training."},
        LookUp{"tf.nn.reluu", "AttributeError: module 'tensorflow.nn' has no attribute 'reluu'"},
        LookUp{"tf.lower_bound",
               "AttributeError: module 'tensorflow' has no attribute 'lower_bound'"},
        LookUp{"np.random.beta.__name__", "beta"}));

}  // namespace
}  // namespace tensh::shell
