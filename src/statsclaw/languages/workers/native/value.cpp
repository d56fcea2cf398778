#include "value.hpp"

namespace statsclaw {
namespace {

constexpr int deepest = 200;
constexpr long most_values = 5'000'000;

struct Reader {
  std::string_view bytes;
  std::size_t at = 0;
  long made = 0;

  const char* take(std::size_t size) {
    if (size > bytes.size() - at) throw Garbled("it ends too early");
    at += size;
    return bytes.data() + at - size;
  }

  template <class T>
  T raw() {
    T number;
    std::memcpy(&number, take(sizeof number), sizeof number);
    return number;
  }

  std::size_t count(std::size_t least) {
    auto found = raw<std::int32_t>();
    if (found < 0 || static_cast<std::size_t>(found) > (bytes.size() - at) / least)
      throw Garbled("it names more parts than there are bytes");
    return static_cast<std::size_t>(found);
  }

  Value text() {  // a missing one is nothing
    auto size = raw<std::int32_t>();
    if (size == -1) return {};
    if (size < 0) throw Garbled("a text of a negative length");
    return {std::string(take(static_cast<std::size_t>(size)), static_cast<std::size_t>(size))};
  }

  std::string name() {
    Value found = text();
    if (found.nothing()) throw Garbled("a name is missing");
    return std::get<std::string>(found.is);
  }

  Value value(int depth) {
    if (depth > deepest || ++made > most_values) throw Garbled("it is nested too deeply, or of too many parts");
    switch (char letter = *take(1)) {
      case 'n': return {};
      case 't':
      case 'f': return {letter == 't'};
      case 'i': return {raw<std::int64_t>()};
      case 'd': return {raw<double>()};
      case 's': return text();
      case 'v': {
        Array made{.shape = {static_cast<std::int64_t>(count(8))}};
        elements(made);
        return {std::move(made)};
      }
      case 'a': return array();
      case 'l': {
        List made(count(1));
        for (Value& part : made) part = value(depth + 1);
        return {std::move(made)};
      }
      case 'm': {
        Fields made(count(5));
        for (Field& part : made) part.name = name(), part.value = value(depth + 1);
        return {std::move(made)};
      }
      case 'x': {
        Extra made{name(), {}};
        made.inner.push_back(value(depth + 1));
        return {std::move(made)};
      }
      default: throw Garbled("an unknown tag");
    }
  }

  Value array() {
    Array made{.letter = *take(1)};
    auto dimensions = raw<std::int32_t>();
    if (dimensions < 0 || dimensions > 32) throw Garbled("an array of so many dimensions");
    for (int k = 0; k < dimensions; ++k) made.shape.push_back(raw<std::int32_t>());
    elements(made);
    return made.shape.empty() ? single(std::move(made)) : Value{std::move(made)};
  }

  void elements(Array& made) {
    std::size_t size = made.letter == 'l' ? 1 : made.letter == 'z' ? 16 : std::string_view("fjs").find(made.letter) < 3 ? 4 : 8;
    if (std::string_view("dfijlzs").find(made.letter) == std::string_view::npos) throw Garbled("an array of that letter");
    std::size_t total = 1, room = (bytes.size() - at) / size;
    bool empty = false;
    for (auto part : made.shape) {
      if (part < 0) throw Garbled("an array of a negative size");
      empty = empty || part == 0;
    }
    if (empty) return;
    for (auto part : made.shape)
      if ((total *= static_cast<std::size_t>(part)) > room) throw Garbled("it ends too early");
    for (std::size_t k = 0; k < total; ++k) switch (made.letter) {
        case 'd': made.numbers.push_back(raw<double>()); break;
        case 'f': made.numbers.push_back(raw<float>()); break;
        case 'z': made.numbers.push_back(raw<double>()), made.numbers.push_back(raw<double>()); break;
        case 'i': made.wholes.push_back(raw<std::int64_t>()); break;
        case 'j': made.wholes.push_back(raw<std::int32_t>()); break;
        case 'l': made.wholes.push_back(raw<std::uint8_t>()); break;
        default: made.texts.push_back(text());
      }
  }

  static Value single(Array made) {
    switch (made.letter) {
      case 'd':
      case 'f': return {made.numbers[0]};
      case 'l': return made.wholes[0] > 1 ? Value{} : Value{made.wholes[0] == 1};
      case 's': return made.texts[0];
      case 'z': return {Extra{"complex", {Value{Array{.shape = {2}, .numbers = made.numbers}}}}};
      default: return {made.wholes[0]};
    }
  }
};

}  // namespace

Value decode(std::string_view bytes) {
  Reader reader{bytes};
  Value found = reader.value(0);
  if (reader.at != bytes.size()) throw Garbled("bytes are left over");
  return found;
}

}  // namespace statsclaw
