// The first line of the answers of `why nan` and `why inf`, by the run that they are about.
#include "tests/unit/shell/commands/typed.h"

namespace tensh::shell {
namespace {

struct Answer {
  const char *lines, *first;
};

TEST(NonFiniteRun, TheFirstLineNamesTheOrigin) {
  constexpr Answer rows[] = {
      {"why nan", "nothing has run yet. Type: why nan X"},
      {"why inf tf.log(a - 1., name='l')",
       "l (Log, f32[2]) on cpu:0 made the first Inf: 1 of 2 elements, from finite inputs"},
      {"why nan tf.log(p, name='l') feed p=[1., -1.]",
       "l (Log, f32[2]) on cpu:0 made the first NaN: 1 of 2 elements, from finite inputs"},
      {"why nan p feed p=[1., float('nan')]",
       "the value fed for p contains NaN: 1 of 2 elements, the first at [1]"},
      {"run i\nwhy nan v.assign(tf.log(v, name='l')) times 9",
       "l (Log, f32[]) on cpu:0 made the first NaN in step 4, from finite inputs"},
      {"run v.assign(float('inf')).op\nwhy inf v * 2.",
       "the variable v contained Inf before this step; an earlier run wrote it"},
      {"run v.assign(float('nan')).op\nwhy nan",
       "the last run, v.assign(float('nan')).op, was not recorded. These variables contain NaN "
       "now, so "
       "a run before it may have made it: v (1 of 1 element)"},
      {"with tf.device('/cpu:1'): y = tf.divide(p, p, name='y')\nwhy nan y feed p=[0., 1.]",
       "y (RealDiv, f32[2]) on cpu:1 made the first NaN: 1 of 2 elements, from finite inputs"},
  };
  for (const Answer& row : rows) {
    const std::string out = Typed(row.lines).out;
    EXPECT_EQ(out.substr(0, out.find('\n')), row.first) << row.lines;
  }
}

TEST(NonFiniteRun, CausesFollowTheValues) {
  constexpr Answer rows[] = {
      {"why nan tf.log(a - 2.)", "log of a negative number is NaN"},
      {"why inf tf.log(a - 1.)", "log(0) is -inf"},
      {"why nan tf.sqrt(a - 3.)", "sqrt of a negative number is NaN"},
      {"why nan (a - 1.) / (b - 3.)", "0 / 0 is NaN"},
      {"why inf a / (b - 3.)", "a division by 0"},
      {"why nan (a - 1.) / (a - 1.)", "0 / 0 is NaN"},
      {"why inf tf.exp(a * 80.)",
       "exp of a number above about 88.7 is larger than float32 can hold"},
      {"why inf tf.exp(tf.cast(a * 9., tf.float16))",
       "exp of a number above about 11 is larger than float16 can hold"},
      {"why nan tf.pow(-a, 0.5)", "a negative number to a power that is not whole is NaN"},
      {"why nan tf.exp(a * 999.) * (a - 1.)", "0 * inf is NaN"},
      {"why nan tf.exp(a * 999.) - tf.exp(b * 999.)", "inf - inf is NaN"},
      {"why nan tf.acos(a)", "acos(x) is defined for x from -1 to 1"},
      {"why nan tf.reduce_mean(a[:0])", "the mean of no element is 0 / 0"},
      {"why inf tf.square(a * 1e38)", "the result is larger than float32 can hold, about 3.4e38"},
      {"why inf tf.cast(a * 1e6, tf.float16)", "the number is larger than float16 can hold"},
      {"why inf tf.reciprocal(a - 1.)", "1 / 0 is inf"},
  };
  for (const Answer& row : rows) {
    const Ran ran = Typed(row.lines);
    EXPECT_NE(ran.out.find(std::string("\n   cause        ") + row.first + "\n"), ran.out.npos)
        << row.lines << "\n"
        << ran.out << ran.error;
  }
}

// A variable that the last run only read is not written again.
TEST(NonFiniteRun, TheLastRunIsRepeatedIfThatChangesNothing) {
  const std::string out = Typed("run i\nl = tf.log(v - 8., name='l')\neval l\nwhy nan\neval v").out;
  EXPECT_EQ(out.find("nan\nl (Log, f32[]) on cpu:0 made the first NaN, from finite inputs\n"), 0u)
      << out;
  EXPECT_TRUE(out.ends_with("graph l\n7.0\n")) << out;
}

TEST(NonFiniteRun, Misuse) {
  CheckFails({
      {"why nan c times 0", "SyntaxError", "times expects a whole number from 1, not 0"},
      {"why nan c until False", "SyntaxError", "accepts no `until`"},
      {"why nan c feed q=1", "NameError", "name 'q' is not defined"},
      {"why nan p", "InvalidArgumentError", "Type: why nan p feed p=[0., 0.]"},
      {"why nan nope", "NameError", "name 'nope' is not defined"},
      {"why nan v", "FailedPreconditionError", "Attempting to use uninitialized value v"},
  });
}

}  // namespace
}  // namespace tensh::shell
