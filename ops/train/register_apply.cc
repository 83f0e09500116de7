#include "ops/train/register_apply.h"

#include <deque>
#include <mutex>

#include "ops/state/handle_example.h"

namespace tensh::ops {
namespace {

std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(", "), text.size());
    words.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return words;
}

// Returns the text of a vector whose only element prints as `number` when it is a scalar.
std::string OneRow(std::string_view number) {
  if (number.ends_with(".0")) number.remove_suffix(1);
  return StrCat("[", number, "]");
}

std::string FlagDoc(std::string_view flag) {
  if (flag == "use_nesterov") return " use_nesterov: with Nesterov's momentum.";
  if (flag == "update_slots") return " update_slots: whether to update accum.";
  if (flag == "multiply_linear_by_lr")
    return " multiply_linear_by_lr: store linear multiplied by the learning rate, so that lr may "
           "be 0.";
  return {};
}

std::string Example(const ApplyText& text, std::string_view op, bool resource, bool sparse) {
  std::string call = StrCat("tf.raw_ops.", op, "(");
  const std::string value = sparse ? "[1.]" : "1.";
  std::string make = StrCat("tf.assign(tf.Variable(", value, "), ", value, ")");
  call += StrCat("var=", resource ? StrCat("(v := lambda: ", HandleExample(value), ")()") : make);
  if (resource) make = "v()";
  for (const std::string& slot : Split(text.slots)) call += StrCat(", ", slot, "=", make);
  for (const std::string& argument : Split(text.arguments)) {
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const bool is_grad = name == "grad" || name == "delta";
    if (is_grad && sparse)
      call += StrCat(", grad=[", argument.substr(equals + 1), "], indices=[0]");
    else
      call += ", " + argument;
  }
  return call + ")";
}

class ApplyWriter : public TextWriter {
 public:
  ApplyWriter(const ApplyText& text, const ApplyForm& form) : text_(text), form_(form) {}
  void Write(OpSpec& spec) const override;

 private:
  const ApplyText text_;
  const ApplyForm form_;
};

// Returns a writer that is never freed.
const TextWriter* NewWriter(const ApplyText& text, const ApplyForm& form) {
  static std::mutex mu;
  static auto* const writers = new std::deque<ApplyWriter>;
  std::lock_guard lock(mu);
  return &writers->emplace_back(text, form);
}

void ApplyWriter::Write(OpSpec& spec) const {
  const auto [flag, flag_default, resource, sparse, checked] = form_;
  const std::string type = resource ? "resource" : "Ref(T)";
  std::string inputs = "var: " + type, names = "var", scalars;
  for (const std::string& slot : Split(text_.slots)) {
    inputs += StrCat(", ", slot, ": ", type);
    names += ", " + slot;
  }
  for (const std::string& arg : Split(text_.rest)) {
    const std::string name = arg.substr(0, arg.find(':'));
    if (name == "delta" || name == "grad") {
      inputs += sparse ? std::string(", grad: T, indices: Tindices") : ", " + arg;
    } else {
      inputs += ", " + arg;
      scalars += StrCat(scalars.empty() ? "" : ", ", name);
    }
  }
  std::string attrs = StrCat("T: ", kNumberTypes, sparse ? ", Tindices: {int32, int64}" : "",
                             ", use_locking: bool = false");
  if (!flag.empty()) attrs += StrCat(", ", flag, ": bool = ", flag_default);
  const auto is_one = [](const std::string& list) { return list.find(',') == list.npos; };
  std::string doc = StrCat(
      text_.doc, " ", names, ": ", is_one(names) ? "the variable" : "the variables",
      resource ? ", by handle. " : ". ", scalars, is_one(scalars) ? ": a scalar. " : ": scalars. ",
      sparse ? "grad" : text_.grad, ": the gradient");
  doc += sparse ? " for the rows in indices, of type Tindices." : ".";
  doc += " T: the element type of all of them.";
  if (!resource) doc += " out is var.";
  doc += FlagDoc(flag) + " use_locking: ignored; updates always exclude each other.";
  std::string contract = sparse ? "indices: vector" : "";
  for (const NamedInput& scalar : checked)
    contract += StrCat(contract.empty() ? "" : ", ", scalar.name, ": scalar");
  spec.inputs = inputs;
  spec.outputs = resource ? "" : "out: Ref(T)";
  spec.attrs = attrs;
  spec.doc = doc;
  spec.contract = contract;
  spec.examples = {{Example(text_, spec.name, resource, sparse), resource ? ""
                                                                 : sparse
                                                                     ? OneRow(text_.result)
                                                                     : std::string(text_.result)}};
}

}  // namespace

Status CheckRowShapes(const Tensor& var, const Tensor& grad, const Tensor& indices) {
  if (var.rank() < 1) return InvalidArgument("var must be at least 1 dimensional");
  bool fits = grad.rank() == var.rank();
  for (int i = 1; fits && i < var.rank(); ++i) fits = grad.dim(i) == var.dim(i);
  if (!fits)
    return InvalidArgument("var and grad must match in dimensions 1 and up: ", var.shape(), " ",
                           grad.shape());
  if (grad.dim(0) != indices.num_elements())
    return InvalidArgument("grad must be the same size as indices in the first dimension.");
  return {};
}

Status CheckRows(const Tensor& var, const Tensor& grad, const Tensor& indices) {
  TENSH_RETURN_IF_ERROR(CheckRowShapes(var, grad, indices));
  for (int64_t k = 0; k < indices.num_elements(); ++k)
    if (const int64_t at = IndexAt(indices, k); at < 0 || at >= var.dim(0))
      return InvalidArgument("indices[", k, "] = ", at, " is not in [0, ", var.dim(0), ")");
  return {};
}

OpSpec ApplySpec(const ApplyText& text, const ApplyForm& form) {
  return {.name = StrCat(form.resource ? "Resource" : "", form.sparse ? "Sparse" : "", "Apply",
                         text.name),
          .no_gradient = true,
          .stateful = form.resource,
          .variable_type = form.resource ? "T" : nullptr,
          .writer = NewWriter(text, form)};
}

}  // namespace tensh::ops
