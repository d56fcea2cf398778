// What calls return, kept with its type, so that fields are read and methods are called later.
#pragma once

#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "convert.hpp"

namespace statsclaw {

struct Type;
struct Function;

// `object`: empty where nothing was returned.
struct Held {
  std::shared_ptr<void> object;
  const Type* type = nullptr;
};

struct Type {
  std::string name;
  void (*write)(Out&, const void*, const Sizes* shape);
  std::optional<Held> (*field)(const Held&, std::string_view);
  std::vector<std::string> (*fields)();
  const std::vector<Function>& (*methods)();
  bool (*print)(std::ostream&, const void*);
};

// --- written for each package ---------------------------------------------------------------------------------------

// Calls `visit(name, read)` for each name of a field in the interface that T has.
template <class T, class Visit>
void each_field(Visit visit);
// The methods of the interface that T has.
template <class T>
std::vector<Function> methods();
// Frees what a function has made, where the package says how.
template <class T>
void release(T* object);

// --- types ----------------------------------------------------------------------------------------------------------

// Values with names of their own: several output parameters of one call.
struct Record {
  std::vector<std::pair<std::string, Held>> parts;
};

template <class T>
concept Complete = requires { sizeof(T); };
template <class T>
concept Numbers = std::is_pointer_v<T> && Element<std::remove_cv_t<std::remove_pointer_t<T>>>;
template <class T>
concept Handle = std::is_pointer_v<T> && std::is_class_v<std::remove_pointer_t<T>>;

template <class T>
const Type* type_of();
template <class T>
Held part_of(const std::shared_ptr<void>& owner, T&& value);

template <class T>
void write_other(Out& out, const T& value) {
  if constexpr (Handle<T> || is_of<T, std::unique_ptr> || is_of<T, std::shared_ptr>)
    if (!value) return out.nothing();
  out.opaque(name_of<T>());
}

template <class T>
void write_as(Out& out, const void* object, const Sizes* shape) {
  if constexpr (!Complete<T>) {
    out.opaque(name_of<T>());
  } else {
    const T& value = *static_cast<const T*>(object);
    if constexpr (Numbers<T>) {
      if (value && shape) write_array<std::remove_cv_t<std::remove_pointer_t<T>>>(out, value, product(*shape), shape);
      else if (value) out.opaque(name_of<T>());
      else out.nothing();
    } else {
      write(out, value, shape);
    }
  }
}

template <class T>
std::optional<Held> field_as(const Held& held, std::string_view name) {
  std::optional<Held> found;
  [[maybe_unused]] T* object = static_cast<T*>(held.object.get());
  if constexpr (std::same_as<T, Record>) {
    for (const auto& [own, part] : object->parts)
      if (own == name) found = part;
  } else if constexpr (Map<T>) {
    if constexpr (std::same_as<typename T::key_type, std::string>)
      if (auto at = object->find(std::string(name)); at != object->end()) found = part_of(held.object, at->second);
  } else if constexpr (std::is_class_v<T>) {
    each_field<T>([&](std::string_view own, auto read) {
      if (own == name) found = part_of(held.object, read(*object));
    });
  }
  return found;
}

template <class T>
std::vector<std::string> fields_as() {
  std::vector<std::string> found;
  if constexpr (std::is_class_v<T> && !std::same_as<T, Record>)
    each_field<T>([&](std::string_view name, auto) { found.emplace_back(name); });
  return found;
}

template <class T>
const std::vector<Function>& methods_as();

template <class T>
bool print_as(std::ostream& out, const void* object) {
  if constexpr (Complete<T>) {
    if constexpr (requires(std::ostream& to, const T& value) { to << value; } && !std::is_array_v<T>) {
      out << *static_cast<const T*>(object);
      return true;
    }
  }
  return false;
}

template <class T>
const Type* type_of() {
  static const Type made{name_of<T>(), &write_as<T>, &field_as<T>, &fields_as<T>, &methods_as<T>, &print_as<T>};
  return &made;
}

// --- keeping --------------------------------------------------------------------------------------------------------

template <class T>
Held hold(T&& value) {
  using V = std::remove_cvref_t<T>;
  if constexpr (std::same_as<V, Held>) {
    return value;
  } else if constexpr (std::same_as<V, std::nullptr_t> || std::same_as<V, std::nullopt_t> || std::same_as<V, std::monostate>) {
    return {};
  } else if constexpr (is_of<V, std::unique_ptr> || is_of<V, std::shared_ptr>) {
    using U = std::remove_cv_t<typename V::element_type>;
    if (!value) return {};
    return {std::const_pointer_cast<U>(std::shared_ptr<typename V::element_type>(std::forward<T>(value))), type_of<U>()};
  } else if constexpr (is_of<V, std::optional>) {
    return value ? hold(*std::forward<T>(value)) : Held{};
  } else if constexpr (is_of<V, std::variant>) {
    return std::visit([](auto&& part) { return hold(std::forward<decltype(part)>(part)); }, std::forward<T>(value));
  } else if constexpr (std::same_as<V, const char*> || std::same_as<V, char*>) {
    return value ? hold(std::string(value)) : Held{};
  } else if constexpr (std::same_as<V, std::string_view>) {
    return hold(std::string(value));
  } else if constexpr (Handle<V>) {
    using U = std::remove_cv_t<std::remove_pointer_t<V>>;
    if (!value) return {};
    if constexpr (std::is_const_v<std::remove_pointer_t<V>>) return {std::shared_ptr<void>(const_cast<U*>(value), [](void*) {}), type_of<U>()};
    else return {std::shared_ptr<void>(value, [](void* object) { release(static_cast<U*>(object)); }), type_of<U>()};
  } else if constexpr (std::is_constructible_v<V, T>) {
    return {std::make_shared<V>(std::forward<T>(value)), type_of<V>()};
  } else {
    static_assert(std::is_lvalue_reference_v<T>, "what is returned can neither be moved nor copied");
    return {std::shared_ptr<void>(const_cast<V*>(&value), [](void*) {}), type_of<V>()};
  }
}

// A part of what `owner` keeps alive: no copy is made of what lies in it.
template <class T>
Held part_of(const std::shared_ptr<void>& owner, T&& value) {
  using V = std::remove_cvref_t<T>;
  if constexpr (!std::is_lvalue_reference_v<T> || is_of<V, std::variant> || std::same_as<V, std::string_view>) {
    return hold(std::forward<T>(value));
  } else if constexpr (is_of<V, std::optional>) {
    return value ? part_of(owner, *value) : Held{};
  } else if constexpr (is_of<V, std::unique_ptr> || is_of<V, std::shared_ptr> || Handle<V>) {
    using U = std::remove_cvref_t<decltype(*value)>;
    if (!value) return {};
    return {std::shared_ptr<void>(owner, const_cast<U*>(&*value)), type_of<U>()};
  } else if constexpr (std::same_as<V, const char*> || std::same_as<V, char*>) {
    return hold(value);
  } else {
    return {std::shared_ptr<void>(owner, const_cast<V*>(&value)), type_of<V>()};
  }
}

}  // namespace statsclaw
