#pragma once
// The header for files that define ops: the registry, the kernel context, and common support code.
// A file holds the definition, shape function, gradient, CPU kernel, docs and examples of an op, or
// of several closely related ones.
#include "ops/support/elementwise.h"
#include "runtime/core/op_registry.h"
