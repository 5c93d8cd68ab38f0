# A room is one folder, one namespace, one static library, one README.
#
#   room(common/format DEPS common/base SOURCES forward_index.cc HEADERS forward_index.h LINKS Snappy::snappy)
#
# DEPS must name rooms that were declared before, so the order of the add_subdirectory calls is a
# proof that the graph has no cycle: CMake alone accepts cycles between static libraries.
# Each room and its DEPS are written to <build>/rooms.txt; tests/house/rooms_test.py checks that the
# #include lines keep to them. COMPOSES marks a room whose work is to join others: no fan-out limit.
set(ROOM_FAN_OUT_MAX 6)
# The soil: every room may stand on these, so they do not count towards a room's fan-out.
set(ROOM_SOIL common/base common/telemetry)

file(WRITE ${CMAKE_BINARY_DIR}/rooms.txt "")
set_property(GLOBAL PROPERTY TRELLIS_ROOMS "")

function(room NAME)
  cmake_parse_arguments(ROOM "COMPOSES" "" "DEPS;LINKS;SOURCES;HEADERS" ${ARGN})
  string(REPLACE "/" "_" target ${NAME})
  set(links ${ROOM_LINKS})
  foreach(dep IN LISTS ROOM_DEPS)
    string(REPLACE "/" "_" dep_target ${dep})
    if(NOT TARGET ${dep_target})
      message(FATAL_ERROR "room ${NAME}: ${dep} is not a room below it")
    endif()
    list(APPEND links ${dep_target})
  endforeach()

  set(counted ${ROOM_DEPS})
  list(REMOVE_ITEM counted ${ROOM_SOIL})
  list(LENGTH counted fan_out)
  if(fan_out GREATER ROOM_FAN_OUT_MAX AND NOT ROOM_COMPOSES)
    message(FATAL_ERROR "room ${NAME}: ${fan_out} dependencies, at most ${ROOM_FAN_OUT_MAX}")
  endif()

  if(ROOM_SOURCES)
    add_library(${target} STATIC ${ROOM_SOURCES})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)  # headers only
    set(scope INTERFACE)
  endif()
  # The header set lets the target all_verify_interface_header_sets compile each header alone.
  target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${ROOM_HEADERS})
  target_link_libraries(${target} ${scope} ${links})
  string(REPLACE ";" " " deps_line "${ROOM_DEPS}")
  file(APPEND ${CMAKE_BINARY_DIR}/rooms.txt "${NAME}: ${deps_line}\n")
  set_property(GLOBAL APPEND PROPERTY TRELLIS_ROOMS ${NAME})
endfunction()
