#include <cmath>
#include <cstdio>
#include <string>

#include "poissonreg/poissonreg.hpp"

namespace {

int failures = 0;

void expect(bool held, const char* what) {
  if (held) return;
  std::printf("failed: %s\n", what);
  ++failures;
}

template <class E, class F>
void expect_throws(F call, const char* what) {
  try {
    call();
    expect(false, what);
  } catch (const E&) {
  }
}

const poissonreg::Vector y{1, 0, 2, 3, 1, 4, 6, 5};
const poissonreg::Matrix X{{1, 0.1}, {1, 0.4}, {1, 0.2}, {1, 0.9}, {1, 0.5}, {1, 1.4}, {1, 1.7}, {1, 1.5}};

void intercept() {
  const auto found = poissonreg::fit({1, 2, 3, 6}, {{1}, {1}, {1}, {1}});
  expect(std::fabs(found.coef[0] - std::log(3.0)) < 1e-12, "the logarithm of the mean");
  expect(std::fabs(found.dispersion - 14.0 / 9.0) < 1e-12, "Pearson's dispersion");
}

void scores() {
  const auto found = poissonreg::fit(y, X, 2);
  for (std::size_t j = 0; j < 2; ++j) {
    double sum = 0.0;
    for (const auto& row : found.scores) sum += row[j];
    expect(std::fabs(sum) < 1e-9, "scores add up to zero");
  }
}

void refusals() {
  expect_throws<std::domain_error>([] { poissonreg::fit({-1, 2, 1}, {{1}, {1}, {1}}); }, "negative counts");
  expect_throws<std::out_of_range>([] { poissonreg::fit(y, X, 8); }, "too many lags");
  expect_throws<poissonreg::singular_matrix>([] { poissonreg::fit({1, 2, 1}, {{1, 2}, {1, 2}, {1, 2}}); }, "dependence");
}

void prediction() {
  const auto found = poissonreg::fit(y, X);
  expect(std::fabs(found.predict({{0, 0}})[0] - 1.0) < 1e-15, "exp(0)");
  expect(std::fabs(found.predict({{0, 0}}, poissonreg::Vector{1.0})[0] - std::exp(1.0)) < 1e-14, "the offset");
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "";
  if (name == "intercept") intercept();
  else if (name == "scores") scores();
  else if (name == "refusals") refusals();
  else if (name == "prediction") prediction();
  else expect(false, "there is no such test");
  return failures ? 1 : 0;
}
