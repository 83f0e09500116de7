#!/usr/bin/env python3
"""Creates the file of a new op or command from a small working one. Called by ./dev new-op and new-command.

    new_file.py new-op math/twice          ops/math/twice.cc
    new_file.py new-command hello          shell/commands/hello_command.cc
"""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

OP = '''#include "ops/op_file.h"

namespace tensh::ops {
namespace {

// The kernel for one element. MapUnary adds the loop, threads and vectorization.
struct @Name@ {
  template <class T>
  Status operator()(KernelCtx& c) const {
    return MapUnary<T>(c, [](T x) { return static_cast<T>(x + x); });
  }
};

// Returns the gradient with respect to x(0) as graph nodes: 2 dy.
Status @Name@Grad(GradScope& g) { return g.Return({g.Op("AddV2", {g.dy(), g.dy()})}); }

}  // namespace

TENSH_OPS(@stem@) {
  r.Op({.name = "@Name@",
        .inputs = "x: T",
        .outputs = "y: T",
        .attrs = "T: {float, double, int32, int64}",
        .doc = "x + x, elementwise. x: numbers of type T. T: the element type.",
        .shape = SameAsInput<0>,
        .grad = @Name@Grad,
        .examples = {{"tf.raw_ops.@Name@(x=[1., 2.])", "[2. 4.]"}}})
      .Cpu<float, double, int32_t, int64_t>(@Name@{});
}

}  // namespace tensh::ops
'''

COMMAND = '''// The verb `@name@`: says hello.
#include "shell/commands/base/command.h"
#include "shell/commands/base/shell.h"

namespace tensh::shell {
namespace {

// call.text() is the text after the verb, without the flags of the usage.
void Run@Name@(CommandCall& call) {
  const std::string who = call.text().empty() ? "graph" : std::string(call.text());
  call.shell().out().PrintLine("Hello, " + who + "!");
}

constexpr CommandExample kExamples[] = {{"@name@ world", "Hello, world!\\n"}};

}  // namespace

void RegisterCommand_@name@(CommandRegistry& r) {
  r.Add({.name = "@name@",
         .usage = "@name@ [NAME]",
         .summary = "Say hello to NAME.",
         .help = "Without an argument, say hello to the graph.",
         .examples = kExamples,
         .run = Run@Name@});
}

}  // namespace tensh::shell
'''


def main():
    kind, name = sys.argv[1], sys.argv[2]
    stem = name.replace('/', '_')
    camel = ''.join(word[:1].upper() + word[1:] for word in name.split('/')[-1].split('_'))
    if kind == 'new-op':
        if '/' not in name:
            sys.exit('dev: an op belongs to an area: ./dev new-op math/%s' % name)
        path, text = 'ops/%s.cc' % name, OP
    else:
        path, text = 'shell/commands/%s_command.cc' % name, COMMAND
    full = os.path.join(ROOT, path)
    if os.path.exists(full):
        sys.exit('dev: %s already exists' % path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, 'w', encoding='utf-8') as f:
        f.write(text.replace('@Name@', camel).replace('@name@', name).replace('@stem@', stem))
    print('wrote %s; the next build includes it' % path)


if __name__ == '__main__':
    main()
