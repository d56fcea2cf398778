// Numbers, and what is calculated from them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "convert.hpp"

namespace statsclaw {

// Why there is nothing to compare, in place of it.
struct NoValue : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Reals = std::vector<double>;
using Rows = std::vector<Reals>;

// Row by row, with their dimensions. `imaginary`: empty where all are real.
struct Tensor {
  Sizes sizes;
  Reals data, imaginary;
};

inline Tensor vector_of(Reals data) { return {{static_cast<std::int64_t>(data.size())}, std::move(data), {}}; }

inline Value value_of(const Tensor& of) {
  if (of.sizes.empty() && of.imaginary.empty()) return {of.data[0]};
  Array made{.letter = of.imaginary.empty() ? 'd' : 'z', .shape = of.sizes};
  if (of.imaginary.empty()) made.numbers = of.data;
  else
    for (std::size_t k = 0; k < of.data.size(); ++k) made.numbers.push_back(of.data[k]), made.numbers.push_back(of.imaginary[k]);
  if (!made.shape.empty()) return {std::move(made)};
  made.letter = 'd', made.shape = {2};
  return {Extra{"complex", {Value{std::move(made)}}}};
}

inline Reals imagined(const Tensor& of) { return of.imaginary.empty() ? Reals(of.data.size()) : of.imaginary; }

inline Tensor in_rows(const std::vector<Tensor>& parts) {
  Tensor found{{static_cast<std::int64_t>(parts.size())}, {}, {}};
  if (!parts.empty()) found.sizes.insert(found.sizes.end(), parts[0].sizes.begin(), parts[0].sizes.end());
  bool is_complex = std::any_of(parts.begin(), parts.end(), [](auto& part) { return !part.imaginary.empty(); });
  for (const Tensor& part : parts) {
    if (part.sizes != parts[0].sizes) throw NoValue("a ragged list where numbers are expected");
    found.data.insert(found.data.end(), part.data.begin(), part.data.end());
    Reals more = is_complex ? imagined(part) : Reals();
    found.imaginary.insert(found.imaginary.end(), more.begin(), more.end());
  }
  return found;
}

inline Tensor numbers_of(const Value& given) {
  const Value& value = undressed(given);
  if (auto* truth = value.as<bool>()) return {{}, {*truth ? 1.0 : 0.0}, {}};
  if (auto* whole = value.as<std::int64_t>()) return {{}, {static_cast<double>(*whole)}, {}};
  if (auto* number = value.as<double>()) return {{}, {*number}, {}};
  if (auto* list = value.as<List>()) {
    std::vector<Tensor> parts;
    for (const Value& part : *list) parts.push_back(numbers_of(part));
    return in_rows(parts);
  }
  if (auto* array = value.as<Array>(); array && array->letter != 's') {
    Tensor found{array->shape, {}, {}};
    if (array->letter == 'd' || array->letter == 'f') found.data = array->numbers;
    for (std::size_t k = 0; array->letter == 'z' && k < array->numbers.size(); k += 2)
      found.data.push_back(array->numbers[k]), found.imaginary.push_back(array->numbers[k + 1]);
    for (auto whole : array->wholes)
      found.data.push_back(array->letter == 'l' && whole > 1 ? NAN : static_cast<double>(whole));
    return found;
  }
  if (auto* extra = value.as<Extra>(); extra && extra->kind == "complex") {
    Reals parts = numbers_of(extra->inner[0]).data;
    return {{}, {parts.at(0)}, {parts.at(1)}};
  }
  throw NoValue(described(value) + " where numbers are expected");
}

// Numbers that have an order.
inline Tensor reals_of(const Value& value) {
  Tensor found = numbers_of(value);
  if (!found.imaginary.empty()) throw NoValue("complex numbers can only be compared");
  return found;
}

inline Tensor row_of(const Tensor& of, std::size_t place) {
  Sizes rest(of.sizes.begin() + 1, of.sizes.end());
  std::size_t width = product(rest);
  auto begin = of.data.begin() + static_cast<std::ptrdiff_t>(place * width);
  return {rest, Reals(begin, begin + static_cast<std::ptrdiff_t>(width)), {}};
}

inline Rows rows_of(const Tensor& of) {
  if (of.sizes.size() != 2) throw NoValue("no matrix");
  Rows found;
  for (std::size_t k = 0; k < static_cast<std::size_t>(of.sizes[0]); ++k) found.push_back(row_of(of, k).data);
  return found;
}

inline Tensor of_rows(const Rows& rows) {
  std::vector<Tensor> parts;
  for (const Reals& row : rows) parts.push_back(vector_of(row));
  return in_rows(parts);
}

// --- places ---------------------------------------------------------------------------------------------------------

inline std::size_t within(std::int64_t place, std::size_t size) {
  std::int64_t at = place < 0 ? place + static_cast<std::int64_t>(size) : place;
  if (at < 0 || at >= static_cast<std::int64_t>(size)) throw NoValue("there is no place " + std::to_string(place));
  return static_cast<std::size_t>(at);
}

inline std::vector<std::size_t> chosen(const Value& place, std::size_t size) {
  std::vector<std::size_t> found;
  if (auto* places = place.as<List>()) {
    for (std::size_t k = 0; k < places->size(); ++k) {
      if (auto* whole = (*places)[k].as<std::int64_t>()) found.push_back(within(*whole, size));
      else if (auto* truth = (*places)[k].as<bool>(); truth && *truth && k < size) found.push_back(k);
    }
    return found;
  }
  const Value* slice = place.find("slice");
  const List* ends = slice ? slice->as<List>() : nullptr;
  auto end = [&](std::size_t at) { return ends && at < ends->size() ? (*ends)[at].as<std::int64_t>() : nullptr; };
  std::int64_t by = end(2) ? *end(2) : 1, length = static_cast<std::int64_t>(size);
  std::int64_t lowest = by < 0 ? -1 : 0, highest = by < 0 ? length - 1 : length;
  auto limit = [&](const std::int64_t* given, std::int64_t usual) {
    return given ? std::clamp(*given < 0 ? *given + length : *given, lowest, std::max(highest, lowest)) : usual;
  };
  std::int64_t k = limit(end(0), by < 0 ? highest : lowest), to = limit(end(1), by < 0 ? lowest : highest);
  for (; by > 0 ? k < to : by < 0 && k > to; k += by) found.push_back(static_cast<std::size_t>(k));
  return found;
}

// Elements: by a number, several of them, truth values, a range, or a new dimension.
inline Tensor part_at(const Tensor& of, std::span<const Value> places) {
  if (places.empty()) return of;
  auto rest = places.subspan(1);
  if (places[0].nothing()) return in_rows({part_at(of, rest)});
  if (of.sizes.empty()) throw NoValue("more places than dimensions");
  auto size = static_cast<std::size_t>(of.sizes[0]);
  if (auto* whole = places[0].as<std::int64_t>()) return part_at(row_of(of, within(*whole, size)), rest);
  std::vector<Tensor> parts;
  for (std::size_t k : chosen(places[0], size)) parts.push_back(part_at(row_of(of, k), rest));
  return in_rows(parts);
}

// --- arithmetic -----------------------------------------------------------------------------------------------------

[[noreturn]] inline void misfit() { throw NoValue("shapes that do not fit"); }

template <class Act>
Tensor each(const Value& value, Act act) {
  Tensor found = reals_of(value);
  for (double& one : found.data) one = act(one);
  return found;
}

// As numpy does: dimensions of one are repeated.
template <class Act>
Tensor pairs(const Value& left, const Value& right, Act act) {
  Tensor one = reals_of(left), other = reals_of(right), found;
  std::size_t depth = std::max(one.sizes.size(), other.sizes.size());
  for (Tensor* of : {&one, &other}) of->sizes.insert(of->sizes.begin(), depth - of->sizes.size(), 1);
  for (std::size_t k = 0; k < depth; ++k) {
    auto a = one.sizes[k], b = other.sizes[k];
    if (a != b && a != 1 && b != 1) misfit();
    found.sizes.push_back(a == 1 ? b : a);
  }
  Sizes at(depth);
  auto place = [&](const Sizes& own) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < depth; ++k) sum = sum * own[k] + (own[k] == 1 ? 0 : at[k]);
    return static_cast<std::size_t>(sum);
  };
  for (std::size_t number = 0; number < product(found.sizes); ++number) {
    auto rest = static_cast<std::int64_t>(number);
    for (std::size_t k = depth; k-- > 0; rest /= found.sizes[k]) at[k] = rest % found.sizes[k];
    found.data.push_back(act(one.data[place(one.sizes)], other.data[place(other.sizes)]));
  }
  return found;
}

// Of all numbers, or along an axis.
template <class Act>
Tensor reduced(const Value& value, const Value& axis, Act act) {
  Tensor of = reals_of(value);
  if (of.data.empty()) throw NoValue("there are no numbers to reduce");
  auto* wanted = axis.as<std::int64_t>();
  if (!wanted) return {{}, {act(of.data)}, {}};
  std::size_t at = within(*wanted, of.sizes.size()), size = static_cast<std::size_t>(of.sizes[at]);
  std::size_t inner = product({of.sizes.begin() + static_cast<std::ptrdiff_t>(at) + 1, of.sizes.end()});
  Tensor found{of.sizes, {}, {}};
  found.sizes.erase(found.sizes.begin() + static_cast<std::ptrdiff_t>(at));
  for (std::size_t k = 0; k < product(found.sizes); ++k) {
    Reals along;
    for (std::size_t m = 0; m < size; ++m) along.push_back(of.data[k / inner * inner * size + k % inner + m * inner]);
    found.data.push_back(act(along));
  }
  return found;
}

inline double total(const Reals& data) { return std::accumulate(data.begin(), data.end(), 0.0); }
inline double mean(const Reals& data) { return total(data) / static_cast<double>(data.size()); }

inline double variance(const Reals& data, double divisor) {
  double centre = mean(data), sum = 0;
  for (double one : data) sum += (one - centre) * (one - centre);
  return sum / (static_cast<double>(data.size()) - divisor);
}

inline double quantile(Reals data, double probability) {
  for (double one : data)
    if (std::isnan(one)) return NAN;
  std::sort(data.begin(), data.end());
  double at = static_cast<double>(data.size() - 1) * probability, low = data[static_cast<std::size_t>(at)];
  return low + (data[static_cast<std::size_t>(std::ceil(at))] - low) * (at - std::floor(at));
}

// The one that is furthest in the direction of the sign; one that is no number stands out.
inline double furthest(const Reals& data, double sign) {
  double found = data[0];
  for (double one : data)
    if (!std::isnan(found) && !(sign * found >= sign * one)) found = one;
  return found;
}

inline Tensor transposed(const Tensor& of) {
  if (of.sizes.size() < 2) return of;
  Rows rows = rows_of(of), found(static_cast<std::size_t>(of.sizes[1]));
  for (const Reals& row : rows)
    for (std::size_t j = 0; j < row.size(); ++j) found[j].push_back(row[j]);
  return of_rows(found);
}

// Its rows; of a vector the only one.
inline Rows as_rows(const Tensor& of) { return of.sizes.size() > 1 ? rows_of(of) : Rows{of.data}; }

inline Tensor matmul(const Tensor& a, const Tensor& b) {
  if (a.sizes.empty() || b.sizes.empty()) misfit();
  Tensor found{Sizes(a.sizes.begin(), a.sizes.end() - 1), {}, {}};
  found.sizes.insert(found.sizes.end(), b.sizes.begin() + 1, b.sizes.end());
  for (const Reals& row : as_rows(a))
    for (const Reals& column : as_rows(transposed(b))) {
      if (row.size() != column.size()) misfit();
      found.data.push_back(std::inner_product(row.begin(), row.end(), column.begin(), 0.0));
    }
  return found;
}

inline Tensor solved(const Tensor& left, const Tensor& wanted) {
  Rows rows = rows_of(left), found = wanted.sizes.size() == 1 ? Rows() : rows_of(wanted);
  for (double one : wanted.sizes.size() == 1 ? wanted.data : Reals()) found.push_back({one});
  std::size_t size = rows.size();
  if (found.size() != size || std::any_of(rows.begin(), rows.end(), [&](auto& row) { return row.size() != size; })) misfit();
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < size; ++i)
      if (std::fabs(rows[i][k]) > std::fabs(rows[best][k])) best = i;
    std::swap(rows[k], rows[best]), std::swap(found[k], found[best]);
    if (rows[k][k] == 0) throw NoValue("the matrix is singular");
    for (std::size_t i = 0; i < size; ++i) {
      double times = i == k ? 0 : rows[i][k] / rows[k][k];
      for (std::size_t j = 0; j < size && i != k; ++j) rows[i][j] -= times * rows[k][j];
      for (std::size_t j = 0; j < found[k].size() && i != k; ++j) found[i][j] -= times * found[k][j];
    }
  }
  for (std::size_t k = 0; k < size; ++k)
    for (double& one : found[k]) one /= rows[k][k];
  Tensor made = of_rows(found);
  if (wanted.sizes.size() == 1) made.sizes.pop_back();
  return made;
}

// Of a symmetric matrix, by Jacobi's rotations; sorted.
inline Tensor eigenvalues(const Tensor& of) {
  Rows a = rows_of(of);
  for (int round = 0; round < 60; ++round)
    for (std::size_t p = 0; p < a.size(); ++p)
      for (std::size_t q = p + 1; q < a.size(); ++q) {
        if (a[q][p] == 0) continue;
        double angle = 0.5 * std::atan2(2 * a[q][p], a[q][q] - a[p][p]), s = std::sin(angle), c = std::cos(angle);
        auto turn = [&](double& x, double& y) { std::tie(x, y) = std::tuple(c * x - s * y, s * x + c * y); };
        for (Reals& row : a) turn(row[p], row[q]);
        for (std::size_t k = 0; k < a.size(); ++k) turn(a[p][k], a[q][k]);
      }
  Reals found;
  for (std::size_t k = 0; k < a.size(); ++k) found.push_back(a[k][k]);
  std::sort(found.begin(), found.end());
  return vector_of(found);
}

inline Tensor covariance(const Tensor& of, bool is_scaled) {
  Rows columns = as_rows(transposed(of)), found;
  auto joint = [](const Reals& x, const Reals& y) {
    double a = mean(x), b = mean(y), sum = 0;
    for (std::size_t k = 0; k < x.size(); ++k) sum += (x[k] - a) * (y[k] - b);
    return sum / (static_cast<double>(x.size()) - 1);
  };
  for (const Reals& x : columns) {
    found.emplace_back();
    for (const Reals& y : columns)
      found.back().push_back(joint(x, y) / (is_scaled ? std::sqrt(joint(x, x)) * std::sqrt(joint(y, y)) : 1));
  }
  if (found.size() == 1) return {{}, found[0], {}};
  return of_rows(found);
}

inline Tensor diagonal(const Tensor& of) {
  if (of.sizes.size() == 1) {
    Rows rows(of.data.size(), Reals(of.data.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) rows[k][k] = of.data[k];
    return of_rows(rows);
  }
  Rows rows = rows_of(of);
  Reals found;
  for (std::size_t k = 0; k < rows.size() && k < rows[k].size(); ++k) found.push_back(rows[k][k]);
  return vector_of(found);
}

}  // namespace statsclaw
