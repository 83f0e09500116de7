# tensh_instrumented(OUT FILES...)
#
# CI builds with ASan and UBSan only a tenth of the ops, which the commit chooses, and takes the others from the release
# build: TENSH_TENTH is the tenth (0 to 9; empty: all ops), TENSH_RELEASE_OPS the library of the release build. Ops that the
# last ten commits changed are always built. Sets OUT to those of FILES that are built, and INSTRUMENTED_OPS to the
# names in them, separated by commas, which the tests of single ops run. A name that is not one of an op does no harm.
#
# libstdc++'s containers have the same layout with and without ASan. TSan is different: it must see all atomic accesses.
set(TENSH_TENTH "" CACHE STRING "With ASan, build only this tenth of the ops")
set(TENSH_RELEASE_OPS "${PROJECT_BINARY_DIR}/../libtensh_ops.a" CACHE FILEPATH "The other ops, if TENSH_TENTH is set")
if(NOT TENSH_SANITIZE MATCHES "address")
  set(TENSH_TENTH "")
endif()

set(changed_lately "")
if(NOT TENSH_TENTH STREQUAL "")
  execute_process(COMMAND git diff --name-only HEAD~10 -- ops devices WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE changed_lately ERROR_QUIET)
  string(REGEX MATCHALL "[^\n]+" changed_lately "${changed_lately}")
endif()

function(tensh_instrumented out)
  set(built "")
  set(names "")
  set(index 0)
  foreach(file ${ARGN})
    math(EXPR tenth "${index} % 10")
    math(EXPR index "${index} + 1")
    if(TENSH_TENTH STREQUAL "" OR tenth EQUAL TENSH_TENTH OR file IN_LIST changed_lately)
      list(APPEND built ${file})
      if(NOT TENSH_TENTH STREQUAL "")
        file(READ ${file} text)
        string(REGEX REPLACE "^.*TENSH_OPS\\(" "" text "${text}")  # names before it are those of ops that a gradient uses
        string(REGEX MATCHALL "\"[A-Z_][A-Za-z0-9_]*\"" found "${text}")
        list(APPEND names ${found})
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)
  list(JOIN names "," names)
  string(REPLACE "\"" "" names "${names}")
  set(${out} ${built} PARENT_SCOPE)
  set(INSTRUMENTED_OPS "${names}" PARENT_SCOPE)
endfunction()
