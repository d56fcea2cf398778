// Values as the types of C++, and the types of C++ as values.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "value.hpp"

namespace statsclaw {

// --- what a type is -------------------------------------------------------------------------------------------------

template <class T, template <class...> class Of>
inline constexpr bool is_of = false;
template <template <class...> class Of, class... P>
inline constexpr bool is_of<Of<P...>, Of> = true;

template <class T>
inline constexpr bool is_std_array = false;
template <class T, std::size_t N>
inline constexpr bool is_std_array<std::array<T, N>> = true;

template <class T>
concept Vector = is_of<T, std::vector>;
template <class T>
concept Map = is_of<T, std::map> || is_of<T, std::unordered_map>;
template <class T>
concept Whole = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
template <class T>
concept Number = Whole<T> || std::floating_point<T>;
template <class T>
concept Complex = is_of<T, std::complex>;
template <class T>
concept Text = std::same_as<T, std::string> || std::same_as<T, char>;
// A matrix class of any package: as many rows and columns, and elements by (i, j).
template <class T>
concept Matrix = std::is_class_v<T> && requires(T& m, const T& c) {
  { c.rows() } -> std::convertible_to<std::size_t>;
  { c.cols() } -> std::convertible_to<std::size_t>;
  { c(c.rows(), c.cols()) } -> std::convertible_to<double>;
};

template <class T>
constexpr bool is_plain() {
  if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> || Text<T> || Complex<T>) return true;
  else if constexpr (Vector<T> || is_of<T, std::optional> || is_std_array<T> || is_of<T, std::set>) return is_plain<typename T::value_type>();
  else if constexpr (Map<T>) return std::same_as<typename T::key_type, std::string> && is_plain<typename T::mapped_type>();
  else if constexpr (is_of<T, std::pair>) return is_plain<typename T::first_type>() && is_plain<typename T::second_type>();
  else if constexpr (is_of<T, std::tuple>)
    return []<class... P>(std::type_identity<std::tuple<P...>>) { return (is_plain<P>() && ...); }(std::type_identity<T>{});
  else return Matrix<T> && requires(T& m, std::size_t k) { T(k, k), m(k, k) = 0.0; };
}
// What is made anew from a value; all else is a handle.
template <class T>
concept Plain = is_plain<T>();

template <class T>
std::string name_of() {
  std::string_view text = __PRETTY_FUNCTION__;
  text.remove_prefix(text.find("T = ") + 4);
  std::string_view found = text.substr(0, text.find_first_of(";]"));
  return std::string(found);
}

// --- from a value ---------------------------------------------------------------------------------------------------

// An argument that cannot be made.
struct ArgumentError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string described(const Value& value);
[[noreturn]] inline void wanted(const char* what, const Value& value) {
  throw ArgumentError(std::string(what) + " is wanted, not " + described(value));
}

// Without what is only its dress: a tuple is a list.
const Value& undressed(const Value& value);
Value element(const Array& array, std::size_t place);

template <class T>
T from(const Value& given);

template <class T>
T from_array(const Array& array, std::size_t dimension, std::size_t offset) {
  if constexpr (Vector<T>) {
    auto size = static_cast<std::size_t>(array.shape[dimension]);
    T made;
    made.reserve(size);
    for (std::size_t k = 0; k < size; ++k)
      made.push_back(from_array<typename T::value_type>(array, dimension + 1, offset * size + k));
    return made;
  } else {
    return from<T>(element(array, offset));
  }
}

template <class T>
inline constexpr std::size_t rank_of = 0;
template <class T>
inline constexpr std::size_t rank_of<std::vector<T>> = 1 + rank_of<T>;

inline const char* array_of_rank(std::size_t rank) {
  constexpr const char* names[] = {"a single value", "a vector", "a matrix", "an array of three dimensions"};
  return rank < 4 ? names[rank] : "an array of more dimensions";
}

template <class T>
T whole_from(const Value& value) {
  const auto* exact = value.as<std::int64_t>();
  const auto* real = value.as<double>();
  if (real && std::trunc(*real) == *real && std::fabs(*real) < 9e15) {
    auto number = static_cast<std::int64_t>(*real);
    if (std::in_range<T>(number)) return static_cast<T>(number);
  } else if (exact && std::in_range<T>(*exact)) {
    return static_cast<T>(*exact);
  }
  bool whole = exact || (real && std::trunc(*real) == *real);
  wanted(!whole ? "a whole number" : std::unsigned_integral<T> ? "a whole number >= 0 within the range of its type" : "a whole number within the range of its type", value);
}

template <class T>
T from(const Value& given) {
  const Value& value = undressed(given);
  if constexpr (std::same_as<T, bool>) {
    if (auto* truth = value.as<bool>()) return *truth;
    wanted("a truth value", value);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(whole_from<std::underlying_type_t<T>>(value));
  } else if constexpr (Whole<T>) {
    return whole_from<T>(value);
  } else if constexpr (std::floating_point<T>) {
    if (auto* number = value.as<double>()) return static_cast<T>(*number);
    if (auto* number = value.as<std::int64_t>()) return static_cast<T>(*number);
    wanted("a number", value);
  } else if constexpr (Complex<T>) {
    using R = typename T::value_type;
    auto* extra = value.as<Extra>();
    if (!extra || extra->kind != "complex") return T(from<R>(value));
    auto parts = from<std::vector<R>>(extra->inner[0]);
    if (parts.size() != 2) wanted("a complex number", value);
    return T(parts[0], parts[1]);
  } else if constexpr (Text<T>) {
    auto* text = value.as<std::string>();
    if constexpr (std::same_as<T, char>) {
      if (text && text->size() == 1) return (*text)[0];
      wanted("a single character", value);
    } else {
      if (text) return *text;
      wanted("a text", value);
    }
  } else if constexpr (is_of<T, std::optional>) {
    return value.nothing() ? T() : T(from<typename T::value_type>(value));
  } else if constexpr (Vector<T>) {
    if (auto* array = value.as<Array>()) {
      constexpr std::size_t rank = rank_of<T>;
      if (array->shape.size() != rank && !(array->shape == Sizes{0})) wanted(array_of_rank(rank), value);
      if constexpr (std::same_as<T, std::vector<double>>)
        if (array->letter == 'd' || array->letter == 'f') return array->numbers;
      return from_array<T>(*array, 0, 0);
    }
    auto* list = value.as<List>();
    if (!list) wanted(array_of_rank(rank_of<T>), value);
    T made;
    for (const Value& part : *list) made.push_back(from<typename T::value_type>(part));
    return made;
  } else if constexpr (is_std_array<T>) {
    auto parts = from<std::vector<typename T::value_type>>(value);
    T made{};
    if (parts.size() != made.size()) wanted(("a vector of " + std::to_string(made.size())).c_str(), value);
    std::copy(parts.begin(), parts.end(), made.begin());
    return made;
  } else if constexpr (is_of<T, std::set>) {
    auto parts = from<std::vector<typename T::value_type>>(value);
    return T(parts.begin(), parts.end());
  } else if constexpr (Map<T>) {
    auto* fields = value.as<Fields>();
    if (!fields) wanted("names and values", value);
    T made;
    for (const Field& field : *fields) made.emplace(field.name, from<typename T::mapped_type>(field.value));
    return made;
  } else if constexpr (is_of<T, std::pair> || is_of<T, std::tuple>) {
    constexpr std::size_t size = std::tuple_size_v<T>;
    List parts;
    if (auto* list = value.as<List>()) parts = *list;
    if (auto* array = value.as<Array>(); array && array->shape.size() == 1)
      for (std::size_t k = 0; k < static_cast<std::size_t>(array->shape[0]); ++k) parts.push_back(element(*array, k));
    if (parts.size() != size) wanted(("a list of " + std::to_string(size)).c_str(), value);
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      return T(from<std::tuple_element_t<K, T>>(parts[K])...);
    }(std::make_index_sequence<size>{});
  } else {
    static_assert(Matrix<T>, "an argument of this type cannot be made");
    auto rows = from<std::vector<std::vector<double>>>(value);
    std::size_t columns = rows.empty() ? 0 : rows[0].size();
    T made(rows.size(), columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].size() != columns) wanted("a matrix", value);
      for (std::size_t j = 0; j < columns; ++j) made(i, j) = rows[i][j];
    }
    return made;
  }
}

// Elements row by row, and the shape; `rank`: how many dimensions there must be.
template <class E>
std::pair<std::vector<E>, Sizes> flat(const Value& given, std::size_t rank) {
  const Value& value = undressed(given);
  if (rank == 1) {
    auto made = from<std::vector<E>>(value);
    return {made, {static_cast<std::int64_t>(made.size())}};
  }
  std::vector<E> made;
  Sizes shape{0, 0};
  auto rows = from<std::vector<std::vector<E>>>(value);
  if (auto* array = value.as<Array>(); array && array->shape.size() == 2) shape = array->shape;
  else if (!rows.empty()) shape = {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())};
  for (const auto& row : rows) {
    if (row.size() != static_cast<std::size_t>(shape[1])) wanted("a matrix", value);
    made.insert(made.end(), row.begin(), row.end());
  }
  return {std::move(made), shape};
}

// --- to a value -----------------------------------------------------------------------------------------------------

inline std::size_t product(const Sizes& shape) {
  std::size_t total = 1;
  for (auto size : shape) total *= static_cast<std::size_t>(size);
  return total;
}

template <class E>
inline constexpr char letter_of = std::same_as<E, bool> ? 'l' : Complex<E> ? 'z' : std::floating_point<E> ? 'd' : std::same_as<E, std::string> ? 's' : 'i';

template <class E>
void write_element(Out& out, const E& value) {
  if constexpr (std::same_as<E, bool>) out.raw(static_cast<std::uint8_t>(value));
  else if constexpr (Complex<E>) out.raw(static_cast<double>(value.real())), out.raw(static_cast<double>(value.imag()));
  else if constexpr (std::floating_point<E>) out.raw(static_cast<double>(value));
  else if constexpr (std::same_as<E, std::string>) out.name(value);
  else out.raw(static_cast<std::int64_t>(value));
}

template <class E>
concept Element = Number<E> || std::same_as<E, bool> || std::same_as<E, std::string> || Complex<E>;

// `at`: what has elements by its places. A vector has the declared shape if that fits.
template <class E, class At>
void write_array(Out& out, const At& at, std::size_t size, const Sizes* shape) {
  bool fits = shape && product(*shape) == size;
  out.array(letter_of<E>, fits ? *shape : Sizes{static_cast<std::int64_t>(size)});
  for (std::size_t k = 0; k < size; ++k) write_element<E>(out, at[k]);
}

// Of what is no plain value: an object, say. Defined with handles.
template <class T>
void write_other(Out& out, const T& value);

// The shape of nested vectors, from `depth` on; false where rows differ in length.
template <class T>
bool shaped(const std::vector<T>& rows, std::size_t depth, Sizes& shape) {
  auto size = static_cast<std::int64_t>(rows.size());
  if (shape.size() == depth) shape.push_back(size);
  if (shape[depth] != size) return false;
  if constexpr (Vector<T>)
    for (const T& row : rows)
      if (!shaped(row, depth + 1, shape)) return false;
  return true;
}

template <class T>
struct Innermost {
  using type = T;
};
template <class T>
struct Innermost<std::vector<T>> : Innermost<T> {};

template <class E, class T>
void write_rows(Out& out, const std::vector<T>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if constexpr (Vector<T>) write_rows<E>(out, rows[k]);
    else write_element<E>(out, rows[k]);
  }
}

// False where it is no array. One without rows has the declared shape, if that has no rows either.
template <class T>
bool write_nested(Out& out, const T& rows, const Sizes* declared) {
  Sizes shape;
  if (!shaped(rows, 0, shape)) return false;
  if (shape.size() < rank_of<T>) {
    bool fits = declared && declared->size() == rank_of<T> && product(*declared) == 0;
    if (fits) shape = *declared;
    else shape.resize(rank_of<T>, 0);
  }
  using E = typename Innermost<T>::type;
  out.array(letter_of<E>, shape);
  write_rows<E>(out, rows);
  return true;
}

template <class T>
void write(Out& out, const T& value, const Sizes* shape = nullptr) {
  if constexpr (std::same_as<T, bool>) out.truth(value);
  else if constexpr (std::same_as<T, char>) out.text(std::string_view(&value, 1));
  else if constexpr (std::is_enum_v<T>) out.whole(static_cast<std::int64_t>(value));
  else if constexpr (Whole<T>) {
    if (std::in_range<std::int64_t>(value)) out.whole(static_cast<std::int64_t>(value));
    else out.opaque(name_of<T>());
  } else if constexpr (std::floating_point<T>) out.number(static_cast<double>(value));
  else if constexpr (std::convertible_to<const T&, std::string_view> && !std::is_pointer_v<T>) out.text(value);
  else if constexpr (Complex<T>) out.extra("complex"), write(out, std::vector{value.real(), value.imag()});
  else if constexpr (is_of<T, std::optional>) value ? write(out, *value, shape) : out.nothing();
  else if constexpr (is_of<T, std::variant>) std::visit([&](const auto& part) { write(out, part, shape); }, value);
  else if constexpr (is_of<T, std::pair> || is_of<T, std::tuple>) {
    out.extra("tuple"), out.list(std::tuple_size_v<T>);
    std::apply([&](const auto&... part) { (write(out, part), ...); }, value);
  } else if constexpr (Map<T>) {
    if constexpr (std::convertible_to<const typename T::key_type&, std::string_view>) {
      std::map<std::string_view, const typename T::mapped_type*> sorted;
      for (const auto& [name, part] : value) sorted[name] = &part;
      out.fields(sorted.size());
      for (const auto& [name, part] : sorted) out.name(name), write(out, *part);
    } else {
      out.opaque(name_of<T>());
    }
  } else if constexpr (is_of<T, std::set>) {
    out.extra("set"), out.list(value.size());
    for (const auto& part : value) write(out, part);
  } else if constexpr (std::is_bounded_array_v<T>) {
    using E = std::remove_extent_t<T>;
    if constexpr (std::is_bounded_array_v<E>) {
      Sizes own{static_cast<std::int64_t>(std::extent_v<T>), static_cast<std::int64_t>(std::extent_v<E>)};
      write_array<std::remove_extent_t<E>>(out, &value[0][0], std::extent_v<T> * std::extent_v<E>, &own);
    } else if constexpr (std::same_as<E, char>) {
      out.text(std::string_view(value, strnlen(value, std::extent_v<T>)));
    } else {
      // a member may be longer than what is in use
      std::size_t size = shape && product(*shape) < std::extent_v<T> ? product(*shape) : std::extent_v<T>;
      write_array<E>(out, value, size, shape);
    }
  } else if constexpr (Vector<T> || is_std_array<T> || requires { typename T::element_type; { T::extent } -> std::convertible_to<std::size_t>; }) {
    using E = std::remove_cv_t<typename T::value_type>;
    if constexpr (Element<E>) {
      write_array<E>(out, value, value.size(), shape);
    } else {
      if constexpr (Vector<T> && Vector<E>)
        if constexpr (Element<typename Innermost<T>::type>)
          if (write_nested(out, value, shape)) return;
      out.list(value.size());
      for (const auto& part : value) write(out, part);
    }
  } else if constexpr (Matrix<T>) {
    auto rows = static_cast<std::size_t>(value.rows()), columns = static_cast<std::size_t>(value.cols());
    bool is_vector = false;
    if constexpr (requires { T::IsVectorAtCompileTime; }) is_vector = T::IsVectorAtCompileTime;
    out.array('d', is_vector ? Sizes{static_cast<std::int64_t>(rows * columns)} : Sizes{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)});
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) out.raw(static_cast<double>(value(i, j)));
  } else {
    write_other(out, value);
  }
}

template <class T>
std::string encoded(const T& value) {
  Out out;
  write(out, value);
  return std::move(out.bytes);
}

}  // namespace statsclaw
