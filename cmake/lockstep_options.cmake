# Flags that every target of the project shares.
add_library(lockstep_options INTERFACE)
target_compile_features(lockstep_options INTERFACE cxx_std_20)
target_include_directories(lockstep_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(lockstep_options INTERFACE
  -Wall -Wextra $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # -std=c++20 does not keep g++ from contracting a*b+c, which differs between machines.
  -ffp-contract=off
  # No path of the machine in messages.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(DEFINED ENV{CI})
  target_compile_options(lockstep_options INTERFACE -Werror)
endif()

set(LOCKSTEP_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_options INTERFACE
    -fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lockstep_options INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LOCKSTEP_CCACHE})
endif()

# lockstep_library(NAME FOLDER LINKS...): one target a folder, of all sources directly in it.
function(lockstep_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  if(NOT sources)
    add_library(lockstep_${name} INTERFACE)
    target_link_libraries(lockstep_${name} INTERFACE lockstep_options ${ARGN})
  else()
    add_library(lockstep_${name} STATIC ${sources})
    target_link_libraries(lockstep_${name} PUBLIC lockstep_options ${ARGN})
  endif()
  add_library(lockstep::${name} ALIAS lockstep_${name})
endfunction()
