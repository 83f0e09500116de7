# Cross-build for 64-bit ARM on Debian with its multiarch packages; docs/install.md has the commands.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Architecture-independent headers are in /usr/include, libraries in lib/aarch64-linux-gnu. protoc is a program of
# this machine.
list(APPEND CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu /)  # before these, -DCMAKE_FIND_ROOT_PATH=DIR may name a sysroot
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu /lib/x86_64-linux-gnu)
# Programs of the build, such as tests that CMake runs, need qemu-user.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
