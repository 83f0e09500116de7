#include "runtime/core/variant.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace tensh {
namespace {

// A value whose type is not known here. Its fields stay as they arrived.
class UnknownValue : public VariantValue {
 public:
  explicit UnknownValue(VariantFields fields) : fields_(std::move(fields)) {}
  ~UnknownValue() override { ReleaseFlat(std::move(fields_.tensors)); }
  const char* kind() const override { return fields_.type_name.c_str(); }
  Result<VariantFields> Fields() const override { return fields_; }
  // TensorFlow registers C++'s numbers as variants. Zeros of them are zero bytes.
  Result<std::shared_ptr<VariantValue>> Zeros() const override {
    constexpr std::string_view kNumbers[] = {"int", "int64_t", "float", "double", "bool"};
    if (std::find(std::begin(kNumbers), std::end(kNumbers), fields_.type_name) ==
        std::end(kNumbers))
      return VariantValue::Zeros();
    VariantFields zeros = fields_;
    std::fill(zeros.metadata.begin(), zeros.metadata.end(), '\0');
    return std::shared_ptr<VariantValue>(std::make_shared<UnknownValue>(std::move(zeros)));
  }

 private:
  VariantFields fields_;
};

struct Readers {
  std::mutex mu;
  std::map<std::string, VariantReader> by_name;
  void (*load)() = nullptr;
};
Readers& TheReaders() {
  static Readers readers;
  return readers;
}

// Returns null if there is none.
VariantReader ReaderOf(const std::string& type_name) {
  Readers& readers = TheReaders();
  std::lock_guard lock(readers.mu);
  const auto found = readers.by_name.find(type_name);
  return found == readers.by_name.end() ? nullptr : found->second;
}

}  // namespace

void AddVariantReader(const std::string& type_name, VariantReader reader) {
  Readers& readers = TheReaders();
  std::lock_guard lock(readers.mu);
  readers.by_name.try_emplace(type_name, reader);
}

void SetVariantReaderLoader(void (*load)()) { TheReaders().load = load; }

Result<std::shared_ptr<VariantValue>> ReadVariant(VariantFields fields) {
  VariantReader reader = ReaderOf(fields.type_name);
  if (!reader && TheReaders().load) {
    TheReaders().load();
    reader = ReaderOf(fields.type_name);
  }
  if (reader) return reader(std::move(fields));
  return std::shared_ptr<VariantValue>(std::make_shared<UnknownValue>(std::move(fields)));
}

Result<VariantFields> VariantValue::Fields() const {
  return Unimplemented("a variant that holds a ", kind(), " cannot leave its process");
}

Result<std::shared_ptr<VariantValue>> VariantValue::Zeros() const {
  return Unimplemented("zeros are not defined for a variant that holds a ", kind());
}

Result<std::shared_ptr<VariantValue>> VariantValue::Plus(const VariantValue&) const {
  return Unimplemented("variants that hold a ", kind(), " cannot be added");
}

void ReleaseFlat(std::vector<Tensor>&& tensors) {
  thread_local std::vector<Tensor>* pending = nullptr;
  if (pending) {  // in a destructor that the loop below runs
    for (Tensor& t : tensors)
      if (t) pending->push_back(std::move(t));
    return;
  }
  std::vector<Tensor> stack = std::move(tensors);
  pending = &stack;
  while (!stack.empty()) {
    Tensor last = std::move(stack.back());
    stack.pop_back();
  }
  pending = nullptr;
}

Tensor VariantTensor(std::shared_ptr<VariantValue> value) {
  return Tensor::Scalar<Variant>({std::move(value)});
}

}  // namespace tensh
