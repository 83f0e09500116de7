#pragma once
// The one header an op's file includes: the registry, the kernel context, and the support code
// kernels are made of. An op is one file: definition, shape function, gradient, CPU kernel, docs,
// examples.
#include "ops/support/elementwise.h"
#include "runtime/core/op_registry.h"
