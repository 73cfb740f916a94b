# Flags that every target of the project shares.
add_library(lockstep_options INTERFACE)
target_compile_features(lockstep_options INTERFACE cxx_std_20)
target_include_directories(lockstep_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# What a program must share that is built against the installed libraries:
target_compile_options(lockstep_options INTERFACE
  # -std=c++20 does not keep g++ from contracting a*b+c, which differs between machines.
  -ffp-contract=off)
# and what is the business of this build alone.
set(own_options
  -Wall -Wextra -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  # No path of the machine in messages.
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND own_options -Wshadow=local)
endif()
if(DEFINED ENV{CI})
  list(APPEND own_options -Werror)
endif()
target_compile_options(lockstep_options INTERFACE "$<BUILD_INTERFACE:${own_options}>")

set(LOCKSTEP_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")
if(LOCKSTEP_SANITIZE)
  target_compile_options(lockstep_options INTERFACE
    -fsanitize=${LOCKSTEP_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(lockstep_options INTERFACE -fsanitize=${LOCKSTEP_SANITIZE})
endif()

if(LOCKSTEP_FUZZ)  # so that libFuzzer sees which ways an input goes
  target_compile_options(lockstep_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LOCKSTEP_CCACHE})
endif()

# lockstep_export(NAME): the target lockstep_NAME is lockstep::NAME, here and where it is installed.
function(lockstep_export name)
  add_library(lockstep::${name} ALIAS lockstep_${name})
  set_target_properties(lockstep_${name} PROPERTIES EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY LOCKSTEP_LIBRARIES lockstep_${name})
endfunction()

# lockstep_umbrella(NAME LINKS...): several libraries under one name.
function(lockstep_umbrella name)
  add_library(lockstep_${name} INTERFACE)
  target_link_libraries(lockstep_${name} INTERFACE ${ARGN})
  lockstep_export(${name})
endfunction()

# lockstep_library(NAME FOLDER LINKS...): one target a folder, of all sources directly in it but for
# a main.cpp, which belongs to a program.
function(lockstep_library name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    add_library(lockstep_${name} INTERFACE)
    target_link_libraries(lockstep_${name} INTERFACE lockstep_options ${ARGN})
  else()
    add_library(lockstep_${name} STATIC ${sources})
    target_link_libraries(lockstep_${name} PUBLIC lockstep_options ${ARGN})
  endif()
  lockstep_export(${name})
endfunction()

# lockstep_link_time_optimised(TARGETS...): the simulator's hot paths cross its files. The objects
# hold ordinary code, too, for programs that are linked without, and for other compilers. Of the
# simulator and what is beneath it alone: for everything it would make each linking take minutes.
option(LOCKSTEP_LTO "Optimise the simulator when programs are linked (g++ only)" OFF)
function(lockstep_link_time_optimised)
  if(NOT LOCKSTEP_LTO OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  foreach(target IN LISTS ARGN)
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE")
      target_link_options(${target} PRIVATE -flto=auto)
    endif()
  endforeach()
endfunction()
