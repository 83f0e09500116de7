// Datasets made of numbers and tensors.
#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/list_variant.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

// ---- numbers ----

class RangeData : public Dataset {
 public:
  RangeData(int64_t start, int64_t stop, int64_t step, DType dtype)
      : Dataset({}), start_(start), stop_(stop), step_(step), dtype_(dtype) {}
  std::unique_ptr<DatasetIterator> Iterate() const override;

  const int64_t start_, stop_, step_;
  const DType dtype_;
};

class RangeIterator : public DatasetIterator {
 public:
  explicit RangeIterator(const RangeData& d)
      : next_(d.start_), stop_(d.stop_), step_(d.step_), dtype_(d.dtype_) {}
  Status Next(KernelCtx&, std::vector<Tensor>* element, bool* end) override {
    *end = over_ || (step_ > 0 ? next_ >= stop_ : next_ <= stop_);
    if (*end) return {};
    *element = {dtype_ == DType::kInt32 ? Tensor::Scalar(static_cast<int32_t>(next_))
                                        : Tensor::Scalar(next_)};
    over_ = __builtin_add_overflow(next_, step_, &next_);
    return {};
  }

 private:
  int64_t next_;
  const int64_t stop_, step_;
  const DType dtype_;
  bool over_ = false;
};

std::unique_ptr<DatasetIterator> RangeData::Iterate() const {
  return std::make_unique<RangeIterator>(*this);
}

struct SpecState : KernelState {
  ElementSpec spec;
  Status Read(PrepareCtx& c) {
    TENSH_ASSIGN(spec, SpecOf(c));
    return {};
  }
};

Status MakeRange(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t start, CountIn(c, 0, "start"));
  TENSH_ASSIGN(const int64_t stop, CountIn(c, 1, "stop"));
  TENSH_ASSIGN(const int64_t step, CountIn(c, 2, "step"));
  if (step == 0) return InvalidArgument("step must be a non-zero integer.");
  const DType dtype = c.state<SpecState>().spec.types[0];
  if (dtype != DType::kInt64 && dtype != DType::kInt32)
    return Unimplemented("RangeDataset of type ", Name(dtype));
  return GiveDataset(c, std::make_shared<RangeData>(start, stop, step, dtype));
}

// ---- tensors ----

class TensorData : public Dataset {
 public:
  TensorData(std::vector<Tensor> components, bool slices)
      : Dataset({}), components_(std::move(components)), slices_(slices) {}
  std::unique_ptr<DatasetIterator> Iterate() const override;

  const std::vector<Tensor> components_;
  const bool slices_;
};

class TensorIterator : public DatasetIterator {
 public:
  explicit TensorIterator(const TensorData& d)
      : components_(d.components_), slices_(d.slices_), n_(slices_ ? components_[0].dim(0) : 1) {}
  Status Next(KernelCtx&, std::vector<Tensor>* element, bool* end) override {
    *end = next_ >= n_;
    if (*end) return {};
    element->clear();
    for (const Tensor& t : components_) element->push_back(slices_ ? RowOf(t, next_) : t);
    ++next_;
    return {};
  }

 private:
  const std::vector<Tensor> components_;
  const bool slices_;
  const int64_t n_;
  int64_t next_ = 0;
};

std::unique_ptr<DatasetIterator> TensorData::Iterate() const {
  return std::make_unique<TensorIterator>(*this);
}

Result<std::unique_ptr<KernelState>> PrepareTensors(PrepareCtx& c) {
  if (c.attrs().Get<AttrValue::Types>("Toutput_types").size() !=
      c.attrs().Get<AttrValue::Shapes>("output_shapes").size())
    return InvalidArgument("Toutput_types and output_shapes must be same length");
  return std::unique_ptr<KernelState>();
}

template <bool kSlices>
Status MakeTensors(KernelCtx& c) {
  std::vector<Tensor> components;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& t = c.in(i);
    if (kSlices && t.rank() < 1)
      return InvalidArgument("All components must be at least 1-dimensional");
    if (kSlices && t.dim(0) != c.in(0).dim(0))
      return InvalidArgument("All components must have the same size in the 0th dimension");
    components.push_back(t);
  }
  return GiveDataset(c, std::make_shared<TensorData>(std::move(components), kSlices));
}

}  // namespace

TENSH_OPS(data_sources) {
  r.Op({.name = "RangeDataset",
        .inputs = "start: int64, stop: int64, step: int64",
        .outputs = "handle: variant",
        .attrs = TENSH_DATASET_ATTRS ", metadata: string = '', replicate_on_split: bool = false",
        .doc = std::string("A dataset of the numbers from start to stop in steps of step. "
                           "replicate_on_split is a hint for TensorFlow's runtime.") +
               kDatasetDoc,
        .contract = "start: scalar at build, stop: scalar at build, step: scalar at build",
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.RangeDataset(start=7, "
                      "stop=8, step=1, output_types=[tf.int64], output_shapes=[[]]), "
                      "output_types=[tf.int64], output_shapes=[[]])[0]",
                      "7"}}})
      .CpuAny(MakeRange, PrepareFrom<SpecState>);
  r.Op({.name = "TensorDataset",
        .inputs = "components: Toutput_types",
        .outputs = "handle: variant",
        .attrs =
            "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, metadata: string "
            "= ''",
        .doc = "A dataset with the single element components, of the types Toutput_types and the "
               "shapes output_shapes. metadata is for TensorFlow's own reports.",
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.TensorDataset("
                      "components=[[1., 2.]], output_shapes=[[2]]), output_types=[tf.float32], "
                      "output_shapes=[[2]])[0]",
                      "[1. 2.]"}}})
      .CpuAny(MakeTensors<false>, PrepareTensors);
  r.Op({.name = "TensorSliceDataset",
        .inputs = "components: Toutput_types",
        .outputs = "handle: variant",
        .attrs =
            "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1, is_files: bool = "
            "false, metadata: string = '', replicate_on_split: bool = false",
        .doc = "A dataset of the rows of components, of the types Toutput_types and the shapes "
               "output_shapes. is_files and replicate_on_split are hints for TensorFlow's runtime; "
               "metadata is for its own reports.",
        .shape = DatasetShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.TensorSliceDataset("
                      "components=[[[1., 2.]]], output_shapes=[[2]]), output_types=[tf.float32], "
                      "output_shapes=[[2]])[0]",
                      "[1. 2.]"}}})
      .CpuAny(MakeTensors<true>, PrepareTensors);
}

}  // namespace tensh::ops
