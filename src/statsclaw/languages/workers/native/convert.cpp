#include "convert.hpp"

namespace statsclaw {

std::string described(const Value& value) {
  if (value.nothing()) return "nothing";
  if (auto* truth = value.as<bool>()) return *truth ? "true" : "false";
  if (auto* whole = value.as<std::int64_t>()) return std::to_string(*whole);
  if (auto* number = value.as<double>()) {
    std::ostringstream text;
    text << *number;
    return text.str();
  }
  if (value.as<std::string>()) return "a text";
  if (auto* array = value.as<Array>()) {
    if (array->letter == 's') return "texts";
    if (array->letter == 'l') return "truth values";
    return array_of_rank(array->shape.size());
  }
  if (auto* list = value.as<List>()) return "a list of " + std::to_string(list->size());
  if (value.as<Fields>()) return "names and values";
  const std::string& kind = value.as<Extra>()->kind;
  if (kind == "complex") return "a complex number";
  return kind == "answer" ? "an answer of another type" : "a value of the kind " + kind;
}

const Value& undressed(const Value& value) {
  auto* extra = value.as<Extra>();
  if (!extra) return value;
  const Value& inner = extra->inner[0];
  for (const char* kind : {"tuple", "set", "frozenset", "scalar", "fortran", "readonly", "formula"})
    if (extra->kind == kind) return undressed(inner);
  for (auto [kind, part] : {std::pair{"named", "value"}, {"series", "values"}, {"table", "columns"}})
    if (extra->kind == kind)
      if (const Value* found = inner.find(part)) return undressed(*found);
  return value;
}

Value element(const Array& array, std::size_t place) {
  switch (array.letter) {
    case 'd':
    case 'f': return {array.numbers[place]};
    case 's': return array.texts[place];
    case 'l': return array.wholes[place] > 1 ? Value{} : Value{array.wholes[place] == 1};
    case 'z': {
      Array parts;
      parts.shape = {2};
      parts.numbers = {array.numbers[2 * place], array.numbers[2 * place + 1]};
      return {Extra{"complex", {Value{std::move(parts)}}}};
    }
    default: return {array.wholes[place]};
  }
}

}  // namespace statsclaw
