# Compiler flags for all targets. -ffp-contract=off keeps each IEEE operation separate, like
# TensorFlow's elementwise kernels, so that printed digits agree.
add_library(tensh_warnings INTERFACE)
target_compile_options(tensh_warnings INTERFACE -Wall -Wextra -ffp-contract=off $<$<BOOL:${TENSH_WERROR}>:-Werror>)
# When it optimizes, g++ 12 reports overlaps and overflows in std::string and std::vector that do not
# exist (GCC bugs 105329 and 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tensh_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
# cc1plus collects garbage from 128 MB on, which takes a twentieth of its time. Nearly all files need less than 600 MB.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tensh_warnings INTERFACE --param=ggc-min-heapsize=600000)
endif()
# A file that includes others looks to the compilers like the whole program: g++ reports classes with members whose types are
# in an anonymous namespace, clang private members that only other files use.
if(TENSH_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tensh_warnings INTERFACE -Wno-subobject-linkage)
elseif(TENSH_UNITY)
  target_compile_options(tensh_warnings INTERFACE -Wno-unused-private-field)
endif()
if(TENSH_SANITIZE)
  add_compile_options(-fsanitize=${TENSH_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENSH_SANITIZE})
endif()
find_program(LLD ld.lld)
if(LLD AND NOT CMAKE_CROSSCOMPILING)  # GCC as a cross compiler does not find it
  # Puts cold code in a separate section, as ld does by default.
  add_link_options(-fuse-ld=lld -Wl,-z,keep-text-section-prefix)
endif()
# How programs and libraries are linked in release builds: without templates that nothing calls, and with one copy of equal ends of
# strings and of equal functions. So two functions may have one address; the code compares addresses only of functions that differ.
set(TENSH_SMALL --gc-sections,-O2)
if(LLD AND NOT CMAKE_CROSSCOMPILING)
  string(APPEND TENSH_SMALL ",--icf=all")
endif()
