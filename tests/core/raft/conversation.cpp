#include "tests/core/raft/conversation.hpp"

#include "core/events/event.hpp"
#include "core/raft/codec.hpp"
#include "core/raft/wal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace lockstep::test {
namespace {

std::vector<std::string> split(std::string_view line) {
    std::istringstream in{std::string(line)};
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    return words;
}

Blob blob_of(std::string_view text) {
    return Blob::copy_of(std::as_bytes(std::span(text)));
}

std::string text_of(const Blob& blob) {
    std::string text;
    for (const std::byte b : blob.bytes()) text += static_cast<char>(b);
    return text;
}

std::string name_of(NodeId id) {
    return id ? fmt::format("n{}", id.value) : "nobody";
}

Duration duration_of(const std::string& word) {
    std::size_t digits = 0;
    const auto number = std::stoll(word, &digits);
    const auto unit = word.substr(digits);
    if (unit == "s") return seconds(number);
    if (unit == "ms") return milliseconds(number);
    throw std::invalid_argument("a duration in s or ms, not '" + word + "'");
}

std::optional<std::string> option(const std::vector<std::string>& words, std::string_view key) {
    for (const auto& word : words)
        if (word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=')
            return word.substr(key.size() + 1);
    return std::nullopt;
}

std::string text_of(const events::Event& event) {
    return std::visit(
        [](const auto& e) {
            std::string text = std::decay_t<decltype(e)>::name;
            e.visit([&](std::string_view name, const auto& field) {
                if (name.ends_with("hash")) return;  // tells a reader nothing
                if constexpr (std::is_enum_v<std::decay_t<decltype(field)>>)
                    text += fmt::format(" {}={}", name, events::to_string(field));
                else if constexpr (std::is_same_v<std::decay_t<decltype(field)>, NodeId>)
                    text += fmt::format(" {}={}", name, name_of(field));
                else
                    text += fmt::format(" {}={}", name, events::word_of(field));
            });
            return text;
        },
        event);
}

bool matters(const events::Event& event) {
    return std::holds_alternative<events::BecameLeader>(event) ||
           std::holds_alternative<events::SteppedDown>(event) ||
           std::holds_alternative<events::Truncated>(event) ||
           std::holds_alternative<events::CommitAdvanced>(event) ||
           std::holds_alternative<events::SnapshotInstalled>(event);
}

}  // namespace

std::string Conversation::command(std::string_view line) {
    const auto words = split(line);
    if (words.empty()) throw std::invalid_argument("an empty command");
    out_.clear();
    brief_ = false;
    const std::string& verb = words[0];
    const auto count = [&](std::size_t place) {
        return words.size() > place ? std::stoul(words[place]) : std::size_t{1'000'000};
    };
    if (verb == "cluster")
        cluster(words);
    else if (verb == "deliver" || verb == "drop" || verb == "duplicate" || verb == "reverse")
        on_letters(verb, words.at(1), count(2));
    else if (verb == "settle")
        settle();
    else if (verb == "time")
        now_ = now_ + duration_of(words.at(1));
    else if (verb == "heal")
        for (Node& node : nodes_) node.cut = false;
    else if (verb == "reset")
        reset(words.at(1));
    else if (verb == "persist")
        persist(node_of(words.at(1)), count(2));
    else if (words.size() > 1 && words[1] == "tick") {
        if (words.size() > 2) now_ = now_ + duration_of(words[2]);
        step(node_of(verb), raft::Tick());
    } else if (words.size() > 2 && words[1] == "run")
        run(node_of(verb), duration_of(words[2]));
    else
        on_node(node_of(words.at(1)), words);
    return std::exchange(out_, {});
}

void Conversation::on_node(Node& node, const std::vector<std::string>& words) {
    const std::string& verb = words[0];
    if (verb == "given")
        given(node, words);
    else if (verb == "cut")
        node.cut = true;
    else if (verb == "disk")
        node.manual = words.at(2) == "manual";
    else if (verb == "crash") {
        node.replica.reset();
        node.writes.clear();
    } else if (verb == "restart")
        start(node);
    else if (verb == "log")
        tell_log(node);
    else if (verb == "state")
        tell_state(node);
    else if (verb == "propose") {
        const auto index = node.replica.value().propose(blob_of(words.at(2)), now_, effects_);
        if (!index) tell(fmt::format("{}: does not lead", name_of(node.id)));
        take_effects(node);
    } else if (verb == "confirm") {
        node.replica.value().confirm(std::stoull(words.at(2)), now_, effects_);
        take_effects(node);
    } else if (verb == "compact") {
        const LogIndex index(std::stoull(words.at(2)));
        const Blob state = blob_of(fmt::format("state after {}", index.value));
        node.replica.value().compact(index, state.hash(), state, now_, effects_);
        take_effects(node);
    } else
        throw std::invalid_argument("unknown command '" + verb + "'");
}

void Conversation::cluster(const std::vector<std::string>& words) {
    const auto size = std::stoul(option(words, "n").value());
    config_ = raft::Config();
    if (const auto n = option(words, "entries")) config_.max_entries_per_append = std::stoul(*n);
    if (const auto n = option(words, "inflight")) config_.max_inflight_appends = std::stoul(*n);
    nodes_.clear();
    letters_.clear();
    for (std::uint32_t i = 1; i <= size; ++i) {
        config_.members.push_back(NodeId(i));
        nodes_.emplace_back().id = NodeId(i);
    }
    brief_ = true;
    for (Node& node : nodes_) start(node);
}

void Conversation::given(Node& node, const std::vector<std::string>& words) {
    raft::HardState hard{Term(std::stoull(option(words, "term").value())), NodeId()};
    if (const auto vote = option(words, "vote")) hard.vote = node_of(*vote).id;
    std::vector<raft::Entry> entries;
    std::istringstream terms(option(words, "log").value_or(""));
    for (std::string term; std::getline(terms, term, ',');) {
        const Term of(std::stoull(term));
        entries.push_back({LogIndex(entries.size() + 1), of, blob_of("t" + term)});
    }
    Writer writer;
    raft::wal::encode_file(hard, raft::Snapshot(), entries, writer);
    node.file.assign(writer.bytes().begin(), writer.bytes().end());
    start(node);
}

void Conversation::start(Node& node) {
    auto recovery = raft::wal::recover(node.file);
    if (recovery.refused) {
        tell(fmt::format("{}: refused at {}", name_of(node.id), recovery.valid_bytes));
        return;
    }
    node.file.resize(recovery.valid_bytes);
    node.writes.clear();
    raft::Config config = config_;
    config.self = node.id;
    node.replica.emplace(std::move(config), std::move(recovery.stored),
                         Prng(node.id.value * 1'000 + node.lives++), now_, effects_);
    take_effects(node);
}

void Conversation::step(Node& node, raft::Input input) {
    if (!node.replica) return;
    node.replica->step(std::move(input), now_, effects_);
    take_effects(node);
}

void Conversation::take_effects(Node& node) {
    raft::Effects effects = std::exchange(effects_, {});
    for (const auto& event : effects.events)
        if (!brief_ || matters(event))
            tell(fmt::format("{}: {}", name_of(node.id), text_of(event)));
    for (const auto& answer : effects.confirmed)
        tell(answer.leads ? fmt::format("{}: confirmed {}: leads, read index {}", name_of(node.id),
                                        answer.context, answer.read_index.value)
                          : fmt::format("{}: confirmed {}: does not lead", name_of(node.id),
                                        answer.context));
    for (auto& send : effects.send) {
        if (!brief_)
            tell(fmt::format("{} -> {}: {}", name_of(node.id), name_of(send.to),
                             raft::to_string(send.message)));
        letters_.push_back({node.id, send.to, std::move(send.message)});
    }
    for (const auto& persist : effects.persist) {
        Writer writer;
        if (persist.rewrite)
            raft::wal::encode_file(persist.hard, persist.snapshot, persist.entries, writer);
        else
            raft::wal::encode_append(persist, writer);
        node.writes.push_back(
            {persist.id, persist.rewrite, {writer.bytes().begin(), writer.bytes().end()}});
    }
    if (!node.manual && !node.writes.empty()) persist(node, node.writes.size());
}

void Conversation::persist(Node& node, std::size_t count) {
    PersistId last;
    for (; count > 0 && !node.writes.empty(); --count) {
        Write& write = node.writes.front();
        if (write.rewrite) node.file.clear();
        node.file.insert(node.file.end(), write.bytes.begin(), write.bytes.end());
        last = write.id;
        node.writes.pop_front();
    }
    if (last) step(node, raft::Persisted{last});
}

void Conversation::on_letters(const std::string& verb, const std::string& link, std::size_t count) {
    const auto arrow = link.find("->");
    const std::string from = arrow == std::string::npos ? "*" : link.substr(0, arrow);
    const std::string to = arrow == std::string::npos ? "*" : link.substr(arrow + 2);
    std::vector<Letter> chosen;
    std::vector<Letter> others;
    for (Letter& letter : letters_) {
        const bool match = (from == "*" || from == name_of(letter.from)) &&
                           (to == "*" || to == name_of(letter.to));
        (match && chosen.size() < count ? chosen : others).push_back(std::move(letter));
    }
    letters_ = std::move(others);
    if (chosen.empty()) tell("nothing is on the way");
    if (verb == "drop") return;
    if (verb == "deliver") {
        for (Letter& letter : chosen) deliver(std::move(letter));
        return;
    }
    const auto copies = chosen;
    if (verb == "reverse") std::ranges::reverse(chosen);
    letters_.insert(letters_.end(), chosen.begin(), chosen.end());
    if (verb == "duplicate") letters_.insert(letters_.end(), copies.begin(), copies.end());
}

void Conversation::deliver(Letter letter) {
    Node& to = node_of(name_of(letter.to));
    if (to.cut || node_of(name_of(letter.from)).cut) return;
    step(to, raft::Receive{letter.from, std::move(letter.message)});
}

void Conversation::settle() {
    brief_ = true;
    for (int i = 0; !letters_.empty(); ++i) {
        if (i > 10'000) throw std::runtime_error("does not settle");
        Letter letter = std::move(letters_.front());
        letters_.erase(letters_.begin());
        deliver(std::move(letter));
    }
}

void Conversation::run(Node& node, Duration span) {
    const LocalTime end = now_ + span;
    for (brief_ = true; node.replica && node.replica->wake_at() <= end;) {
        now_ = std::max(now_, node.replica->wake_at());
        step(node, raft::Tick());
        settle();
    }
    now_ = end;
}

void Conversation::reset(const std::string& link) {
    std::erase_if(letters_, [&](const Letter& letter) {
        return name_of(letter.from) + "->" + name_of(letter.to) == link;
    });
    const auto arrow = link.find("->");
    step(node_of(link.substr(0, arrow)), raft::LinkReset{node_of(link.substr(arrow + 2)).id});
}

void Conversation::tell_log(const Node& node) {
    const auto& replica = node.replica.value();
    const auto& stored = replica.stored();
    std::string line = name_of(node.id) + ":";
    if (stored.snapshot.index)
        line += fmt::format(" [{}/{} '{}']", stored.snapshot.index.value,
                            stored.snapshot.term.value, text_of(stored.snapshot.state));
    for (const auto& entry : stored.entries)
        line += fmt::format(" {}/{}{}{}", entry.index.value, entry.term.value,
                            entry.command.empty() ? "" : ":", text_of(entry.command));
    tell(line + fmt::format(" | commit={} durable={}", replica.commit_index().value,
                            replica.durable_index().value));
}

void Conversation::tell_state(const Node& node) {
    if (!node.replica) {
        tell(name_of(node.id) + ": down");
        return;
    }
    const auto& replica = *node.replica;
    const char* roles[] = {"follower", "pre-candidate", "candidate", "leader"};
    tell(fmt::format("{}: {} term={} vote={} leader={} commit={} last={}", name_of(node.id),
                     roles[replica.role().index()], replica.term().value,
                     name_of(replica.stored().hard.vote), name_of(replica.leader()),
                     replica.commit_index().value, replica.last_index().value));
}

void Conversation::tell(std::string line) {
    out_ += line;
    out_ += '\n';
}

Conversation::Node& Conversation::node_of(std::string_view name) {
    for (Node& node : nodes_)
        if (name_of(node.id) == name) return node;
    throw std::invalid_argument("no node '" + std::string(name) + "'");
}

std::string converse(std::string_view text) {
    Conversation conversation;
    std::string result;
    std::istringstream in{std::string(text)};
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line.starts_with('#')) result += line + "\n";
        if (!line.starts_with("> ")) continue;
        result += line + "\n";
        try {
            result += conversation.command(line.substr(2));
        } catch (const std::exception& error) {
            result += fmt::format("error: {}\n", error.what());
        }
    }
    return result;
}

}  // namespace lockstep::test
