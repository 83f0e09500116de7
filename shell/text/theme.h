// The colors of the terminal. A role states the meaning of a piece of text, a theme gives each
// role a look, and a palette has the escape sequences for the colors that the terminal supports.
//
// A view asks a Palette for a role and never names a color. A palette without colors returns
// empty sequences, so that a view needs no second path for pipes, NO_COLOR and TERM=dumb. Color
// must not be the only carrier of a meaning.
//
// Palettes are values; reading one is thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensh::shell {

enum class Role : uint8_t {
  kPlain,
  kPrompt,
  // Source text.
  kKeyword,
  kString,
  kNumber,
  kComment,
  kFunction,  // A builtin, or a name of tf or np.
  kVerb,
  kOp,
  kTensor,
  kDevice,
  kUnknown,  // A name that does not exist.
  // The editor.
  kGhost,  // A suggestion that is not typed yet.
  kBracket,
  kFound,
  kItem,
  kSelected,
  kNote,
  // Reports.
  kError,
  kHint,
  kHeading,
  kDtype,
  kRuns,
  kPruned,
  kFed,
  kFetch,
  kCut,  // An edge between devices.
  kWait,
  // The devices of a run, by DeviceRole.
  kDevice0,
  kDevice1,
  kDevice2,
  kDevice3,
  kDevice4,
  kDevice5,
  kCount
};

// Returns the role of a device such as "cpu:1" or "/job:ps/task:1/cpu:0". Devices of one process
// that are numbered from 0 have different roles, as long as there are enough roles.
Role DeviceRole(std::string_view device);

enum class ColorDepth : uint8_t {
  kNone,  // No escape sequences at all.
  k16,
  k256,
  kTrue,
};

// Returns true if the user wants colors on a terminal: NO_COLOR is empty, and TERM is set and not
// "dumb".
bool WantsColor();
// Returns the colors of a terminal with these values of TERM and COLORTERM.
ColorDepth DepthOf(std::string_view term, std::string_view colorterm);
// Returns the depth of the environment: kNone for TERM=dumb or unset, for a non-empty NO_COLOR, and
// if LC_ALL, LC_CTYPE or LANG selects the locale C.
ColorDepth DepthOfEnvironment();
// Returns true if the first of LC_ALL, LC_CTYPE and LANG that is set and not empty is C or POSIX.
bool LocaleIsPlain();

class Palette {
 public:
  Palette() = default;  // Without colors.
  // An unknown name gives the theme dark. The theme mono uses bold, dim and underlined text only.
  Palette(std::string_view theme, ColorDepth depth);

  static const std::vector<std::string>& Themes();
  bool plain() const { return plain_; }
  // Returns the sequence that begins text of this role, always from a reset state; "" if the text
  // looks like any other.
  const std::string& Open(Role role) const { return open_[static_cast<size_t>(role)]; }
  std::string Paint(Role role, std::string_view text) const;

 private:
  std::array<std::string, static_cast<size_t>(Role::kCount)> open_;
  bool plain_ = true;
};

inline constexpr std::string_view kResetStyle = "\033[0m";

}  // namespace tensh::shell
