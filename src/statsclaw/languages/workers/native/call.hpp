// A call: arguments into parameters, the function, and what it returns.
#pragma once

#include <functional>

#include "held.hpp"

namespace statsclaw {

#ifdef STATSCLAW_C
inline constexpr bool is_c = true;
#else
inline constexpr bool is_c = false;
#endif

// --- what the interface says ----------------------------------------------------------------------------------------

struct Parameter {
  std::string name;
  std::optional<Value> otherwise;  // its default, where that is a plain value
};

// `how`: rows, cols, length, distinct (r c l d) or the value itself (v) of `name`, plus `number`.
struct Dimension {
  char how;
  std::string name;
  std::int64_t number;
};
using Shape = std::vector<Dimension>;

// `shapes`: of parts of what is returned, by their path. `outs`: what output parameters hold, in their order.
struct Spec {
  std::string name, element;
  std::vector<Parameter> parameters;
  std::vector<std::pair<std::string, Shape>> shapes;
  std::vector<std::string> outs;
};

// --- one call -------------------------------------------------------------------------------------------------------

// `held`: what an earlier call returned, or a part of it; `value` is its plain form then.
struct Given {
  bool there = false;
  Value value;
  std::optional<Held> held;
};

struct Call {
  const Spec* spec = nullptr;
  Held self;
  std::vector<Given> given;
  std::function<void()> begin, end;
  std::vector<std::string> changed;
  std::map<std::pair<std::string, const Type*>, std::shared_ptr<void>>* generators = nullptr;

  std::optional<Sizes> sizes(const std::string& path, const Held* beside = nullptr) const;
};

struct Function {
  const Spec* spec;
  std::function<Held(Call&)> invoke;
};

template <class T>
const std::vector<Function>& methods_as() {
  static const std::vector<Function> made = [] {
    if constexpr (std::is_class_v<T> && !std::same_as<T, Record>) return methods<T>();
    else return std::vector<Function>();
  }();
  return made;
}

// An error code of a function of C.
struct Status {
  int code;
};
// An output parameter was written beyond its end.
struct OverrunError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What an object holds, to be compared later.
std::string content_of(const Held& held);

// --- parameters -----------------------------------------------------------------------------------------------------

template <class T>
concept Generator = std::is_class_v<T> && std::constructible_from<T, std::uint32_t> && requires(T& g) { g.seed(), T::min(), T::max(), g(); };

template <class P>
concept FlatPointer = std::is_pointer_v<P> && (Number<std::remove_cv_t<std::remove_pointer_t<P>>> || std::same_as<std::remove_cv_t<std::remove_pointer_t<P>>, bool>);
template <class P>
concept FlatVector = Vector<std::remove_cvref_t<P>> && Number<typename std::remove_cvref_t<P>::value_type>;
template <class T>
inline constexpr bool is_span = false;
template <class T, std::size_t N>
inline constexpr bool is_span<std::span<T, N>> = true;
template <class T>
concept Span = is_span<T>;
template <class P>
concept Size = std::same_as<P, std::size_t>;

// Holds what is passed for one parameter of the type P. `rank`: as many sizes follow it; 0: it knows its own.
template <class P>
struct Slot {
  using T = std::remove_cvref_t<P>;
  static constexpr bool stays = !std::is_reference_v<P>;
  std::optional<T> stored;
  Sizes shape;

  void take(const Given& given, std::size_t rank, Call&) {
    if constexpr (FlatVector<P>) {
      if (rank > 0) {
        auto [elements, found] = flat<typename T::value_type>(given.value, rank);
        stored = std::move(elements), shape = found;
        return;
      }
    }
    stored.emplace(from<T>(given.value));
  }
  P pass() { return static_cast<P>(*stored); }
  std::string content() const { return stays ? std::string() : encoded(*stored); }
};

template <FlatPointer P>
struct Slot<P> {
  using E = std::remove_cv_t<std::remove_pointer_t<P>>;
  std::unique_ptr<E[]> stored;
  Sizes shape;

  void take(const Given& given, std::size_t rank, Call&) {
    shape.assign(rank, 0);
    if (given.value.nothing()) return;
    auto [elements, found] = flat<E>(given.value, rank);
    stored = std::make_unique<E[]>(elements.size() + 1);
    std::copy(elements.begin(), elements.end(), stored.get());
    shape = found;
  }
  P pass() { return stored.get(); }
  std::string content() const {
    return stored ? std::string(reinterpret_cast<const char*>(stored.get()), product(shape) * sizeof(E)) : std::string();
  }
};

template <class P>
  requires std::same_as<P, const char*> || std::same_as<P, std::string_view>
struct Slot<P> {
  std::optional<std::string> stored;
  Sizes shape;

  void take(const Given& given, std::size_t, Call&) {
    if (!std::is_pointer_v<P> || !given.value.nothing()) stored = from<std::string>(given.value);
  }
  P pass() {
    if constexpr (std::is_pointer_v<P>) return stored ? stored->c_str() : nullptr;
    else return *stored;
  }
  std::string content() const { return stored.value_or(""); }
};

template <class P>
  requires Span<std::remove_cvref_t<P>>
struct Slot<P> {
  using T = std::remove_cvref_t<P>;
  std::vector<std::remove_cv_t<typename T::element_type>> stored;
  std::optional<T> view;
  Sizes shape;

  void take(const Given& given, std::size_t, Call&) { stored = from<decltype(stored)>(given.value), view.emplace(stored); }
  P pass() { return static_cast<P>(*view); }
  std::string content() const { return encoded(stored); }
};

template <class P>
  requires Generator<std::remove_cvref_t<P>>
struct Slot<P> {
  using T = std::remove_cvref_t<P>;
  std::shared_ptr<void> stored;
  Sizes shape;

  void take(const Given& given, std::size_t, Call& call) {
    const Value& value = undressed(given.value);
    auto* extra = value.as<Extra>();
    const Value* seed = extra && extra->kind == "generator" ? extra->inner[0].find("seed") : nullptr;
    if (!seed) wanted("a generator of random numbers", value);
    const Value* name = extra->inner[0].find("name");
    auto fresh = std::make_shared<T>(static_cast<typename T::result_type>(from<std::int64_t>(*seed)));
    bool goes_on = name && name->as<std::string>();
    stored = goes_on ? call.generators->try_emplace({*name->as<std::string>(), type_of<T>()}, fresh).first->second : fresh;
  }
  P pass() { return static_cast<P>(*static_cast<T*>(stored.get())); }
  std::string content() const { return {}; }
};

// An object that an earlier call returned.
template <class P>
  requires(Handle<P> || (std::is_class_v<std::remove_cvref_t<P>> && !Plain<std::remove_cvref_t<P>> && !Span<std::remove_cvref_t<P>> &&
                         !Generator<std::remove_cvref_t<P>> && !std::same_as<std::remove_cvref_t<P>, std::string_view>))
struct Slot<P> {
  using T = std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<P>>>;
  Held stored;
  Sizes shape;

  static const Type* wanted_type() {
    if constexpr (is_of<T, std::shared_ptr>) return type_of<std::remove_cv_t<typename T::element_type>>();
    else return type_of<T>();
  }
  void take(const Given& given, std::size_t, Call&) {
    if (Handle<P> && !given.held && given.value.nothing()) return;
    if (!given.held || given.held->type != wanted_type()) wanted(("an object of the type " + wanted_type()->name).c_str(), given.value);
    stored = *given.held;
  }
  P pass() {
    if constexpr (Handle<P>) return static_cast<T*>(stored.object.get());
    else if constexpr (is_of<T, std::shared_ptr>) {
      static thread_local T pointer;
      pointer = std::static_pointer_cast<typename T::element_type>(stored.object);
      return static_cast<P>(pointer);
    } else return static_cast<P>(*static_cast<T*>(stored.object.get()));
  }
  std::string content() const { return content_of(stored); }
};

// --- output parameters (C) ------------------------------------------------------------------------------------------

constexpr std::size_t guard_bytes = 64;
constexpr std::size_t longest_text = 4096;

template <class P>
struct OutSlot {
  using T = std::remove_pointer_t<P>;
  static constexpr bool is_buffer = Number<T> || std::same_as<T, bool> || std::same_as<T, char>;
  static constexpr bool is_handle = Handle<T>;
  static_assert(std::is_pointer_v<P> && !std::is_const_v<T> && (is_buffer || is_handle || std::is_class_v<T>),
                "an output parameter is a pointer to numbers, to a struct, or to a pointer to a struct");
  std::unique_ptr<char[]> buffer;
  std::size_t bytes = 0;
  bool single = true;
  T pointer{};
  std::shared_ptr<T> object;
  Sizes shape;

  void make(Call& call, const std::string& name) {
    if constexpr (is_buffer) {
      auto sizes = call.sizes(name);
      if (sizes) shape = *sizes, single = false;
      else if (std::same_as<T, char>) shape = {longest_text};
      bytes = product(shape) * sizeof(T);
      buffer = std::make_unique<char[]>(bytes + guard_bytes);
      std::memset(buffer.get(), 0x5a, bytes + guard_bytes);
      if constexpr (std::floating_point<T>) std::fill_n(reinterpret_cast<T*>(buffer.get()), product(shape), std::numeric_limits<T>::quiet_NaN());
      else std::memset(buffer.get(), 0, bytes);
    } else if constexpr (!is_handle) {
      object = std::shared_ptr<T>(new T(), [](T* made) {
        release(made);  // frees what it holds
        delete made;
      });
    }
  }
  P pass() {
    if constexpr (is_buffer) return reinterpret_cast<P>(buffer.get());
    else if constexpr (is_handle) return &pointer;
    else return object.get();
  }
  Held result(const std::string& name) {
    if constexpr (is_buffer) {
      for (std::size_t k = 0; k < guard_bytes; ++k)
        if (buffer[bytes + k] != 0x5a) throw OverrunError("more was written into the output " + name + " than its declared shape holds");
      T* elements = reinterpret_cast<T*>(buffer.get());
      if constexpr (std::same_as<T, char>) return hold(std::string(elements, strnlen(elements, bytes)));
      else return single ? hold(T(elements[0])) : hold(std::vector<T>(elements, elements + product(shape)));
    } else if constexpr (is_handle) {
      return hold(pointer);
    } else {
      return {object, type_of<T>()};
    }
  }
};

// --- the plan -------------------------------------------------------------------------------------------------------

// What a parameter is given: an argument, one of its sizes (`size` from 1), or, behind all arguments, an output.
struct Step {
  std::size_t argument = 0, size = 0, rank = 0;
  bool out = false;
};

// Sizes follow a pointer; they follow a flat vector where the function has more parameters than the interface.
template <class... P>
constexpr std::array<Step, sizeof...(P)> planned(std::size_t arguments) {
  constexpr std::size_t count = sizeof...(P);
  constexpr bool pointer[] = {FlatPointer<P> || std::same_as<P, char*>..., false}, vector[] = {FlatVector<P>..., false}, size[] = {Size<P>..., false};
  std::array<Step, count> plan{};
  std::size_t extra = count > arguments ? count - arguments : 0, next = 0;
  for (std::size_t at = 0; at < count;) {
    std::size_t follow = 0;
    while (at + 1 + follow < count && follow < 2 && size[at + 1 + follow]) ++follow;
    std::size_t rank = pointer[at] ? follow : vector[at] && follow == 2 && extra >= 2 && !is_c ? 2 : 0;
    extra -= extra >= rank ? rank : extra;
    for (std::size_t k = 0; k <= rank; ++k) plan[at + k] = {next, k, rank, next >= arguments};
    at += 1 + rank, ++next;
  }
  return plan;
}

template <class R, class... P>
struct Signature {};
template <class R, class... P>
Signature<R, P...> signature(R (*)(P...), int);
template <class R, class C, class... P>
Signature<R, P...> signature(R (C::*)(P...), int);
template <class R, class C, class... P>
Signature<R, P...> signature(R (C::*)(P...) const, int);

template <class R, class T, class... P>
constexpr bool takes(Signature<R, T, P...>*, const std::type_identity<std::remove_cv_t<std::remove_pointer_t<T>>>*) { return std::is_pointer_v<T>; }
constexpr bool takes(...) { return false; }

// An error about the argument of a number, or of its size.
[[noreturn]] inline void refuse(const Spec& spec, std::size_t argument, const char* what) {
  throw ArgumentError("argument " + spec.parameters[argument].name + ": " + what);
}

inline void fill(Call& call, std::size_t argument) {
  Given& given = call.given[argument];
  if (given.there) return;
  const Parameter& parameter = call.spec->parameters[argument];
  if (!parameter.otherwise) refuse(*call.spec, argument, "it is missing");
  given = {true, *parameter.otherwise, {}};
}

inline std::size_t count_given(const Call& call) {
  std::size_t count = call.given.size();
  while (count > 0 && !call.given[count - 1].there) --count;
  return count;
}

// How many parameters the first arguments fill.
template <std::size_t M, class... P>
constexpr std::size_t filled(std::size_t arguments) {
  std::size_t found = 0;
  for (const Step& step : planned<P...>(M)) found += !step.out && step.argument < arguments;
  return found;
}

template <class I, class Tuple, std::size_t... J>
constexpr bool callable(std::index_sequence<J...>) { return std::is_invocable_v<I, std::tuple_element_t<J, Tuple>...>; }

// For each number of arguments, whether the function leaves the rest to its own defaults.
template <std::size_t M, class R, class I, class... P>
constexpr std::array<bool, M + 1> arities() {
  return []<std::size_t... A>(std::index_sequence<A...>) {
    return std::array{(is_c ? A == M : callable<I, std::tuple<P...>>(std::make_index_sequence<filled<M, P...>(A)>{}))...};
  }(std::make_index_sequence<M + 1>{});
}

// --- functions whose types are known --------------------------------------------------------------------------------

// M: arguments in the interface; N: output parameters it expects.
template <std::size_t M, std::size_t N, class R, class... P, class I>
Held call_typed(Signature<R, P...>, Call& call, I invoke) {
  constexpr std::size_t count = sizeof...(P);
  static constexpr auto plan = planned<P...>(M);
  constexpr std::size_t taken = [] {
    std::size_t found = 0;
    for (const Step& step : plan) found += !step.out && step.size == 0;
    return found;
  }();
  static_assert(taken == M, "the function has fewer parameters than the interface has arguments");
  static_assert([]<std::size_t... J>(std::index_sequence<J...>) {
    return ((!FlatPointer<P> || plan[J].rank > 0 || plan[J].out) && ...);
  }(std::index_sequence_for<P...>{}), "a pointer to numbers is an argument, and no length of the type size_t follows it");

  static constexpr auto can = arities<M, R, I, P...>();
  std::size_t arguments = count_given(call);
  while (arguments < M && !can[arguments]) ++arguments;
  for (std::size_t k = 0; k < arguments; ++k) fill(call, k);

  auto slots = []<std::size_t... J>(std::index_sequence<J...>) {
    return std::tuple<std::conditional_t<is_c && plan[J].out && plan[J].size == 0, OutSlot<P>, Slot<P>>...>();
  }(std::index_sequence_for<P...>{});
  auto each = [&](auto act) {
    [&]<std::size_t... J>(std::index_sequence<J...>) { (act.template operator()<J>(std::get<J>(slots)), ...); }(std::index_sequence_for<P...>{});
  };
  Sizes shape;
  [[maybe_unused]] std::size_t next_out = 0;
  each([&]<std::size_t J>(auto& slot) {
    constexpr Step step = plan[J];
    if constexpr (step.size > 0) {
      slot.stored = step.size <= shape.size() ? static_cast<std::size_t>(shape[step.size - 1]) : product(shape);
    } else if constexpr (step.out) {
      if constexpr (is_c) {
        slot.make(call, next_out < call.spec->outs.size() ? call.spec->outs[next_out] : ""), ++next_out;
        shape = step.rank == 1 ? Sizes{static_cast<std::int64_t>(product(slot.shape))} : slot.shape;
      }
    } else if (step.argument < arguments) {
      try {
        slot.take(call.given[step.argument], step.rank, call);
      } catch (const ArgumentError& error) {
        refuse(*call.spec, step.argument, error.what());
      }
      shape = slot.shape;
    }
  });
  auto contents = [&] {
    std::vector<std::string> found(M);
    each([&]<std::size_t J>(auto& slot) {
      if constexpr (plan[J].size == 0 && !plan[J].out)
        if (plan[J].argument < arguments) found[plan[J].argument] = slot.content();
    });
    return found;
  };
  struct Watch {
    Call& call;
    decltype(contents)& look;
    std::vector<std::string> before = look();
    ~Watch() {
      call.end();
      auto after = look();
      for (std::size_t k = 0; k < after.size(); ++k)
        if (after[k] != before[k]) call.changed.push_back(call.spec->parameters[k].name);
    }
  };

  Held found;
  auto perform = [&]<std::size_t... J>(std::index_sequence<J...>) {
    Watch watch{call, contents};
    call.begin();
    if constexpr (is_c && (std::same_as<R, int> || std::is_enum_v<R>)) {
      int code = static_cast<int>(invoke(std::get<J>(slots).pass()...));
      if (code != 0) throw Status{code};
    } else if constexpr (std::is_void_v<R>) {
      invoke(std::get<J>(slots).pass()...);
    } else {
      found = hold(invoke(std::get<J>(slots).pass()...));
    }
  };
  if constexpr (is_c) {
    perform(std::make_index_sequence<count>{});
    constexpr std::size_t outs = [] {
      std::size_t many = 0;
      for (const Step& step : plan) many += step.out && step.size == 0;
      return many;
    }();
    static_assert(outs <= 1 || outs == N, "the function has another number of output parameters than the interface has fields");
    if constexpr (outs > 0) {
      Record record;
      each([&]<std::size_t J>(auto& slot) {
        if constexpr (plan[J].out && plan[J].size == 0) {
          std::string name = record.parts.size() < call.spec->outs.size() ? call.spec->outs[record.parts.size()] : "";
          record.parts.emplace_back(name, slot.result(name));
        }
      });
      found = outs == 1 && (N == 0 || record.parts[0].first.empty() || record.parts[0].second.type->fields().size() > 0) ? record.parts[0].second : hold(std::move(record));
    }
  } else {
    bool done = [&]<std::size_t... A>(std::index_sequence<A...>) {
      return ((A == arguments && can[A] && ([&] {
        if constexpr (can[A]) perform(std::make_index_sequence<filled<M, P...>(A)>{});
      }(), true)) || ...);
    }(std::make_index_sequence<M + 1>{});
    if (!done) throw ArgumentError(call.spec->name + " cannot be called with so few arguments");
  }
  return found;
}

// --- overloaded functions and constructors --------------------------------------------------------------------------

// Converts to whatever the function wants. Not to Self: a constructor would be its copy constructor.
template <class Self>
struct Any {
  Call* call;
  std::size_t argument;

  template <class T>
  T made() const {
    Slot<T> slot;
    try {
      slot.take(call->given[argument], 0, *call);
    } catch (const ArgumentError& error) {
      refuse(*call->spec, argument, error.what());
    }
    return slot.pass();
  }
  template <class T>
    requires(!std::same_as<T, Self>)
  operator T() { return made<T>(); }
  // An optional could be made from Any by its own constructor, too: what is neither template nor const goes first.
  operator std::optional<double>() { return made<std::optional<double>>(); }
  operator std::optional<int>() { return made<std::optional<int>>(); }
  operator std::optional<long>() { return made<std::optional<long>>(); }
  operator std::optional<std::size_t>() { return made<std::optional<std::size_t>>(); }
  operator std::optional<bool>() { return made<std::optional<bool>>(); }
  operator std::optional<std::string>() { return made<std::optional<std::string>>(); }
  operator std::optional<std::vector<double>>() { return made<std::optional<std::vector<double>>>(); }
  operator std::optional<std::vector<std::vector<double>>>() { return made<std::optional<std::vector<std::vector<double>>>>(); }
};

template <class I, class Self, std::size_t... K>
constexpr bool any_callable(std::index_sequence<K...>) { return std::is_invocable_v<I, decltype((void)K, Any<Self>{})...>; }

template <class I, class Self, std::size_t M>
inline constexpr auto any_arities = []<std::size_t... A>(std::index_sequence<A...>) {
  return std::array{any_callable<I, Self>(std::make_index_sequence<A>{})...};
}(std::make_index_sequence<M + 1>{});

template <class I, class Self, std::size_t M>
constexpr bool any_callable_at_all() {
  for (bool one : any_arities<I, Self, M>)
    if (one) return true;
  return false;
}

template <std::size_t M, class Self, class I>
Held call_any(Call& call, I invoke) {
  static constexpr auto can = any_arities<I, Self, M>;
  std::size_t arguments = count_given(call);
  while (arguments < M && !can[arguments]) ++arguments;
  for (std::size_t k = 0; k < arguments; ++k) fill(call, k);
  Held found;
  auto perform = [&]<std::size_t... K>(std::index_sequence<K...>) {
    struct Watch {
      Call& call;
      ~Watch() { call.end(); }
    } watch{call};
    call.begin();
    if constexpr (std::is_void_v<std::invoke_result_t<I, decltype((void)K, Any<Self>{})...>>) invoke(Any<Self>{&call, K}...);
    else found = hold(invoke(Any<Self>{&call, K}...));
  };
  bool done = [&]<std::size_t... A>(std::index_sequence<A...>) {
    return ((A == arguments && can[A] && ([&] {
      if constexpr (can[A]) perform(std::make_index_sequence<A>{});
    }(), true)) || ...);
  }(std::make_index_sequence<M + 1>{});
  if (!done) throw ArgumentError(call.spec->name + " cannot be called with so few arguments");
  return found;
}

template <std::size_t M, std::size_t N, class S, class I>
Held called(S sign, Call& call, I invoke) {
  if constexpr (requires { sign(0); }) {
    return call_typed<M, N>(sign(0), call, invoke);
  } else {
    static_assert(any_callable_at_all<I, void, M>(), "the function cannot be called with the arguments of the interface: "
                  "it is a template, or two of its overloads take as many");
    return call_any<M, void>(call, invoke);
  }
}

// --- methods of C++ -------------------------------------------------------------------------------------------------

template <class T, class F>
struct Bound {
  T& object;
  F function;
  template <class... A>
  auto operator()(A&&... a) const -> decltype(function(object, std::forward<A>(a)...)) { return function(object, std::forward<A>(a)...); }
};

template <class T, class F>
struct Signed {
  F function;
  template <class Tag>
  auto operator()(Tag) const -> decltype(function(static_cast<std::enable_if_t<(sizeof(Tag) > 0), T>*>(nullptr))) { return {}; }
};

template <class T, std::size_t M, class S, class F>
void add_method(std::vector<Function>& found, const Spec& spec, S sign, F function) {
  Signed<T, S> known{sign};
  if constexpr (requires { known(0); } || any_callable_at_all<Bound<T, F>, void, M>())
    found.push_back({&spec, [known, function](Call& call) {
      return called<M, 0>(known, call, Bound<T, F>{*static_cast<T*>(call.self.object.get()), function});
    }});
}

// --- errors ---------------------------------------------------------------------------------------------------------

// A class that the interface names. `depth`: of how many others of the interface it is derived.
struct Kind {
  std::string name;
  std::size_t depth;
  bool (*is)(const std::exception_ptr&);
};

template <class E>
bool is_kind(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const E&) {
    return true;
  } catch (...) {
    return false;
  }
}

template <class... E>
std::vector<Kind> kinds(std::vector<std::string> names) {
  std::size_t at = 0;
  auto depth = []<class D>(std::type_identity<D>) { return (std::size_t{0} + ... + (std::is_base_of_v<E, D> ? 1 : 0)); };
  std::vector<Kind> found;
  (found.push_back({names[at++], depth(std::type_identity<E>{}), &is_kind<E>}), ...);
  return found;
}

// --- the package ----------------------------------------------------------------------------------------------------

// `codes`: errors of C by their names; `explain`: the message of one.
struct Package {
  std::vector<Function> functions;
  std::vector<Kind> errors;
  std::vector<std::pair<std::string, int>> codes;
  std::function<std::string(int)> explain;
};

const Package& package();

}  // namespace statsclaw

#define STATSCLAW_SIGNATURE(name) [](auto tag) -> decltype(statsclaw::signature(&name, tag)) { return {}; }
#define STATSCLAW_CALL(name) \
  [](auto&&... a) -> decltype(name(std::forward<decltype(a)>(a)...)) { return name(std::forward<decltype(a)>(a)...); }

// M: arguments of the interface; N: fields that output parameters may hold; `spec`: a `const Spec`.
#define STATSCLAW_FUNCTION(spec, name, M, N) \
  found.push_back({&spec, [](Call& call) { return called<M, N>(STATSCLAW_SIGNATURE(name), call, STATSCLAW_CALL(name)); }});

#define STATSCLAW_CLASS(spec, name, M) \
  found.push_back({&spec, [](Call& call) { return call_any<M, name>(call, STATSCLAW_CALL(name)); }});

#define STATSCLAW_FIELD(name) \
  if constexpr (requires(T& x) { x.name(); }) visit(#name, [](T& x) -> decltype(auto) { return x.name(); }); \
  else if constexpr (requires(T& x) { sizeof(x.name); }) visit(#name, [](T& x) -> decltype(auto) { return (x.name); });

#define STATSCLAW_METHOD(spec, name, M) \
  add_method<T, M>(found, spec, [](auto* x) -> decltype(statsclaw::signature(&std::remove_pointer_t<decltype(x)>::name, 0)) { return {}; }, \
                   [](auto& x, auto&&... a) -> decltype(x.name(std::forward<decltype(a)>(a)...)) { return x.name(std::forward<decltype(a)>(a)...); });

// A method of C is a function whose first argument is the object.
#define STATSCLAW_C_METHOD(spec, name, M, N) \
  if constexpr (takes(static_cast<decltype(statsclaw::signature(&name, 0))*>(nullptr), static_cast<const std::type_identity<T>*>(nullptr))) \
    STATSCLAW_FUNCTION(spec, name, M, N)

#define STATSCLAW_GETTER(field, name) \
  else if constexpr (requires(T& x) { name(&x); }) visit(#field, [](T& x) -> decltype(auto) { return name(&x); });
