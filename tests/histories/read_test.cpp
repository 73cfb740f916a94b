#include "harness/history/edn_forms.hpp"
#include "harness/history/json_lines.hpp"
#include "tests/histories/histories.hpp"

namespace lockstep::test::histories {
namespace {

const std::string a_call = R"({"time":5,"process":"a","op":"acquire","type":"call"})";

/// Refused at this line, for a reason in which these words occur.
void refused(const std::string& text, int at, const std::string& because, int column = 0) {
    const auto result = judged(text);
    INFO(text.substr(0, 500));
    REQUIRE(!result.ok());
    INFO(result.error().message);
    CHECK(result.error().line == at);
    CHECK(result.error().message.find(because) != std::string::npos);
    if (column > 0) CHECK(result.error().column == column);
}

void bad_value(const std::string& member, const std::string& because) {
    refused(
        a_call + "\n" + R"({"time":6,"process":"b","op":"acquire","type":"call",)" + member + "}\n",
        2, because);
}

}  // namespace

TEST_CASE("histories: a bad line is refused with what was found and what is allowed") {
    refused("time=5\n", 1, "found 'time=5'; allowed is a JSON object", 1);
    refused(a_call + "\n" + a_call + " x\n", 2, "one object a line");
    refused(R"({"time":5,"process":"a","op":"acquire"})"
            "\n",
            1, "'type' is missing");
    refused(R"({"time":5,"process":"a","op":"grab","type":"call"})"
            "\n",
            1, "op: found 'grab'; allowed are acquire, renew, release, write, read and lost", 30);
    refused(R"({"time":5,"process":"a","op":"acquire","type":"invoke"})"
            "\n",
            1, "type: found 'invoke'; allowed are call, ok, no and unknown");
    bad_value(R"("tokn":3)", "no field is called 'tokn'");
    bad_value(R"("lock":"x","lock":"y")", "'lock' is given twice");
    bad_value(R"("lock":"")", "empty text");
    bad_value(R"("lock":true)", "lock: found 'true}'");
    bad_value("\"lock\":\"\xff\"", "not UTF-8");
    bad_value("\"lock\":\"\xc0\xaf\"", "not UTF-8");
    bad_value("\"lock\":\"a\tb\"", "control character");
    bad_value(R"("lock":"\q")", "after a backslash");
    bad_value(R"("lock":"\ud800")", "surrogate");
    bad_value(R"("_mine":[1,{"a":[}])", "allowed is");
}

TEST_CASE("histories: numbers are whole, and as large as they may be") {
    bad_value(R"("token":-1)", "token: found '-1}'; allowed is a whole number");
    bad_value(R"("token":1.5)", "token: found '1.5}'");
    bad_value(R"("token":"7")", "token: found '\"7\"}'");
    bad_value(R"("token":18446744073709551616)", "at most 18446744073709551615");
    bad_value(R"("token":123456789012345678901234567890)", "at most 18446744073709551615");
    bad_value(R"("ttl":9223372036854775808)", "at most 9223372036854775807");
    bad_value(R"("token":007)", "allowed is a whole number");
    refused(R"({"time":1.5,"process":"a","op":"acquire","type":"call"})"
            "\n",
            1, "a whole number of nanoseconds");
    refused(R"({"time":9000000000000000001,"process":"a","op":"acquire","type":"call"})"
            "\n",
            1, "nanoseconds up to 9000000000000000000");
    // A lease may be as long as it likes.
    const Judgement judgement =
        judgement_of(line(0, "a", "acquire", "call", R"("ttl":9223372036854775807)") +
                     line(1, "a", "acquire", "ok", R"("token":18446744073709551615)") +
                     line(2, "a", "release", "call", R"("token":18446744073709551615)") +
                     line(3, "a", "release", "ok"));
    CHECK(in_state(judgement, State::Violated).empty());
}

TEST_CASE("histories: calls and ends must go together") {
    const std::string call = line(1, "a", "acquire", "call", R"("id":7)");
    refused(line(1, "a", "acquire", "ok", R"("id":7)"), 1, "the end of a call that never began");
    refused(call + line(2, "a", "acquire", "ok", R"("id":8)"), 2, "never began");
    refused(call + line(2, "b", "acquire", "ok", R"("id":7)"), 2, "never began");
    refused(call + call, 2,
            "id 7 of process a is taken: the acquire called at line 1 has not ended");
    refused(call + line(2, "a", "release", "ok", R"("id":7)"), 2, "op: found release");
    refused(call + line(2, "a", "acquire", "ok", R"("id":7)") +
                line(3, "a", "acquire", "ok", R"("id":7)"),
            3, "never began");
    refused(line(1, "a", "acquire", "call", R"("lock":"x")") +
                line(2, "a", "acquire", "ok", R"("lock":"y")"),
            2, "lock: differs");
    refused(line(1, "a", "acquire", "call") + line(2, "a", "release", "call"), 2,
            "need an id each");
    refused(call + line(2, "a", "acquire", "call", R"("id":8)") + line(3, "a", "acquire", "ok"), 3,
            "2 calls of process a are open");
    refused(line(5, "a", "acquire", "call") + line(4, "b", "acquire", "call"), 2,
            "time goes back by 1 ms");
    // An id may be used again, and by another process at once.
    CHECK(judged(call + line(2, "b", "acquire", "call", R"("id":7)") +
                 line(3, "a", "acquire", "no", R"("id":7)") +
                 line(4, "a", "acquire", "call", R"("id":7)"))
              .ok());
}

TEST_CASE("histories: a cut off last line is said to be cut off") {
    const std::string good = line(1, "a", "acquire", "call") + line(2, "a", "acquire", "ok");
    refused(good + R"({"time":3000000,"proc)", 3, "the last line is cut off");
    // One that merely has no line end is whole.
    CHECK(judged(good.substr(0, good.size() - 1)).ok());
}

TEST_CASE("histories: marks, line ends and empty lines of other systems") {
    std::string text =
        "\xEF\xBB\xBF" + line(1, "a", "acquire", "call") + "\n  \n" + line(2, "a", "acquire", "ok");
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2)
        text.insert(at, "\r");
    CHECK(judgement_of(text).operations == 1);
    refused("", 0, "no operation in it");
    refused("\n\n", 0, "no operation in it");
    refused("{\"a\":\"" + std::string(std::size_t{3} << 20, 'x'), 1, "longer than a mebibyte");
    refused(a_call + "\n" + R"({"lockstep_history":1})" + "\n", 2, "first line");
    refused(R"({"lockstep_history":2})"
            "\n",
            1, "a history of format 2; this program reads format 1");
    refused(R"({"lockstep_history":1,"time":3})"
            "\n",
            1, "nothing of an operation");
    refused(R"({"lost":"exact","time":5,"process":"a","op":"acquire","type":"call"})"
            "\n",
            1, "lockstep_history");
}

TEST_CASE("histories: names are texts or numbers, escaped or not") {
    history::JsonLines json;
    history::Record record;
    history::Header header;
    const auto read = [&](std::string_view text) {
        INFO(text);
        const history::Got got = json.read(text, record, header);
        INFO(json.problem().message);
        REQUIRE(got == history::Got::Record);
    };
    const std::string text =
        R"( { "time" : 12 , "process":7,"id":"\u00e4\n\"\ud83d\ude00","op":"\u0061cquire","type":"ok",)"
        R"("note":{"x":[1,-2.5e3,null,"\\"]},"_y":true,"token":null,"lock":"b\/c"} )";
    read(text);
    CHECK(record.time == 12);
    CHECK(record.process == "7");
    CHECK(record.id == "\xc3\xa4\n\"\xf0\x9f\x98\x80");
    CHECK(record.op == history::Op::Acquire);
    CHECK(record.kind == history::Kind::Ok);
    CHECK(record.lock == "b/c");
    CHECK(!record.token);
    // "7" and 7 are one process.
    CHECK(judged(R"({"time":1,"process":7,"op":"acquire","type":"call"})"
                 "\n"
                 R"({"time":2,"process":"7","op":"acquire","type":"ok"})"
                 "\n")
              .ok());
}

TEST_CASE("histories: every cut of a line is refused or a whole line, never worse") {
    const std::string whole = lines_of_text(data("handover.jsonl"))[1];
    for (std::size_t size = 1; size < whole.size(); ++size) {
        const auto result = judged(whole.substr(0, size) + "\n");
        CHECK(!result.ok());
    }
    for (std::size_t at = 0; at < whole.size(); ++at)
        for (const char c : {'\0', '"', '\\', '{', '}', ',', ':', '9', '\x80', ' '}) {
            std::string changed = whole;
            changed[at] = c;
            const auto result = judged(changed + "\n");
            if (!result) CHECK(result.error().line == 1);
        }
}

TEST_CASE("histories: mutex histories of Jepsen are read") {
    const Judgement held = judgement_of(data("jepsen-mutex.edn"));
    CHECK(held.operations == 6);
    CHECK(held.processes == 2);
    CHECK(in_state(held, State::Violated).empty());
    CHECK(state(held, PropertyId::Belief1) == State::Held);
    CHECK(state(held, PropertyId::Lock1) == State::Held);
    CHECK(of(held, PropertyId::Lock1).notes.size() == 1);  // the release that timed out
    const std::string text = history::report_text(held, {});
    CHECK(text == golden_report("jepsen_mutex.txt", text));

    const Judgement two = judgement_of(data("jepsen-two-holders.edn"));
    CHECK(in_state(two, State::Violated) == "LOCK-1 BELIEF-1 LIN-1");
    CHECK(of(two, PropertyId::Belief1).violation.text.find("token 7") != std::string::npos);
    CHECK(of(two, PropertyId::Belief1).violation.lines == std::vector<std::uint64_t>{4, 6, 7});
}

TEST_CASE("histories: bad EDN is refused with its line") {
    const std::string good = "{:process 0, :type :invoke, :f :acquire, :time 1}\n";
    refused(good + "{:process 0, :type :done, :f :acquire, :time 2}\n", 2,
            ":type: found ':done'; allowed are :invoke, :ok, :fail and :info");
    refused(good + "{:process 0, :type :ok, :f :cas, :time 2}\n", 2, ":f: found ':cas'");
    refused(good + "{:process 0, :type :ok, :f :acquire}\n", 2, "':time' is missing");
    refused(good + "{:process 0, :type :ok, :f :acquire, :time 1.5}\n", 2, ":time: found '1.5'");
    refused(good + "{:process 0, :type :ok, :f :acquire, :time}\n", 2, "':time' has no value");
    refused(good + "oops\n", 2, "found 'oops'; allowed is a map");
    refused(good + "\n{:process 0,\n :type :ok\n", 3, "has no end");
    refused(good + good, 2, "need an id each");
}

TEST_CASE("histories: every cut of an EDN history is read or refused, never worse") {
    for (const char* name : {"jepsen-mutex.edn", "jepsen-two-holders.edn"}) {
        const std::string whole = data(name);
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const auto result = judged(whole.substr(0, size));
            if (!result) CHECK(!result.error().message.empty());
        }
    }
}

}  // namespace lockstep::test::histories
