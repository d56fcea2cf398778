#include "call.hpp"

#include <algorithm>

namespace statsclaw {
namespace {

std::optional<std::int64_t> size_of(const Dimension& dimension, const Value& given) {
  const Value& value = undressed(given);
  if (dimension.how == 'v') {
    auto* whole = value.as<std::int64_t>();
    auto* number = value.as<double>();
    if (whole) return *whole;
    if (number) return static_cast<std::int64_t>(*number);
    return {};
  }
  if (dimension.how == 'd') {
    std::set<double> seen;
    try {
      for (double part : value.as<Array>() || value.as<List>() ? from<std::vector<double>>(value) : std::vector{from<double>(value)})
        if (!std::isnan(part)) seen.insert(part);
    } catch (const ArgumentError&) {
      return {};
    }
    return static_cast<std::int64_t>(seen.size());
  }
  Sizes shape;
  if (auto* array = value.as<Array>()) shape = array->shape;
  for (auto* list = value.as<List>(); list;) {
    shape.push_back(static_cast<std::int64_t>(list->size()));
    if (!list->empty())
      if (auto* inner = list->front().as<Array>()) shape.insert(shape.end(), inner->shape.begin(), inner->shape.end());
    list = list->empty() ? nullptr : list->front().as<List>();
  }
  if (dimension.how == 'l' && shape.empty() && !value.nothing()) return 1;
  std::size_t place = dimension.how == 'c' ? 1 : 0;
  if (place < shape.size()) return shape[place];
  return {};
}

}  // namespace

std::optional<Sizes> Call::sizes(const std::string& path, const Held* beside) const {
  auto declared = std::find_if(spec->shapes.begin(), spec->shapes.end(), [&](const auto& row) { return row.first == path; });
  if (declared == spec->shapes.end()) return {};
  Sizes found;
  for (const Dimension& dimension : declared->second) {
    std::optional<std::int64_t> size = dimension.name.empty() ? 0 : std::optional<std::int64_t>();
    for (std::size_t k = 0; k < given.size() && !size; ++k) {
      const Parameter& parameter = spec->parameters[k];
      if (parameter.name != dimension.name) continue;
      if (given[k].there) size = size_of(dimension, given[k].value);
      else if (parameter.otherwise) size = size_of(dimension, *parameter.otherwise);
    }
    if (!size && beside && beside->object)
      if (auto part = beside->type->field(*beside, dimension.name); part && part->object) {
        Out out;
        part->type->write(out, part->object.get(), nullptr);
        size = size_of(dimension, decode(out.bytes));
      }
    if (!size || *size + dimension.number < 0) return {};
    found.push_back(*size + dimension.number);
  }
  return found;
}

std::string content_of(const Held& held) {
  Out out;
  if (held.object)
    for (const std::string& name : held.type->fields())
      if (auto part = held.type->field(held, name); part && part->object) part->type->write(out, part->object.get(), nullptr);
  return out.bytes;
}

}  // namespace statsclaw
