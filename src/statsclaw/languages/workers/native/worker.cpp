// Holds the package and answers calls: worker INPUT OUTPUT SITE PACKAGE
//
// What is asked and answered is in docs/reference/worker-protocol.md. Nothing in here is defended: a package that
// changes this process can only change its own answers.

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "call.hpp"

namespace statsclaw {
namespace {

constexpr std::size_t longest_text = 4000;
constexpr std::int64_t largest_frame = std::int64_t{1} << 31;

using Parts = std::vector<std::pair<std::string, std::string>>;  // names and encoded values

std::string encoded_fields(const Parts& parts) {
  Out out;
  out.fields(parts.size());
  for (const auto& [name, bytes] : parts) out.name(name), out.bytes += bytes;
  return out.bytes;
}

// --- memory ---------------------------------------------------------------------------------------------------------

std::string content(const char* path) {
  std::string text(1 << 14, '\0');
  int handle = open(path, O_RDONLY | O_CLOEXEC);
  if (handle < 0) return {};
  auto size = read(handle, text.data(), text.size());
  close(handle);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

double peak() {
  std::string status = content("/proc/self/status");
  if (auto at = status.find("VmHWM:"); at != std::string::npos) return 1024.0 * std::strtod(status.c_str() + at + 6, nullptr);
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

// What is in use now; from here on the peak counts anew, where the kernel can do that.
double reset_peak() {
  int handle = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  bool done = handle >= 0 && ::write(handle, "5", 1) == 1;
  if (handle >= 0) close(handle);
  return done ? peak() : 0.0;
}

// --- what is printed ------------------------------------------------------------------------------------------------

struct Printed {
  int file = -1;

  void divert() {
    const char* folder = std::getenv("TMPDIR");
    flush();
    file = open(folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    for (int stream : {1, 2}) dup2(file, stream);
  }
  static void flush() {
    std::cout.flush(), std::cerr.flush(), std::clog.flush();
    std::fflush(nullptr);
  }
  bool any() const {
    struct stat about {};
    return fstat(file, &about) == 0 && about.st_size > 0;
  }
  void clear() const {
    flush();
    if (any() && ftruncate(file, 0) != 0) std::abort();
  }
  std::string text() const {
    flush();
    std::string found(longest_text, '\0');
    auto size = any() ? pread(file, found.data(), found.size(), 0) : 0;
    found.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return found;
  }
};

// Bytes that are no UTF-8 become question marks; a letter that was cut off at the end is left out.
std::string as_utf8(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    auto byte = static_cast<unsigned char>(text[at]);
    std::size_t size = byte < 0x80 ? 1 : byte >= 0xc2 && byte < 0xe0 ? 2 : byte >= 0xe0 && byte < 0xf0 ? 3 : byte >= 0xf0 && byte < 0xf5 ? 4 : 0;
    bool sound = size > 0;
    for (std::size_t k = 1; sound && k < size && at + k < text.size(); ++k) sound = (static_cast<unsigned char>(text[at + k]) & 0xc0) == 0x80;
    if (sound && at + size > text.size()) text.resize(at);
    else if (sound) at += size;
    else text[at++] = '?';
  }
  return text;
}

std::string text_value(std::string text) {
  Out out;
  out.text(as_utf8(text.substr(0, longest_text)));
  return out.bytes;
}

// --- conditions -----------------------------------------------------------------------------------------------------

std::string condition(const std::vector<std::string>& classes, const std::string& message) {
  Out names;
  names.list(classes.size());
  for (const std::string& name : classes) names.text(name);
  return encoded_fields({{"classes", names.bytes}, {"message", text_value(message)}});
}

std::string type_thrown() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (!type) return "unknown";
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), std::free);
  return name ? name.get() : type->name();
}

// Of what is being handled: classes of the interface, the most derived first, then its own type.
std::string current_condition() {
  const std::exception_ptr error = std::current_exception();
  std::string message;
  std::vector<std::string> classes;
  try {
    throw;
  } catch (const ArgumentError& wrong) {
    return condition({"ArgumentError"}, wrong.what());
  } catch (const OverrunError& wrong) {
    return condition({"OverrunError"}, wrong.what());
  } catch (const Status& status) {
    for (const auto& [name, code] : package().codes)
      if (code == status.code) classes.push_back(name);
    if (classes.empty()) classes.push_back("code " + std::to_string(status.code));
    return condition(classes, package().explain(status.code));
  } catch (const std::exception& wrong) {
    message = wrong.what();
  } catch (const std::string& text) {
    message = text;
  } catch (const char* text) {
    message = text;
  } catch (...) {
  }
  std::vector<const Kind*> found;
  for (const Kind& kind : package().errors)
    if (kind.is(error)) found.push_back(&kind);
  std::stable_sort(found.begin(), found.end(), [](auto* a, auto* b) { return a->depth > b->depth; });
  for (const Kind* kind : found) classes.push_back(kind->name);
  try {
    throw;
  } catch (...) {
    classes.push_back(type_thrown());
  }
  return condition(classes, message);
}

// --- the conversation -----------------------------------------------------------------------------------------------

struct Kept {
  Held held;
  std::string element;
  Call call;  // with its arguments: shapes of parts are told by them
};

struct Worker {
  Printed printed;
  std::map<std::int64_t, Kept> kept;
  std::map<std::pair<std::string, const Type*>, std::shared_ptr<void>> generators;

  void forget() { generators.clear(), kept.clear(); }

  std::string answer(const Value& request) {
    printed.clear();
    Parts reply = performed(request);
    Out id;
    id.whole(whole(request, "id"));
    Out none;
    none.list(0);
    reply.insert(reply.begin(), {"id", id.bytes});
    reply.push_back({"warnings", none.bytes});
    reply.push_back({"printed", text_value(printed.text())});
    return encoded_fields(reply);
  }

  Parts performed(const Value& request) {
    using Clock = std::chrono::steady_clock;
    std::chrono::duration<double> took{0};
    Clock::time_point begun;
    const Value* measured = request.find("measured");
    double resting = 0, used = -1;
    Call call;
    call.generators = &generators;
    call.begin = [&] {
      if (!measured || !measured->as<bool>() || *measured->as<bool>()) resting = reset_peak(), used = 0;
      begun = Clock::now();
    };
    call.end = [&] {
      took += Clock::now() - begun;
      Printed::flush();
      if (used == 0) used = std::max(peak() - resting, 0.0);
    };
    Parts reply;
    try {
      std::string value = perform(request, call, [&](auto act) {
        auto from = Clock::now();
        act();
        took += Clock::now() - from;
      });
      reply.push_back({"value", value});
      if (used >= 0) reply.push_back({"peak", encoded(used)});
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      reply.push_back({"error", current_condition()});
    }
    reply.push_back({"seconds", encoded(took.count())});
    Out changed;
    changed.list(call.changed.size());
    for (const std::string& name : call.changed) changed.text(name);
    reply.push_back({"changed", changed.bytes});
    return reply;
  }

  template <class Timed>
  std::string perform(const Value& request, Call& call, Timed timed) {
    std::string what = request.find("what") ? text(request, "what") : "call";
    if (what == "exports") return exports();
    std::string name = what == "text" ? "" : text(request, "function");
    if (what == "signature") return signature_of(name);
    if (what == "text") return printed_form(request);

    const Function& function = chosen(request, name, call);
    call.spec = function.spec;
    arrange(request, call);
    if (auto* seed = request.find("seed"); seed && seed->as<std::int64_t>()) std::srand(static_cast<unsigned>(*seed->as<std::int64_t>()));
    Held held = function.invoke(call);
    std::string found;
    timed([&] { found = described(held, request.find("fields"), call); });
    call.begin = call.end = nullptr;
    kept[whole(request, "id")] = {held, function.spec->element, call};
    return found;
  }

  // --- what is called

  const Function& chosen(const Value& request, const std::string& name, Call& call) {
    const Value* on = request.find("on");
    if (!on || on->nothing()) {
      for (const Function& function : package().functions)
        if (function.spec->name == name) return function;
      throw ArgumentError("there is no function " + name);
    }
    auto [held, owner] = answer_of(*on);
    if (!held.object) throw ArgumentError("the answer is nothing, and has no method " + name);
    const Function* found = nullptr;
    for (const Function& function : held.type->methods())
      if (function.spec->name == name && (!found || function.spec->element == owner + "." + name)) found = &function;
    if (!found) throw ArgumentError(held.type->name + " has no method " + name);
    call.self = held;
    return *found;
  }

  void arrange(const Value& request, Call& call) {
    const Spec& spec = *call.spec;
    bool self_first = is_c && call.self.object;
    call.given.resize(spec.parameters.size());
    std::size_t next = 0;
    if (self_first) call.given[next++] = {true, {}, call.self};
    for (const Value& value : parts(request, "arguments")) {
      if (next >= spec.parameters.size()) throw ArgumentError(spec.name + " takes no more than " + std::to_string(spec.parameters.size() - self_first) + " arguments");
      call.given[next++] = given(value);
    }
    if (auto* named = request.find("named"); named && named->as<Fields>())
      for (const Field& field : *named->as<Fields>()) {
        std::size_t at = 0;
        while (at < spec.parameters.size() && spec.parameters[at].name != field.name) ++at;
        if (at == spec.parameters.size()) throw ArgumentError(spec.name + " has no argument " + field.name);
        if (call.given[at].there) throw ArgumentError("argument " + field.name + " is given twice");
        call.given[at] = given(field.value);
      }
  }

  Given given(const Value& value) {
    auto* extra = value.as<Extra>();
    if (!extra || extra->kind != "answer") return {true, value, {}};
    auto [held, owner] = answer_of(value);
    if (!held.object) return {true, {}, {}};
    const Kept& whole_answer = kept.at(whole(extra->inner[0], "call"));
    auto shape = whole_answer.call.sizes(path_of(extra->inner[0]), &whole_answer.held);
    Out out;
    held.type->write(out, held.object.get(), shape ? &*shape : nullptr);
    return {true, decode(out.bytes), held};
  }

  // The answer or a part of it, and the element of the interface it belongs to.
  std::pair<Held, std::string> answer_of(const Value& value) {
    const Value& inner = value.as<Extra>()->inner[0];
    auto at = kept.find(whole(inner, "call"));
    if (at == kept.end()) throw ArgumentError("there is no such answer");
    auto [held, element, call] = at->second;
    for (const Value& step : parts(inner, "path")) {
      const std::string& name = *step.as<std::string>();
      auto part = held.object ? held.type->field(held, name) : std::nullopt;
      if (!part) throw ArgumentError("the answer has no " + name);
      held = *part, element += "." + name;
    }
    return {held, element};
  }

  // --- what is answered

  std::string plain(const Held& held, const std::string& path, const Held& whole_answer, const Call& call) {
    Out out;
    if (!held.object) return out.nothing(), out.bytes;
    auto shape = call.sizes(path, &whole_answer);
    held.type->write(out, held.object.get(), shape ? &*shape : nullptr);
    return out.bytes;
  }

  std::string described(const Held& held, const Value* fields, const Call& call) {
    List names = fields ? all_of(*fields) : List();
    if (!fields || fields->nothing() || !held.object) return plain(held, "", held, call);
    return object(held, "", held, names, call);
  }

  std::string object(const Held& held, const std::string& path, const Held& whole_answer, const List& fields, const Call& call) {
    Parts found;
    List missing;
    auto read = [&](const std::string& name, const List* inner) {
      std::string below = path.empty() ? name : path + "." + name;
      auto part = held.type->field(held, name);
      if (!part) missing.push_back({name});
      else if (inner && part->object) found.push_back({name, object(*part, below, whole_answer, *inner, call)});
      else found.push_back({name, plain(*part, below, held, call)});
    };
    for (const Value& field : fields) {
      auto* name = field.as<std::string>();
      if (name && *name == "*")
        for (const std::string& own : held.type->fields()) read(own, nullptr);
      else if (name) read(*name, nullptr);
      else {
        List inner = parts(field, "fields");
        read(text(field, "name"), &inner);
      }
    }
    Out none;
    none.list(missing.size());
    for (const Value& name : missing) none.text(*name.as<std::string>());
    std::string type = held.type->name, last = type.substr(type.rfind(':') + 1);
    Out classes;
    classes.list(type == last ? 1 : 2), classes.text(last);
    if (type != last) classes.text(type);
    Out out;
    out.extra("object");
    out.bytes += encoded_fields({{"classes", classes.bytes}, {"fields", encoded_fields(found)}, {"missing", none.bytes}});
    return out.bytes;
  }

  std::string exports() {
    std::vector<std::string> names;
    for (const Function& function : package().functions) names.push_back(function.spec->name);
    std::sort(names.begin(), names.end());
    Out out;
    out.list(names.size());
    for (const std::string& name : names) out.text(name);
    return out.bytes;
  }

  // Names are those of the interface: the language does not keep them, and no default either.
  std::string signature_of(const std::string& name) {
    for (const Function& function : package().functions) {
      if (function.spec->name != name) continue;
      Out out, none, no;
      none.nothing(), no.truth(false);
      out.list(function.spec->parameters.size());
      for (const Parameter& parameter : function.spec->parameters)
        out.bytes += encoded_fields({{"name", encoded(parameter.name)}, {"default", none.bytes}, {"keyword_only", no.bytes}});
      return out.bytes;
    }
    throw ArgumentError("there is no function " + name);
  }

  std::string printed_form(const Value& request) {
    List arguments = parts(request, "arguments");
    if (arguments.size() != 1) throw ArgumentError("one argument has a text");
    Given one = given(arguments[0]);
    std::ostringstream text;
    if (!one.held) text << statsclaw::described(one.value);
    else if (!one.held->type->print(text, one.held->object.get())) throw ArgumentError(one.held->type->name + " cannot be printed with <<");
    return encoded(text.str());
  }

  // --- requests

  static const Value& wanted_part(const Value& value, const char* name) {
    if (const Value* found = value.find(name)) return *found;
    throw Garbled(std::string("there is no ") + name);
  }
  static std::int64_t whole(const Value& value, const char* name) {
    if (auto* found = wanted_part(value, name).as<std::int64_t>()) return *found;
    throw Garbled(std::string(name) + " is no whole number");
  }
  static std::string text(const Value& value, const char* name) {
    if (auto* found = wanted_part(value, name).as<std::string>()) return *found;
    throw Garbled(std::string(name) + " is no text");
  }
  static List all_of(const Value& value) {
    if (auto* list = value.as<List>()) return *list;
    auto* array = value.as<Array>();
    List found;
    if (array && array->letter == 's') found = array->texts;
    else if (array)
      for (std::size_t k = 0; k < product(array->shape); ++k) found.push_back(element(*array, k));
    return found;
  }
  static List parts(const Value& value, const char* name) {
    const Value* found = value.find(name);
    return found ? all_of(*found) : List();
  }
  static std::string path_of(const Value& answer) {
    std::string path;
    for (const Value& step : parts(answer, "path")) path += (path.empty() ? "" : ".") + *step.as<std::string>();
    return path;
  }
};

bool exactly(int file, char* at, std::size_t size) {
  while (size > 0) {
    auto got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got, size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool written(int file, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    auto put = ::write(file, bytes.data() + at, bytes.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    at += static_cast<std::size_t>(put);
  }
  return true;
}

int converse(const char* incoming, const char* outgoing) {
  int questions = open(incoming, O_RDONLY | O_CLOEXEC), answers = open(outgoing, O_WRONLY | O_CLOEXEC);
  if (questions < 0 || answers < 0) return 2;
  Worker worker;
  worker.printed.divert();
  for (std::int64_t size = 0; exactly(questions, reinterpret_cast<char*>(&size), sizeof size);) {
    if (size < 0 || size > largest_frame) return 3;
    std::string bytes(static_cast<std::size_t>(size), '\0');
    if (!exactly(questions, bytes.data(), bytes.size())) return 3;
    std::string reply;
    try {
      Value request = decode(bytes);
      const Value* what = request.find("do");
      if (!what || !what->as<std::string>()) return 3;
      if (*what->as<std::string>() == "end") break;
      if (*what->as<std::string>() == "forget") {
        worker.forget();
        continue;
      }
      reply = worker.answer(request);
    } catch (const Garbled&) {
      return 3;
    }
    Out head;
    head.raw(static_cast<std::int64_t>(reply.size()));
    if (!written(answers, head.bytes + reply)) return 4;
  }
  worker.forget();
  return 0;
}

}  // namespace
}  // namespace statsclaw

#ifndef STATSCLAW_SUITE
extern "C" void __gcov_dump() __attribute__((weak));  // there where lines are counted

int main(int count, char** words) {
  if (count < 3) return 2;
  int status = statsclaw::converse(words[1], words[2]);
  std::fflush(nullptr);
  if (__gcov_dump) __gcov_dump();
  std::_Exit(status);  // what the package does when it is unloaded is no answer
}
#endif
