#pragma once

#include <unistd.h>

#include <array>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

namespace probe {

// --- values

inline bool truth(bool x) { return x; }
inline int whole(int x) { return x; }
inline unsigned char small(unsigned char x) { return x; }
inline std::size_t natural(std::size_t x) { return x; }
inline double number(double x) { return x; }
inline float narrow(float x) { return x; }
inline std::string text(const std::string& x) { return x; }
inline const char* literal(const char* x) { return x; }
inline std::size_t length(std::string_view x) { return x.size(); }
inline char letter(char x) { return x; }
inline std::vector<double> numbers(const std::vector<double>& x) { return x; }
inline std::vector<int> wholes(std::vector<int> x) { return x; }
inline std::vector<bool> truths(const std::vector<bool>& x) { return x; }
inline std::vector<std::string> texts(std::vector<std::string>&& x) { return std::move(x); }
inline std::vector<std::vector<double>> matrix(const std::vector<std::vector<double>>& x) { return x; }
inline std::vector<std::vector<std::vector<double>>> cube(std::vector<std::vector<std::vector<double>>> x) { return x; }
inline std::optional<double> maybe(std::optional<double> x) { return x; }
inline std::complex<double> plane(std::complex<double> x) { return x; }
inline std::vector<std::complex<double>> planes(const std::vector<std::complex<double>>& x) { return x; }
inline std::pair<int, std::string> pair(std::pair<int, std::string> x) { return x; }
inline std::tuple<double, std::vector<double>> tuple(const std::tuple<double, std::vector<double>>& x) { return x; }
inline std::map<std::string, double> map(const std::map<std::string, double>& x) { return x; }
inline std::set<int> set(const std::set<int>& x) { return x; }
inline std::array<double, 3> three(std::array<double, 3> x) { return x; }
inline double total(std::span<const double> x) {
  double sum = 0;
  for (double part : x) sum += part;
  return sum;
}
enum class Color { red = 1, blue = 4 };
inline Color color(Color x) { return x; }
inline std::variant<double, std::string> either(bool number) {
  if (number) return 2.0;
  return std::string("two");
}
inline void nothing() {}
inline std::vector<std::vector<double>> ragged() { return {{1}, {1, 2}}; }

// A matrix class as packages have them, column by column inside.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), x_(rows * cols) {}
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  double& operator()(std::size_t i, std::size_t j) { return x_[j * rows_ + i]; }
  double operator()(std::size_t i, std::size_t j) const { return x_[j * rows_ + i]; }

 private:
  std::size_t rows_, cols_;
  std::vector<double> x_;
};
inline Matrix transposed(const Matrix& x) {
  Matrix made(x.cols(), x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j) made(j, i) = x(i, j);
  return made;
}
inline std::vector<double> flat(const std::vector<double>& x, std::size_t rows, std::size_t columns, double more) {
  std::vector<double> made(x);
  for (double& part : made) part += more;
  made.resize(rows * columns);
  return made;
}
inline std::vector<double> misfit(const std::vector<double>& x) { return {x[0]}; }

// --- arguments

inline std::string defaults(double a, int b = 7, const std::string& c = "own") {
  return std::to_string(static_cast<int>(a)) + " " + std::to_string(b) + " " + c;
}
inline double over(double x) { return x; }
inline double over(double x, std::optional<double> y) { return x + y.value_or(100.0); }
inline void scale(std::vector<double>& x, double by) {
  for (double& part : x) part *= by;
}

// --- objects

struct Inner {
  double sigma = 3.0;
  std::vector<double> diagonal{1, 2};
};
class Counter {
 public:
  explicit Counter(double start, std::optional<double> step = std::nullopt) : count(start), step_(step.value_or(1.0)) {}
  double count;
  Inner inner;
  std::vector<double> table{1, 2, 3, 4, 5, 6};
  double twice() const { return 2.0 * count; }
  double add() { return count += step_; }
  double add_many(int times, double extra = 0.5) { return count += times * step_ + extra; }
  std::vector<double> grown(const std::vector<double>& by) const {
    std::vector<double> made;
    for (int k = 0; k < 2; ++k)
      for (double part : by) made.push_back(part + count);
    return made;
  }

 private:
  double step_;
};
inline std::ostream& operator<<(std::ostream& out, const Counter& x) { return out << "a counter at " << x.count; }
inline double read(const Counter& x) { return x.count; }
inline double read_pointer(const Counter* x) { return x ? x->count : -1.0; }
inline double read_shared(std::shared_ptr<const Counter> x) { return x->count; }
inline double raise_count(Counter& x) { return x.count += 10.0; }
inline std::optional<Counter> sometimes(bool there) {
  if (!there) return std::nullopt;
  return Counter(1.0);
}
struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};
struct Square : Shape {
  explicit Square(double side) : side(side) {}
  double side;
  double area() const override { return side * side; }
};
inline std::unique_ptr<Shape> square(double side) { return std::make_unique<Square>(side); }

// --- chance, errors, output

inline double draw(std::mt19937_64& engine) { return std::uniform_real_distribution<double>()(engine); }
inline int chance() { return std::rand(); }

struct singular : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct very_singular : singular {
  using singular::singular;
};
inline void fail(const std::string& how) {
  if (how == "argument") throw std::invalid_argument("a wrong argument");
  if (how == "singular") throw singular("it is singular");
  if (how == "derived") throw very_singular("it is very singular");
  if (how == "other") throw std::overflow_error("too large");
  if (how == "number") throw 5;
  if (how == "text") throw "a text";
}
inline double loud() {
  std::printf("printed ");
  std::cout << "streamed ";
  std::cout.flush(), std::fflush(stdout);
  std::cerr << "warned ";
  if (write(1, "written", 7) < 0) std::abort();
  return 1.0;
}
inline std::string long_text(int size) {
  for (int k = 0; k < size; ++k) std::cout << "ä";
  return std::string(static_cast<std::size_t>(size), 'x');
}
inline double takes(int megabytes) {
  std::vector<char> much(static_cast<std::size_t>(megabytes) << 20, 'x');
  return static_cast<double>(much[much.size() / 2]);
}

// --- what no package should do

inline void hostile(const std::string& how) {
  if (how == "fault") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "abort") std::abort();
  if (how == "exit") std::exit(0);
  if (how == "terminate") std::terminate();
  if (how == "sleep") sleep(1000);
  if (how == "allocate")
    for (std::vector<std::vector<char>> all;;) all.emplace_back(std::size_t{1} << 24, 'x');
  if (how == "files")
    for (std::ofstream out("/verify/own/full");; out << std::string(1 << 20, 'x').c_str())
      if (!out) throw std::runtime_error("the disk is full");
  if (how == "garbage" || how == "forged")
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code none;
      if (std::filesystem::read_symlink(entry.path(), none).filename() != "answers") continue;
      const std::string bytes = how == "garbage" ? "this is no frame at all" : std::string("\x01\0\0\0\0\0\0\0n", 9);
      if (write(std::stoi(entry.path().filename()), bytes.data(), bytes.size()) < 0) std::abort();
    }
}

}  // namespace probe
