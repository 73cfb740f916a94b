#include "tests/layout/source_tree.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace lockstep::test::layout {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<SourceFile> read_tree() {
    namespace fs = std::filesystem;
    const fs::path root = LOCKSTEP_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (const char* folder :
         {"core", "sim", "properties", "scenarios", "harness", "cli", "tests", "bench"}) {
        if (!fs::exists(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".hpp" && extension != ".cpp") continue;
            files.push_back(
                {fs::relative(entry.path(), root).generic_string(), read_file(entry.path())});
        }
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

/// Blanks what is no code, one kind of stretch a function.
class Stripper {
public:
    explicit Stripper(std::string_view text) : out_(text) {}

    std::string strip() {
        while (at_ < out_.size()) {
            if (sees("//"))
                line_comment();
            else if (sees("/*"))
                block_comment();
            else if (sees("R\"") && !after_word())
                raw_string();
            else if (out_[at_] == '"')
                quoted('"');
            // A quote inside a number groups its digits.
            else if (out_[at_] == '\'' && !after_word())
                quoted('\'');
            else
                ++at_;
        }
        return std::move(out_);
    }

private:
    bool sees(std::string_view what) const { return out_.compare(at_, what.size(), what) == 0; }
    bool after_word() const { return at_ > 0 && is_word(out_[at_ - 1]); }
    void blank(std::size_t to) {
        to = std::min(to, out_.size());
        for (; at_ < to; ++at_)
            if (out_[at_] != '\n') out_[at_] = ' ';
    }
    void line_comment() { blank(std::min(out_.find('\n', at_), out_.size())); }
    void block_comment() {
        const std::size_t end = out_.find("*/", at_ + 2);
        blank(end == std::string::npos ? out_.size() : end + 2);
    }
    void raw_string() {
        const std::size_t open = out_.find('(', at_);
        if (open == std::string::npos) return blank(out_.size());
        const std::string close = ")" + out_.substr(at_ + 2, open - at_ - 2) + "\"";
        const std::size_t end = out_.find(close, open);
        blank(end == std::string::npos ? out_.size() : end + close.size());
    }
    void quoted(char quote) {
        std::size_t end = at_ + 1;
        while (end < out_.size() && out_[end] != quote && out_[end] != '\n')
            end += out_[end] == '\\' ? 2 : 1;
        blank(end + 1);
    }

    std::string out_;
    std::size_t at_ = 0;
};

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    return s;
}

}  // namespace

const std::vector<SourceFile>& source_tree() {
    static const std::vector<SourceFile> tree = read_tree();
    return tree;
}

std::string code_of(std::string_view text) {
    return Stripper(text).strip();
}

std::vector<Include> includes_of(std::string_view text) {
    // Stripping takes the name out of the quotes: the code says which lines count, the text says
    // what.
    const std::string code = code_of(text);
    std::vector<Include> found;
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view kept = trimmed(std::string_view(code).substr(at, end - at));
        std::string_view said = trimmed(text.substr(at, end - at));
        at = end + 1;
        if (!kept.starts_with('#')) continue;
        kept = trimmed(kept.substr(1));
        if (!kept.starts_with("include")) continue;
        const std::size_t open = said.find_first_of("<\"");
        if (open == std::string_view::npos) continue;
        const std::size_t close = said.find(said[open] == '<' ? '>' : '"', open + 1);
        if (close == std::string_view::npos) continue;
        found.push_back(
            {std::string(said.substr(open + 1, close - open - 1)), said[open] == '"', line});
    }
    return found;
}

std::vector<Token> tokens_of(std::string_view code) {
    std::vector<Token> tokens;
    int line = 1;
    bool fresh = true;  // nothing but spaces yet on this line
    bool directive = false;
    for (std::size_t at = 0; at < code.size();) {
        const char c = code[at];
        if (c == '\\' && at + 1 < code.size() && code[at + 1] == '\n') {
            ++line;
            at += 2;
        } else if (c == '\n') {
            ++line;
            ++at;
            fresh = true;
            directive = false;
        } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            ++at;
        } else {
            std::size_t length = 1;
            if (is_word(c))
                while (at + length < code.size() && is_word(code[at + length])) ++length;
            else if (code.substr(at, 2) == "::")
                length = 2;
            directive = directive || (fresh && c == '#');
            tokens.push_back({code.substr(at, length), line, directive});
            at += length;
            fresh = false;
        }
    }
    return tokens;
}

}  // namespace lockstep::test::layout
