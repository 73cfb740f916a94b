#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::lease {

/// Takes values to places on an axis, a decade being as long as any other. What goes down to zero
/// has a band at its beginning, from zero to the least decade, in which values go in proportion.
class Scale {
public:
    /// `low` and `high` above 0. `from` and `to`: where the axis begins and ends, which may be
    /// upside down.
    static Scale of(double low, double high, double from, double to);
    /// With a band of that length for what is less than `low`.
    static Scale with_zero(double low, double high, double from, double to, double band);

    /// Equal steps instead of decades.
    static Scale linear(double low, double high, double from, double to);

    /// Never outside of the axis: infinity is at its end.
    double at(double value) const;
    /// Round values of the axis, at most so many, zero apart.
    std::vector<double> ticks(std::size_t most) const;
    bool zero() const { return band_ != 0; }
    double low() const { return low_; }
    double high() const { return high_; }

private:
    double low_ = 1;
    double high_ = 10;
    double from_ = 0;
    double to_ = 1;
    bool linear_ = false;
    double band_ = 0;  ///< with the sign of its direction
};

/// The range of what is to be seen on an axis; nothing that is not above 0 counts.
struct Extent {
    double low = 0;
    double high = 0;
    void take(double value);
    bool empty() const { return high == 0; }
    /// Widened to at least the ratio, and by a little on both sides.
    void widen(double least_ratio, double pad);
    /// Widened to round values: 1, 2 or 5 of a decade.
    void round();
};

/// "0.1", "20", "1,000", "20k".
std::string tick_text(double value);

}  // namespace lockstep::lease
