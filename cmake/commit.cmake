# cmake -DSOURCE=FOLDER -DHEADER=FILE [-DCOMMIT=TEXT] -P commit.cmake: writes HEADER, `#define OB_COMMIT "..."`, where it changes.
# The commit of the source is TEXT if it is given; else that of the git checkout whose top is SOURCE, with "-dirty" when a file
# differs from it or is not in it; else that of the archive (archive_commit.txt, which `git archive` and setup.py fill in); else
# "unknown".
cmake_minimum_required(VERSION 3.25)

# A git hook sets variables that lead git elsewhere.
set(git ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE git --no-optional-locks -C ${SOURCE})

# The first line is empty at the top of a checkout, and is a way up in a folder of another project's.
function(commit_of_checkout variable)
  execute_process(COMMAND ${git} rev-parse --show-cdup HEAD OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT answer MATCHES "^\n([0-9a-f]+)\n$")
    return()
  endif()
  set(found ${CMAKE_MATCH_1})
  execute_process(COMMAND ${git} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR NOT changes STREQUAL "")
    string(APPEND found "-dirty")
  endif()
  set(${variable} ${found} PARENT_SCOPE)
endfunction()

function(commit_of_archive variable)
  file(STRINGS ${SOURCE}/cmake/archive_commit.txt line LIMIT_COUNT 1)
  if(line MATCHES "^[0-9a-f]+(-dirty)?$")
    set(${variable} ${line} PARENT_SCOPE)
  endif()
endfunction()

if(NOT COMMIT)
  commit_of_checkout(COMMIT)
endif()
if(NOT COMMIT)
  commit_of_archive(COMMIT)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define OB_COMMIT \"${COMMIT}\"\n" @ONLY)
