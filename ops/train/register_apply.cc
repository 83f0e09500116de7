#include "ops/train/register_apply.h"

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

std::string Example(const ApplyText& text, const std::string& op, bool resource, bool sparse) {
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

OpSpec ApplySpec(const ApplyText& text, std::string_view flag, bool flag_default, bool resource,
                 bool sparse) {
  const std::string type = resource ? "resource" : "Ref(T)";
  std::string inputs = "var: " + type, names = "var", scalars;
  for (const std::string& slot : Split(text.slots)) {
    inputs += StrCat(", ", slot, ": ", type);
    names += ", " + slot;
  }
  for (const std::string& arg : Split(text.rest)) {
    const std::string name = arg.substr(0, arg.find(':'));
    if (name == "delta" || name == "grad") {
      inputs += sparse ? std::string(", grad: T, indices: Tindices") : ", " + arg;
    } else {
      inputs += ", " + arg;
      scalars += StrCat(scalars.empty() ? "" : ", ", name);
    }
  }
  const std::string op =
      StrCat(resource ? "Resource" : "", sparse ? "Sparse" : "", "Apply", text.name);
  std::string attrs = StrCat("T: ", kNumberTypes, sparse ? ", Tindices: {int32, int64}" : "",
                             ", use_locking: bool = false");
  if (!flag.empty()) attrs += StrCat(", ", flag, ": bool = ", flag_default);
  const auto is_one = [](const std::string& list) { return list.find(',') == list.npos; };
  std::string doc = StrCat(
      text.doc, " ", names, ": ", is_one(names) ? "the variable" : "the variables",
      resource ? ", by handle. " : ". ", scalars, is_one(scalars) ? ": a scalar. " : ": scalars. ",
      sparse ? "grad" : text.grad, ": the gradient");
  doc += sparse ? " for the rows in indices, of type Tindices." : ".";
  doc += " T: the element type of all of them.";
  if (!resource) doc += " out is var.";
  doc += FlagDoc(flag) + " use_locking: ignored; updates always exclude each other.";
  return {.name = op,
          .inputs = std::move(inputs),
          .outputs = resource ? "" : "out: Ref(T)",
          .attrs = std::move(attrs),
          .doc = std::move(doc),
          .no_gradient = true,
          .stateful = resource,
          .variable_type = resource ? "T" : nullptr,
          .examples = {{Example(text, op, resource, sparse), resource ? ""
                                                             : sparse ? OneRow(text.result)
                                                                      : std::string(text.result)}}};
}

}  // namespace tensh::ops
