// Values of the wire format, as docs/reference/worker-protocol.md describes them.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace statsclaw {

using Sizes = std::vector<std::int64_t>;

struct Value;
struct Field;
using List = std::vector<Value>;
using Fields = std::vector<Field>;

// One of `numbers` (d, f; z: two for each element), `wholes` (i, j, l) and `texts` (s) is filled, row by row.
struct Array {
  char letter = 'd';
  Sizes shape;
  std::vector<double> numbers;
  std::vector<std::int64_t> wholes;
  List texts;
};

struct Extra {
  std::string kind;
  List inner;  // exactly one
};

struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, List, Fields, Extra> is;

  template <class T>
  const T* as() const { return std::get_if<T>(&is); }
  bool nothing() const { return is.index() == 0; }
  const Value* find(std::string_view name) const;
};

struct Field {
  std::string name;
  Value value;
};

inline const Value* Value::find(std::string_view name) const {
  if (auto* fields = as<Fields>())
    for (const Field& field : *fields)
      if (field.name == name) return &field.value;
  return nullptr;
}

// Bytes that are no value.
struct Garbled : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Value decode(std::string_view bytes);

// Writes one value after another; counts are filled in by who writes the parts.
struct Out {
  std::string bytes;

  template <class T>
  void raw(T number) { bytes.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void tag(char letter) { bytes.push_back(letter); }
  void count(std::size_t number) { raw(static_cast<std::int32_t>(number)); }
  void name(std::string_view text) { count(text.size()), bytes.append(text); }

  void nothing() { tag('n'); }
  void truth(bool value) { tag(value ? 't' : 'f'); }
  void whole(std::int64_t value) { tag('i'), raw(value); }
  void number(double value) { tag('d'), raw(value); }
  void text(std::string_view value) { tag('s'), name(value); }
  void list(std::size_t size) { tag('l'), count(size); }
  void fields(std::size_t size) { tag('m'), count(size); }
  void extra(std::string_view kind) { tag('x'), name(kind); }
  void opaque(std::string_view type) { extra("opaque"), text(type); }
  void array(char letter, const Sizes& shape) {
    tag('a'), tag(letter), count(shape.size());
    for (auto size : shape) count(static_cast<std::size_t>(size));
  }
};

}  // namespace statsclaw
