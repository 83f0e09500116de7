// Signatures of ops: TensorFlow's texts as definitions, and texts that are refused because they
// would not define the op that their author meant.
#include "runtime/core/signature.h"

#include <gtest/gtest.h>

namespace tensh {
namespace {

std::string Text(const ArgDef& arg) {
  std::string type = !arg.type_attr.empty()        ? arg.type_attr
                     : !arg.type_list_attr.empty() ? "list " + arg.type_list_attr
                                                   : std::string(SignatureName(arg.type));
  if (!arg.number_attr.empty()) type = arg.number_attr + "*" + type;
  return arg.name + ":" + (arg.is_ref ? "Ref(" + type + ")" : type);
}

std::string Text(const AttrDef& attr) {
  std::string text = attr.name + ":" + attr.TypeName();
  for (int i = 1; i < 24; ++i)
    if (attr.allowed_types.Has(static_cast<DType>(i)))
      text += " " + std::string(SignatureName(static_cast<DType>(i)));
  for (const std::string& s : attr.allowed_strings) text += " '" + s + "'";
  if (attr.has_minimum) text += " >=" + std::to_string(attr.minimum);
  if (attr.default_value) text += " =" + attr.default_value->ToString();
  return text;
}

// Parses a signature: "inputs | outputs | attributes".
template <class Defs>
std::string Joined(const Defs& defs) {
  std::string text;
  for (const auto& def : defs) text += (text.empty() ? "" : "; ") + Text(def);
  return text;
}
OpDef Parsed(const char* inputs, const char* attrs) {
  OpDef op;
  op.name = "Test";
  const Status status = ParseSignature({.name = "Test", .inputs = inputs, .attrs = attrs}, op);
  EXPECT_TRUE(status.ok()) << status.message();
  return op;
}

TEST(Signature, Attributes) {
  struct Row {
    const char *text, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"T: type", "T:type"},
      {"a: int, b: float, c: bool, d: string, e: shape, f: tensor, g: func",
       "a:int; b:float; c:bool; d:string; e:shape; f:tensor; g:func"},
      {"T: {float, half, bfloat16}", "T:type float bfloat16 half"},
      {"T: {float} = float", "T:type float =DT_FLOAT"},
      {"m: {'SAME', 'VALID'} = 'SAME'", "m:string 'SAME' 'VALID' =\"SAME\""},
      {"N: int >= 1", "N:int >=1"},
      {"N: int >= -2 = 5", "N:int >=-2 =5"},
      {"n: int=7", "n:int =7"},
      {"n: int = -1", "n:int =-1"},
      {"x: float = 0.5", "x:float =0.5"},
      {"x: float = 1e-4", "x:float =1e-04"},
      {"b: bool = true, c: bool = false", "b:bool =true; c:bool =false"},
      {"t: type = string", "t:type =DT_STRING"},
      {"s: string = ''", "s:string =\"\""},
      {"s: string = 'a, b: {c}', n: int = 1", "s:string =\"a, b: {c}\"; n:int =1"},
      {"s: shape = {unknown}", "s:shape =<unknown>"},
      {"s: shape = []", "s:shape =[]"},
      {"s: shape = [2, 3]", "s:shape =[2,3]"},
      {"l: list(int) = [1, 2, -3]", "l:list(int) =[1, 2, -3]"},
      {"l: list(int) = []", "l:list(int) =[]"},
      {"l: list(int) >= 3", "l:list(int) >=3"},
      {"l: list(float) = [0.5, 2]", "l:list(float) =[0.5, 2]"},
      {"l: list(bool) = [true, false]", "l:list(bool) =[true, false]"},
      {"l: list(type) >= 1 = [float, int32]", "l:list(type) >=1 =[DT_FLOAT, DT_INT32]"},
      {"l: list(string) = ['a', 'b,c']", "l:list(string) =[\"a\", \"b,c\"]"},
      {"l: list(shape) = []", "l:list(shape) =[]"},
      {"l: list(func) = []", "l:list(func) =[]"},
      {"L: list({int32, int64}) >= 1", "L:list(type) int32 int64 >=1"},
      {"  a :  int  ,  b : bool ", "a:int; b:bool"},
  };
  for (const Row& row : rows) EXPECT_EQ(Joined(Parsed("", row.text).attrs), row.want) << row.text;
}

TEST(Signature, Arguments) {
  const char* attrs = "T: type, N: int, L: list(type)";
  struct Row {
    const char *text, *want;
  };
  const Row rows[] = {
      {"", ""},
      {"x: T", "x:T"},
      {"x: T, y: int32", "x:T; y:int32"},
      {"x: float_ref", "x:float"},  // shown by its base
      {"ref: Ref(T)", "ref:Ref(T)"},
      {"ref: Ref(string)", "ref:Ref(string)"},
      {"values: N * T", "values:N*T"},
      {"values: N*int64", "values:N*int64"},
      {"refs: Ref(N * T)", "refs:Ref(N*T)"},
      {"args: L", "args:list L"},
      {" x : T ,y:T", "x:T; y:T"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(Joined(Parsed(row.text, attrs).inputs), row.want) << row.text;
  OpDef op;
  EXPECT_TRUE(
      ParseSignature({.name = "Test", .outputs = "a: T, b: N * T", .attrs = attrs}, op).ok());
  EXPECT_EQ(Joined(op.outputs), "a:T; b:N*T");
}

TEST(Signature, MalformedTextIsRefused) {
  struct Row {
    const char *inputs, *attrs, *want;
  };
  const Row rows[] = {
      {"x", "", "argument 'x'"},
      {"x: T", "", "type 'T'"},
      {"x: Ref(T", "T: type", "type 'Ref(T'"},
      {"x: N * float", "", "number 'N'"},
      {"x: 3 * float", "N: int", "number '3'"},
      {"", "T", "attribute 'T'"},
      {"", "T:", "attribute 'T:'"},
      {"", "T: typ", "attribute kind 'typ'"},
      {"", "T: {float, flout}", "type 'flout'"},
      {"", "n: int 3", "attribute 'n: int 3'"},
      {"", "n: int = 2x", "integer '2x'"},
      {"", "n: int =", "integer ''"},
      {"", "n: int >= x", "integer 'x'"},
      {"", "x: float = much", "float 'much'"},
      {"", "b: bool = True", "bool 'True'"},
      {"", "t: type = flout", "type 'flout'"},
      {"", "s: string = abc", "string abc"},
      {"", "t: tensor = 1", "tensor 1"},
      {"", "l: list(int) = [1, a]", "integer 'a'"},
  };
  for (const Row& row : rows) {
    OpDef op;
    op.name = "Test";
    const Status status =
        ParseSignature({.name = "Test", .inputs = row.inputs, .attrs = row.attrs}, op);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << row.inputs << row.attrs;
    EXPECT_EQ(status.message(), std::string("the signature of Test has a malformed ") + row.want);
  }
  OpRegistry registry;
  registry.Op({.name = "Bad", .inputs = "x"});
  EXPECT_DEATH(registry.Find("Bad"), "malformed argument 'x'");  // of a built-in op
}

}  // namespace
}  // namespace tensh
