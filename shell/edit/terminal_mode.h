// The mode of the terminal while the editor reads: characters one by one, without echo, with marked
// pastes.
//
// Ctrl-C still sends its signal. If the process is ended by a signal, aborts or calls exit while it
// reads, the previous mode is restored first. One object exists at a time. Used by one thread.
#pragma once

#include <string_view>

namespace tensh::shell {

class TerminalMode {
 public:
  // Does nothing if `fd` is not a terminal.
  explicit TerminalMode(int fd);
  ~TerminalMode();
  TerminalMode(const TerminalMode&) = delete;

  // Stops the process as Ctrl-Z does, in the previous mode. Returns when it continues.
  void Suspend();
  // Restores the previous mode to run another program, such as an external editor.
  void Leave();
  // Sets the mode again, even if another program has changed it.
  void Enter();

  // Becomes readable when the window was resized, the process continued after a stop, or Wake was
  // called.
  static int wake_fd();
  static void Wake();  // May be called by any thread.
  // True if the process continued after a stop since the last call.
  static bool TakeContinued();

 private:
  int fd_;
  bool on_ = false;
};

}  // namespace tensh::shell
