#pragma once
// The definition and the kernel of an elementwise op of two operands that broadcast. Stateless.
#include <string>
#include <utility>

#include "ops/support/elementwise.h"
#include "runtime/core/op_registry.h"

// Defines NAMEKernel, which computes EXPRESSION of two elements x and y of type T.
#define TENSH_BINARY_KERNEL(NAME, EXPRESSION)                         \
  struct NAME##Kernel {                                               \
    template <class T>                                                \
    Status operator()(KernelCtx& c) const {                           \
      return MapBinary<T>(                                            \
          c, [](T x, T y) { return static_cast<T>(EXPRESSION); }, 5); \
    }                                                                 \
  }

namespace tensh::ops {

// The names of the operands and of the result in the op's signature.
struct BinaryNames {
  const char *x = "x", *y = "y", *z = "z";
};

inline OpSpec BinarySpec(OpText name, OpText attrs, OpText doc, GradFn grad, Example example,
                         BinaryNames names = {}) {
  return {.name = name,
          .inputs = StrCat(names.x, ": T, ", names.y, ": T"),
          .outputs = StrCat(names.z, ": T"),
          .attrs = attrs,
          .doc = StrCat(doc, " ", names.x, ", ", names.y,
                        ": numbers; they broadcast. T: the element type."),
          .shape = BroadcastInputs,
          .grad = grad,
          .examples = {example}};
}

}  // namespace tensh::ops
