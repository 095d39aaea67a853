# cmake -DPROGRAM=generate_docs -DPAGE=operators -DFOLDER=docs -P check_page.cmake
execute_process(COMMAND ${PROGRAM} ${PAGE} OUTPUT_VARIABLE fresh RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${PAGE} failed")
endif()
file(READ ${FOLDER}/${PAGE}.md committed)
if(NOT fresh STREQUAL committed)
  message(FATAL_ERROR "docs/${PAGE}.md is stale: ./dev docs")
endif()
