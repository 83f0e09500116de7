// numpy's element types: what each is called, and how two of them combine (numpy 1.x rules). Codes
// are the C API's TSH_* and the kDType… of the printer. Pure functions over constant tables; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shell/client.h"
#include "shell/print/tensor_printer.h"

namespace tensh::shell::np {

// The order of kinds is the order of promotion.
enum class Kind : uint8_t { kBool, kUnsigned, kSigned, kFloat, kComplex, kText, kObject };

struct TypeRow {
  int dtype;
  const char* name;  // "float32"
  Kind kind;
  int size;          // bytes; 0 for text and objects
  const char* code;  // of .npy files and dtype.str: "<f4"
  char letter;       // dtype.char: 'f'
};

const TypeRow* FindType(int dtype);     // null: numpy has no such type
const TypeRow& GetType(int dtype);      // TypeError when numpy has no such type
int TypeByName(std::string_view name);  // "float32", "f4", "<f4", "float", "int"; 0: none
int64_t ItemSize(int dtype);
Kind KindOf(int dtype);
// Plain bytes behind pointers: every number and bool.
bool HasBytes(int dtype);
bool IsText(int dtype);
inline bool IsFloatKind(int dtype) { return KindOf(dtype) == Kind::kFloat; }
inline bool IsComplexKind(int dtype) { return KindOf(dtype) == Kind::kComplex; }
inline bool IsIntKind(int dtype) {
  return KindOf(dtype) == Kind::kSigned || KindOf(dtype) == Kind::kUnsigned;
}

// np.promote_types.
int Promote(int a, int b);
// 0 bool, 1 integer, 2 float, 3 complex: what value-based casting compares first.
int Category(int dtype);
// The smallest type that holds a scalar (np.min_scalar_type). `signed_too` tells that a positive
// integer also fits the signed type of that size.
int MinScalarType(int dtype, const void* element, bool* signed_too);

// One operand of a promotion: an array, or a scalar (0-d, Python number) with its value.
struct Operand {
  int dtype;
  bool scalar;
  const void* value;  // of a scalar
};
// np.result_type of two operands.
int ResultType(const Operand& a, const Operand& b);

}  // namespace tensh::shell::np
