#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The repository as text, for tests that read it.
namespace lockstep::test::layout {

struct SourceFile {
    std::string path;  ///< from the root, with slashes
    std::string text;
};

/// All .hpp and .cpp files of the folders that hold code, in the order of their paths.
const std::vector<SourceFile>& source_tree();

struct Include {
    std::string name;
    bool quoted;
    int line;
    bool operator==(const Include&) const = default;
};
/// The #include lines, those in comments left out, those in all branches of #if taken.
std::vector<Include> includes_of(std::string_view text);

/// The text with comments and the insides of strings and character constants blanked out; lines
/// stay where they were.
std::string code_of(std::string_view text);

struct Token {
    std::string_view text;  ///< an identifier or number, `::`, or one character
    int line;
    bool directive;  ///< on a preprocessor line, or on one that continues it
};
/// Of what code_of() gave, which must outlive them.
std::vector<Token> tokens_of(std::string_view code);

}  // namespace lockstep::test::layout
