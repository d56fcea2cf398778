// JSON as Python writes it: with NaN, infinities and whole numbers of any size. Names keep their order.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "value.hpp"

namespace statsclaw {

class Json {
 public:
  static Value read(std::string_view text) { return Json(text).value(); }

 private:
  explicit Json(std::string_view text) : text_(text) {}
  std::string_view text_;
  std::size_t at_ = 0;

  char next() {
    while (at_ < text_.size() && std::string_view(" \n\r\t").find(text_[at_]) != std::string_view::npos) ++at_;
    if (at_ == text_.size()) throw Garbled("questions.json ends too early");
    return text_[at_];
  }

  void expect(char wanted) {
    if (next() != wanted) throw Garbled(std::string("questions.json: there is no ") + wanted);
    ++at_;
  }

  // Whether another part follows; parts stand between commas up to the closing bracket.
  bool goes_on(bool first, char closing) {
    if (next() == closing) return ++at_, false;
    if (!first) expect(',');
    return true;
  }

  Value value() {
    switch (next()) {
      case '{': {
        Fields found;
        for (++at_; goes_on(found.empty(), '}');) {
          next();
          std::string name = quoted();
          expect(':');
          found.push_back({std::move(name), value()});
        }
        return {std::move(found)};
      }
      case '[': {
        List found;
        for (++at_; goes_on(found.empty(), ']');) found.push_back(value());
        return {std::move(found)};
      }
      case '"': return {quoted()};
      default: {
        std::size_t size = std::min(text_.find_first_of(",]} \n\r\t", at_), text_.size()) - at_;
        at_ += size;
        return word(std::string(text_.substr(at_ - size, size)));
      }
    }
  }

  std::string quoted() {
    std::string found;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') {
        found += text_[at_];
        continue;
      }
      char escaped = ++at_ < text_.size() ? text_[at_] : '\\';
      std::size_t known = std::string_view("ntrbf").find(escaped);
      if (escaped == 'u') append(found, code());
      else found += known == std::string_view::npos ? escaped : "\n\t\r\b\f"[known];
    }
    if (at_ == text_.size()) throw Garbled("questions.json: a text has no end");
    ++at_;
    return found;
  }

  // One or, beyond the first plane, two units of four digits; it is left at the last of them.
  unsigned long code() {
    unsigned long first = unit();
    if (first >= 0xd800 && first < 0xdc00 && text_.substr(at_ + 1, 2) == "\\u") {
      at_ += 2;
      return 0x10000 + ((first - 0xd800) << 10) + (unit() - 0xdc00);
    }
    return first;
  }

  unsigned long unit() {
    std::string digits(text_.substr(at_ + 1, 4));
    at_ += digits.size();
    return std::strtoul(digits.c_str(), nullptr, 16);
  }

  static void append(std::string& found, unsigned long code) {
    if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
    if (code < 0x80) return found.push_back(static_cast<char>(code));
    int further = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    found += static_cast<char>((0xff00 >> (further + 1) & 0xff) | code >> 6 * further);
    while (further-- > 0) found += static_cast<char>(0x80 | (code >> 6 * further & 0x3f));
  }

  static Value word(const std::string& word) {
    if (word == "null") return {};
    if (word == "true" || word == "false") return {word == "true"};
    if (word == "NaN") return {std::numeric_limits<double>::quiet_NaN()};
    if (word == "Infinity" || word == "-Infinity") return {word[0] == '-' ? -INFINITY : INFINITY};
    char* end = nullptr;
    if (word.find_first_not_of("-0123456789") == std::string::npos) {
      errno = 0;
      long long whole = std::strtoll(word.c_str(), &end, 10);
      if (errno == 0 && !*end) return {static_cast<std::int64_t>(whole)};
    }
    double number = std::strtod(word.c_str(), &end);  // a whole number that is too large is a number
    if (word.empty() || *end) throw Garbled("questions.json: " + word + " is no number");
    return {number};
  }
};

}  // namespace statsclaw
