#pragma once

#include "core/base/codec.hpp"
#include "sim/envelope.hpp"
#include "sim/event_queue.hpp"
#include "sim/slab.hpp"
#include "sim/types.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace lockstep::sim {

class World;

/// How long a message takes: uniform in [min, max], and with a chance of tail_ppm an exponential
/// tail of mean `tail` on top (integer arithmetic).
struct DelayModel {
    Duration min = microseconds(200);
    Duration max = milliseconds(2);
    std::uint32_t tail_ppm = 0;
    Duration tail = milliseconds(0);
    bool operator==(const DelayModel&) const = default;
};

struct LinkModel {
    LinkMode mode = LinkMode::Ordered;
    DelayModel delay;
    std::uint32_t loss_ppm =
        0;  ///< datagram links; on ordered ones a loss is a retransmission delay
    std::uint32_t duplicate_ppm = 0;  ///< datagram links
    std::uint32_t reorder_ppm = 0;    ///< datagram links: extra delay that lets later ones overtake
    Duration connection_timeout =
        seconds(5);  ///< ordered links: how long unacknowledged data is retried
    bool operator==(const LinkModel&) const = default;
};

/// A message on its way, or in the inbox of its destination.
struct InFlight {
    Envelope envelope;
    SimTime arrives;
    std::uint64_t sequence = 0;  ///< of its entry in the queue; zero if it has none
    std::uint32_t link = 0;      ///< position of the link
    std::uint32_t next = 0;      ///< the one sent after it on an ordered link
    std::uint32_t epoch = 0;     ///< of its connection
    bool ordered = false;
    bool held = false;     ///< met a cut, and has not arrived since
    bool unacked = false;  ///< lies in the inbox of a process whose kernel stands still
};

/// That a connection is gone, on its way to one end of it.
struct ResetNotice {
    bool pending = false;
    bool waits = false;  ///< met a cut
    SimTime latest;      ///< when the end finds out by itself
    std::uint64_t sequence = 0;
};

/// One direction between two processes.
struct Link {
    static constexpr std::uint32_t none = UINT32_MAX;

    ProcessId from;
    ProcessId to;
    std::uint32_t back = 0;  ///< position of the link the other way
    LinkModel model;
    bool own_model = false;
    std::int64_t loss_trouble = 0;
    std::int64_t duplicate_trouble = 0;
    std::int64_t reorder_trouble = 0;
    Duration extra_delay;
    // What model and troubles come to.
    std::uint32_t loss_ppm = 0;
    std::uint32_t duplicate_ppm = 0;
    std::uint32_t reorder_ppm = 0;
    std::uint32_t cuts = 0;
    std::uint32_t holes = 0;  ///< black holes
    SimTime last_sent{-1};
    std::uint32_t ordinal = 0;  ///< of the last message among those sent at that time

    std::uint64_t word() const { return (std::uint64_t{from.value} << 32) | to.value; }

    // Ordered links: this direction of the connection.
    bool plain = false;  ///< nothing is unusual: no cut, hole or notice, both ends' kernels run
    std::uint32_t epoch = 1;     ///< the number of the connection, common to both directions
    bool open = false;           ///< something was sent in this epoch
    bool starved = false;        ///< every retransmission of the first in flight will be lost
    std::uint32_t first = none;  ///< in flight, in the order of their sending
    std::uint32_t last = none;
    SimTime last_arrival;
    SimTime delivered_unacked = SimTime::never();  ///< sending of the oldest that arrived, but
                                                   ///< whose acknowledgement cannot come back
    SimTime timeout_queued = SimTime::never();
    std::uint64_t timeout_sequence = 0;
    ResetNotice notice;  ///< to `to`, of the end of its connection with `from`
};

/// Directed links between all pairs of processes, which are all there before the first message.
///
/// Ordered links behave as TCP does. A pair of processes has one connection at a time; data arrives
/// in the order of sending. A cut holds what was sent; it is sent again when the cut heals. Data
/// that is unacknowledged for the timeout, because it or its acknowledgements meet a cut or the
/// other end's kernel stands still (a frozen pause), resets the connection: what is in flight
/// either way is lost and both ends are told. A crash of one end does the same, but the other end
/// hears of it only when the notice arrives, and what it sends until then is lost, too; a notice
/// that meets a cut comes when that heals or after the timeout. Whoever sends after being told
/// opens a new connection; nothing of an old one arrives after that.
///
/// Datagram links lose what meets a cut, at its sending or at its arrival.
///
/// A black hole swallows what is sent into it, on links of either mode, as a middlebox does that
/// takes data and acknowledges it: the connection lives on with what is sent later, and no end is
/// told, then or later. What was on its way already arrives.
class Network {
public:
    /// What faults add to the model of a link.
    struct Trouble {
        std::int64_t loss_ppm = 0;
        std::int64_t duplicate_ppm = 0;
        std::int64_t reorder_ppm = 0;
        Duration delay;
    };
    /// How a link fares because of faults.
    enum class Health : std::uint8_t {
        Good,
        Troubled,  ///< messages are lost, delayed or reordered
        Cut,       ///< nothing comes through
    };

    explicit Network(World& world) : world_(world) {}
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    /// Takes effect for what is sent from now on.
    void set_model(ProcessId from, ProcessId to, const LinkModel& model);
    /// For all links that were given no model of their own.
    void set_default(const LinkModel& model);
    const LinkModel& model(ProcessId from, ProcessId to) const { return link(from, to).model; }
    /// Cuts nest: as many heals are needed. Directed. Ordered links hold, datagram links lose.
    void cut(ProcessId from, ProcessId to);
    void heal(ProcessId from, ProcessId to);
    bool is_cut(ProcessId from, ProcessId to) const { return link(from, to).cuts > 0; }
    /// What is sent vanishes, and nobody is told. Holes nest; directed.
    void open_hole(ProcessId from, ProcessId to);
    void close_hole(ProcessId from, ProcessId to);
    /// Adds to what the model says, or takes away what was added (sign -1).
    void add_trouble(ProcessId from, ProcessId to, const Trouble& trouble, std::int64_t sign);
    /// The same for messages of one kind alone, until `forget_trouble` of that order.
    void add_trouble_of(std::uint16_t message_kind, ProcessId from, ProcessId to,
                        const Trouble& trouble, std::uint64_t order);
    void forget_trouble(std::uint64_t order);
    Health health(ProcessId from, ProcessId to) const;
    /// As a middlebox would: both ends are told in steps of this very instant. Nothing happens if
    /// no connection is open.
    void reset_connection(ProcessId a, ProcessId b);
    using Dropped = std::function<void(ProcessId from, ProcessId to)>;
    /// Loses the next message of the kind on the link (0 = any process) and then calls `dropped`,
    /// once. One `order` may wait on several links; the first loss ends it.
    void drop_next(std::uint16_t message_kind, ProcessId from, ProcessId to, std::uint64_t order,
                   Dropped dropped);
    /// Waits no more.
    void forget_drop(std::uint64_t order);
    /// No message that met a cut is still to arrive.
    bool drained() const { return held_ == 0; }
    /// When all that is on its way on ordered links will have arrived, as things stand. What is
    /// sent from now on arrives behind it.
    SimTime latest_arrival() const;
    std::uint64_t sent() const { return sent_; }  ///< messages, since the beginning
    /// Messages in flight or in inboxes.
    std::size_t in_flight() const { return messages_.in_use(); }

private:
    friend class World;
    friend class Process;

    struct Drop {
        std::uint16_t kind;
        ProcessId from;
        ProcessId to;
        std::uint64_t order;
        Dropped dropped;
    };
    struct KindTrouble {
        std::uint16_t kind;
        ProcessId from;
        ProcessId to;
        Trouble trouble;
        std::uint64_t order;
    };

    // For the world.
    void add_process();
    void send(ProcessId from, ProcessId to, Payload&& payload);
    void arrive(const QueueEntry& entry);
    void meet_cut(QueueEntry entry, std::uint32_t detail);
    void timeout(const QueueEntry& entry);
    void notice(const QueueEntry& entry);
    void on_start(ProcessId p);
    void on_crash(ProcessId p);
    void on_freeze(ProcessId p);
    void on_thaw(ProcessId p);
    void refresh_all(ProcessId p);

    // For processes, whose inboxes hold messages by their slot.
    InFlight& message(std::uint32_t slot) { return messages_[slot]; }
    /// False if its connection was reset while the kernel had not yet acknowledged it.
    bool still_valid(std::uint32_t slot) const;
    void release(std::uint32_t slot) {
        InFlight& message = messages_[slot];
        if (message.held) --held_;
        message.held = false;
        message.sequence = 0;
        discard(message, slot);
    }
    /// Releases one that was delivered.
    void discard(InFlight& message, std::uint32_t slot) {
        message.envelope.payload.reset();
        messages_.give_back(slot);
    }

    const Link& link(ProcessId from, ProcessId to) const { return links_[index(from, to)]; }
    Link& link(ProcessId from, ProcessId to) { return links_[index(from, to)]; }
    std::size_t index(ProcessId from, ProcessId to) const {
        LOCKSTEP_ASSERT(from && to && from.value <= count_ && to.value <= count_,
                        "link from {} to {} of {}", from.value, to.value, count_);
        return std::size_t{from.value - 1} * count_ + (to.value - 1);
    }
    Link& back(const Link& of) { return links_[of.back]; }
    static void combine(Link& link);
    static void add(Link& link, const Trouble& trouble, std::int64_t sign);
    void note_kinds() { kinds_matter_ = !drops_.empty() || !of_kind_.empty(); }
    bool drop_asked(const Envelope& message);
    Trouble trouble_of(const Link& link, std::uint16_t kind) const;
    void send_with_care(Link& link, std::uint32_t slot, std::uint64_t luck);
    void trace(const InFlight& message, const char* dropped);
    void lose(std::uint32_t slot, const char* why);
    void recode(Payload& payload);

    void send_datagram(Link& link, std::uint32_t slot, std::uint64_t luck);
    void enqueue(const Link& link, InFlight& message, std::uint32_t slot, std::uint64_t ordinal);
    Duration draw_delay(const Link& link, std::uint64_t luck) const;
    // The same out of line.
    void queue(Link& link, std::uint32_t slot, std::uint64_t ordinal);
    Duration delay(const Link& link, std::uint64_t luck) const;

    // Connections.
    void send_ordered(Link& link, InFlight& message, std::uint32_t slot, std::uint64_t luck);
    Duration retransmissions(Link& link, std::uint64_t luck);
    bool accept(Link& link, InFlight& message);
    void hold(InFlight& message);
    void keep_behind(Link& link);
    void send_again(Link& link);
    bool loses_all(const Link& link, const Envelope& message) const;
    void revive(Link& link);
    void watch(Link& link);
    void refresh(Link& link);
    bool stuck(const Link& link);
    SimTime oldest_unacked(const Link& link) const;
    void break_connection(Link& one, Link& other);
    void lose_in_flight(Link& link);
    void tell(Link& link, SimTime at, SimTime latest);
    void tell_after_delay(Link& link);
    void give_notice(Link& link);

    World& world_;
    std::uint32_t count_ = 0;
    std::vector<Link> links_;  ///< by sender, then receiver
    LinkModel default_;
    Slab<InFlight> messages_;
    std::vector<Drop> drops_;
    std::vector<KindTrouble> of_kind_;
    bool kinds_matter_ = false;  ///< some fault concerns one kind of message
    std::uint64_t held_ = 0;
    std::uint64_t sent_ = 0;
    bool recode_ = false;
    bool traced_ = false;
    Writer scratch_;
};

}  // namespace lockstep::sim
