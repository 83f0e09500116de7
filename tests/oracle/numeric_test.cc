// Compares every op's symbolic gradient with a numeric one: the gradient of sum(outputs * weights),
// computed by central differences in double on the inputs of the recorded cases.

#include <algorithm>
#include <cmath>

#include "tests/oracle/replay.h"

namespace tensh::oracle {
namespace {

constexpr size_t kCasesPerOp = 4;
constexpr int64_t kMostElements = 60;
constexpr double kTolerance = 2e-4;

// Ops whose gradient is not the derivative, with the reason.
struct Exception {
  const char* op;
  const char* why;
};
constexpr Exception kExceptions[] = {
    {"StopGradient", "it stops gradients"},
    {"Cholesky", "the gradient is made symmetric, like the input"},
    {"DynamicStitch", "overwritten elements get the gradient too, as in TensorFlow"},
    {"QuantizeAndDequantizeV2", "the gradient ignores the rounding, as in TensorFlow"},
    {"QuantizeAndDequantizeV3", "the gradient ignores the rounding, as in TensorFlow"},
    {"QuantizeAndDequantizeV4", "the gradient ignores the rounding, as in TensorFlow"},
    {"StatelessRandomGammaV2", "samples jump where the rejection of numbers changes"},
    {"StatelessRandomGammaV3", "samples jump where the rejection of numbers changes"},
    {"CTCLoss", "its second output is a gradient and has none itself, as in TensorFlow"},
    {"SparseToDense",
     "the gradient of a single value for many indices is not summed, as in TensorFlow"},
};

bool IsException(const std::string& op) {
  return std::any_of(std::begin(kExceptions), std::end(kExceptions),
                     [&](const Exception& e) { return op == e.op; });
}

// Returns weights for an output that differ between elements: "double[2,3] .3 …".
std::string Weights(tsh_tensor* y, size_t number) {
  std::string text = "double" + FormatShape(tsh_tensor_dims(y), tsh_tensor_rank(y));
  for (int64_t i = 0; i < tsh_tensor_elements(y); ++i) {
    const int64_t k = (i * 7 + static_cast<int64_t>(number) * 3) % 11;
    text += " " + std::to_string(0.3 + 0.1 * static_cast<double>(k));
  }
  return text;
}

bool AllFinite(tsh_tensor* t) {
  const double* x = static_cast<const double*>(tsh_tensor_data(t));
  return std::all_of(x, x + tsh_tensor_elements(t), [](double v) { return std::isfinite(v); });
}

class Checker {
 public:
  Checker(const std::string& op, const Json& row) {
    Outcome got = case_.Build(op, row, Feed::kTyped);
    if (got.error.empty()) got = case_.Initialize();
    if (got.error.empty()) got = case_.RunOutputs();
    usable_ = got.error.empty();
    if (!usable_) return;
    weights_ = Json::array();
    // The second output of a cross entropy is a gradient, and is not differentiated.
    const bool first_only = op.find("CrossEntropyWithLogits") != std::string::npos;
    for (const TensorPtr& y : got.tensors) {
      if (tsh_tensor_dtype(y.get()) != TSH_DOUBLE) continue;
      if (first_only && !parsed_.empty()) break;
      usable_ = usable_ && AllFinite(y.get());
      weights_.push_back(Weights(y.get(), weights_.size()));
      parsed_.push_back(ParseTensor(weights_.back().get<std::string>()));
    }
    feeds_ = case_.DoubleFeeds();
    int64_t elements = 0;
    for (size_t f : feeds_) elements += case_.FeedElements(f);
    usable_ = usable_ && !parsed_.empty() && elements > 0 && elements <= kMostElements;
  }
  bool usable() const { return usable_; }

  // Returns "" or a description of the difference. `checked` receives the number of gradients.
  std::string Check(int* checked) {
    const size_t n_feeds = feeds_.size();
    const Outcome got = case_.RunGradients(weights_);
    if (!got.error.empty())
      return {};  // no gradient; the test of definitions checks whether one is required
    // The floating-point inputs are in the order of the feeds if all feeds are double.
    if (got.tensors.size() != n_feeds) return {};
    for (size_t f = 0; f < n_feeds; ++f) {
      if (!got.tensors[f]) continue;
      ++*checked;
      const double* symbolic = static_cast<const double*>(tsh_tensor_data(got.tensors[f].get()));
      for (int64_t i = 0; i < case_.FeedElements(feeds_[f]); ++i) {
        double numeric = 0;
        if (!Numeric(feeds_[f], i, &numeric)) continue;
        if (std::fabs(numeric - symbolic[i]) <=
            kTolerance * std::max({1.0, std::fabs(numeric), std::fabs(symbolic[i])})) {
          continue;
        }
        return "gradient " + std::to_string(f) + " at " + std::to_string(i) + ": " +
               std::to_string(symbolic[i]) + ", numerically " + std::to_string(numeric);
      }
    }
    return {};
  }

 private:
  // Computes the sum of all outputs times their weights. Returns false if a step fails.
  bool Sum(double* sum) {
    const Outcome got = case_.RunOutputs();
    if (!got.error.empty()) return false;
    *sum = 0;
    size_t k = 0;
    for (const TensorPtr& y : got.tensors) {
      if (tsh_tensor_dtype(y.get()) != TSH_DOUBLE || k == parsed_.size()) continue;
      const TensorPtr& w = parsed_[k++];
      if (tsh_tensor_elements(w.get()) != tsh_tensor_elements(y.get())) return false;
      const double* a = static_cast<const double*>(tsh_tensor_data(y.get()));
      const double* b = static_cast<const double*>(tsh_tensor_data(w.get()));
      for (int64_t i = 0; i < tsh_tensor_elements(y.get()); ++i) *sum += a[i] * b[i];
    }
    return true;
  }

  // Returns false if the slopes on both sides differ (a corner or a jump) or a step fails.
  bool Numeric(size_t feed, int64_t i, double* out) {
    const double h = 1e-5;
    double at = 0, left = 0, right = 0;
    bool ok = Sum(&at);
    case_.Nudge(feed, i, h);
    ok = Sum(&right) && ok;
    case_.Nudge(feed, i, -2 * h);
    ok = Sum(&left) && ok;
    case_.Nudge(feed, i, h);
    if (!ok || !std::isfinite(left) || !std::isfinite(right)) return false;
    const double one = (right - at) / h, other = (at - left) / h;
    *out = (right - left) / (2 * h);
    return std::fabs(one - other) <= 1e-2 * std::max(1.0, std::fabs(*out));
  }

  Case case_;
  bool usable_ = false;
  Json weights_;
  std::vector<TensorPtr> parsed_;
  std::vector<size_t> feeds_;
};

// Returns true for cases whose floating-point inputs are all double, without variables, and with
// one run.
bool Fits(const Json& row) {
  if (row.contains("error") || row.contains("next")) return false;
  const std::string inputs = row["in"].dump();
  for (const char* bad :
       {"\"float", "\"&", "\"~", "\"half", "\"bfloat", "\"complex", "nan", "inf"}) {
    if (inputs.find(bad) != std::string::npos) return false;
  }
  return inputs.find("\"double") != std::string::npos;
}

class Numeric : public testing::TestWithParam<std::string> {};

TEST_P(Numeric, GradientsAgree) {
  if (IsException(GetParam())) return;
  Report report(GetParam());
  size_t done = 0;
  int checked = 0;
  const Json cases = ReadJson(RecordPath("values/" + GetParam() + ".json"))["cases"];
  for (const Json& row : cases) {
    if (done == kCasesPerOp) break;
    if (!Fits(row)) continue;
    Checker checker(GetParam(), row);
    if (!checker.usable()) continue;
    ++done;
    const std::string difference = checker.Check(&checked);
    if (!difference.empty()) report.Add(row, difference);
  }
  RecordProperty("checked", checked);
  if (!report.text().empty()) ADD_FAILURE() << report.text();
}

INSTANTIATE_TEST_SUITE_P(Oracle, Numeric, testing::ValuesIn(Ops("values")), NameOf);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Numeric);

}  // namespace
}  // namespace tensh::oracle
