// Datasets that count elements: take, skip, repeat, concatenate, zip, batch and prefetch.
#include <algorithm>

#include "ops/data/dataset.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/list_variant.h"

namespace tensh::ops {
namespace {

using Element = std::vector<Tensor>;
using Source = std::shared_ptr<const Dataset>;

class TakeIterator : public DatasetIterator {
 public:
  TakeIterator(const Dataset::Inputs& in, int64_t count) : in_(in[0]->Iterate()), left_(count) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    *end = left_ == 0;
    if (*end) return {};
    if (left_ > 0) --left_;  // negative: takes all
    return in_->Next(c, element, end);
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
  int64_t left_;
};

class SkipIterator : public DatasetIterator {
 public:
  SkipIterator(const Dataset::Inputs& in, int64_t count) : in_(in[0]->Iterate()), left_(count) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    *end = left_ < 0;  // skips all
    if (*end) return {};
    for (; left_ > 0; --left_) {
      if (c.cancelled()) return c.cancel()->Why();
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (*end) return {};
    }
    return in_->Next(c, element, end);
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
  int64_t left_;
};

class RepeatIterator : public DatasetIterator {
 public:
  RepeatIterator(const Dataset::Inputs& in, int64_t count) : source_(in[0]), left_(count) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (bool fresh = false;;) {
      if (!in_) {
        *end = left_ == 0;
        if (*end) return {};
        if (left_ > 0) --left_;  // negative: repeats forever
        in_ = source_->Iterate();
        fresh = true;
      }
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (!*end) return {};
      in_ = nullptr;
      if (fresh) return {};  // an empty input repeated forever is still empty
    }
  }

 private:
  const Source source_;
  int64_t left_;
  std::unique_ptr<DatasetIterator> in_;
};

class ConcatenateIterator : public DatasetIterator {
 public:
  explicit ConcatenateIterator(const Dataset::Inputs& in) : sources_(in) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    for (; next_ < sources_.size(); ++next_, in_ = nullptr) {
      if (!in_) in_ = sources_[next_]->Iterate();
      TENSH_RETURN_IF_ERROR(in_->Next(c, element, end));
      if (!*end) return {};
    }
    *end = true;
    return {};
  }

 private:
  const Dataset::Inputs sources_;
  size_t next_ = 0;
  std::unique_ptr<DatasetIterator> in_;
};

class ZipIterator : public DatasetIterator {
 public:
  explicit ZipIterator(const Dataset::Inputs& in) {
    for (const Source& source : in) in_.push_back(source->Iterate());
  }
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    element->clear();
    *end = over_;
    for (size_t i = 0; i < in_.size() && !*end; ++i) {
      Element part;
      TENSH_RETURN_IF_ERROR(in_[i]->Next(c, &part, end));
      element->insert(element->end(), part.begin(), part.end());
    }
    over_ = *end;
    return {};
  }

 private:
  std::vector<std::unique_ptr<DatasetIterator>> in_;
  bool over_ = false;
};

class SameIterator : public DatasetIterator {
 public:
  explicit SameIterator(const Dataset::Inputs& in) : in_(in[0]->Iterate()) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    return in_->Next(c, element, end);
  }

 private:
  const std::unique_ptr<DatasetIterator> in_;
};

class BatchIterator : public DatasetIterator {
 public:
  BatchIterator(const Dataset::Inputs& in, int64_t size, bool drop)
      : rows_(in[0]->Iterate(), size, drop) {}
  Status Next(KernelCtx& c, Element* element, bool* end) override {
    std::vector<Element> rows;
    TENSH_RETURN_IF_ERROR(rows_.Next(c, &rows, end));
    if (*end) return {};
    element->clear();
    for (size_t k = 0; k < rows[0].size(); ++k) TENSH_RETURN_IF_ERROR(Pack(c, rows, k, element));
    return {};
  }

 private:
  static Status Pack(KernelCtx& c, const std::vector<Element>& rows, size_t k, Element* element) {
    const Tensor& first = rows[0][k];
    TENSH_ASSIGN(const Shape shape, StackedShape(static_cast<int64_t>(rows.size()), first.shape()));
    TENSH_ASSIGN(Tensor out, Tensor::Make(first.dtype(), shape, c.allocator()));
    const int64_t n = first.num_elements();
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() <= k || rows[i][k].dtype() != first.dtype() ||
          !(rows[i][k].shape() == first.shape()))
        return InvalidArgument("Cannot batch tensors with different shapes in component ", k,
                               ". First element had shape ", first.shape(), " and element ", i,
                               " had shape ", rows[i].size() > k ? rows[i][k].shape() : Shape(),
                               ".");
      CopyElements(out.dtype(), At(out, static_cast<int64_t>(i) * n), rows[i][k].raw(), n);
    }
    element->push_back(std::move(out));
    return {};
  }

  BatchRows rows_;
};

// ---- kernels ----

template <class Iterator>
Status MakeCounted(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t count, CountIn(c, 1, "count"));
  return GiveDataset(
      c, std::make_shared<Made<Iterator, int64_t>>(Dataset::Inputs{std::move(input)}, count));
}

template <class Iterator>
Status MakeOfAll(KernelCtx& c) {
  Dataset::Inputs inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    TENSH_ASSIGN(Source input, DatasetIn(c, i));
    inputs.push_back(std::move(input));
  }
  return GiveDataset(c, std::make_shared<Made<Iterator>>(std::move(inputs)));
}

// The kernel of datasets that TensorFlow uses for multithreading or statistics. Elements and their
// order are those of the input.
Status MakeSame(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  return GiveDataset(c, std::make_shared<Made<SameIterator>>(Dataset::Inputs{std::move(input)}));
}

Status MakePrefetch(KernelCtx& c) {
  TENSH_ASSIGN(const int64_t size, CountIn(c, 1, "buffer_size"));
  if (size < -1)
    return InvalidArgument(
        "buffer_size must be >= 0 or set buffer_size to be -1 for "
        "auto-tuning");
  return MakeSame(c);
}

Status MakeBatch(KernelCtx& c) {
  TENSH_ASSIGN(Source input, DatasetIn(c, 0));
  TENSH_ASSIGN(const int64_t size, CountIn(c, 1, "batch_size"));
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  bool drop = false;
  if (const int last = c.num_inputs() - 1; last > 1) {
    if (c.in(last).rank() != 0) return InvalidArgument("drop_remainder must be a scalar");
    drop = *c.in(last).data<bool>();
  }
  return GiveDataset(c, BatchedData(std::move(input), size, drop));
}

// ---- definitions ----

std::string Example(const std::string& make, const char* shape = "[]") {
  return StrCat("tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.", make,
                ", output_types=[tf.int64], output_shapes=[", shape,
                "]), output_types=[tf.int64], output_shapes=[", shape, "])[0]");
}
std::string Range(int stop) {
  return StrCat("tf.raw_ops.RangeDataset(start=0, stop=", stop,
                ", step=1, output_types=[tf.int64], output_shapes=[[]])");
}

struct Row {
  const char *name, *inputs, *before, *after, *doc;  // attributes before and after the common ones
  KernelFn make;
  std::string example, result;
};

std::vector<Row> Rows() {
  const std::string zip = StrCat(
      "tf.raw_ops.DatasetToSingleElement(dataset=tf.raw_ops.ZipDataset(input_datasets=[", Range(1),
      "], output_types=[tf.int64], output_shapes=[[]]), output_types=[tf.int64], "
      "output_shapes=[[]])[0]");
  return {
      {"TakeDataset", "input_dataset: variant, count: int64", "", "",
       "A dataset of the first count elements of input_dataset, or of all if count is -1.",
       MakeCounted<TakeIterator>, Example("TakeDataset(count=1, input_dataset=" + Range(5)), "0"},
      {"SkipDataset", "input_dataset: variant, count: int64", "", "",
       "A dataset of the elements of input_dataset without the first count, or of none if count is "
       "-1.",
       MakeCounted<SkipIterator>, Example("SkipDataset(count=4, input_dataset=" + Range(5)), "4"},
      {"RepeatDataset", "input_dataset: variant, count: int64", "", "",
       "A dataset of the elements of input_dataset, repeated count times, or forever if count is "
       "-1.",
       MakeCounted<RepeatIterator>, Example("RepeatDataset(count=1, input_dataset=" + Range(1)),
       "0"},
      {"ConcatenateDataset", "input_dataset: variant, another_dataset: variant", "", "",
       "A dataset of the elements of input_dataset, followed by those of another_dataset.",
       MakeOfAll<ConcatenateIterator>,
       Example("ConcatenateDataset(input_dataset=" + Range(0) + ", another_dataset=" + Range(1)),
       "0"},
      {"BatchDataset", "input_dataset: variant, batch_size: int64", "", "",
       "A dataset of batches of batch_size elements of input_dataset. The last batch may be "
       "smaller.",
       MakeBatch, Example("BatchDataset(batch_size=3, input_dataset=" + Range(3), "[None]"),
       "[0 1 2]"},
      {"BatchDatasetV2", "input_dataset: variant, batch_size: int64, drop_remainder: bool",
       "parallel_copy: bool = false, ", "",
       "A dataset of batches of batch_size elements of input_dataset. drop_remainder drops a "
       "smaller last batch. parallel_copy is a hint for TensorFlow's runtime.",
       MakeBatch,
       Example("BatchDatasetV2(batch_size=3, drop_remainder=True, input_dataset=" + Range(4),
               "[3]"),
       "[0 1 2]"},
      {"ParallelBatchDataset",
       "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
       "parallel_copy: bool = false, ", ", deterministic: string = 'default'",
       "A dataset of batches of batch_size elements of input_dataset. drop_remainder drops a "
       "smaller last batch. num_parallel_calls, parallel_copy and deterministic are hints for "
       "TensorFlow's runtime.",
       MakeBatch,
       Example("ParallelBatchDataset(batch_size=3, num_parallel_calls=1, drop_remainder=True, "
               "input_dataset=" +
                   Range(4),
               "[3]"),
       "[0 1 2]"},
      {"PrefetchDataset", "input_dataset: variant, buffer_size: int64", "",
       ", slack_period: int = 0, legacy_autotune: bool = true, buffer_size_min: int = 0",
       "The elements of input_dataset. buffer_size, slack_period, legacy_autotune and "
       "buffer_size_min are hints for TensorFlow's runtime.",
       MakePrefetch, Example("PrefetchDataset(buffer_size=1, input_dataset=" + Range(1)), "0"},
      {"ZipDataset", "input_datasets: N * variant", "", ", N: int >= 1",
       "Zips N input_datasets: each element has the components of one element of each. Ends with "
       "the shortest dataset.",
       MakeOfAll<ZipIterator>, zip, "0"},
  };
}

// As in TensorFlow, only the shape functions of these ops require a scalar.
std::string ScalarAtBuild(std::string_view name) {
  if (name == "TakeDataset" || name == "SkipDataset" || name == "RepeatDataset")
    return "count: scalar at build";
  return name == "PrefetchDataset" ? "buffer_size: scalar at build" : "";
}

}  // namespace

std::shared_ptr<Dataset> BatchedData(Source input, int64_t size, bool drop) {
  return std::make_shared<Made<BatchIterator, int64_t, bool>>(Dataset::Inputs{std::move(input)},
                                                              size, drop);
}

TENSH_OPS(data_transforms) {
  for (const Row& row : Rows())
    r.Op({.name = row.name,
          .inputs = row.inputs,
          .outputs = "handle: variant",
          .attrs = StrCat(row.before, TENSH_DATASET_ATTRS, row.after, ", metadata: string = ''"),
          .doc = StrCat(row.doc, kDatasetDoc),
          .contract = ScalarAtBuild(row.name),
          .shape = DatasetShape,
          .no_gradient = true,
          .examples = {{row.example, row.result}}})
        .CpuAny(row.make);
  r.Op({.name = "ModelDataset",
        .inputs = "input_dataset: variant",
        .outputs = "handle: variant",
        .attrs =
            "algorithm: int = 0, cpu_budget: int = 0, ram_budget: int = 0, " TENSH_DATASET_ATTRS,
        .doc = "The elements of input_dataset, of the types output_types and the shapes "
               "output_shapes. algorithm, cpu_budget and ram_budget are hints for TensorFlow's "
               "runtime.",
        .shape = DatasetShape,
        .no_gradient = true,
        .examples = {{Example("ModelDataset(input_dataset=" + Range(1)), "0"}}})
      .CpuAny(MakeSame);
  r.Op({.name = "OptimizeDataset",
        .inputs = "input_dataset: variant, optimizations: string",
        .outputs = "handle: variant",
        .attrs = TENSH_DATASET_ATTRS ", optimization_configs: list(string) = []",
        .doc = "The elements of input_dataset, of the types output_types and the shapes "
               "output_shapes. optimizations and optimization_configs are hints for TensorFlow's "
               "runtime.",
        .shape = DatasetShape,
        .no_gradient = true,
        .examples = {{Example("OptimizeDataset(optimizations=[], input_dataset=" + Range(1)),
                      "0"}}})
      .CpuAny(MakeSame);
  r.Op({.name = "OptimizeDatasetV2",
        .inputs = "input_dataset: variant, optimizations_enabled: string, optimizations_disabled: "
                  "string, optimizations_default: string",
        .outputs = "handle: variant",
        .attrs = TENSH_DATASET_ATTRS ", optimization_configs: list(string) = []",
        .doc = "The elements of input_dataset, of the types output_types and the shapes "
               "output_shapes. optimizations_enabled, optimizations_disabled, "
               "optimizations_default and optimization_configs are hints for TensorFlow's runtime.",
        .shape = DatasetShape,
        .no_gradient = true,
        .examples = {{Example(
                          "OptimizeDatasetV2(optimizations_enabled=[], "
                          "optimizations_disabled=[], optimizations_default=[], input_dataset=" +
                          Range(1)),
                      "0"}}})
      .CpuAny(MakeSame);
}

}  // namespace tensh::ops
