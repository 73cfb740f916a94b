#pragma once

namespace lockstep {

/// One arm an alternative: a visit that forgets one does not compile.
template <class... Arms>
struct Overloaded : Arms... {
    using Arms::operator()...;
};

}  // namespace lockstep
