// numpy's element types: their names, and their promotion by the rules of numpy 1.x. Codes are
// TSH_* of the C API and kDType… of the printer. Pure functions over constant tables; thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shell/client/client.h"
#include "shell/print/tensor_printer.h"

namespace tensh::shell::np {

// Kinds are listed in the order of promotion.
enum class Kind : uint8_t { kBool, kUnsigned, kSigned, kFloat, kComplex, kText, kObject };

struct TypeRow {
  int dtype;
  const char* name;  // "float32"
  Kind kind;
  int size;          // In bytes; 0 for text and objects.
  const char* code;  // As in .npy files and dtype.str: "<f4".
  char letter;       // As in dtype.char: 'f'.
};

const TypeRow* FindType(int dtype);  // Returns null if numpy has no such type.
const TypeRow& GetType(int dtype);   // Throws TypeError if numpy has no such type.
// Accepts "float32", "f4", "<f4", "float", "int"; returns 0 for other names.
int TypeByName(std::string_view name);
int64_t ItemSize(int dtype);
Kind KindOf(int dtype);
// True if the elements are plain bytes with addresses: all numbers and bool.
bool HasBytes(int dtype);
bool IsText(int dtype);
inline bool IsFloatKind(int dtype) { return KindOf(dtype) == Kind::kFloat; }
inline bool IsComplexKind(int dtype) { return KindOf(dtype) == Kind::kComplex; }
inline bool IsIntKind(int dtype) {
  return KindOf(dtype) == Kind::kSigned || KindOf(dtype) == Kind::kUnsigned;
}

// Implements np.promote_types.
int Promote(int a, int b);
// Returns the category that value-based casting compares first: 0 bool, 1 integer, 2 float, 3
// complex.
int Category(int dtype);
// Returns the smallest type that holds a scalar (np.min_scalar_type). Sets `signed_too` if a
// positive integer also fits the signed type of that size.
int MinScalarType(int dtype, const void* element, bool* signed_too);

// An operand of a promotion: an array, or a scalar (0-d array or Python number) with its value.
struct Operand {
  int dtype;
  bool scalar;
  const void* value;  // The value of a scalar.
};
// Implements np.result_type for two operands.
int ResultType(const Operand& a, const Operand& b);

}  // namespace tensh::shell::np
