#include "tests/oracle/case.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/oracle/attr_json.h"

namespace tensh::oracle {
namespace {

constexpr const char* kErrors[] = {"",
                                   "CancelledError",
                                   "UnknownError",
                                   "InvalidArgumentError",
                                   "DeadlineExceededError",
                                   "NotFoundError",
                                   "AlreadyExistsError",
                                   "PermissionDeniedError",
                                   "ResourceExhaustedError",
                                   "FailedPreconditionError",
                                   "AbortedError",
                                   "OutOfRangeError",
                                   "UnimplementedError",
                                   "InternalError",
                                   "UnavailableError",
                                   "DataLossError",
                                   "UnauthenticatedError"};

bool IsFloat(int dtype) {
  return dtype == TSH_FLOAT || dtype == TSH_DOUBLE || dtype == TSH_COMPLEX64 ||
         dtype == TSH_COMPLEX128;
}

tsh_attr TypeAttr(const char* name, int dtype) {
  tsh_attr a{};
  a.name = name;
  a.kind = TSH_ATTR_TYPE;
  a.i = dtype;
  return a;
}

tsh_attr ShapeAttr(const std::vector<int64_t>& dims, int rank) {
  tsh_attr a{};
  a.name = "shape";
  a.kind = TSH_ATTR_SHAPE;
  a.dims = dims.data();
  a.rank = rank;
  return a;
}

tsh_attr TensorAttr(tsh_tensor* tensor) {
  tsh_attr a{};
  a.name = "value";
  a.kind = TSH_ATTR_TENSOR;
  a.tensor = tensor;
  return a;
}

}  // namespace

std::string ErrorName(int code) {
  return code > 0 && code <= 16 ? kErrors[code] : "code " + std::to_string(code);
}

// $TENSH_ORACLE_FOLDER is where the files are on a machine without the source (tests/gpu/bundle).
std::string OraclePath(const std::string& path) {
  const char* moved = std::getenv("TENSH_ORACLE_FOLDER");
  return (moved ? moved : TENSH_ORACLE_DIR) + ("/" + path);
}

std::string RecordPath(const std::string& path) {
  const char* elsewhere = std::getenv("TENSH_ORACLE_RECORD");
  return elsewhere ? elsewhere + ("/" + path) : OraclePath(path);
}

Json ReadJson(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("oracle: cannot read " + path);
  return Json::parse(file);
}

const Json& Definition(const std::string& op) {
  static const std::map<std::string, Json> definitions = [] {
    std::map<std::string, Json> out;
    for (const Json& row : ReadJson(OraclePath("opdefs.json"))) out[row["name"]] = row;
    return out;
  }();
  return definitions.at(op);
}

Case::Case() : status_(tsh_status_new()), graph_(tsh_graph_new()) {}

Case::~Case() {
  if (session_) tsh_session_unref(session_);
  tsh_graph_unref(graph_);
  tsh_status_free(status_);
}

Outcome Case::Failure() const {
  Outcome out;
  out.error = ErrorName(tsh_status_code(status_));
  out.message = tsh_status_message(status_);
  return out;
}

tsh_node Case::Add(const tsh_node_spec& spec) {
  tsh_node node = TSH_NO_NODE;
  if (!tsh_graph_add(graph_, &spec, 1, &node, status_)) {
    throw std::runtime_error(std::string("oracle: ") + spec.op + ": " +
                             tsh_status_message(status_));
  }
  return node;
}

tsh_output Case::AddVariable(const std::string& text) {
  std::string_view rest;
  const Header header = ParseHeader(std::string_view(text).substr(1), &rest);
  const tsh_attr attrs[] = {TypeAttr("dtype", header.dtype),
                            ShapeAttr(header.dims, static_cast<int>(header.dims.size()))};
  const tsh_output variable = {Add({.op = "VariableV2",
                                    .name = "",
                                    .device = "",
                                    .inputs = nullptr,
                                    .n_inputs = 0,
                                    .controls = nullptr,
                                    .n_controls = 0,
                                    .attrs = attrs,
                                    .n_attrs = 2,
                                    .source = 0}),
                               0};
  variables_.push_back(variable);
  if (text[0] == '~') return variable;
  const tsh_output inputs[] = {variable, AddInput(text.substr(1), Feed::kConstant, nullptr)};
  initializers_.push_back(Add({.op = "Assign",
                               .name = "",
                               .device = "",
                               .inputs = inputs,
                               .n_inputs = 2,
                               .controls = nullptr,
                               .n_controls = 0,
                               .attrs = nullptr,
                               .n_attrs = 0,
                               .source = 0}));
  return variable;
}

tsh_output Case::AddInput(const std::string& text, Feed feed, const std::string* shape) {
  if (text[0] == '&' || text[0] == '~') return AddVariable(text);
  TensorPtr tensor = ParseTensor(text);
  std::vector<int64_t> dims(tsh_tensor_dims(tensor.get()),
                            tsh_tensor_dims(tensor.get()) + tsh_tensor_rank(tensor.get()));
  int rank = static_cast<int>(dims.size());
  if (feed == Feed::kUnknownShape) rank = -1;
  const bool integers = !IsFloat(tsh_tensor_dtype(tensor.get()));
  if (shape ? *shape == "=" : feed == Feed::kTyped && integers) feed = Feed::kConstant;
  if (shape && *shape != "=") rank = ParseShape(*shape, &dims);
  const bool constant = feed == Feed::kConstant;
  const tsh_attr attrs[] = {TypeAttr("dtype", tsh_tensor_dtype(tensor.get())),
                            constant ? TensorAttr(tensor.get()) : ShapeAttr(dims, rank)};
  const tsh_output output = {Add({.op = constant ? "Const" : "Placeholder",
                                  .name = "",
                                  .device = "",
                                  .inputs = nullptr,
                                  .n_inputs = 0,
                                  .controls = nullptr,
                                  .n_controls = 0,
                                  .attrs = attrs,
                                  .n_attrs = 2,
                                  .source = 0}),
                             0};
  if (!constant) {
    feeds_.push_back(output);
    values_.push_back(std::move(tensor));
  }
  return output;
}

Outcome Case::Build(const std::string& op, const Json& row, Feed feed, const Json* shapes) {
  // For these ops, TensorFlow refuses a block_shape of unknown size.
  const bool wants_shapes = op == "SpaceToBatchND" || op == "BatchToSpaceND";
  if (wants_shapes && feed == Feed::kUnknownShape) feed = Feed::kKnownShape;
  size_t k = 0;
  auto add = [&](const Json& text) {
    const std::string shape = shapes ? (*shapes)[k].get<std::string>() : "";
    inputs_.push_back(AddInput(text.get<std::string>(), feed, shapes ? &shape : nullptr));
    ++k;
  };
  for (const Json& input : row["in"]) {
    if (input.is_array()) {
      for (const Json& one : input) add(one);
    } else {
      add(input);
    }
  }
  AttrList attrs;
  if (row.contains("attrs")) attrs.AddAll(Definition(op), row["attrs"]);
  const tsh_node_spec spec = {.op = op.c_str(),
                              .name = "",
                              .device = "",
                              .inputs = inputs_.data(),
                              .n_inputs = inputs_.size(),
                              .controls = nullptr,
                              .n_controls = 0,
                              .attrs = attrs.attrs().data(),
                              .n_attrs = attrs.attrs().size(),
                              .source = 0};
  if (!tsh_graph_add(graph_, &spec, 1, &node_, status_)) return Failure();
  for (uint32_t i = 0; i < tsh_node_num_outputs(graph_, node_); ++i) outputs_.push_back({node_, i});
  return {};
}

Outcome Case::Initialize() {
  session_ = tsh_session_new(graph_, "", R"({"intra_op_parallelism_threads":1})", status_);
  if (!session_) return Failure();
  tsh_run run{};
  run.targets = initializers_.data();
  run.n_targets = initializers_.size();
  if (run.n_targets > 0 && !tsh_session_run(session_, &run, nullptr, status_)) return Failure();
  return {};
}

Outcome Case::Run(const std::vector<tsh_output>& fetches) {
  std::vector<tsh_tensor*> values;
  for (const TensorPtr& value : values_) values.push_back(value.get());
  std::vector<tsh_tensor*> fetched(fetches.size() + 1);
  tsh_run run{};
  run.feeds = feeds_.data();
  run.values = values.data();
  run.n_feeds = feeds_.size();
  run.fetches = fetches.data();
  run.n_fetches = fetches.size();
  run.targets = &node_;
  run.n_targets = fetches.empty() ? 1 : 0;
  if (!tsh_session_run(session_, &run, fetched.data(), status_)) return Failure();
  Outcome out;
  for (size_t i = 0; i < fetches.size(); ++i) out.tensors.emplace_back(fetched[i]);
  return out;
}

Outcome Case::RunVariables() {
  feeds_.clear();
  values_.clear();
  return Run(variables_);
}

Outcome Case::RunGradients(const Json& weights) {
  std::vector<tsh_output> ys, xs, grad_ys;
  for (tsh_output y : outputs_) {
    if (!IsFloat(tsh_output_dtype(graph_, y)) || ys.size() == weights.size()) continue;
    grad_ys.push_back(
        AddInput(weights[ys.size()].get<std::string>(), Feed::kUnknownShape, nullptr));
    ys.push_back(y);
  }
  for (tsh_output x : inputs_) {
    if (IsFloat(tsh_output_dtype(graph_, x))) xs.push_back(x);
  }
  tsh_gradients request{};
  request.ys = ys.data();
  request.n_ys = ys.size();
  request.xs = xs.data();
  request.n_xs = xs.size();
  request.grad_ys = grad_ys.data();
  request.scope = "gradients";
  std::vector<tsh_gradient> dxs(xs.size());
  if (!tsh_graph_gradients(graph_, &request, dxs.data(), status_)) return Failure();
  std::vector<tsh_output> fetches;
  for (const tsh_gradient& dx : dxs) {
    if (dx.value.node != TSH_NO_NODE) fetches.push_back(dx.value);
  }
  Outcome got = Run(fetches);
  if (!got.error.empty()) return got;
  Outcome out;
  size_t k = 0;
  for (const tsh_gradient& dx : dxs) {
    out.tensors.push_back(dx.value.node == TSH_NO_NODE ? TensorPtr() : std::move(got.tensors[k++]));
  }
  return out;
}

std::string Case::ShapesAgainst(const std::vector<TensorPtr>& outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int actual = tsh_tensor_rank(outputs[i].get());
    int64_t dims[TSH_MAX_RANK];
    const int rank = tsh_output_shape(graph_, outputs_[i], dims);
    if (rank < 0) continue;
    bool same = rank == actual;
    for (int d = 0; same && d < rank; ++d) {
      same = dims[d] < 0 || dims[d] == tsh_tensor_dims(outputs[i].get())[d];
    }
    if (!same) {
      return "output " + std::to_string(i) + " has shape " +
             FormatShape(tsh_tensor_dims(outputs[i].get()), actual) + ", inferred was " +
             FormatShape(dims, rank);
    }
  }
  return {};
}

std::vector<size_t> Case::DoubleFeeds() const {
  std::vector<size_t> out;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (tsh_tensor_dtype(values_[i].get()) == TSH_DOUBLE) out.push_back(i);
  }
  return out;
}

int64_t Case::FeedElements(size_t feed) const { return tsh_tensor_elements(values_[feed].get()); }

void Case::Nudge(size_t feed, int64_t i, double by) {
  tsh_tensor* old = values_[feed].get();
  TensorPtr copy(tsh_tensor_new(TSH_DOUBLE, tsh_tensor_dims(old), tsh_tensor_rank(old), nullptr));
  const double* from = static_cast<const double*>(tsh_tensor_data(old));
  double* to = static_cast<double*>(tsh_tensor_data(copy.get()));
  std::copy(from, from + tsh_tensor_elements(old), to);
  to[i] += by;
  values_[feed] = std::move(copy);
}

std::string Case::OutputShape(size_t i) const {
  int64_t dims[TSH_MAX_RANK];
  const int rank = tsh_output_shape(graph_, outputs_[i], dims);
  return FormatShape(dims, rank);
}

}  // namespace tensh::oracle
