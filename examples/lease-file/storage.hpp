#pragma once

#include "messages.hpp"

#include <deque>
#include <map>
#include <string>

namespace lease_file {

/// The shared storage: one small file a lock, replaced as a whole, and durable before the answer.
class Storage final : public lockstep::sim::Program {
public:
    explicit Storage(std::size_t locks) : locks_(locks) {}

    void start(lockstep::sim::Process& process) override;
    void on_message(lockstep::sim::Process& process, lockstep::sim::Envelope& message) override;
    void on_timer(lockstep::sim::Process&, lockstep::sim::TimerId) override {}

private:
    struct Write {
        lockstep::sim::ProcessId from;
        WriteFile request;
    };

    void next_write(lockstep::sim::Process& process);
    void store(lockstep::sim::Process& process, const Write& write);
    void reply(lockstep::sim::Process& process, lockstep::sim::ProcessId to, std::uint64_t id,
               lockstep::LockId lock);

    const std::size_t locks_;
    bool damaged_ = false;
    std::map<lockstep::LockId, Content> files_;  ///< as they are on the disk, durably
    std::deque<Write> writes_;                   ///< the first is being written
};

}  // namespace lease_file
