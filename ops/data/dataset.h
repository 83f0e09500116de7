#pragma once
// Datasets and their iterators.
//
// A dataset is an immutable variant, shared by the datasets derived from it. An iterator holds a
// position in a dataset and is used by one thread at a time.
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
  // Stores the components of the next element, or sets *end if there is none. `c` is the context of
  // the calling step.
  virtual Status Next(KernelCtx& c, std::vector<Tensor>* element, bool* end) = 0;
};

class Dataset : public VariantValue {
 public:
  // Limits the nesting of datasets, because iterators recurse through all layers.
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

// A dataset whose iterators are constructed from the dataset and the given arguments.
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

// Returns the dataset in input i, or InvalidArgument if the input is not a dataset.
Result<std::shared_ptr<const Dataset>> DatasetIn(KernelCtx& c, int i);
// Stores the dataset in output 0. Returns ResourceExhausted if it is nested too deeply.
Status GiveDataset(KernelCtx& c, std::shared_ptr<Dataset> dataset);
// Returns the value of input i, a scalar of type int64. `name` appears in the error message.
Result<int64_t> CountIn(KernelCtx& c, int i, const char* name);

// The types and shapes that elements must have, from the attributes output_types and output_shapes.
struct ElementSpec {
  AttrValue::Types types;
  AttrValue::Shapes shapes;
};
Result<ElementSpec> SpecOf(PrepareCtx& c);
// Returns InvalidArgument if the element does not match the specification.
Status CheckElement(const ElementSpec& spec, std::span<const Tensor> element);

// Collects the elements of the next batch. It has `size` elements; at the end of the input it has
// fewer, or is dropped if `drop` is set. Each batch iterator owns one.
class BatchRows {
 public:
  BatchRows(std::unique_ptr<DatasetIterator> in, int64_t size, bool drop)
      : in_(std::move(in)), size_(size), drop_(drop) {}
  // Sets *end if there is no further batch.
  Status Next(KernelCtx& c, std::vector<std::vector<Tensor>>* rows, bool* end);

 private:
  const std::unique_ptr<DatasetIterator> in_;
  const int64_t size_;
  const bool drop_;
  bool over_ = false;
};

// A function that an iterator calls with an element, followed by the captured tensors.
struct ElementFunction {
  CalledFunction* function = nullptr;
  std::vector<Tensor> captured;
  size_t results = 0;
  Status Call(KernelCtx& c, std::vector<Tensor> element, std::vector<Tensor>* out) const;
};

// Datasets that other dataset ops build on: the results of a function for each element
// (ops/data/functions.cc), batches (ops/data/transforms.cc), and elements in memory
// (ops/data/regroup.cc).
std::shared_ptr<Dataset> MappedData(std::shared_ptr<const Dataset> input, ElementFunction f,
                                    ElementSpec spec);
std::shared_ptr<Dataset> BatchedData(std::shared_ptr<const Dataset> input, int64_t size, bool drop);
std::shared_ptr<Dataset> ListData(std::vector<std::vector<Tensor>> elements);
// Returns an iterator over the dataset that a function returned, or InvalidArgument(error) if the
// result is not a dataset.
Result<std::unique_ptr<DatasetIterator>> IterateResult(const Tensor& result, const char* error);

// Attributes that every dataset has, and their documentation.
#define TENSH_DATASET_ATTRS "output_types: list(type) >= 1, output_shapes: list(shape) >= 1"
inline constexpr char kDatasetDoc[] =
    " Elements have the types output_types and the shapes output_shapes; metadata is for "
    "TensorFlow's own reports.";
Status DatasetShape(ShapeCtx& c);

}  // namespace tensh::ops
