#pragma once
// Datasets and their iterators. A dataset is a variant, never changed, shared by what is made of
// it; an iterator holds what it goes through, and is used by one thread at a time.
#include <functional>
#include <memory>
#include <tuple>
#include <vector>

#include "runtime/core/function.h"
#include "runtime/core/op_registry.h"
#include "runtime/core/variant.h"

namespace tensh::ops {

class DatasetIterator {
 public:
  virtual ~DatasetIterator() = default;
  // The next element's components, or *end. `c` is the step that asks.
  virtual Status Next(KernelCtx& c, std::vector<Tensor>* element, bool* end) = 0;
};

class Dataset : public VariantValue {
 public:
  // Datasets are made of datasets: no deeper than this, since iterators go through all of them.
  static constexpr int kMostLayers = 1000;
  using Inputs = std::vector<std::shared_ptr<const Dataset>>;
  explicit Dataset(Inputs inputs);
  const char* kind() const override { return "Dataset"; }
  virtual std::unique_ptr<DatasetIterator> Iterate() const = 0;
  const Inputs& inputs() const { return inputs_; }
  int layers() const { return layers_; }

 private:
  const Inputs inputs_;
  int layers_ = 1;
};

// A dataset whose iterator is made by a function of it.
template <class Iterator, class... Args>
class Made : public Dataset {
 public:
  explicit Made(Inputs inputs, Args... args) : Dataset(std::move(inputs)), args_(args...) {}
  std::unique_ptr<DatasetIterator> Iterate() const override {
    return std::apply([&](const Args&... a) { return std::make_unique<Iterator>(inputs(), a...); },
                      args_);
  }

 private:
  const std::tuple<Args...> args_;
};

// The dataset in input i; InvalidArgument when it is something else.
Result<std::shared_ptr<const Dataset>> DatasetIn(KernelCtx& c, int i);
// Output 0; ResourceExhausted when the dataset has too many layers.
Status GiveDataset(KernelCtx& c, std::shared_ptr<Dataset> dataset);
// Input i, a scalar of type int64.
Result<int64_t> CountIn(KernelCtx& c, int i, const char* name);

// What an element must be like, from attributes output_types and output_shapes.
struct ElementSpec {
  AttrValue::Types types;
  AttrValue::Shapes shapes;
};
Result<ElementSpec> SpecOf(PrepareCtx& c);
// InvalidArgument when the element is not like that.
Status CheckElement(const ElementSpec& spec, std::span<const Tensor> element);

// The next elements that a batch is made of: `size`, or at the end of the input fewer, or none
// where those are dropped. One for each iterator of batches.
class BatchRows {
 public:
  BatchRows(std::unique_ptr<DatasetIterator> in, int64_t size, bool drop)
      : in_(std::move(in)), size_(size), drop_(drop) {}
  // *end: there are none.
  Status Next(KernelCtx& c, std::vector<std::vector<Tensor>>* rows, bool* end);

 private:
  const std::unique_ptr<DatasetIterator> in_;
  const int64_t size_;
  const bool drop_;
  bool over_ = false;
};

// A function that an iterator calls with an element and what the function captured.
struct ElementFunction {
  CalledFunction* function = nullptr;
  std::vector<Tensor> captured;
  size_t results = 0;
  Status Call(KernelCtx& c, std::vector<Tensor> element, std::vector<Tensor>* out) const;
};

// Datasets that others are made of: what a function gives for each element
// (ops/data/functions.cc), batches of elements (ops/data/transforms.cc), elements that are in
// memory (ops/data/regroup.cc).
std::shared_ptr<Dataset> MappedData(std::shared_ptr<const Dataset> input, ElementFunction f,
                                    ElementSpec spec);
std::shared_ptr<Dataset> BatchedData(std::shared_ptr<const Dataset> input, int64_t size, bool drop);
std::shared_ptr<Dataset> ListData(std::vector<std::vector<Tensor>> elements);
// Over the dataset that is a function's result. InvalidArgument, which says `error`, when it is
// none.
Result<std::unique_ptr<DatasetIterator>> IterateResult(const Tensor& result, const char* error);

// Attributes that every dataset has, and their documentation.
#define TENSH_DATASET_ATTRS "output_types: list(type) >= 1, output_shapes: list(shape) >= 1"
inline constexpr char kDatasetDoc[] =
    " Elements have the types output_types and the shapes output_shapes; metadata is for "
    "TensorFlow's own reports.";
Status DatasetShape(ShapeCtx& c);

}  // namespace tensh::ops
