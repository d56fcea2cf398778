// Asks the package the questions and compares the answers.
//
//   asking QUESTIONS RESULTS      asks all of them; what was found is written to RESULTS
//   asking RESULTS                tells all of it
//   asking RESULTS --case NUMBER  tells one: status 0 passed, 1 failed, 77 left out

#include <sys/wait.h>

#include <cctype>
#include <fstream>
#include <iterator>

#include "json.hpp"
#include "numbers.hpp"

namespace statsclaw {
namespace {

const Value absent{};

const Value& part(const Value& value, std::string_view name) {
  const Value* found = value.find(name);
  return found ? *found : absent;
}

const List& list_in(const Value& value, std::string_view name) {
  static const List empty;
  auto* found = part(value, name).as<List>();
  return found ? *found : empty;
}

std::string text_of(const Value& value) {
  auto* found = value.as<std::string>();
  return found ? *found : "";
}
std::string text_in(const Value& value, std::string_view name) { return text_of(part(value, name)); }

std::int64_t whole_in(const Value& value, std::string_view name) {
  if (auto* found = part(value, name).as<std::int64_t>()) return *found;
  throw NoValue("there is no such number in questions.json");
}

double number(const Value& value) { return reals_of(value).data.at(0); }

std::string first_class(const Value& condition) {
  const List& classes = list_in(condition, "classes");
  return classes.empty() ? "" : text_of(classes[0]);
}
std::string said(const Value& condition) { return first_class(condition) + ": " + text_in(condition, "message"); }

// The parts of what has names.
const Fields* names_and_values(const Value& value) {
  if (auto* extra = value.as<Extra>(); extra && extra->kind == "object") {
    const Value* fields = extra->inner[0].find("fields");
    return fields ? fields->as<Fields>() : nullptr;
  }
  return undressed(value).as<Fields>();
}

// The parts of a list, or of an array along its first dimension.
std::optional<List> list_of(const Value& value) {
  const Value& bare = undressed(value);
  if (auto* list = bare.as<List>()) return *list;
  auto* array = bare.as<Array>();
  if (!array || array->letter == 'z') return {};
  if (array->letter == 's') return array->texts;
  List found;
  Tensor all = numbers_of(bare);
  for (std::int64_t k = 0; k < all.sizes[0]; ++k) found.push_back(value_of(row_of(all, static_cast<std::size_t>(k))));
  return found;
}

Value part_of_answer(const Value& value, const Value& step) {
  if (auto* name = step.as<std::string>())
    if (auto* fields = names_and_values(value))
      for (const Field& field : *fields)
        if (field.name == *name) return field.value;
  if (auto* place = step.as<std::int64_t>())
    if (auto* list = undressed(value).as<List>()) return (*list)[within(*place, list->size())];
  throw NoValue("the answer has no " + described(step));
}

Value elements(const Value& value, const List& places) {
  auto* list = undressed(value).as<List>();
  if (places.size() == 1 && (places[0].as<std::string>() || (list && places[0].as<std::int64_t>()))) return part_of_answer(value, places[0]);
  if (places.size() == 1 && list) {
    List found;
    for (std::size_t k : chosen(places[0], list->size())) found.push_back((*list)[k]);
    return {found};
  }
  return value_of(part_at(reals_of(value), places));
}

double length_of(const Value& value) {
  if (auto* fields = names_and_values(value)) return static_cast<double>(fields->size());
  const Value& bare = undressed(value);
  if (auto* list = bare.as<List>()) return static_cast<double>(list->size());
  if (auto* array = bare.as<Array>()) return static_cast<double>(array->shape.at(0));
  if (auto* text = bare.as<std::string>())
    return static_cast<double>(std::count_if(text->begin(), text->end(), [](char c) { return (c & 0xc0) != 0x80; }));
  return numbers_of(bare), 1;
}

// --- the data -------------------------------------------------------------------------------------------------------

bool wholes_in(const Value& value, std::vector<std::int64_t>& found) {
  if (auto* list = value.as<List>())
    return std::all_of(list->begin(), list->end(), [&](const Value& part) { return wholes_in(part, found); });
  auto* whole = value.as<std::int64_t>();
  if (whole) found.push_back(*whole);
  return whole;
}

// An array with the type that it has in a run.
Value array_of(const Value& node, const Value& inner) {
  std::string kind = text_in(node, "dtype");
  if (kind == "str" || kind == "object") return inner;
  Tensor found = reals_of(inner);
  Array made{.shape = found.sizes};
  if (const Value* sizes = node.find("shape")) {
    made.shape.clear();
    for (double size : reals_of(*sizes).data) made.shape.push_back(static_cast<std::int64_t>(size));
  }
  if (kind.starts_with("int") || kind.starts_with("uint")) {
    made.letter = 'i';
    if (!wholes_in(inner, made.wholes)) return inner;  // one of them is too large
  } else if (kind == "bool") {
    made.letter = 'l';
    for (double one : found.data) made.wholes.push_back(one != 0);
  } else {
    made.letter = kind.starts_with("complex") ? 'z' : 'd';
    made.numbers = found.data;
  }
  return made.shape.empty() ? Reader::single(std::move(made)) : Value{std::move(made)};
}

class Questions {
 public:
  explicit Questions(Value all) : data(std::move(all)) { worker_.printed.divert(); }
  const Value data;

  const Value& call(std::int64_t id) const {
    for (const Value& row : list_in(data, "calls"))
      if (whole_in(row, "id") == id) return row;
    throw NoValue("there is no call " + std::to_string(id));
  }

  // It is asked for together with its whole chain: calls that follow each other.
  const Value& answer(std::int64_t id) {
    std::int64_t number = whole_in(call(id), "chain");
    if (!answered_.contains(number)) answered_[number] = chain(number);
    return answered_[number][id];
  }
  Value again(std::int64_t id) { return chain(whole_in(call(id), "chain"))[id]; }

  // What an expectation is about: an answer, a part of one, or what is calculated from them.
  Value value(const Value& node) { return made(node, true); }

 private:
  using Answers = std::map<std::int64_t, Value>;
  Worker worker_;
  std::map<std::int64_t, Answers> answered_;

  Answers chain(std::int64_t number) {
    Answers found;
    worker_.forget();
    for (const Value& row : list_in(data, "calls")) {
      if (whole_in(row, "chain") != number) continue;
      declared(row);
      Fields request;
      request.push_back({"measured", Value{false}});
      for (const char* name : {"id", "what", "function", "seed", "fields"})
        if (const Value* own = row.find(name)) request.push_back({name, *own});
      for (const char* name : {"arguments", "on"}) request.push_back({name, made(part(row, name), false)});
      request[request.size() - 2].value = as_list(request[request.size() - 2].value);
      request.push_back({"named", made({Fields{{"dict", part(row, "named")}}}, false)});
      found[whole_in(row, "id")] = decode(worker_.answer({request}));
    }
    return found;
  }

  static Value as_list(const Value& value) {
    auto found = list_of(value);
    return {found ? *found : List()};
  }

  // The class of what a call returns. Only what the interface declares is ever called.
  std::string declared(const Value& row) const {
    std::string what = text_in(row, "what");
    if (what != "call" && what != "signature") return "";
    const Value* table = &part(data, "functions");
    if (const Value* on = row.find("on")) table = &part(part(data, "methods"), declared(call(whole_in(*on, "answer"))));
    const Value* found = table->find(text_in(row, "function"));
    if (!found) throw NoValue("the interface does not declare " + text_in(row, "function"));
    return text_of(*found);
  }

  // A value as it is written in questions.json. `seen`: answers stand for what they hold.
  Value made(const Value& node, bool seen) {
    if (auto* parts = node.as<List>()) {
      List found;
      for (const Value& one : *parts) found.push_back(made(one, seen));
      bool are_numbers = std::all_of(found.begin(), found.end(), [](auto& one) { return one.template as<double>(); });
      if (found.empty() || !are_numbers) return {found};
      return value_of(numbers_of({found}));
    }
    auto* fields = node.as<Fields>();
    if (!fields || fields->empty()) return node;
    const auto& [kind, inner] = fields->front();
    if (kind == "do") return calculated(text_of(inner), node);
    if (kind == "answer") return seen ? answered(node) : further(node, "answer", "call");
    if (kind == "generator") return further(node, kind, "seed");
    if (kind == "data") return made(part(part(data, "data"), text_of(inner)), seen);
    if (kind == "array") return array_of(node, inner);
    if (kind == "dict") {
      Fields found;
      if (auto* parts = inner.as<Fields>())
        for (const Field& field : *parts) found.push_back({field.name, made(field.value, seen)});
      return {found};
    }
    if (kind == "masked") {
      auto shown = [](double one, double missing) { return missing == 0 ? one : NAN; };
      const List& both = *inner.as<List>();
      return value_of(pairs(made(both.at(0), seen), made(both.at(1), seen), shown));
    }
    return {Extra{kind, {made(inner, seen)}}};
  }

  static Value further(const Value& node, const std::string& kind, const char* name) {
    Fields found{{name, node.as<Fields>()->front().value}};
    for (const char* more : {"path", "name"})
      if (const Value* own = node.find(more)) found.push_back({more, *own});
    return {Extra{kind, {Value{std::move(found)}}}};
  }

  Value answered(const Value& node) {
    std::int64_t id = whole_in(node, "answer");
    const Value& found = answer(id);
    if (const Value* error = found.find("error")) throw NoValue(text_in(call(id), "function") + " raised " + said(*error));
    Value value = part(found, "value");
    for (const Value& step : list_in(node, "path")) value = part_of_answer(value, step);
    return value;
  }

  Value calculated(const std::string& name, const Value& node) {
    List of;
    for (const Value& operand : list_in(node, "of")) of.push_back(value(operand));
    of.resize(std::max<std::size_t>(of.size(), 2));
    const Value &first = of[0], &second = of[1], &settings = part(node, "with"), &axis = part(settings, "axis");
    double divisor = settings.find("divisor") ? number(part(settings, "divisor")) : 1;
    auto reduce = [&](auto act) { return value_of(reduced(first, axis, act)); };
    auto both = [&](auto act) { return value_of(pairs(first, second, act)); };
    if (name == "part") return elements(first, list_in(settings, "at"));
    if (name == "length") return {length_of(first)};
    if (name == "shape") {
      Sizes sizes = numbers_of(first).sizes;
      return value_of(vector_of(Reals(sizes.begin(), sizes.end())));
    }
    if (name == "names") {
      auto* fields = names_and_values(first);
      List found;
      for (const Field& field : fields ? *fields : Fields()) found.push_back({field.name});
      return fields ? Value{found} : Value{};
    }
    if (name == "equal" || name == "different") {
      auto *one = undressed(first).as<std::string>(), *other = undressed(second).as<std::string>();
      if (one || other) return {(one && other && *one == *other) == (name == "equal")};
      return both([&](double a, double b) { return (a == b) == (name == "equal"); });
    }
    if (name == "mean") return reduce(mean);
    if (name == "total") return reduce(total);
    if (name == "median") return reduce([](const Reals& data) { return quantile(data, 0.5); });
    if (name == "smallest") return reduce([](const Reals& data) { return furthest(data, -1); });
    if (name == "largest") return reduce([](const Reals& data) { return furthest(data, 1); });
    if (name == "sd") return reduce([&](const Reals& data) { return std::sqrt(variance(data, divisor)); });
    if (name == "var") return reduce([&](const Reals& data) { return variance(data, divisor); });
    if (name == "quantile") {
      Tensor wanted = reals_of(value(part(settings, "probability")));
      std::vector<Tensor> parts;
      for (double p : wanted.data) parts.push_back(reduced(first, axis, [&](const Reals& data) { return quantile(data, p); }));
      return value_of(wanted.sizes.empty() ? parts.at(0) : in_rows(parts));
    }
    if (name == "sorted") {
      Reals data = reals_of(first).data;
      std::sort(data.begin(), data.end());
      return value_of(vector_of(data));
    }
    if (name == "cov" || name == "cor") return value_of(covariance(reals_of(first), name == "cor"));
    if (name == "transposed") return value_of(transposed(reals_of(first)));
    if (name == "diag") return value_of(diagonal(reals_of(first)));
    if (name == "matmul") return value_of(matmul(reals_of(first), reals_of(second)));
    if (name == "solve") return value_of(solved(reals_of(first), reals_of(second)));
    if (name == "eigenvalues") return value_of(eigenvalues(reals_of(first)));
    if (name == "abs") return value_of(each(first, [](double x) { return std::fabs(x); }));
    if (name == "sqrt") return value_of(each(first, [](double x) { return std::sqrt(x); }));
    if (name == "exp") return value_of(each(first, [](double x) { return std::exp(x); }));
    if (name == "log") return value_of(each(first, [](double x) { return std::log(x); }));
    if (name == "plus") return both(std::plus<double>());
    if (name == "minus") return both(std::minus<double>());
    if (name == "times") return both(std::multiplies<double>());
    if (name == "over") return both(std::divides<double>());
    if (name == "power") return both([](double a, double b) { return std::pow(a, b); });
    if (name == "below") return both([](double a, double b) { return a < b; });
    if (name == "at most") return both([](double a, double b) { return a <= b; });
    throw NoValue("nothing is known of " + name);
  }
};

// --- comparing ------------------------------------------------------------------------------------------------------

std::string shown(const Value& value) {
  std::ostringstream text;
  text.precision(17);
  if (auto* fields = names_and_values(value)) {
    for (const Field& field : *fields) text << (text.tellp() > 0 ? ", " : "{") << field.name << ": " << shown(field.value);
    return text.str() + "}";
  }
  if (auto* own = undressed(value).as<std::string>()) return '"' + *own + '"';
  auto parts = list_of(value);
  if (!parts && !undressed(value).nothing()) {
    try {
      text << number(value);
      return text.str();
    } catch (const NoValue&) {
    }
  }
  if (!parts) return described(value);
  for (const Value& one : *parts) text << (text.tellp() > 0 ? ", " : "[") << shown(one);
  return (parts->empty() ? "[" : text.str()) + "]";
}

// All numbers of both sides, in one order; lists may hold parts of different shapes.
std::pair<Reals, Reals> paired(const Value& left, const Value& right) {
  Tensor one, other;
  try {
    one = numbers_of(left), other = numbers_of(right);
  } catch (const NoValue&) {
    auto parts = list_of(left), others = list_of(right);
    if (!parts || !others || parts->size() != others->size()) throw;
    std::pair<Reals, Reals> found;
    for (std::size_t k = 0; k < parts->size(); ++k) {
      auto [a, b] = paired((*parts)[k], (*others)[k]);
      found.first.insert(found.first.end(), a.begin(), a.end());
      found.second.insert(found.second.end(), b.begin(), b.end());
    }
    return found;
  }
  auto sizes = [](const Tensor& of) { return shown(value_of(vector_of(Reals(of.sizes.begin(), of.sizes.end())))); };
  if (one.sizes != other.sizes && !(one.data.size() == 1 && other.data.size() == 1))
    throw NoValue("its shape is " + sizes(one) + ", and " + sizes(other) + " is expected");
  if (!one.imaginary.empty() || !other.imaginary.empty())
    for (Tensor* of : {&one, &other}) {
      Reals more = imagined(*of);
      of->data.insert(of->data.end(), more.begin(), more.end());
    }
  return {one.data, other.data};
}

bool identical(const Value& left, const Value& right) {
  auto *one = names_and_values(left), *other = names_and_values(right);
  if (one && other)
    return std::equal(one->begin(), one->end(), other->begin(), other->end(), [](const Field& a, const Field& b) {
      return a.name == b.name && identical(a.value, b.value);
    });
  const Value &a = undressed(left), &b = undressed(right);
  if (a.nothing() || b.nothing()) return a.nothing() && b.nothing();
  if (a.as<std::string>() || b.as<std::string>())
    return a.as<std::string>() && b.as<std::string>() && text_of(a) == text_of(b);
  try {
    auto [x, y] = paired(a, b);
    return std::equal(x.begin(), x.end(), y.begin(), [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
  } catch (const NoValue&) {
  }
  if (auto *kind = a.as<Extra>(), *other_kind = b.as<Extra>(); kind && other_kind)
    return kind->kind == other_kind->kind && identical(kind->inner[0], other_kind->inner[0]);
  auto parts = list_of(a), others = list_of(b);
  return parts && others && std::equal(parts->begin(), parts->end(), others->begin(), others->end(), identical);
}

bool is_near(double one, double other, const Value& rule) {
  if (one == other || (std::isnan(one) && std::isnan(other))) return true;
  if (!std::isfinite(one) || !std::isfinite(other)) return false;
  double gap = std::fabs(one - other);
  if (const Value* digits = rule.find("lre"))
    return std::min(-std::log10(gap / (other == 0 ? 1 : std::fabs(other))), 15.0) >= number(*digits);
  return gap - number(part(rule, "absolute")) - number(part(rule, "relative")) * std::fabs(other) <= 0;
}

std::string far_off(const Value& observed, const Value& expected, const Value& rule) {
  auto [left, right] = paired(observed, expected);
  if (left.empty()) return "there is nothing to compare";
  for (std::size_t k = 0; k < left.size(); ++k)
    if (!is_near(left[k], right[k], rule)) return shown({left[k]}) + " where " + shown({right[k]}) + " is expected";
  return "";
}

// In C++ an object counts as each of its classes.
bool is_condition(const Value& condition, const std::string& cls, const std::string& message) {
  const List& classes = list_in(condition, "classes");
  bool named = cls.empty() || first_class(condition) == cls;
  for (const Value& one : is_c ? List() : classes) named = named || text_of(one) == cls;
  return named && text_in(condition, "message").find(message) != std::string::npos;
}

std::string as_told(const Value& claim, const Value& rule, const Value* came) {
  bool own = claim.find("error") || claim.find("message");
  std::string error = text_in(claim.find("error") ? claim : rule, "error"), message = text_in(own ? claim : rule, "message");
  if (came && is_condition(*came, error, message)) return "";
  return (came ? said(*came) : "nothing") + " came where " + error + " with \"" + message + "\" is expected";
}

// Of an object all the numbers in its fields, of a list those of its parts; of anything else itself.
Reals all_numbers(const Value& value) {
  Reals found;
  auto add = [&](const Value& one) {
    Reals more = all_numbers(one);
    found.insert(found.end(), more.begin(), more.end());
  };
  if (auto* fields = names_and_values(value)) {
    for (const Field& field : *fields) try {
        add(field.value);
      } catch (const NoValue&) {
      }
  } else if (auto* list = undressed(value).as<List>()) {
    for (const Value& one : *list) add(one);
  } else {
    return reals_of(value).data;
  }
  return found;
}

bool everywhere(const Tensor& found) {
  return !found.data.empty() && std::all_of(found.data.begin(), found.data.end(), [](double one) { return one != 0; });
}

std::string otherwise(bool held, const std::string& why) { return held ? "" : why; }

std::string about_call(Questions& questions, std::int64_t call, const Value& claim, const Value& rule) {
  const Value& answer = questions.answer(call);
  const Value* error = answer.find("error");
  std::string kind = text_in(claim, "rule");
  if (kind == "raises") return as_told(claim, rule, error);
  if (kind == "repeatable") {
    Value again = questions.again(call);
    bool same = identical(part(answer, "value"), part(again, "value")) && identical(part(answer, "error"), part(again, "error"));
    return otherwise(same, "asked again, it answers something else");
  }
  if (error) {
    for (const Value& row : list_in(claim, "refusals"))
      if (auto* stated = row.as<List>(); stated && is_condition(*error, text_of(stated->at(0)), text_of(stated->at(1)))) return "";
    return "it raised " + said(*error);
  }
  if (kind == "warns") return as_told(claim, rule, nullptr);  // the language has none
  if (kind == "untouched") {
    auto changed = list_of(part(answer, "changed"));
    return otherwise(!changed || changed->empty(), "an argument was changed");
  }
  std::string printed = kind == "silent" ? text_in(answer, "printed") : "";
  return otherwise(printed.find_first_not_of(" \n\r\t") == std::string::npos, "it said " + printed);
}

// What is wrong, in words; nothing where the claim is true.
std::string problem(Questions& questions, const Value& claim, const Value& rule) {
  if (claim.find("call")) return about_call(questions, whole_in(claim, "call"), claim, rule);
  Value observed = questions.value(part(claim, "observed")), expected = questions.value(part(claim, "expected"));
  std::string kind = text_in(claim, "rule");
  auto at_most = [](double a, double b) { return a <= b; };
  if (kind == "close") return far_off(observed, expected, rule);
  if (kind == "value") {
    double low = rule.find("low") ? number(part(rule, "low")) : -INFINITY, high = rule.find("high") ? number(part(rule, "high")) : INFINITY;
    Tensor held = each(observed, [&](double one) { return std::isfinite(one) && one >= low && one <= high; });
    return otherwise(everywhere(held), "out of bounds: " + shown(observed));
  }
  if (kind == "between") {
    auto bounds = list_of(expected);
    if (!bounds || bounds->size() != 2) throw NoValue("there are not two bounds");
    bool held = everywhere(pairs((*bounds)[0], observed, at_most)) && everywhere(pairs(observed, (*bounds)[1], at_most));
    return otherwise(held, "not between: " + shown(observed));
  }
  if (kind == "less") {
    Tensor held = pairs(observed, expected, [](double a, double b) { return a < b; });
    return otherwise(everywhere(held), "not less: " + shown(observed));
  }
  if (kind == "contains") {
    auto* text = undressed(observed).as<std::string>();
    auto parts = list_of(observed);
    bool held = text ? text->find(text_of(expected)) != std::string::npos : false;
    for (const Value& one : parts ? *parts : List()) held = held || identical(one, expected);
    return otherwise(held, shown(observed) + " does not contain " + shown(expected));
  }
  if (kind == "finite") {
    Reals found = all_numbers(observed);
    bool held = !found.empty() && std::all_of(found.begin(), found.end(), [](double one) { return std::isfinite(one); });
    return otherwise(held, "not finite: " + shown(observed));
  }
  return otherwise(identical(observed, expected), shown(observed) + " is not " + shown(expected));
}

// --- the program ----------------------------------------------------------------------------------------------------

// What is claimed of a criterion in one case.
struct Case {
  std::string name, criterion, left_out, key;
  std::vector<const Value*> claims;
};

std::vector<Case> cases_in(const Value& data) {
  std::vector<Case> found;
  for (const Value& claim : list_in(data, "claims")) {
    Case one{text_in(claim, "case"), text_in(claim, "criterion"), text_in(claim, "left_out"), "", {}};
    one.key = text_in(claim, "scenario") + '\n' + one.name + '\n' + one.criterion + '\n' + one.left_out;
    auto known = std::find_if(found.begin(), found.end(), [&](const Case& other) { return other.key == one.key; });
    if (known == found.end()) known = found.insert(found.end(), one);
    known->claims.push_back(&claim);
  }
  return found;
}

std::string wrong(Questions& questions, const Case& one) {
  const Value& rule = part(part(questions.data, "criteria"), one.criterion);
  std::string found;
  for (const Value* claim : one.claims) {
    std::string why;
    try {
      why = problem(questions, *claim, rule);
    } catch (const NoValue& nothing) {
      why = nothing.what();
    }
    if (!why.empty()) found += (found.empty() ? text_in(rule, "quantity") + ": " : "; ") + why;
  }
  return found;
}

std::string plain(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string name_of_case(const Case& one) {
  std::string name = one.name;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return !(std::isalnum(c) && c < 128); }, '_');
  return name + "-" + one.criterion;
}

// In a process of its own, from the case `first` on. Each case that begins is written down before it is asked.
void ask(const Value& data, const std::vector<Case>& cases, std::size_t first, const char* results) {
  std::ofstream out(results, std::ios::app);
  Questions questions(data);
  auto own = cases_in(questions.data);
  for (std::size_t k = first; k < cases.size(); ++k) {
    out << "begun\n" << std::flush;
    std::string why = own[k].left_out.empty() ? wrong(questions, own[k]) : own[k].left_out;
    const char* outcome = !own[k].left_out.empty() ? "skipped " : why.empty() ? "passed " : "failed ";
    out << outcome << name_of_case(own[k]) << (why.empty() ? "" : ": ") << plain(why) << '\n' << std::flush;
  }
}

std::vector<std::string> told(const char* results) {
  std::ifstream in(results);
  std::vector<std::string> found;
  for (std::string line; std::getline(in, line);)
    if (line != "begun") found.push_back(line);
  return found;
}

// Begun again behind a case in which the process of the package ended.
int ask_all(const char* questions, const char* results) {
  std::ifstream in(questions);
  if (!in) return std::cerr << questions << " cannot be read\n", 2;
  Value data = Json::read(std::string(std::istreambuf_iterator<char>(in), {}));
  auto cases = cases_in(data);
  if (cases.empty()) return std::cerr << "there are no questions\n", 5;
  std::ofstream(results, std::ios::trunc).flush();
  for (std::size_t first = 0; first < cases.size(); first = told(results).size()) {
    std::cout.flush();
    pid_t child = fork();
    if (child < 0) return std::cerr << "no process can be started\n", 2;
    if (child == 0) {
      ask(data, cases, first, results);
      std::_Exit(0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    std::size_t done = told(results).size();
    if (done == cases.size()) break;
    std::ofstream out(results, std::ios::app);
    out << "failed " << name_of_case(cases[done]) << ": its process ended ("
        << (WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status)) : "exit status " + std::to_string(WEXITSTATUS(status))) << ")\n";
  }
  return 0;
}

int tell(const char* results, long number) {
  auto rows = told(results);
  if (number >= 0) {
    if (static_cast<std::size_t>(number) >= rows.size()) return std::cerr << "it was not asked\n", 2;
    rows = {rows[static_cast<std::size_t>(number)]};
  }
  bool failed = rows.empty(), passed = false;
  for (const std::string& row : rows) {
    std::cout << row << '\n';
    failed = failed || row.starts_with("failed");
    passed = passed || row.starts_with("passed");
  }
  return failed ? 1 : passed ? 0 : 77;
}

}  // namespace
}  // namespace statsclaw

int main(int count, char** words) {
  if (count == 3) return statsclaw::ask_all(words[1], words[2]);
  if (count == 2) return statsclaw::tell(words[1], -1);
  if (count == 4) return statsclaw::tell(words[1], std::strtol(words[3], nullptr, 10));
  return 2;
}
