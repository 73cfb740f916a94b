#pragma once

#include "tests/layout/source_tree.hpp"

/// Which part of the code may include which (docs/architecture.md).
namespace lockstep::test::layout {

/// The part that a file belongs to: `core/raft`, `sim`, `scenarios/services/raft`; empty if none.
std::string room_of(std::string_view path);

/// Whether files of the one room may include files of the other. Arrows are transitive.
bool arrow_allowed(std::string_view from_room, std::string_view to_room);

/// Why the file may not include that, or nothing. Does not ask whether the included file exists.
std::optional<std::string> objection(std::string_view path, const Include& include);

}  // namespace lockstep::test::layout
